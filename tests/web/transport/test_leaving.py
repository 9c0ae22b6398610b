"""The end of a WebSocket says whether its page was closed; tokens are the server's own."""

import anyio
import pytest

from spcviz.web.transport import leaving


def connected(*messages, headers=(), kind="websocket"):
    """(numbers that were closed for good, headers that the inner app got) of one connection."""
    closed, seen = [], []

    async def app(scope, receive, send):
        seen.extend(scope["headers"])
        for _ in messages:
            await receive()

    async def run():
        coming = iter(messages)

        async def receive():
            return next(coming)

        scope = {"type": kind, "headers": list(headers)}
        await leaving.Leaving(app, closed.append)(scope, receive, None)

    anyio.run(run)
    return closed, seen


def numbers(seen):
    return [value.decode() for name, value in seen if name == leaving.NUMBER]


@pytest.mark.parametrize(
    ("end", "is_closed"),
    [
        ({"type": "websocket.disconnect", "code": 1001}, True),
        *(
            ({"type": "websocket.disconnect", "code": code}, False)
            for code in (1000, 1002, 1005, 1006, 1009, 1011, 1012, 4001, None, "1001")
        ),
        ({"type": "websocket.disconnect"}, False),
        ({"type": "websocket.receive", "code": 1001}, False),
    ],
)
def test_only_a_page_that_goes_away_has_closed_its_connection(end, is_closed):
    closed, seen = connected({"type": "websocket.connect"}, end)
    assert closed == (numbers(seen) if is_closed else [])


def test_a_client_cannot_write_the_number_of_another():
    """A client that knew it could end somebody's visit: incoming headers of this name are dropped."""
    forged = [(b"X-SPCviz-Connection", b"7f"), (b"x-spcviz-connection", b"7f"), (b"host", b"a")]
    _, seen = connected({"type": "websocket.connect"}, headers=forged)
    (number,) = numbers(seen)
    assert number != "7f"
    assert [name for name, _ in seen] == [b"host", leaving.NUMBER]


def test_every_connection_has_another_number():
    drawn = {numbers(connected({"type": "websocket.connect"})[1])[0] for _ in range(50)}
    assert len(drawn) == 50


def test_other_requests_pass_as_they_are():
    closed, seen = connected({"type": "http.disconnect"}, headers=[(b"host", b"a")], kind="http")
    assert (closed, seen) == ([], [(b"host", b"a")])
