"""Load the article of each page from articles.json."""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import streamlit as st

FILE = Path(__file__).with_name("articles.json")
HEADINGS = {"see": "What you see", "try": "Try this", "means": "What it means", "fails": "Where it fails"}
"""Parts of an article, in order, and their headings."""


class Article(NamedTuple):
    """The article of a page."""

    parts: dict[str, str]  # by the names of `HEADINGS`
    where: str  # in the papers


@cache
def every() -> dict[str, Article]:
    """{name of a page in addresses: `Article`}."""
    content = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        name: Article({part: value[part] for part in HEADINGS}, value["where"])
        for name, value in content.items()
    }


def show(name: str) -> None:
    """Show a page's article below its tool; nothing for a page that has none."""
    if (article := every().get(name)) is None:
        return
    with st.container(key="article"):
        columns = st.columns(2, gap="large")
        for at, (part, heading) in enumerate(HEADINGS.items()):
            columns[at % 2].markdown(f"## {heading}\n{article.parts[part]}")
        st.caption(f"In the papers: {article.where}")
