"""The commands of ``python -m spcviz``, a file each: HELP, `add_options` to a parser, `run`: exit status or
None."""
