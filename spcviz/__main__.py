"""``python -m spcviz``; see `spcviz.cli`."""

import sys

from spcviz.cli import main

if __name__ == "__main__":
    sys.exit(main())
