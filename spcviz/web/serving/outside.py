"""The app's address as its visitor sees it, whatever proxies stand between."""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from spcviz.web.view import static_files

_HOST = re.compile(r"[A-Za-z0-9.-]+(:\d{1,5})?|\[[0-9A-Fa-f:.]+\](:\d{1,5})?")
_PREFIX = re.compile(r"(/[\w.~-]+)*")


def outside_of(headers: Mapping[str, str], scheme: str) -> str:
    """The app's address as its visitor sees it, without a slash at the end; "" where nobody says one.

    A proxy says the scheme and, if it takes a path away, which (``X-Forwarded-Prefix``).
    """
    host = headers.get("x-forwarded-host", headers.get("host", "")).split(",")[0].strip()
    protocol = headers.get("x-forwarded-proto", scheme).split(",")[0].strip()
    prefix = headers.get("x-forwarded-prefix", "").rstrip("/")
    if not _HOST.fullmatch(host) or protocol not in ("http", "https") or not _PREFIX.fullmatch(prefix):
        return ""
    return f"{protocol}://{host}{prefix}{static_files.path('').rstrip('/')}"


def reachable(outside: str, page: str) -> str:
    """A page's address as others can open it, without its scheme; "" where only this computer can.

    >>> reachable("https://a.example/spcviz", "write"), reachable("http://127.0.0.1:8501", "write")
    ('a.example/spcviz/write', '')
    """
    parts = urlsplit(outside)
    name = parts.hostname or ""
    is_local = name in ("", "localhost", "::1") or name.startswith("127.") or name.endswith(".localhost")
    return "" if is_local else f"{parts.netloc}{parts.path}/{page}".rstrip("/")
