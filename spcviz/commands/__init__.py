"""The commands of ``python -m spcviz``, a file each: HELP, `add_options`, `run`."""
