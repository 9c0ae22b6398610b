"""nginx as `deploy` configures it, on separate ports, and its answers as a client sees them."""

import contextlib
import os
import re
import shutil
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request

import pytest

from tests.conftest import ROOT

DEPLOY = ROOT / "deploy"
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
OPENSSL = shutil.which("openssl")
UNVERIFIED = ssl.create_default_context()
UNVERIFIED.check_hostname, UNVERIFIED.verify_mode = False, ssl.CERT_NONE


def certificate(folder):
    """Make a self-signed certificate for localhost: the files ``key`` and ``pem``."""
    command = [OPENSSL, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=localhost", "-keyout", folder / "key", "-out", folder / "pem"]
    subprocess.run(command, check=True, capture_output=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def put(text, changes):
    """A shipped configuration with other ports and paths; each text to replace must occur once."""
    for old, new in changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


@contextlib.contextmanager
def nginx(folder, shipped, changes, text=None):
    """Run Debian's nginx with a configuration of `deploy`; it writes only to `folder`."""
    if NGINX is None:
        pytest.skip("no nginx found: install Debian's `nginx-light`")
    for name in ("seats.conf", "proxy.conf"):
        shutil.copy(DEPLOY / name, folder)
    places = "".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    log = "log_format who '$upstream_addr $seat $request_uri';"
    more = f"http {{ {places} {log} access_log {folder}/access.log who;"
    (folder / shipped).write_text(put(text or (DEPLOY / shipped).read_text(), changes | {"http {": more}))
    directives = f"daemon off; pid {folder}/pid; error_log {folder}/error.log;"
    directives += " user root;" if os.geteuid() == 0 else ""
    command = [NGINX, "-p", folder, "-c", folder / shipped, "-e", folder / "error.log", "-g", directives]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        yield running
    finally:
        running.terminate()
        running.wait(timeout=10)


def until_it_answers(running, address):
    give_up = time.monotonic() + 20
    while time.monotonic() < give_up and running.poll() is None:
        with contextlib.suppress(OSError):
            return ask_for(address)
        time.sleep(0.05)
    raise RuntimeError(f"nginx did not start: {running.stderr.read() if running.poll() else 'no answer'}")


def ask_for(address, cookie="", data=None, **headers):
    """(status, headers) of a request."""
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    sent = urllib.request.Request(address, data, headers | ({"Cookie": f"seat={cookie}"} if cookie else {}))
    try:
        with urllib.request.urlopen(sent, context=UNVERIFIED, timeout=20) as answer:
            return answer.status, answer.headers
    except urllib.error.HTTPError as refused:
        return refused.code, refused.headers


def seat_of(headers):
    """The seat that an answer assigns; "" if it assigns none."""
    given = [re.match("seat=([^;]*)", cookie) for cookie in headers.get_all("Set-Cookie", [])]
    return next((seat[1] for seat in given if seat), "")


def lines(folder):
    """{seat: processes that answered it}, from nginx's log."""
    processes = {}
    for line in (folder / "access.log").read_text().splitlines():
        process, seat, _ = line.split(" ", 2)
        if process != "-":
            processes.setdefault(seat, set()).add(process)
    return processes
