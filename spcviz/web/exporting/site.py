"""All tours and first scenes as a site of static files: from any web host, below any path, or from a disk.

    index.html            the tours, the pages, the overview of systems
    tours/<name>.html     a tour, which plays with a clicker's keys
    gallery.html          the wall of scenes that surprise, each with its page in gallery/
    <page>.html           a page's first scene
    scenes/               one file per scene: its texts, and where its views and charts are
    shared/               scripts of views, parts of data, charts: each once, for all scenes that need it

Nothing is fetched from outside: a content security policy in every page forbids it.
"""

import base64
import gzip
import hashlib
import io
import json
from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageChops
from plotly.offline import get_plotlyjs

from spcviz.engine.errors import ArgumentError
from spcviz.store.atomic import write_bytes_atomic
from spcviz.web.exporting import drawing, loops, markup, site_html, snapshot
from spcviz.web.exporting.animation import TooLargeError
from spcviz.web.tours import gallery, tour
from spcviz.web.ui import navigation
from spcviz.web.view import mount

_LOOP_BYTES = 400_000
"""Maximum size of a loop on the wall."""
_ON_WALL = (760, 760)
"""Width of a view on the wall before it is scaled down, and the height that it may use."""
_SMALL = (480, 300)
_PHONE = (352, 844)
"""Width of a view on a phone of 390 pixels, and the phone's height."""
_QUALITY = 50
_PROGRAM = (
    "view/elements.js",
    "touring/tour_core.js",
    *(f"exporting/browser/{n}.js" for n in ("host", "whole", "site")),
)


class SitePage(NamedTuple):
    """Content of one page of the site: a tour, or the first scene of a page alone."""

    folder: str  # prefix of its scenes' file names
    codes: list[str]  # of its scenes, in order
    scenes: list[tuple[tour.Scene, dict]]  # each with the texts of its bar, without the page's numbers
    tour: str = ""  # its name


def parts_of(names: Sequence[str], tours: dict[str, tour.Tour]) -> Iterator[SitePage]:
    """The first scenes of pages, then the tours."""
    for name in names:
        yield SitePage(f"page-{name or 'home'}", ["1"], [(tour.Scene(name), {})])
    for name, a_tour in tours.items():
        yield _part_of_tour(name, a_tour)


def _part_of_tour(name, a_tour):
    codes, scenes = [], []
    for code in tour.codes(a_tour):
        if code == tour.END:
            continue
        scene, is_answered = a_tour.scenes[int(code.rstrip("a")) - 1], code.endswith("a")
        if scene.page not in navigation.headings():
            continue
        codes.append(code)
        shown = tour.Scene(tour.address(scene.page, scene.query(is_answered)))
        is_another = is_answered and scene.after
        bar = {"say": "" if is_another else scene.say, "ask": scene.ask}
        bar |= {"answer": scene.answer if is_answered else "", "point": scene.point}
        scenes.append((shown, bar | {"isAsking": bool(scene.answer) and not is_answered}))
    return SitePage(f"tour-{name}", codes, scenes, name)


class Site:
    """Writes a site into a folder."""

    def __init__(self, folder: Path, app: str) -> None:
        self.folder, self.app = folder, app
        self.charts: dict[str, snapshot.PageChart] = {}
        self.can_draw = drawing.browser() is not None
        self.written: dict[str, int] = {}
        self.first: dict[str, list[str]] = {}  # files that a part's first scene needs
        self.opening: dict[str, str] = {}  # HTML of a part's first scene before any script runs
        self.pictured: dict[str, Callable[[str], None]] = {}  # writes a page with a picture of its view
        self.wall: dict[str, site_html.Hung] = {}  # the gallery's pages
        self.untrue: list[str] = []  # titles of exhibits whose sentence does not hold

    def write(self, path: str, text: str, *, anew: bool = False) -> None:
        """Write a file of the site, once unless `anew`."""
        if anew or path not in self.written:
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            content = text.encode()
            write_bytes_atomic(target, content)
            self.written[path] = len(content)

    def scene(self, part: SitePage, code: str, scene: tour.Scene, bar: dict) -> None:
        """Write a scene's file, and those that it needs."""
        more = {"tour": part.tour, "at": code} if part.tour in tour.shipped_tours() else {}
        self.write_scene(part, code, scene, bar, snapshot.take_snapshot(scene, more))

    def write_scene(
        self, part: SitePage, code: str, scene: tour.Scene, bar: dict, shown: snapshot.Snapshot
    ) -> list[dict]:
        """Write the file of a scene from its snapshot, and those that it needs; returns its charts."""
        views = [self._view(view) for view in shown.views]
        charts = [self._chart(chart) for chart in shown.charts]
        texts = {name: tour.fill(bar.get(name, ""), shown.facts) for name in ("say", "ask", "answer")}
        value = {"body": shown.body, "views": views, "charts": charts, "point": ""}
        link = f"{self.app}/{markup.quote_address(scene.address)}" if self.app else ""
        value |= {"isAsking": False} | bar | texts | {"link": link}
        path = f"scenes/{part.folder}-{code}.js"
        self.write(path, f'SPCVIZ.scene("{code}", {markup.literal(value)});\n')
        wanted = [f"shared/{view['kind']}.js" for view in views]
        wanted += [f"shared/parts/{digest}.js" for view in views for digest in view["parts"].values()]
        if part.folder not in self.first:
            self.first[part.folder] = [path, *dict.fromkeys(wanted)]
            self.opening[part.folder] = site_html.put_charts(shown.body, charts)
        return charts

    def exhibit(self, one: gallery.Exhibit, number: int) -> None:
        """Write a scene of the gallery as its own page; leave it out if its sentence does not hold here."""
        more, facts = {"tour": gallery.NAME, "at": str(number)}, {}
        shown = snapshot.take_snapshot(tour.Scene(one.address), more)
        for other, address in one.beside.items():
            facts[other] = snapshot.take_snapshot(tour.Scene(address), more).facts
        facts[""] = shown.facts
        if not one.is_true(facts):
            self.untrue.append(one.title)
            return
        texts = one.name_facts(facts)
        part, path = SitePage(f"gallery-{one.name}", ["1"], []), f"gallery/{one.name}.html"
        charts = self.write_scene(part, "1", tour.Scene(one.address), {}, shown)
        says = tour.fill(one.say, texts)
        self.write_player(path, part, one.title, says)
        drawn = next((chart["light"] for chart in charts if "light" in chart), "")
        self.wall[path] = site_html.Hung(one.title, says, drawn, one.address)

    def _view(self, view):
        name = view.component.name
        self.write(f"shared/{name}.js", f'SPCVIZ.kind("{name}", {markup.kind(view.component)});\n')
        if view.parts is None:
            return {"kind": name, "data": view.payload, "parts": {}}
        digests = {part: packed.digest for part, packed in view.parts.items()}
        for packed in view.parts.values():
            content = gzip.compress(packed.content, 9, mtime=0)
            code = f'SPCVIZ.part("{packed.digest}", {markup.literal(content)});\n'
            self.write(f"shared/parts/{packed.digest}.js", code)
        return {"kind": name, "message": base64.b64encode(view.alone).decode(), "parts": digests}

    def _chart(self, chart):
        name = hashlib.blake2b(json.dumps(chart.spec).encode(), digest_size=8).hexdigest()
        self.charts[name] = chart
        if self.can_draw:
            files = {theme: f"shared/charts/{name}-{theme}.svg" for theme in ("light", "dark")}
            return {"name": name, "alt": chart.alt} | files
        code = f'SPCVIZ.chart("{name}", {markup.literal(chart._asdict())});\n'
        self.write(f"shared/charts/{name}.js", code)
        return {"name": name}

    def draw(self) -> None:
        """Draw the charts of all scenes, in both themes; or add plotly, so that the browser draws them."""
        if not self.charts:
            return
        if not self.can_draw:
            self.write("shared/plotly.js", get_plotlyjs())
            return
        specs = [theme(chart.spec) for chart in self.charts.values() for theme in (dict, drawing.dark)]
        names = [f"{name}-{theme}" for name in self.charts for theme in ("light", "dark")]
        for name, svg in zip(names, drawing.svgs(specs), strict=True):
            self.write(f"shared/charts/{name}.svg", drawing.with_marks_once(svg))

    def write_player(self, path: str, part: SitePage, title: str, about: str) -> None:
        """Write the page that plays a part; it shows its first scene before any script runs."""
        root = "../" * path.count("/")
        link = f'<a class="app" href="{escape(self.app)}" rel="noreferrer">Open this scene in the app</a>. '
        values = {"root": root, "folder": part.folder, "codes": part.codes, "pairs": markup.pairs()}
        files = ["shared/site.js", *self.first.get(part.folder, [])]
        scripts = "".join(f'<script defer src="{root}{file}"></script>\n' for file in files)
        texts = {"about": escape(about), "link": link if self.app else "", "site": markup.literal(values)}
        texts["scripts"] = scripts
        opening = self.opening.get(part.folder, "").replace('="shared/', f'="{root}shared/')
        self._page(path, title, site_html.PLAYED, **texts, opening=opening)
        if self.can_draw and (first := snapshot.view_place(0)) in opening:
            self.pictured[path] = lambda still: self._page(
                path, title, site_html.PLAYED, **texts, opening=opening.replace(first, still), anew=True
            )

    def picture(self) -> None:
        """Put a picture of the view into each page whose first scene has one, for a phone on a slow line."""
        addresses = [f"{(self.folder / path).resolve().as_uri()}?picture=only" for path in self.pictured]
        pictures = drawing.pictures(addresses, _PHONE)
        for page, picture in zip(self.pictured.values(), pictures, strict=True):
            page(_still(picture))

    def hang(self) -> None:
        """Write the wall, with a picture of each exhibit; without a browser, only those that are charts."""
        for only in ("?picture=only", ""):  # a picture of its view alone, else of the page
            bare = [path for path, one in self.wall.items() if not one.picture] if not only else [*self.wall]
            self._pictures(bare if self.can_draw else [], only)
        if self.can_draw:
            self._loops()
        items = site_html.wall(self.wall)
        stop = site_html.STOP if any(one.loop for one in self.wall.values()) else ""
        about = escape(gallery.ABOUT)
        self._page("gallery.html", gallery.TITLE, site_html.WALL, about=about, stop=stop, items=items)

    def _pictures(self, paths, query):
        addresses = [f"{(self.folder / path).resolve().as_uri()}{query}" for path in paths]
        for path, picture in zip(paths, drawing.pictures(addresses, _ON_WALL), strict=True):
            if content := _small(picture):
                name = path.replace(".html", ".webp")
                write_bytes_atomic(self.folder / name, content)
                self.written[name] = len(content)
                self.wall[path] = self.wall[path]._replace(picture=name)

    def _loops(self):
        """Add to the picture of each exhibit its loop, if the scene plays."""
        for path, one in self.wall.items():
            try:
                content = loops.small(one.address, _SMALL, _LOOP_BYTES)
            except (loops.NoStoryError, TooLargeError):
                continue  # its picture stands still
            name = path.replace(".html", "-loop.webp")
            write_bytes_atomic(self.folder / name, content)
            self.written[name] = len(content)
            self.wall[path] = one._replace(loop=name)

    def _page(self, path, title, body, *, anew=False, **texts):
        self.write(path, site_html.page(path, title, body, **texts), anew=anew)

    def index(self, names: Sequence[str], tours: dict[str, tour.Tour], systems: str, docs: str) -> None:
        """Write the first page. `systems` is a table in markdown, `docs` the address of the documentation."""
        about = f"Structured prediction cascades: {site_html.ABOUT}"
        cards = site_html.cards((f"tours/{name}.html", one.title, one.about) for name, one in tours.items())
        firsts = site_html.cards((f"{name or 'home'}.html", *site_html.heading(name)) for name in names)
        link = f'<a href="{escape(docs)}">Documentation and examples</a>'
        library = f"<h2>Library</h2>\n<p>{link}</p>\n" if docs else ""
        hung = f'<a href="gallery.html">{len(self.wall)} scenes that surprise</a>'
        wall = f"<h2>{gallery.TITLE}</h2>\n<p>{hung}</p>\n" if self.wall else ""
        texts = {"about": about, "wall": wall, "tours": cards, "pages": firsts, "docs": library}
        self._page("index.html", "spcviz", site_html.INDEX, **texts, systems=markup.html(systems))


def _still(picture):
    """A view's place with a picture in it, cropped below the last thing drawn."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    drawn = ImageChops.difference(image, Image.new("RGB", image.size, image.getpixel((0, image.height - 1))))
    image = image.crop((0, 0, image.width, (drawn.getbbox() or (0, 0, 0, image.height))[3]))
    file = io.BytesIO()
    image.save(file, "WEBP", quality=_QUALITY, method=6)
    content = base64.b64encode(file.getvalue()).decode()
    size = f'width="{image.width}" height="{image.height}"'
    shown = f'<img class="still" {size} alt="" src="data:image/webp;base64,{content}">'
    return snapshot.view_place(0).replace("></", f">{shown}</")


def _small(picture):
    """The upper part of a view, scaled down; empty if nothing is drawn."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image = image.crop((0, 0, image.width, image.width * _SMALL[1] // _SMALL[0])).resize(_SMALL)
    if all(low == high for low, high in image.getextrema()):
        return b""
    file = io.BytesIO()
    image.save(file, "WEBP", quality=_QUALITY + 20, method=6)
    return file.getvalue()


def write(folder: Path, tours: dict[str, tour.Tour], *, names: Sequence[str] | None = None, systems: str = "",
          docs: str = "", app: str = "", tell: Callable = lambda _: None,
          exhibits: Sequence[gallery.Exhibit] = ()) -> Site:  # fmt: skip
    """Write the site of tours and of the first scenes of pages; `tell` is called with each part written.

    Without `names`, of all pages but Tours; `systems` and `docs` as in `Site.index`; scenes link to `app`;
    `exhibits` of the gallery are shown on its wall, if their sentences hold.
    """
    site = Site(folder, app.rstrip("/"))
    site.write("shared/site.css", markup.css("site.css"))
    site.write("shared/icon.svg", (mount.PACKAGE / "web/ui/icon.svg").read_text(encoding="utf-8"))
    program = markup.own_script(*_PROGRAM)
    site.write("shared/site.js", f'(() => {{\n"use strict";\n{program}}})();\n')
    names = [name for name in navigation.headings() if name != "tours"] if names is None else names
    for part in parts_of(names, tours):
        for code, (scene, bar) in zip(part.codes, part.scenes, strict=True):
            site.scene(part, code, scene, bar)
        if part.tour:
            a_tour = tours[part.tour]
            site.write_player(f"tours/{part.tour}.html", part, a_tour.title, a_tour.about)
        else:
            name = part.scenes[0][0].page
            site.write_player(f"{name or 'home'}.html", part, *site_html.heading(name))
        tell(part.folder)
    for one in exhibits:
        site.exhibit(one, gallery.exhibits().index(one) + 1)
        tell(f"gallery-{one.name}")
    site.draw()
    site.picture()
    if site.wall:
        site.hang()
    site.index(names, tours, systems, docs)
    return site


def choose_tours(names: list[str] | None, files: list[Path]) -> dict[str, tour.Tour]:
    """The tours shipped with the package, all or those named, and those from files: {name: Tour}."""
    shipped = tour.shipped_tours()
    if unknown := [name for name in names or [] if name not in shipped]:
        raise ArgumentError(f"--only must name tours of {', '.join(shipped)}, got {unknown[0]!r}")
    tours = {name: one for name, one in shipped.items() if names is None or name in names}
    for k, path in enumerate(files, start=1):
        tours[f"own-{k}"] = tour.parse(path.read_bytes(), f"own-{k}")
    return tours


def app_checked(address: str) -> str:
    """Check the address of an app; raises `ArgumentError` if it is invalid.

    >>> app_checked("javascript:alert(1)")
    Traceback (most recent call last):
    ...
    spcviz.engine.errors.ArgumentError: --app must begin with http:// or https://, got 'javascript:alert(1)'
    """
    if address and not address.startswith(("http://", "https://")):
        raise ArgumentError(f"--app must begin with http:// or https://, got {address!r:.80}")
    return address
