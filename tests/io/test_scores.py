"""Scores from files: written files are read back, and nothing that a stranger puts there does harm."""

import io
import zipfile

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.io import read_scores, unpacking
from spcviz.io.score_tables import UNKNOWN, is_score_table
from spcviz.scores import from_emissions

RNG = np.random.default_rng(0)
WHOLE = {
    "emissions": RNG.normal(size=(5, 3)),
    "lengths": np.array([2, 0, 3]),
    "transitions": RNG.normal(size=(3, 3)),
    "start": RNG.normal(size=3),
    "labels": np.array([0, 1, 2, 1, 0]),
    "label_names": np.array(["O", "B-é", "I"]),
    "tokens": np.array(list("abcde")),
}


def npz(**changed):
    file = io.BytesIO()
    np.savez(file, **{key: array for key, array in (WHOLE | changed).items() if array is not None})
    return file.getvalue()


def test_npz():
    scores = read_scores(npz())
    assert_array_equal(scores.emissions, WHOLE["emissions"])
    assert (scores.label_names, scores.tokens) == (("O", "B-é", "I"), tuple("abcde"))
    split = [WHOLE["emissions"][:2], WHOLE["emissions"][:0], WHOLE["emissions"][2:]]
    want = from_emissions(split, WHOLE["transitions"], start=WHOLE["start"], labels=["O", "B-é", "I"])
    assert [labels.tolist() for labels in scores.sequences().decode()] == [
        labels.tolist() for labels in want.decode()
    ]
    assert [labels.tolist() for labels in scores.y()] == [["O", "B-é"], [], ["I", "B-é", "O"]]
    assert scores.sequences().score(scores.y()).shape == (3,)


def test_only_what_must_be_there(tmp_path):
    path = tmp_path / "own.npz"
    np.savez_compressed(path, emissions=WHOLE["emissions"].astype(np.float32, order="F"), lengths=[5])
    scores = read_scores(path)
    assert_array_equal(scores.emissions, WHOLE["emissions"].astype(np.float32))
    assert scores.transitions is scores.labels is scores.label_names is scores.tokens is None
    with pytest.raises(ArgumentError, match="labels must be in the file for this, got none"):
        scores.y()
    with path.open("rb") as file:
        assert read_scores(file).lengths.tolist() == [5]


def test_labels_by_name():
    assert read_scores(npz(labels=np.array(["O", "I", "I", "O", "B-é"]))).labels.tolist() == [0, 2, 2, 0, 1]


def test_csv(tmp_path):
    text = 'sequence,token,gold,N,V\na,dogs,N,2.5,-inf\na,bark,V,1,3e1\nb,"x, y",N,0,0\n'
    scores = read_scores(text)
    assert scores.emissions.tolist() == [[2.5, -np.inf], [1.0, 30.0], [0.0, 0.0]]
    assert (scores.lengths.tolist(), scores.labels.tolist()) == ([2, 1], [0, 1, 0])
    assert (scores.label_names, scores.tokens) == (("N", "V"), ("dogs", "bark", "x, y"))
    path = tmp_path / "own.csv"
    path.write_text("\ufeff" + text.replace(",", ";").replace("x; y", "x, y"), encoding="utf-8")
    assert read_scores(path).tokens == scores.tokens
    with path.open(encoding="utf-8-sig") as file:
        assert read_scores(file).tokens == scores.tokens
    without = read_scores("sequence\tN\tV\n1\t0\t1\n2\t1\t0\n")
    assert without.labels is without.tokens is None
    assert without.sequences().decode()[0].tolist() == ["V"]


NPZ_REFUSED = [
    ({"emissions": None}, ArgumentError, "text: must hold the array 'emissions', got"),
    ({"lengths": None}, ArgumentError, "text: must hold the array 'lengths', got"),
    ({"lengths": [2, 2]}, ShapeError, r"text: lengths add up to 4; emissions \(5, 3\) needs 5"),
    ({"lengths": [2.0, 3.0]}, ArgumentError, "lengths must be an array of whole numbers"),
    (
        {"emissions": np.where(np.eye(5, 3), np.nan, 0)},
        ScoreError,
        r"text: emissions\[0, 0\] must be a finite",
    ),
    ({"emissions": np.zeros(5)}, ShapeError, r"emissions has shape \(5,\); it needs 2 dimensions"),
    (
        {"transitions": np.zeros((2, 2))},
        ShapeError,
        r"transitions has shape \(2, 2\); emissions needs \(3, 3\)",
    ),
    ({"end": np.zeros(2)}, ShapeError, r"end has shape \(2,\); emissions needs \(3,\)"),
    ({"labels": [0, 1, 2, 3, 0]}, ArgumentError, r"labels\[3\] must be from 0 to 2, got 3"),
    (
        {"labels": ["O", "X", "O", "O", "O"]},
        ArgumentError,
        r"labels\[1\] must be one of label_names, got 'X'",
    ),
    ({"label_names": ["a", "b"]}, ShapeError, r"label_names has shape \(2,\), .* needs \(3,\) texts"),
    ({"label_names": ["a", "b", "a"]}, ArgumentError, "label_names must be different"),
    ({"tokens": np.zeros(5)}, ShapeError, r"tokens has shape \(5,\), dtype float64; it needs \(5,\) texts"),
    (
        {"emissions": np.array([[1, 2, 3]] * 5, dtype=object)},
        ArgumentError,
        "emissions must be of numbers or",
    ),
]


@pytest.mark.parametrize(("changed", "error", "message"), NPZ_REFUSED)
def test_bad_arrays_are_named(changed, error, message):
    with pytest.raises(error, match=message):
        read_scores(npz(**changed))


CSV_REFUSED = [
    (
        "sequence,token\n1,a\n",
        "text, line 1: must have the columns sequence, token, gold and one for each label",
    ),
    ("token,N,V\na,1,2\n", "text, line 1: must have the columns sequence"),
    ("sequence,N,N\n1,1,2\n", "text, line 1: must have different names"),
    ("sequence,N,V\n1,1\n", "text, line 2: must have 3 columns, got 2"),
    ("sequence,N,V\n1,1,x\n", "text, line 2: V must be a score, got 'x'"),
    ("sequence,N,V\n\n1,1,nan\n", "text, line 3: V must be a finite score or -inf, got 'nan'"),
    ("sequence,gold,N,V\n1,N,1,2\n1,X,1,2\n", "text, line 3: gold must be the name of a column, got 'X'"),
    ("sequence,N\n1,1\n2,1\n1,1\n", "text, line 4: rows of sequence '1' must be neighbours"),
    ("\n\n", "text: must have a header and a row for each token, got nothing"),
]


@pytest.mark.parametrize(("text", "message"), CSV_REFUSED)
def test_bad_rows_are_named(text, message):
    with pytest.raises(ArgumentError, match=message):
        read_scores(text)


def header_claiming(shape):
    """A file of a few bytes whose header announces terabytes."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return file.getvalue()


def archive(**files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files.items():
            made.writestr(f"{name}.npy", data)
    return out.getvalue()


def test_bombs_are_refused_before_they_go_off(monkeypatch):
    with pytest.raises(ArgumentError, match="emissions has 0 bytes, not those of float64 and shape"):
        read_scores(archive(emissions=header_claiming((10**9, 10**6)), lengths=b""))
    monkeypatch.setattr(unpacking, "MAX_ENTRY_BYTES", 10_000)
    with pytest.raises(
        ArgumentError, match=r"has emissions.npy with [\d,]+ bytes; at most 10,000 are unpacked"
    ):
        read_scores(archive(emissions=b"\0" * 20_000, lengths=b""))
    with pytest.raises(ArgumentError, match="must hold at most 64 arrays, got 65"):
        read_scores(archive(**{f"a{n}": b"" for n in range(65)}))


def test_damage_is_said(tmp_path):
    whole = npz()
    rng, said = np.random.default_rng(0), []
    for _ in range(100):
        cut = bytearray(whole)
        for at in rng.integers(4, len(whole), 3):
            cut[at] ^= 1 << rng.integers(8)
        try:
            read_scores(bytes(cut))
        except ArgumentError as error:
            said.append(str(error))
    assert len(said) > 20
    assert all(message.startswith("text: ") for message in said)
    with pytest.raises(ArgumentError, match=r"must be an .npz file that can be unpacked"):
        read_scores(whole[:-100])
    single = io.BytesIO()
    np.save(single, np.zeros(3))
    with pytest.raises(
        ArgumentError, match=r"is a single numpy array \(.npy\); scores are read from an .npz with emissions"
    ):
        read_scores(single.getvalue())
    with pytest.raises(ArgumentError, match=r"none.npz: cannot be read"):
        read_scores(tmp_path / "none.npz")


@pytest.mark.parametrize("name", ["token_id", "idx", "position", "doc_id", "Start", "char_offset", "No"])
@pytest.mark.parametrize("at", [0, 1, 3, 5])
def test_a_column_that_numbers_tokens_is_no_label(name, at):
    rows = [
        ["sequence", "token", "gold", "N", "V"],
        ["1", "dogs", "N", "2", "0"],
        ["1", "bark", "V", "1", "3"],
    ]
    for k, row in enumerate(rows):
        row.insert(at, [name, "3", "4"][k])
    scores = read_scores("".join(",".join(row) + "\n" for row in rows))
    assert scores.label_names == ("N", "V")
    assert scores.emissions.tolist() == [[2.0, 0.0], [1.0, 3.0]]


def test_a_label_that_is_named_like_a_number_is_one():
    text = "sequence,token,gold,NUM,NO,V\n1,two,NUM,2,0,1\n1,bark,V,1,0,3\n"
    assert read_scores(text).label_names == ("NUM", "V")  # whole numbers that are no gold label
    assert read_scores(text.replace(",0,", ",0.5,")).label_names == ("NUM", "NO", "V")
    assert read_scores(text.replace("V,1", "NO,1")).label_names == ("NUM", "NO", "V")


ROWS = "1,Anna,B-PER,0.1,2.5,0.3\n1,Karenina,I-PER,0.2,0.1,3\n2,reads,O,4,0.1,-inf\n"


@pytest.mark.parametrize(
    "gold",
    ["true", "y_true", "NER tags", "target", "True label", "gold_label", "reference", "Tag", "expected"],
)
def test_true_labels_under_the_names_that_people_give_them(gold):
    got = read_scores(f"sentence_id,token,{gold},O,B-PER,I-PER\n{ROWS}")
    assert got.label_names == ("O", "B-PER", "I-PER")
    assert (got.labels.tolist(), got.lengths.tolist()) == ([1, 2, 0], [2, 1])


@pytest.mark.parametrize("name", ["prediction", "pred", "pos", "lemma"])
@pytest.mark.parametrize("is_before", [False, True])
def test_words_beside_the_gold_label_are_no_scores(name, is_before):
    head, cells = ("{0},true", "{0},{1}") if is_before else ("true,{0}", "{1},{0}")
    rows = [("1,Anna", "O", "B-PER", "1,2"), ("1,reads", "B-PER", "O", "3,-1")]
    text = f"sentence,token,{head.format(name)},O,B-PER\n"
    text += "".join(f"{a},{cells.format(pred, true)},{b}\n" for a, pred, true, b in rows)
    got = read_scores(text)
    assert got.label_names == ("O", "B-PER")
    assert got.labels.tolist() == [1, 0]
    assert got.emissions.tolist() == [[1, 2], [3, -1]]


@pytest.mark.parametrize(
    "form", ["prob_{}", "p({})", "P({})", "score {}", "logit.{}", "Probability: {}", "{}"]
)
@pytest.mark.parametrize("gold", [True, False])
def test_labels_by_columns_that_say_that_they_are_scores(form, gold):
    names = ",".join(form.format(label) for label in ("O", "B-PER"))
    head, cells = ("gold,", ("B-PER,", "O,")) if gold else ("", ("", ""))
    got = read_scores(f"sequence,token,{head}{names}\n1,Anna,{cells[0]}1,2\n1,reads,{cells[1]}3,1\n")
    assert got.label_names == ("O", "B-PER")
    assert (got.labels is None) == (not gold)


def test_labels_that_begin_as_such_a_column_are_as_they_are():
    got = read_scores("sequence,token,gold,p.A,prob_B\n1,a,prob_B,1,2\n1,b,p.A,2,1\n")
    assert got.label_names == ("p.A", "prob_B")
    assert read_scores("sequence,token,prob_A,B\n1,a,1,2\n1,b,2,1\n").label_names == ("prob_A", "B")


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("doc_id,sent_id,token,O,X\n1,1,a,1,2\n2,1,b,1,2\n", [1, 1]),  # the numbering restarts
        ("doc_id,sent_id,token,O,X\n1,1,a,1,2\n1,1,b,1,2\n1,2,c,1,2\n2,1,d,1,2\n", [2, 1, 1]),
        ("file,sequence,token,O,X\na.txt,0,a,1,2\nb.txt,0,b,1,2\nb.txt,0,c,1,2\n", [1, 2]),
        ("sequence,token,O,X\n1,a,1,2\n,b,1,2\n2,c,1,2\n,d,1,2\n,e,1,2\n", [2, 3]),  # named once
        ("token,O,X\na,1,2\nb,1,2\n\nc,1,2\n", [2, 1]),
        ("token,O,X\na,1,2\n,,\n,,\nc,1,2\nd,1,2\n", [1, 2]),  # Excel's blank rows
        ("sequence,token,O,X\n1,a,1,2\n\n1,b,1,2\n2,c,1,2\n", [2, 1]),  # the id takes precedence
        ("token_id,token,O,X\n0,a,1.5,2\n1,b,1,2\n0,c,1,2\n1,d,1,2\n2,e,1,2\n", [2, 3]),
    ],
)
def test_sequences_are_told_apart_as_in_other_tables(text, lengths):
    got = read_scores(text)
    assert got.lengths.tolist() == lengths
    assert got.label_names == ("O", "X")


def test_what_tells_no_sequences_apart_is_refused():
    for text in ("token,O,X\na,1,2\nb,1,2\n", "a,1,2\n\nb,1,2\n"):
        with pytest.raises(ArgumentError, match="must have the columns sequence, token, gold"):
            read_scores(text)
    with pytest.raises(ArgumentError, match="line 4: rows of sequence '1, 1' must be neighbours"):
        read_scores("doc,sequence,token,O,X\n1,1,a,1,2\n1,2,b,1,2\n1,1,c,1,2\n")


@pytest.mark.parametrize(
    "text",
    [
        "# scores of model 7, 2026\nsequence,token,O,X\n1,a,-1.5,2\n",
        "sep=,\nsequence,token,O,X\n1,a,-1.5,2\n",
        "sep=;\nsequence;token;O;X\n1;a;-1,5;2\n",
        "sequence,token,O,X,\n1,a,-1.5,2,\n",  # one comma too many
        "sequence,token,O,X\n1,a,\u22121.5,2\n",  # the minus sign of word processors
        "sequence,token,O,X\n1,a,-15e-1,2.\n",
    ],
)
def test_what_programs_write_around_numbers(text):
    got = read_scores(text)
    assert got.emissions.tolist() == [[-1.5, 2.0]]
    assert got.label_names == ("O", "X")


def test_a_line_is_counted_from_the_files_first():
    with pytest.raises(ArgumentError, match="line 4: X must be a score, got '12%'"):
        read_scores("# by hand\nsequence,token,O,X\n1,a,1,2\n1,b,3,12%\n")
    with pytest.raises(ArgumentError, match="line 2: O must be a score, got 'NA'"):
        read_scores("sequence,token,O,X\n1,a,NA,2\n1,b,NA,2\n")


def test_lines_before_the_header_are_few_and_read_once():
    rows = "sequence,token,O,X\n1,a,1,2\n"
    assert read_scores("sep=,\n# by hand\n" + rows).emissions.tolist() == [[1.0, 2.0]]
    with pytest.raises(ArgumentError, match="must have the columns sequence"):
        read_scores("sep=,\n" * 5000 + rows)


def test_numbers_of_labels_that_pandas_has_made_floats():
    got = read_scores("sequence,token,gold,0,1,2\n1,a,1.0,0.2,1.5,2.5\n1,b,,1,2,3\n1,c,0.0,1,2,3\n")
    assert got.labels.tolist() == [1, UNKNOWN, 0]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\x40\0\0\0\0\0\0\0" + b'{"logits":{"dtype":"F32"}}' + bytes(80), "is a file of safetensors"),
        (b"MATLAB 5.0 MAT-file, Platform: GLNXA64" + bytes(200), "is a file of MATLAB"),
        (b"PAR1" + bytes(60), "is Parquet"),
        (b'[{"entity": "B-PER", "score": 0.9, "word": "Anna"}]', "is JSON"),
        (b"\x80\x04\x95" + bytes(30), "is a pickle, which could run code"),
    ],
)
def test_what_others_save_scores_as_is_named(data, said):
    with pytest.raises(ArgumentError, match=f"text: {said}"):
        read_scores(data)


def test_zips_of_others_are_named():
    for member, said in (
        ("archive/data.pkl", "a file of PyTorch's"),
        ("xl/workbook.xml", "an Excel workbook"),
    ):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as file:
            file.writestr(member, "x")
        with pytest.raises(ArgumentError, match=f"is {said}"):
            read_scores(out.getvalue())
    with pytest.raises(ArgumentError, match=r"must hold the array 'emissions', got \['probabilities'\]"):
        read_scores(archive(probabilities=b"x"))


@pytest.mark.parametrize(
    ("data", "is_scores"),
    [
        (b"Sentence,Word,POS,Tag,length,freq\n1,It,PRP,O,2,0.5\n1,is,VBZ,O,2,0.4\n", False),
        (b"word,tag,x,y\nIt,O,1,0\n\nis,O,0,1\n", False),
        (b"token,O,X\nIt,1.5,0\n\nis,0,1.5\n", True),
        (b"doc,token,gold,O,X\na,It,O,1.5,0\nb,is,X,0,1.5\n", True),
        (b"It PRP O\nis VBZ O\n\nso RB O\n", False),
        (b"1\tIt\t0.5\t0.7\n\n2\tis\t0.5\t0.7\n", False),
    ],
)
def test_a_tagged_text_with_numbers_is_no_table_of_scores(data, is_scores):
    assert is_score_table(data) == is_scores
