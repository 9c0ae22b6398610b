"""ASGI middleware that sends Streamlit's own scripts and styles compressed; everything else passes through.

Streamlit sends them uncompressed: 8 MB for a page with a chart. Their names contain a hash, so a compressed
file stays valid for ever. Range requests, other methods and browsers without compression go to Streamlit.
"""

from pathlib import Path

import streamlit
from starlette.datastructures import Headers
from starlette.middleware import Middleware

from spcviz.web.transport import static_files
from spcviz.web.transport.answers import SHELF, Shelf, accepted_encodings, answer

ROOT = Path(streamlit.__file__).with_name("static")
_FONT = "SourceSansVF-Upright*.woff2"
TYPES = {".js": "text/javascript", ".css": "text/css"}


def files(root: Path = ROOT) -> dict[str, Path]:
    """Files worth compressing, as {path in addresses: file}; no other file can be requested."""
    paths = (path for path in (root / "static").rglob("*") if path.suffix in TYPES)
    return {static_files.path(one.relative_to(root).as_posix()): one for one in sorted(paths)}


def font() -> Path | None:
    """The file of the pages' font (Source Sans, SIL Open Font License); None if Streamlit brings none."""
    return next(ROOT.rglob(_FONT), None)


def middleware() -> list[Middleware]:
    """Middleware for `st.App`."""
    return [Middleware(Compressed)]


class Compressed:
    """The middleware."""

    def __init__(self, app, shelf: Shelf = SHELF, root: Path = ROOT):
        self.app, self._shelf, self._files = app, shelf, files(root)

    async def __call__(self, scope, receive, send):
        file = self._files.get(scope["path"]) if scope["type"] == "http" else None
        if file is None or scope["method"] not in ("GET", "HEAD"):
            return await self.app(scope, receive, send)
        headers = Headers(scope=scope)
        if "range" in headers or not accepted_encodings(headers.get("accept-encoding", "")):
            return await self.app(scope, receive, send)
        kind = TYPES[file.suffix]
        made = await answer(file.as_posix(), file.read_bytes, headers, kind, self._shelf)
        await made(scope, receive, send)
