"""Rows as data: what their files may say, and how numbers are looked up and printed."""

import tomllib
from pathlib import Path

import pytest

from experiments import statements
from experiments.statements import kinds, language
from experiments.statements.evidence import Evidence
from experiments.statements.kinds import Numbers
from experiments.statements.rules import BESIDE, FAILS, HOLDS, OPEN, Estimate, Rules, faster, share

FILES = sorted(Path(statements.__file__).parent.glob("*.toml"))
ROWS = [row for path in FILES for row in tomllib.loads(path.read_text(encoding="utf-8"))["row"]]
RESULT = {
    "rows": [{"m": "a", "x": 1.0, "se": 0.25}, {"m": "b", "x": 2.0}, {"m": "b", "x": 3.0, "ends": [2, 4]}],
    "us": 8.0, "us_turns": [8.0, 8.0, 8.0], "other": 2.0, "other_turns": [2.0, 2.0, 4.0],
}  # fmt: skip


def evidence(result=RESULT):
    return Evidence(lambda name: result if name == "r" else None)


def found(**row):
    return language.found({"parts": [], "let": {}} | row, evidence())


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("r/us", 8.0),
        ("r/rows[m=b]/x", 2.0),
        ("r/rows[-m=b]/x", 3.0),
        ("r/rows[m=b;x=3]/ends[1]", 4),
        ("r/rows[-1]/ends[0]", 2),
    ],
)
def test_a_path_leads_to_a_number(path, value):
    assert evidence().at(path) == value


@pytest.mark.parametrize("path", ["r/them", "r/rows[m=c]/x", "r/rows[9]/x", "r/rows[m=a]/y"])
def test_a_path_to_nothing_is_an_error(path):
    with pytest.raises(LookupError):
        evidence().at(path)


def test_every_kind_and_every_named_number_has_a_reader():
    every = [text.split(" ")[0] for row in ROWS for text in row["let"].values()]
    assert kinds.KINDS.keys() - set(every) == set()
    for row in ROWS:
        texts = [*(row.get(key, "") for key in (*language._TEXTS, "unstored")), *row["let"].values()]
        of = {part[key].lstrip("-") for part in row["parts"] for key in ("of", "reached") if key in part}
        for name in row["let"]:
            used = any(f"{{{name}{end}" in text for text in texts for end in ":[")
            used |= any(name in text.replace("|", " ").split()[1:] for text in texts)
            assert used or name in of, (row["text"], name)


def test_a_field_that_nobody_reads_is_refused(tmp_path):
    path = tmp_path / "rows.toml"
    path.write_text('[[row]]\ntext = "a"\nverdict = "holds"\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"rows\.toml: 'a' has the unknown field verdict"):
        language.load(path)


def test_a_number_is_worked_out_for_each_value_and_judged_by_its_label():
    row = found(
        each={"first": ["a", "se"], "second": ["b", "none"]},
        let={"x": "spread r/rows[m=@1] | x | @2", "less": "minus x"},
        parts=[
            {"rule": "direction", "of": "x", "as": "{} part"},
            {"rule": "level", "of": "-x", "paper": [0, 1]},
        ],
        here="{x:+.1}; {x[second]:.0}; {less:.0/}", spread="{x:±.2}", unstored="not stored",
    )  # fmt: skip
    assert [(part.label, part.state) for part in row.parts] == [
        ("first part", HOLDS), ("second part", OPEN), ("first", FAILS), ("second", OPEN),
    ]  # fmt: skip
    assert (row.here, row.spread) == ("+1.0, +2.0; 2; -1 / -2", "not stored")


def test_what_a_row_wants_decides_what_is_said_of_its_spread():
    about = {
        "let": {"x": "spread r/rows[m=a] | x | se"},
        "parts": [{"rule": "direction", "of": "x", "as": "x"}],
    }
    texts = {"spread": "{x:±.2}", "unstored": "none"}
    assert found(**about, **texts).spread == "± 0.50"
    assert found(**about, **texts, wants="r/us").spread == "± 0.50"
    assert found(**about, **texts, wants="r/them").spread == "none"


def test_turns_give_a_ratio_of_times_its_spread():
    number = kinds.numbers(evidence(), "ratio r/us | r/other", {}).one
    assert number.value == 4.0
    assert number.half == pytest.approx(2 * (4 / 3) ** 0.5 / 3**0.5)
    plain = {key: value for key, value in RESULT.items() if not key.endswith("turns")}
    assert kinds.numbers(evidence(plain), "ratio r/us | r/other", {}).one == Estimate(4.0)


def test_times_with_turns_must_be_as_far_from_one_at_their_nearer_end():
    cases = [
        ((2.0, 1.3, 2.7), HOLDS),
        ((2.0, 1.2, 2.8), OPEN),
        ((0.5, 0.3, 0.8), FAILS),
        ((0.5, 0.1, 0.9), OPEN),
    ]
    assert [faster("a", Estimate(*ends), Rules()).state for ends, _ in cases] == [state for _, state in cases]


def test_shares_of_cases_count_what_is_beyond_doubt():
    assert share("a", Estimate(60, 55, 90), above=50).state == HOLDS
    assert share("a", Estimate(60, 45, 90), above=50).state == OPEN
    assert share("a", Estimate(20, 5, 45), above=50).state == FAILS
    assert share("a", Estimate(12, 9, 40), at_most=10).state == HOLDS
    assert share("a", Estimate(12, 11, 40), at_most=10).state == FAILS
    assert share("a", Estimate(12), at_most=10).state == OPEN


def test_printed_numbers():
    numbers = Numbers(a=Estimate(1.25, 1.0, 1.5), b=Estimate(-2000.0, None, -1.0))
    assert language.format_numbers(numbers, ",.0/") == "1 / -2,000"
    assert language.format_numbers(numbers.only("a"), "~.2") == "+1.25 ± 0.25"
    assert language.format_numbers(numbers, "[.1") == "[+1.0, +1.5], [–, -1.0]"
    assert language.format_numbers(numbers.only("a"), "h.2") == "0.25"
    assert language.format_numbers(numbers.only("a"), "<.1") == "1.0"
    assert language.format_numbers(numbers, "@.1") == "a 1.2, b -2000.0"
    assert found(parts=[{"rule": "beside", "as": "levels"}]).parts[0].state == BESIDE
