"""The venue's own SDK as in `worker_sdk`, but with coincurve behind it."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from benchgate.worker import serve


def load() -> Callable[[], object]:
    """Choose coincurve before the SDK is imported."""
    os.environ["ECC_BACKEND_CLASS"] = "eth_keys.backends.CoinCurveECCBackend"
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from benches.derive import worker_sdk  # noqa: PLC0415 - needs the path above

    return worker_sdk.load()


if __name__ == "__main__":
    serve(load)
