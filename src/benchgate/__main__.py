"""Run the command line of the instrument."""

import sys

from benchgate.cli import main

sys.exit(main())
