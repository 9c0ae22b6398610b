"""Bring data that does not ship: download an original from its home, prepare it for the loaders.

`get` downloads; a problem's ``prepare.py`` names its originals (`Source`) and turns them into what its
loaders read, with `original` to find the files and `place` to write all of it or nothing.
"""
