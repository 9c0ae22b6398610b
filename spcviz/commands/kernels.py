"""``kernels``: export and import compiled kernels as a file, for workers, lecture rooms and images."""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from spcviz.engine.errors import ArgumentError, SpcvizError

HELP = "carry compiled kernels to other machines: export, import, or compile for an image"


def add_options(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION", dest="action")
    actions.add_parser("list", help="say how many there are, where, and what they fit")
    export = actions.add_parser("export", help="write all that are compiled to a file")
    export.add_argument("file", type=Path, metavar="FILE")
    take = actions.add_parser("import", help="take those of a file that fits this code and machine")
    take.add_argument("file", type=Path, metavar="FILE", help="from somebody whose programs you would run")
    carry = actions.add_parser(
        "carry", help="compile all kernels into a folder, for any processor that an image may run on"
    )
    carry.add_argument("folder", type=Path, metavar="FOLDER", help="SPCVIZ_CARRIED_KERNELS of the image")


def run(options: argparse.Namespace) -> int | None:
    from spcviz.engine.kernels import carrying, kernel_cache

    if options.action == "carry":
        options.folder.mkdir(parents=True, exist_ok=True)
        changed = {"SPCVIZ_JIT_DIR": str(options.folder.resolve()), carrying.CARRIED: ""}
        environment = os.environ | changed | carrying.baseline_environment()
        return subprocess.run(
            [sys.executable, "-m", "spcviz", "warmup"], env=environment, check=False
        ).returncode
    folder = kernel_cache.own_folder()
    if folder is None:
        raise SpcvizError("; ".join(kernel_cache.complaints()) or "compiled kernels are not kept here")
    here = carrying.this_platform(folder.name)
    if options.action == "list":
        n = sum(1 for _ in folder.rglob("*.nbc"))
        print(f"{n} compiled kernels in {folder}\n{here.python}, {here.system}, {here.processor}")
    elif options.action == "export":
        _export(options.file, folder, here)
    else:
        if not options.file.is_file():
            raise ArgumentError(f"FILE must be a file, got {str(options.file)!r}")
        taken, kept = carrying.import_kernels(folder, here, options.file)
        kernel_cache.settle()
        print(f"{taken} compiled kernels taken into {folder}; {kept} were there already")
    return None


def _export(file: Path, folder: Path, here: object) -> None:
    from spcviz.engine.kernels import carrying

    if not file.parent.is_dir():
        raise ArgumentError(f"FILE must be in a folder that there is, got {str(file)!r}")
    with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as part:
        try:
            n = carrying.export_kernels(folder, here, part)
        except BaseException:
            os.unlink(part.name)
            raise
    os.replace(part.name, file)
    print(
        f"{n} compiled kernels in {file}, {file.stat().st_size / 1e6:.1f} MB; python -m spcviz kernels import"
    )
