"""Fixtures that every test may use: Hypothesis settings, the real data, a browser, a running app."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

if "PYTEST_XDIST_WORKER" in os.environ:
    # Workers share the cores already; threads of their own would only wait for each other. Servers and
    # commands that tests start inherit it. numpy reads it when it is first imported, which is below.
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

ROOT = Path(__file__).parents[1]
SECONDS_TO_START = 60
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Left to Playwright, each refused certificate starts a request anew: a page of many gave up on one.
    "--ignore-certificate-errors",
]

# numba compiles inside the first example: a deadline would only measure that.
settings.register_profile("house", deadline=None, max_examples=60)
settings.register_profile("ci", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "house")


def pytest_configure(config):
    """Before the workers start, one pass compiles what pages call: both would compile the same kernels."""
    is_controller = not hasattr(config, "workerinput") and getattr(config.option, "numprocesses", None)
    if is_controller and not config.option.collectonly:
        compiled()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the tests that want data, so that `-m needs_data` runs what is skipped without.

    What fails in a browser gets a second chance: two busy cores can be late for any of its thousand waits.
    pytest counts such tests in its last line ("1 rerun").
    """
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))
        if "shared_data" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.needs_data)


@cache
def compiled():
    """Compile what pages call, once; pages would say that they wait for it."""
    from spcviz.registry import warmup

    for child in warmup.start_children():
        child.process.wait()


@pytest.fixture(autouse=True)
def same_main():
    """A page that Streamlit's AppTest runs becomes this process's main module, which spawned workers read."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(scope="session")
def shared_data():
    """Folder of the real data, `SPCVIZ_DATA`."""
    folder = os.environ.get("SPCVIZ_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip(f"SPCVIZ_DATA must name the folder of the real data, got {folder!r}")
    return Path(folder)


@pytest.fixture(scope="session")
def chromium():
    """Path of a Chromium."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.skip("no Chromium found: install Debian's `chromium`")
    return path


@pytest.fixture(scope="session")
def browser(chromium):
    """A Playwright browser; open a context of your own with ``browser.new_context()``."""
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def fresh_server(tmp_path):
    """Address of an app that nobody has visited yet: for cold starts and deep links."""
    with running_app(tmp_path / "log.txt") as address:
        yield address


@contextlib.contextmanager
def running_app(log, *options, base="", before="", ahead=True):
    """Start ``streamlit run app.py`` on a free port, wait until it is healthy, stop it at the end.

    `options` are Streamlit's; `base` is a path to stand below; `before` is shell, e.g. ``ulimit -Sn 96;``.
    Without `ahead` it works out only what is asked for: an app that nobody visits for a moment goes on to
    every clip of the Pose page, minutes of work that would slow all tests beside it.
    """
    compiled()
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true", *options]
    command += [f"--server.baseUrlPath={base}"] if base else []
    command += [f"--server.port={port}"]
    command = ["sh", "-c", f'{before} exec "$@"', "sh", *command] if before else command
    environment = os.environ | ({} if ahead else {"SPCVIZ_AHEAD": "0"})
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    address = f"http://localhost:{port}/{base}".rstrip("/")
    try:
        _wait_until_healthy(process, address, log)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        with contextlib.suppress(OSError):  # what it compiles with would go on for minutes beside other tests
            os.killpg(process.pid, signal.SIGKILL)


def _wait_until_healthy(process, address, log):
    give_up = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < give_up and process.poll() is None:
        with contextlib.suppress(urllib.error.URLError, ConnectionError, TimeoutError):
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=2).close()
            return
        time.sleep(0.05)
    raise RuntimeError(f"the app did not start within {SECONDS_TO_START} s:\n{log.read_text()}")
