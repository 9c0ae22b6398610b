"""Exported files open elsewhere: tables in spreadsheets, symbols in OpenFst, models from zips."""

import argparse
import csv
import io
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest

from spcviz.commands import export
from spcviz.engine.errors import ArgumentError
from spcviz.io import load
from spcviz.io.zipped import to_zip
from spcviz.problems.own_data.page.downloads import write_csv
from spcviz.scores import from_emissions
from spcviz.sequences import StructuredPerceptron
from spcviz.store import StoreError

ROWS = [
    ["Zürich", "B-LOC", 0.5], ["名前", "O", 1.0], ["R²", "O", 2.0],
    ['he said "so"', "O", 3.0], ["a\nb", "O", 4.0],
    ["a,b;c", "O", 5.0], ["=1+1", "O", 6.0], ["+49", "O", 7.0], ["@x", "O", 8.0], ["-", "O", 9.0],
]  # fmt: skip


def test_a_table_has_the_mark_by_which_spreadsheets_see_utf_8():
    data = write_csv(["word", "label", "sure"], ROWS)
    assert data.startswith(b"\xef\xbb\xbf")
    frame = pd.read_csv(io.BytesIO(data))  # with pandas' defaults
    assert list(frame.columns) == ["word", "label", "sure"]
    assert frame["word"].tolist()[:6] == [row[0] for row in ROWS[:6]]
    assert frame["sure"].tolist() == [row[2] for row in ROWS]


def test_no_cell_is_a_formula_in_a_spreadsheet():
    cells = [
        row[0]
        for row in csv.reader(io.StringIO(write_csv(["a"], [[row[0]] for row in ROWS]).decode("utf-8-sig")))
    ]
    book = openpyxl.Workbook()
    for cell in cells[1:]:
        book.active.append([cell])
    kinds = [row[0].data_type for row in book.active.iter_rows()]
    assert set(kinds) == {"s"}  # f would be a formula
    assert cells[7] == "'=1+1"
    assert cells[-1] == "-"


@pytest.mark.parametrize(
    "name", ["scene.png", "scene.jpeg", "scene.docx", "scene", "scene.html.zip", ".html", "scene.PNG"]
)
def test_a_scene_is_written_only_in_what_its_name_says(tmp_path, name):
    with pytest.raises(
        (ArgumentError, OSError),
        match=r"must end in one of \.html, \.py, \.svg, .*\.mp4, which says what is written",
    ):
        export.run(argparse.Namespace(address="sweep", file=tmp_path / name))
    assert not list(tmp_path.iterdir())


# ---- OpenFst

E = np.random.default_rng(0).normal(size=(4, 3))


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (["<eps>", "B", "I"], r"labels\[0\] must be another symbol than OpenFst's own for nothing"),
        (["B", "<eps>", "I"], r"labels\[1\] must be another symbol than OpenFst's own"),
        (["B I", "O", "X"], r"labels\[0\] must have no white space"),
        (["", "O", "X"], r"labels\[0\] must have no white space"),
        (["a\tb", "O", "X"], r"labels\[0\] must have no white space"),
        ([1, "1", "X"], r"labels\[1\] must be another symbol than labels\[0\]"),
        (["O", "a\u2003b", "X"], r"labels\[1\] must have no white space"),
    ],
)
def test_symbols_that_openfst_would_mistake_are_refused(tmp_path, labels, said):
    with pytest.raises(ArgumentError, match=said):
        from_emissions([E], labels=labels).prune(alpha=0.5).to_openfst(tmp_path / "fst")
    assert not (tmp_path / "fst").exists()


@pytest.mark.parametrize(
    "labels", [["O", "B", "I"], ["<s>", "eps", "<epsilon>"], ["名", "ü", "#"], ["0", "1", "2"]]
)
def test_the_table_of_symbols_has_each_number_and_symbol_once(tmp_path, labels):
    from_emissions([E], labels=labels).prune(alpha=0.5).to_openfst(tmp_path)
    rows = [line.split("\t") for line in (tmp_path / "labels.txt").read_text(encoding="utf-8").splitlines()]
    assert rows == [["<eps>", "0"], *([label, str(k + 1)] for k, label in enumerate(labels))]


# ---- a model's zip


@pytest.fixture(scope="module")
def packed():
    X, y = [["a", "b"], ["b"]], [["N", "V"], ["V"]]
    return to_zip(StructuredPerceptron(max_iter=1, random_state=0).fit([[[w] for w in row] for row in X], y))


@pytest.fixture(scope="module")
def members(packed):
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


class Unseekable(io.RawIOBase):
    """A stream without seeking: a zip written into it has the sizes after the data."""

    def __init__(self):
        super().__init__()
        self.data = b""

    def writable(self):
        return True

    def write(self, data):
        self.data += bytes(data)
        return len(data)


def zipped(members, *, folder="", order=1, kind=zipfile.ZIP_DEFLATED, more=(), comment=b""):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", kind) as archive:
        archive.comment = comment
        if folder:
            archive.writestr(f"{folder}/", b"")
        for name, data in list(members.items())[::order]:
            archive.writestr(f"{folder}/{name}" if folder else name, data)
        for name, data in more:
            archive.writestr(name, data)
    return out.getvalue()


def streamed(members):
    out = Unseekable()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.data


def backslashed(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo("x")
            info.filename = f"model\\{name}"  # as Windows PowerShell 5 writes it
            archive.writestr(info, data)
    return out.getvalue()


FINDER = [("__MACOSX/model/._estimator.json", b"\0" * 9), ("model/.DS_Store", b"x")]
TOOLS = {
    "as the page writes it": lambda m: zipped(m, kind=zipfile.ZIP_STORED),
    "zip of the files": zipped,
    "the other order, as 7z sorts": lambda m: zipped(m, order=-1),
    "zip -r of the folder": lambda m: zipped(m, folder="model"),
    "a folder in a folder": lambda m: zipped(m, folder="my models/ner, final"),
    "Finder": lambda m: zipped(m, folder="model", more=FINDER),
    "Explorer": lambda m: zipped(m, more=[("Thumbs.db", b"x"), ("desktop.ini", b"x")]),
    "PowerShell 5": backslashed,
    "a stream": streamed,
    "with a comment and a note": lambda m: zipped(m, more=[("README.txt", b"mine")], comment=b"by hand"),
    "self-extracting": lambda m: b"MZ stub " + zipped(m),
}  # fmt: skip


@pytest.mark.parametrize("tool", [name for name in TOOLS if name != "self-extracting"])
def test_a_model_opens_from_the_zip_of_any_tool(tmp_path, members, tool):
    path = tmp_path / "model.zip"
    path.write_bytes(TOOLS[tool](members))
    assert load(path).predict([[["a"], ["b"]]])[0] == ["N", "V"]


def other_kind(kind):
    return lambda m: zipped(m, kind=kind)


HOSTILE = {
    "bzip2": (other_kind(zipfile.ZIP_BZIP2), "by bzip2; only stored and deflated"),
    "LZMA": (other_kind(zipfile.ZIP_LZMA), "by LZMA; only stored and deflated"),
    "two models": (
        lambda m: zipped(m, folder="a", more=[(f"b/{name}", data) for name, data in m.items()]),
        "has estimator.json more than once: zip one of its folders alone",
    ),
    "half": (
        lambda m: zipped({k: v for k, v in m.items() if k.endswith(".json")}),
        r"has no estimator\..*npz",
    ),
    "the other half": (
        lambda m: zipped({k: v for k, v in m.items() if k.endswith(".npz")}),
        "has no estimator.json",
    ),
    "empty": (lambda m: zipped({}), "has no estimator.json"),
    "cut off": (lambda m: zipped(m)[:-40], "cannot be unpacked"),
    "other bytes": (
        lambda m: zipped({k: v[:-1] + b"\1" if k.endswith(".npz") else v for k, v in m.items()}),
        "SHA-256",
    ),
    "no manifest in it": (lambda m: zipped(m | {"estimator.json": b"{}"}), "model"),
    "a zip in a zip": (lambda m: zipped({"model.zip": zipped(m)}), "has no estimator.json"),
    "self-extracting": (TOOLS["self-extracting"], "must be a folder that spcviz.save wrote, or a .zip of it"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_zip_of_something_else_is_refused_in_words(tmp_path, members, what):
    make, said = HOSTILE[what]
    path = Path(tmp_path) / "model.zip"
    path.write_bytes(make(members))
    with pytest.raises(StoreError, match=said):
        load(path)
