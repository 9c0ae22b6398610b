"""Detect the type of a file from its first bytes, and give advice for types that are not read here."""

import re

from spcviz.engine.extras import how_to_install

_SAVE_AS = "save it as text with one token a line, its label beside it"

_MAGIC = (
    (rb"PAR1", "Parquet"),
    (rb"ARROW1", "Arrow"),
    (rb"\xff\xff\xff\xff.{4}\x10\0\0\0", "Arrow stream"),
    (rb"\x1f\x8b", "gzip"),
    (rb"PK\x03\x04|PK\x05\x06", "zip"),
)
"""Types that are unpacked here or read by a library."""

_UNREAD = (
    (rb"\x93NUMPY", "a single numpy array (.npy); scores are read from an .npz with emissions and lengths"),
    (rb"%PDF", f"a PDF document; {_SAVE_AS}"),
    (rb"\xd0\xcf\x11\xe0", "an old Excel or Word file (.xls, .doc); save its table as CSV or .xlsx"),
    (rb"BZh[1-9]1AY", "packed by bzip2; unpack it first, or pack it by gzip"),
    (rb"\xfd7zXZ\0", "packed by xz; unpack it first, or pack it by gzip"),
    (rb"\x28\xb5\x2f\xfd", "packed by zstd; unpack it first, or pack it by gzip"),
    (rb"7z\xbc\xaf\x27\x1c|Rar!", "an archive (7z or RAR); unpack it first, or pack it as zip"),
    (rb"SQLite format 3\0", f"a SQLite database; {_SAVE_AS}"),
    (rb"\x89HDF", f"HDF5; {_SAVE_AS}"),
    (
        rb"\x80[\x02-\x05][\x80-\x95\]}(cKX]",
        "a pickle, which could run code and is never read; save CSV or JSON",
    ),
    (rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|RIFF....(?:WEBP|AVI )|.{4}ftyp", "a picture or a clip, and no text"),
    (rb"\{\\rtf", f"a document (RTF); {_SAVE_AS}"),
    (rb"\x0a[\x00-\xff]{0,3}\x0a.*\x08\x01\x12", "a record of protocol buffers (TFRecord or the like)"),
)

_BRAT = re.compile(r"T\d+\t\S+ \d+ \d+(?:;\d+ \d+)*\t|[REAMN]\d+\t|#\d+\t|\*\t")
_XML = re.compile(
    r"\s*<(?:\?xml|!doctype|html|[A-Za-z][\w:.-]*(?:\s+[\w:.-]+\s*=\s*[\"'][^\"']*[\"'])*\s*/?>)",
    re.IGNORECASE,
)
_TAGGED = re.compile(r"[^\s/_|]\S*[/_|][A-Z$.,:'`()#-][A-Z0-9$-]*")
_TREE = re.compile(r"\(\s*\(?[A-Z]+ \(")
_CONCEPT = re.compile(r'c="[^"]*" \d+:\d+ \d+:\d+\|\|t="')
_MARKDOWN = re.compile(r"\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)+\|?\s*")
_BRACKETS = re.compile(r"\[[A-Z]{2,}(?:\s[^\[\]]+)?\s\S+ \]")
_POINTER = "version https://git-lfs.github.com/spec/"
_YAML = re.compile(r"---\s*\n|%YAML")


def packed_kind(data: bytes) -> str:
    """The type of bytes that can be unpacked, or read by a library; empty for all others.

    >>> packed_kind(b"PAR1..."), packed_kind(b"a text")
    ('Parquet', '')
    """
    return next((kind for sign, kind in _MAGIC if re.match(sign, data[:16], re.DOTALL)), "")


def unread_bytes(data: bytes) -> str:
    """Describe bytes of a type that is never read, with advice; empty for all others."""
    return next((f"is {kind}" for sign, kind in _UNREAD if re.match(sign, data[:64], re.DOTALL)), "")


def unread_text(text: str) -> str:
    """Describe a text that has no tokens in columns, with advice; empty for all others.

    >>> unread_text("T1\\tPER 0 5\\tMaria\\nT2\\tLOC 9 13\\tOslo\\n")[:40]
    "is brat's annotation (.ann), whose words"
    """
    head = text[:20_000]
    lines = [line for line in head.split("\n")[:200] if line.strip()]
    if len(text) > len(head) and len(lines) > 1:
        lines.pop()
    if not lines:
        return ""
    if lines[0].startswith(_POINTER):
        return "is Git LFS's note of where a file lies, and not the file: fetch it (git lfs pull)"
    if all(_BRAT.match(line) for line in lines) and any(line[0] == "T" for line in lines):
        return "is brat's annotation (.ann), whose words are in the .txt beside it; export both as CoNLL"
    if lines[0].startswith("#FORMAT=WebAnno"):
        return "is WebAnno's or INCEpTION's own TSV; export it as CoNLL 2002 or CoNLL 2003"
    if all(_CONCEPT.match(line) for line in lines):
        return f"is i2b2's file of concepts (.con), whose words are in the .txt beside it; {_SAVE_AS}"
    if any(_MARKDOWN.fullmatch(line.strip()) for line in lines[1:2]):
        return "is a table in Markdown; save it as CSV, or as TSV"
    if sum(bool(_BRACKETS.search(line)) for line in lines) > len(lines) // 2:
        return f"has chunks in brackets ([PER Ada ]); {_SAVE_AS}"
    if len(lines) == 1 and len(text) == len(head) and _is_running(lines[0]):
        return "is running text without labels; bring one token a line, its label beside it"
    if (found := _XML.match(head)) and _is_xml(lines, found[0]):
        return f"is a web page or XML (TEI, GATE, BioC ...); {_SAVE_AS}"
    if _TREE.match(lines[0].strip()) and not any("\t" in line for line in lines):
        return "has trees in brackets (Penn Treebank); write their leaves, one token and tag a line"
    if _YAML.match(head) and ":" in head:
        return f"is YAML; {_SAVE_AS}"
    words = [word for line in lines for word in line.split()]
    n_tagged = sum(bool(_TAGGED.fullmatch(word)) for word in words)
    if len(words) > 2 * len(lines) and n_tagged > 0.9 * len(words):
        return "has a sentence a line, each word with its tag behind a sign (dog/NN); put one word a line"
    return ""


def _is_running(line: str) -> bool:
    """Whether a line is an ordinary sentence and not a token with its columns."""
    words = line.split()
    n_lower = sum(word.strip(".,;:!?()\"'").isalpha() and word[1:].islower() for word in words)
    return len(words) > 3 and "\t" not in line and 2 * n_lower > len(words)


def _is_xml(lines: list[str], opening: str) -> bool:
    """Whether a text is markup throughout: no tokens between ``<s>`` and ``</s>``, and no token ``<p>``."""
    if re.match(r"\s*<(?:\?xml|!doctype|html)", opening, re.IGNORECASE):
        return True
    outside = [line for line in lines if not re.fullmatch(r"\s*</?[A-Za-z][^<>]*>\s*", line)]
    if not outside:
        return len(lines) > 1
    return sum("<" in line and "</" in line for line in outside) > len(outside) // 2


def missing_reader(kind: str, package: str, instead: str) -> str:
    """The message for a format whose reader is not installed."""
    return f"is {kind}, for which {package} is not installed here: {how_to_install(package)}, or {instead}"
