"""The commands of ``python -m spcviz``, one file each, with ``HELP``, ``add_options`` and ``run``.

``add_options`` takes a parser; ``run`` returns an exit status or None.
"""
