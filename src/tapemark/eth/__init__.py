"""Ethereum primitives of the signing path: keccak256, ABI words, secp256k1, presigned nonces."""
