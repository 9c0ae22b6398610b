"""HTML of the static site: the head with its security policy, a player, the index, the wall, cards."""

from collections.abc import Mapping
from html import escape
from typing import NamedTuple
from urllib.parse import quote

import spcviz
from spcviz.web.exporting import markup, snapshot
from spcviz.web.ui import navigation

_POLICY = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file: 'unsafe-inline'; "
    "img-src 'self' file: data: blob:; base-uri 'none'; form-action 'none'"
)
_SHARED = (
    '<link rel="icon" href="{root}shared/icon.svg">',
    '<link rel="stylesheet" href="{root}shared/site.css">',
)

ABOUT = "read a word by ruling words out, and see what each choice costs."
PLAYED = """<body>
<nav aria-label="Site"><a href="{root}index.html">All tours and pages</a></nav>
<header><h1>{title}</h1><p>{about}</p></header>
<section class="tour" tabindex="0" aria-label="Tour" hidden>
<div class="says" aria-live="polite"><p class="say"></p><p class="ask"></p><p class="answer"></p></div>
<div class="moves"><button type="button" class="back" aria-label="Back (Page Up)">‹</button>
<span class="place"></span><button type="button" class="next" aria-label="Next (Page Down)">›</button>
<button type="button" class="fuller" aria-label="Full screen (F)">Full</button></div>
</section>
<p class="noted" role="status"></p>
<main class="scene">
<noscript><p>These pictures stand still: scripts move them, and this browser runs none.</p></noscript>
{opening}</main>
<div class="light" aria-hidden="true" hidden></div>
<div class="black" aria-hidden="true" hidden></div>
<footer>{link}Saved from spcviz {version} by <code>python -m spcviz site</code>. What only the app computes,
such as boxes and the levels after one that is changed here, stays as it was saved. Data and models are under
the terms that come with the app.</footer>
<script type="application/json" id="site">{site}</script>
{scripts}</body>
</html>
"""

INDEX = """<body>
<header><h1>{title}</h1><p>{about}</p></header>
<main>
<h2>Tours</h2>
<p>Scene by scene, with questions to answer before you look. Page Down and Page Up, or a clicker, go on and
back; F is full screen, B black; add <code>?embed=true</code> to an address for a projector.</p>
<ul class="cards">{tours}</ul>
{wall}<h2>Pages</h2>
<ul class="cards">{pages}</ul>
{docs}<h2>What the papers say, and what these data say</h2>
{systems}
</main>
<footer>Saved from spcviz {version} by <code>python -m spcviz site</code>. Data and models are under the
terms that come with the app.</footer>
</body>
</html>
"""

WALL = """<body>
<nav aria-label="Site"><a href="{root}index.html">All tours and pages</a></nav>
<header><h1>{title}</h1><p>{about}</p></header>
<main>
{stop}<ul class="cards wall">{items}</ul>
</main>
<footer>Saved from spcviz {version} by <code>python -m spcviz site</code>, which works out whether each
sentence holds and leaves out what does not. Data and models are under the terms that come with the
app.</footer>
</body>
</html>
"""

STOP = '<p class="stop"><label><input type="checkbox" id="still"> Let the pictures stand still</label></p>\n'


class Hung(NamedTuple):
    """An exhibit on the wall."""

    title: str
    says: str
    picture: str  # a file of the site
    address: str  # of the scene
    loop: str = ""  # a file of the site, where the scene plays


def put_charts(body, charts):
    """A scene's HTML with its drawn charts in their places."""
    for k, chart in enumerate(charts):
        if "light" in chart:
            place = snapshot.chart_place(k)
            dark = f'<source media="(prefers-color-scheme: dark)" srcset="{chart["dark"]}">'
            image = f'<img src="{chart["light"]}" alt="{escape(chart["alt"])}">'
            body = body.replace(place, place.replace("></", f"><picture>{dark}{image}</picture></"))
    return body


def wall(hung: Mapping[str, Hung]) -> str:
    """The exhibits by their pages, each with its picture and loop, if any."""
    return "".join(
        f'<li><a href="{escape(quote(path))}">{_image(one.picture, "stands")}{_image(one.loop, "loop")}'
        f"{escape(one.title)}</a><p>{escape(one.says)}</p></li>"
        for path, one in hung.items()
    )


def _image(file, kind):
    return f'<img class="{kind}" src="{escape(file)}" alt="" loading="lazy">' if file else ""


def heading(name):
    """A page's title and sentence."""
    page = navigation.headings()[name]
    return page.title.removesuffix(" · spcviz") if name else "Home", page.sentence


def cards(rows):
    """Rows (path, title, description) as list items that link there."""
    return "".join(
        f'<li><a href="{escape(quote(path))}">{escape(title)}</a><p>{escape(about)}</p></li>'
        for path, title, about in rows
    )


def page(path: str, title: str, body: str, **texts: str) -> str:
    """A whole page of the site at a path: `body` is one of the templates above, filled with `texts`."""
    root = "../" * path.count("/")
    texts |= {"root": root, "title": escape(title), "version": spcviz.__version__}
    shared = (line.format(root=root) for line in _SHARED)
    return markup.document_head(title, _POLICY, *shared) + body.format(**texts)
