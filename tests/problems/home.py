"""A download server on this machine that resumes, refuses, breaks off or sends other bytes."""

import contextlib
import hashlib
import http.server
import threading
from typing import NamedTuple

from spcviz.shared.bring.original import Source


class Asked(NamedTuple):
    """A client's request."""

    path: str
    range: str
    if_range: str


class Home(http.server.ThreadingHTTPServer):
    """Serves `files`; a response ends after `cuts[path].pop(0)` bytes, as long as that list has entries."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.tags, self.cuts, self.asked, self.resumes = {}, {}, {}, [], True
        self.address = f"http://127.0.0.1:{self.server_address[1]}"

    def source(self, name, data, *, is_known=True, **more):
        """Add a file to the server; returns its source."""
        self.files[f"/{name}"] = data
        return Source(
            name, f"{self.address}/{name}", hashlib.sha256(data).hexdigest() if is_known else "", **more
        )


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        home, data = self.server, self.server.files.get(self.path)
        asked = Asked(self.path, self.headers.get("Range", ""), self.headers.get("If-Range", ""))
        home.asked.append(asked)
        if data is None:
            self.send_error(404)
            return
        tag, begin = home.tags.get(self.path, ""), 0
        if asked.range and home.resumes and asked.if_range in ("", tag):
            begin = int(asked.range.removeprefix("bytes=").removesuffix("-"))
            if begin >= len(data):
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{len(data)}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(data) - begin))
        if tag:
            self.send_header("ETag", tag)
        self.end_headers()
        cuts = home.cuts.get(self.path, [])
        self.wfile.write(data[begin : begin + cuts.pop(0)] if cuts else data[begin:])

    def log_message(self, *_arguments):
        pass


@contextlib.contextmanager
def running():
    """A server that answers until the block is left."""
    with Home() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
