"""A TCP proxy between browser and server that tests can cut, as a tunnel or a closed lid does."""

import contextlib
import selectors
import socket
import threading


class Wire:
    """Passes bytes between its own `port` and a server's, until it is cut."""

    def __init__(self, port):
        self._to = port
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self._listener.getsockname()[1]
        self._pairs, self._lock, self._is_cut = [], threading.Lock(), threading.Event()
        threading.Thread(target=self._take, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.cut()
        self._listener.close()

    def cut(self):
        """Stop passing anything, even a closing frame."""
        self._is_cut.set()
        with self._lock:
            for one in self._pairs:
                with contextlib.suppress(OSError):
                    # Reset: the other end sees that nobody is there, not that somebody left.
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                    one.shutdown(socket.SHUT_RDWR)
            self._pairs.clear()

    def mend(self):
        """Let new connections pass again."""
        self._is_cut.clear()

    def _take(self):
        while True:
            try:
                here, _ = self._listener.accept()
            except OSError:
                return
            if self._is_cut.is_set():
                here.close()
                continue
            there = socket.create_connection(("127.0.0.1", self._to))
            with self._lock:
                self._pairs += [here, there]
            threading.Thread(target=_pass_on, args=(here, there), daemon=True).start()


def _pass_on(here, there):
    other = {here: there, there: here}
    with selectors.DefaultSelector() as ready, here, there, contextlib.suppress(OSError):
        for one in other:
            ready.register(one, selectors.EVENT_READ)
        while True:
            for key, _ in ready.select():
                if not (data := key.fileobj.recv(1 << 16)):
                    return
                other[key.fileobj].sendall(data)
