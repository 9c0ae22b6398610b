"""Data of tagging: two tagged corpora, and the sentences that the page offers."""
