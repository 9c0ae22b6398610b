"""Markdown of pages as HTML: its content is kept, and a stranger's input stays text."""

import re

import pytest

from spcviz.web.exporting import markup
from spcviz.web.figures.formatting import plain

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "![](http://evil.example/k.png)",
    "`</code><script>`",
    "$<b>$",
    "| a | <i>b</i> |\n|---|---|\n| <u>c</u> | d |",
    "\\<script>",
    "\0000\0 <b>",
)
TAGS = {
    "p", "strong", "em", "code", "i", "sup", "sub", "ul", "li", "table", "thead", "tbody", "tr", "th", "td",
    "div", "h2", "h3", "h4", "h5",
}  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_a_strangers_text_brings_no_element_and_no_address(text):
    for made in (markup.html(text), markup.inline(text), markup.html(plain(text))):
        assert set(re.findall(r"</?([A-Za-z]\w*)", made)) <= TAGS
        assert not re.search(r"<[^>]*(?:href|src|on\w+)\s*=", made)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_made_plain_reads_as_it_was(text):
    words = re.sub(r"<[^>]*>", "", markup.inline(plain(text)))
    shown = words.replace("&lt;", "<").replace("&gt;", ">").replace("&#x27;", "'").replace("&amp;", "&")
    assert shown.replace("\u200b", "") == " ".join(text.replace("\0", "").split())


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("# A\n\n- one\n- **two**", "<h2>A</h2>\n<ul><li>one</li><li><strong>two</strong></li></ul>"),
        (":material/check: *soft* :red[loud]", "<p><em>soft</em> loud</p>"),
        (r"$\alpha^{2}_n \le 3$", "<p><i>α<sup>2</sup><sub>n</sub> ≤ 3</i></p>"),
        ("2 * 3 * 4", "<p>2 * 3 * 4</p>"),
    ],
)
def test_marks_that_count(text, made):
    assert markup.html(text) == made
