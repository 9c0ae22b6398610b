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
    # Workers already share the cores; extra threads in each would only wait for each other. Servers and
    # commands that tests start inherit this. numpy reads it at its first import, which comes later.
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
    # Otherwise Playwright restarts a request for each refused certificate: a page with many gave up on one.
    "--ignore-certificate-errors",
]

# numba compiles inside the first example: a deadline would only measure that.
settings.register_profile("house", deadline=None, max_examples=60)
settings.register_profile("ci", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "house")


def pytest_configure(config):
    """Compile what pages call before the workers start: each of them would compile the same kernels."""
    is_controller = not hasattr(config, "workerinput") and getattr(config.option, "numprocesses", None)
    if is_controller and not config.option.collectonly:
        compiled()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the tests that need data, so that `-m needs_data` runs those that are skipped without it.

    A failed browser test gets a second chance: two busy cores can be late for any of its thousand waits.
    pytest counts such tests in its last line ("1 rerun").
    """
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))
        if "shared_data" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.needs_data)


@cache
def compiled():
    """Compile what pages call, once; otherwise pages would say that they are waiting for it."""
    from spcviz.registry import warmup

    for child in warmup.start_children():
        child.process.wait()


@pytest.fixture(autouse=True)
def same_main():
    """Restore the main module, which spawned workers read: a page run by Streamlit's AppTest replaces it."""
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
    """Path of Chromium."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.skip("no Chromium found: install Debian's `chromium`")
    return path


@pytest.fixture(scope="session")
def browser(chromium):
    """A Playwright browser; open your own context with ``browser.new_context()``."""
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

    `options` are Streamlit's; `base` is a path to serve below; `before` is shell, e.g. ``ulimit -Sn 96;``.
    Without `ahead` it computes only what is requested: an app that nobody visits for a moment would
    otherwise load every clip of the Pose page, minutes of work that slow down all tests running in parallel.
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
        with contextlib.suppress(OSError):  # compiling children would run on for minutes
            os.killpg(process.pid, signal.SIGKILL)


def _wait_until_healthy(process, address, log):
    give_up = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < give_up and process.poll() is None:
        with contextlib.suppress(urllib.error.URLError, ConnectionError, TimeoutError):
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=2).close()
            return
        time.sleep(0.05)
    raise RuntimeError(f"the app did not start within {SECONDS_TO_START} s:\n{log.read_text()}")
