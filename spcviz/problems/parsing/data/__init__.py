"""Data of dependency parsing: treebanks, and the sentences that the page offers."""
