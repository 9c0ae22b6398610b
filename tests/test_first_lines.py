"""The first line of every file tells a stranger what is in it, in a sentence that begins with its subject."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOPS = ("spcviz", "benchmarks", "experiments", "pages", "tests")
# "What a level keeps" is a riddle until one has read on; "Survivors of a level" is not.
RIDDLE = re.compile(r"(?:What|Which|Who|How|Where|Why|When|Whether|That)\b(?! Paper tables shows)")


def first_line(path: Path) -> str:
    """The first line of a module's docstring, or of a script's first comment."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
    return source.partition("\n")[0].removeprefix("//").strip()


def fault(line: str) -> str:
    """What is wrong with a first line, or nothing.

    >>> fault("Thresholds of cascades: rules and guarantees.")
    ''
    >>> [fault(line) for line in ("What a level keeps of states.", "Thresholds, which are", "Lists.")]
    ['a riddle', 'no sentence ends on it', 'too short']
    """
    if not re.search(r"[.!?][)`\"']*(?: |$)", line):
        return "no sentence ends on it"
    return "too short" if len(line) < 20 else "a riddle" if RIDDLE.match(line) else ""


@pytest.mark.parametrize("top", TOPS)
def test_first_lines_are_sentences_about_the_file(top):
    paths = [path for end in ("py", "js", "mjs") for path in sorted((ROOT / top).rglob(f"*.{end}"))]
    read = [path for path in paths if path.stat().st_size and path.name != "plotly.js"]
    faults = {path.relative_to(ROOT).as_posix(): fault(first_line(path)) for path in read}
    assert len(faults) >= 10
    wrong = {path: what for path, what in faults.items() if what}
    assert not wrong, f"let the first line say in a sentence what the file holds: {wrong}"
