"""What to say of an exception that nobody foresaw."""

import traceback
from pathlib import Path


def stray_text(fault: BaseException) -> str:
    """Say what was raised by what nobody foresaw, and where: an assertion often has no more to say."""
    place = traceback.extract_tb(fault.__traceback__)[-1]
    text = f": {fault}" if str(fault) else ""
    return f"{type(fault).__name__}{text} ({Path(place.filename).name}, line {place.lineno})"
