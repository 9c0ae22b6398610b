"""The HTML of each page before the app runs: its title, description and preview picture.

Streamlit sends one HTML for every address: messengers find no title in it, side bar and charts push aside
the parts painted before them, the script first requests below the page's name (two errors in every console),
and the part that draws charts is found last. Tags missing in another version's HTML are added to its head.
"""

import re
from functools import cache, lru_cache
from html import escape
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from spcviz.web.classroom.rooms import number_in
from spcviz.web.serving import cards
from spcviz.web.transport import answers, clients, static_files
from spcviz.web.transport.clients import outside_of
from spcviz.web.ui import navigation

OWN = Path(__file__).parent
PICTURE = cards.PREVIEW
SIZE = (1200, 630)
"""Size of the picture, as messengers prefer it."""

CARD = "A handwritten word, the funnel of words that it could have been, and what was read"
SHOWN = "Handwritten letters, and under each the readings that the cascade has not pruned yet"


def routes() -> list[Route]:
    """The Starlette routes of pages' first HTML, for the server."""
    named = [Route(static_files.path(name), _page, name=f"page {name}") for name in navigation.headings()]
    return [*named, Route(static_files.path(PICTURE), _picture)]


async def _page(request):
    name = request.scope["path"].rpartition("/")[2]
    if (elsewhere := classroom_of(request)) is not None:
        return RedirectResponse(elsewhere, status_code=302, headers={"Cache-Control": "no-store"})
    is_embedded = request.query_params.get("embed", "").lower() == "true"
    is_speaker = request.query_params.get("speaker") == "true"
    outside = outside_of(request.headers, request.url.scheme)
    encodings = answers.accepted_encodings(request.headers.get("accept-encoding", ""))
    form = _form(name, outside, is_embedded or is_speaker, encodings)
    if (query := request.url.query) and (card := navigation.card_address(name, query)):
        # For this address alone: not cached.
        text = html(name, outside, is_alone=is_embedded or is_speaker, card=card, query=query)
        form = answers.form_of(text.encode(), encodings)
    response = answers.response(form, request.headers, "text/html", "no-cache")
    clients.hand_token(request, response)
    return response


def classroom_of(request: Request) -> str | None:
    """Room page for a phone that opens the lecturer's address; None for the browser with its cookie."""
    room = request.query_params.get("room", "")
    is_lecturer = request.cookies.get("spcviz_room", "").startswith(f"{room}.")
    return f"./room/{room}" if number_in(room) is not None and not is_lecturer else None


@lru_cache(maxsize=256)
def _form(name, outside, is_alone, encodings):
    return answers.form_of(html(name, outside, is_alone=is_alone).encode(), encodings)


def html(name: str, outside: str, *, is_alone: bool = False, card: str = "", query: str = "") -> str:
    """The HTML of a page; `outside` is the app's address, `is_alone` is True if there will be no side bar.

    `card` is the address of the picture that messengers show, below `outside`, by default the page's own card
    (`navigation.card_address`) or the app's picture; `query` is the query of the page's address.
    """
    page = navigation.headings()[name]
    card = card or navigation.card_address(name, "")
    title = f"<title>{escape(page.title)}</title>"
    text, n = re.subn(
        r"<title>[^<]*</title>", lambda _: title, _text(static_files.ROOT / "index.html"), count=1
    )
    more = "" if n else title
    more += "".join(_meta_tags(page, outside, card, query)) + _rest(page.opens_with_chart, is_alone)
    return text.replace("</head>", f"{more}</head>", 1)


def _meta_tags(page, outside, card, query):
    """Tags for search engines and messengers."""
    yield f'<meta name="description" content="{escape(page.sentence)}">'
    tags = {"og:type": "website", "og:site_name": "spcviz", "og:title": page.title}
    tags |= {"og:description": page.sentence, "twitter:card": "summary_large_image"}
    if outside:
        picture = f"{outside}/{card or PICTURE}"
        link = f"{outside}/{page.name}" + (f"?{query}" if query else "")
        tags |= {"og:url": link, "og:image": picture, "og:image:width": SIZE[0]}
        tags |= {"og:image:height": SIZE[1], "twitter:image": picture}
        tags["og:image:alt"] = CARD if card else SHOWN
    for name, value in tags.items():
        kind = "property" if name.startswith("og:") else "name"
        yield f'<meta {kind}="{name}" content="{escape(str(value))}">'


@cache
def _text(path):
    return path.read_text(encoding="utf-8")


@cache
def _rest(opens_with_chart, is_alone):
    """Style, server address, and the part that draws charts: now if the page has any, else when idle."""
    css = _text(OWN / "room.css") + ("" if is_alone else _text(OWN / "side_bar.css"))
    script = _text(OWN / "first.js")
    link, charts = "", next((static_files.ROOT / "static/js").glob("PlotlyChart.*.js"), None)
    if charts is not None:
        address = f"./{charts.relative_to(static_files.ROOT).as_posix()}"
        if opens_with_chart:
            link = f'<link rel="modulepreload" fetchpriority="low" crossorigin href="{address}">'
        else:
            script += f'fetchWhenIdle("{address}");\n'
    return f"{link}<style>{css}</style><script>{script}</script>"


async def _picture(_request):
    headers = {"Cache-Control": "public, max-age=86400"}
    return Response((OWN / PICTURE).read_bytes(), media_type="image/jpeg", headers=headers)
