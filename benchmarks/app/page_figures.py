"""Pages measured in a real browser: bytes, layout shifts, controls in the first view.

Needs Playwright and a Chromium, as the tests do; without them nothing is measured.
"""

import asyncio
import contextlib
import importlib.util
import shutil
from pathlib import Path

from benchmarks.app.visitor import Lost

LIMITS = {"operable": 16, "groups": 8, "projector_height": 1080, "phone_width": 390}
"""Largest figures that a page may have."""
TALL = ("course", "tours", "tables")
"""Pages that may be higher than a projector: lists, to be scrolled."""
ASKED = Path(__file__).with_name("less.js").read_text(encoding="utf-8")
"""JavaScript that counts the controls of a page in its window: {operable, groups, height, width, names}.

Elements of every page do not count (the bars at its top, of tools, tasks and tours, and the side bar), nor do
the glossary's words, which are text. The content of a closed box does not count. Each choice of a row of
choices counts, and so do disabled controls, because they are read all the same. A picture with one place in
the Tab order counts once."""
SIZES = {"desk": (1440, 900, ""), "projector": (1920, 1080, "?embed=true"), "phone": (390, 844, "")}
"""{name: (width, height in pixels, query of the address)}."""

ASKS = {
    "desk": {"operable": "operable", "groups": "groups"},
    "projector": {"projector_height": "height"},
    "phone": {"phone_width": "width"},
}
"""Figures of `ASKED` in a row, by window size: {size: {name in the row: name in `ASKED`}}."""
FIGURES = (
    "kb_browser_first",
    "kb_browser_second",
    "layout_shift",
    *(figure for of in ASKS.values() for figure in of),
)
"""Kilobytes for a visitor with an empty cache, and for one who comes from Home (to Home from Letters), with
headers and websocket; the worst shift of all sizes; the figures of ``less.js``."""

WATCH_SHIFTS = """
window.spcvizShifts = [];
new PerformanceObserver((list) => {
  const own = list.getEntries().filter((one) => !one.hadRecentInput);
  window.spcvizShifts.push(...own.map((one) => [one.startTime, one.value]));
}).observe({ type: "layout-shift", buffered: true });
"""
"""JavaScript that runs before a page and fills ``window.spcvizShifts``, the input of `shift_of`."""

IS_SHOWN = """() => document.querySelector('.stMain [data-testid="stElementContainer"]')
  && document.querySelector('[data-test-script-state="notRunning"]')
  && !document.querySelector('.spcviz-settling, [data-testid="stSkeleton"], [data-testid="stAppSkeleton"]')"""
"""JavaScript: whether a page is completely shown."""

REST_MS, IDLE_MS, PATIENCE_MS = 1000, 7000, 60_000
"""Milliseconds to wait: after a page is shown; until a browser's idle-time fetches are done; at most."""


def shift_of(shifts: list[tuple[float, float]]) -> float:
    """Cumulative layout shift (https://web.dev/articles/cls): the worst 5 s without a pause of 1 s.

    >>> shift_of([(0, 0.1), (900, 0.05), (2000, 0.02)])
    0.15
    """
    worst = window = start = last = 0.0
    for at, score in shifts:
        if at - last >= 1000 or at - start >= 5000:
            window, start = 0.0, at
        window, last = window + score, at
        worst = max(worst, window)
    return round(worst, 4)


async def measure_pages(
    port: int, pages: list[str], tick, *, sizes: tuple[str, ...] = tuple(SIZES)
) -> dict[str, dict]:
    """{page: `FIGURES`} of pages by name, None for a size not requested; {} without a browser."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None or importlib.util.find_spec("playwright") is None:
        tick("no Chromium, or no Playwright: pages are not opened in a browser")
        return {}
    from playwright import async_api  # tests/requirements.txt

    rows = {}
    async with async_api.async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for page in pages:
            tick(f"{page or 'home'}: in a browser")
            row = dict.fromkeys(FIGURES)
            with contextlib.suppress(async_api.Error, Lost):  # what failed stays None
                shifts = []
                for name in sizes:
                    kb, shift, asks = await _first(browser, f"http://127.0.0.1:{port}/{page}", *SIZES[name])
                    shifts.append(shift)
                    row["kb_browser_first"] = row["kb_browser_first"] or kb
                    row |= {figure: asks[what] for figure, what in ASKS[name].items()}
                row["layout_shift"] = max(shifts)
                row["kb_browser_second"] = await _second(browser, f"http://127.0.0.1:{port}", page)
            rows[page] = row
        await browser.close()
    return rows


async def _first(browser, address, width, height, query):
    """Kilobytes and layout shift of a visitor's first page, and its figures of `ASKED`."""
    async with _open(browser, width, height) as (page, weight):
        await page.goto(f"{address}{query}", timeout=PATIENCE_MS)
        await _measure_view(page)
        shift = shift_of(await page.evaluate("window.spcvizShifts"))
        return weight.kb(), shift, await page.evaluate(ASKED)


async def _second(browser, address, name):
    """Kilobytes of a page that a visitor goes to from another."""
    async with _open(browser, *SIZES["desk"][:2]) as (page, weight):
        await page.goto(f"{address}/{'' if name else 'letters'}", timeout=PATIENCE_MS)
        await _measure_view(page)
        await page.wait_for_timeout(IDLE_MS)
        before = weight.kb()
        links = page.locator("[data-testid=stSidebarNav] a")
        await (links.and_(page.locator(f"[href$='/{name}']")).first if name else links.first).click()
        await asyncio.sleep(0.5)
        await _measure_view(page)
        return round(weight.kb() - before, 1)


async def _measure_view(page):
    await page.wait_for_function(IS_SHOWN, timeout=PATIENCE_MS)
    await page.wait_for_timeout(REST_MS)


@contextlib.asynccontextmanager
async def _open(browser, width, height):
    """A page with an empty cache, and its `_Weight`."""
    context = await browser.new_context(viewport={"width": width, "height": height})
    try:
        page = await context.new_page()
        await page.add_init_script(WATCH_SHIFTS)
        session = await context.new_cdp_session(page)
        weight = _Weight()
        session.on("Network.loadingFinished", weight.count_finished)
        session.on("Network.webSocketFrameReceived", weight.count_frame)
        await session.send("Network.enable")
        yield page, weight
    finally:
        await context.close()


class _Weight:
    """Bytes received, as reported by DevTools."""

    def __init__(self):
        self._n = 0.0

    def kb(self):
        return round(self._n / 1000, 1)

    def count_finished(self, event):
        self._n += event["encodedDataLength"]

    def count_frame(self, event):
        frame = event["response"]  # binary ones are given in base64
        self._n += len(frame["payloadData"]) * (0.75 if frame["opcode"] == 2 else 1)
