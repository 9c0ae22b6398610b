"""Answers in the smallest form that a browser takes, with what caches need to know."""

from collections.abc import Callable, Mapping

import anyio
import anyio.to_thread
from starlette.responses import Response

from spcviz.web.serving.smaller import SHELF, Form, Shelf, accepted_encodings

FOR_EVER = "public, max-age=31536000, immutable"
"""For an address that names its content."""

_LIMIT = anyio.CapacityLimiter(1)


async def answer(
    name: str, read: Callable[[], bytes], headers: Mapping[str, str], media_type: str, shelf: Shelf = SHELF
) -> Response:
    """The content of a name that stands for it for ever; `read` gives it, `headers` are the browser's."""
    encodings = accepted_encodings(headers.get("accept-encoding", ""))
    form = shelf.ready(name, encodings)
    if form is None:
        form = await anyio.to_thread.run_sync(shelf.form, name, read, encodings, limiter=_LIMIT)
    return response(form, headers, media_type, FOR_EVER)


def response(form: Form, headers: Mapping[str, str], media_type: str, cache: str) -> Response:
    """A form as an answer; 304 without a body if the browser has it already."""
    fields = {"Cache-Control": cache, "Vary": "Accept-Encoding", "ETag": form.tag}
    has = {tag.strip().removeprefix("W/") for tag in headers.get("if-none-match", "").split(",")}
    if form.tag in has:
        return Response(status_code=304, headers=fields)
    if form.encoding:
        fields["Content-Encoding"] = form.encoding
    return Response(form.content, media_type=media_type, headers=fields)
