"""Command line: ``python -m spcviz COMMAND``; the commands are in `spcviz.commands`."""

import argparse
import sys
from concurrent.futures.process import BrokenProcessPool

from spcviz.commands import (
    app,
    bench,
    data,
    docs,
    export,
    kernels,
    models,
    report,
    reproduce,
    site,
    train,
    warmup,
)
from spcviz.engine import extras
from spcviz.engine.errors import SpcvizError

COMMANDS = {
    "train": train, "reproduce": reproduce, "report": report, "bench": bench, "warmup": warmup,
    "kernels": kernels, "models": models, "data": data, "export": export, "site": site, "docs": docs,
    "app": app,
}  # fmt: skip
_ABOUT = "Train, reproduce, time and look after structured prediction cascades."


def main(arguments=None):
    """Run one command; returns the exit status (0 done, 1 refused, 130 interrupted)."""
    options = _parser().parse_args(arguments)
    try:
        with extras.name_extra("this command"):
            return options.run(options) or 0
    except (SpcvizError, OSError) as error:
        print(f"spcviz: {error}", file=sys.stderr)
        return 1
    except BrokenProcessPool:
        kept = "finished parts have been kept: try again with --workers 1"
        print(f"spcviz: a worker process died (out of memory?); {kept}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("spcviz: interrupted; what was finished has been kept", file=sys.stderr)
        return 130


def _parser():
    parser = argparse.ArgumentParser(prog="python -m spcviz", description=_ABOUT)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        one = commands.add_parser(name, help=command.HELP)
        one.set_defaults(run=command.run)
        command.add_options(one)
    return parser
