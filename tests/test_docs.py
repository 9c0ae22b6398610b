"""The documentation's site: every door and every example has a page, and nothing on it is missing."""

import re
import subprocess
import sys
import warnings

from spcviz import cli
from spcviz.commands import docs


def test_the_site_has_a_page_for_every_door_and_example(tmp_path, capsys):
    folder = tmp_path / "site"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cli.main(["docs", str(folder)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"{folder / 'index.html'}: ")
    for door in docs.DOORS:
        assert (folder / f"{door.replace('.', '/')}.html").is_file(), door
    assert (folder / "spcviz/engine/chains/chain.html").is_file()
    for example in docs.EXAMPLES.glob("*.py"):
        assert (folder / f"{example.stem}.html").is_file(), example
    for name, page in docs.PAGES.items():
        written = (folder / f"{name}.html").read_text(encoding="utf-8")
        text = page.read_text(encoding="utf-8")
        title = text.partition("\n")[0].removeprefix("# ")
        n_tables = len(re.findall(r"^\|[-|]+\|$", text, re.MULTILINE))
        assert f">{title}</h1>" in written
        assert written.count("<table") == n_tables > 3, name
        assert f'href="{name}.html"' in (folder / "index.html").read_text(encoding="utf-8")
    said = (folder / "spcviz/sequences.html").read_text(encoding="utf-8")
    assert all(name in said for name in ("StructuredPerceptron", "ChainCRF", "CascadeTagger"))
    assert not list(folder.rglob("web.html"))


WITHOUT = """
import sys
for name in ("plotly", "streamlit", "orjson", "brotli", "skimage", "PIL", "av", "pooch", "segno"):
    sys.modules[name] = None
from spcviz import cli
sys.exit(cli.main(["docs", sys.argv[1]]))
"""


def test_the_site_is_written_without_the_packages_of_the_app(tmp_path):
    """As after `pip install "spcviz[docs]"`: imports of the others fail."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, str(tmp_path / "site")],
        cwd=docs.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Show an estimator at work" in (tmp_path / "site/spcviz.html").read_text(encoding="utf-8")
