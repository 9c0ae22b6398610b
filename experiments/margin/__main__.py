"""Writes the document on threshold rules, its tables and figures: ``python -m experiments.margin``."""

from experiments.margin import document, tables

if __name__ == "__main__":
    tables.TEXT.write_text(tables.document(), encoding="utf-8")
    document.TEXT.write_text(document.document(), encoding="utf-8")
