"""The private key of every signed bench, which guards nothing."""

import hashlib

KEY = hashlib.sha256(b"tapemark bench key").digest()
