"""Deployment files: pinned versions, containers with limits, an nginx configuration that reads its files."""

import re
import shutil
import subprocess
import tomllib

import pytest
from packaging.requirements import Requirement

from tests.browser.behind import DEPLOY, NGINX
from tests.conftest import ROOT

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
LOCK = (DEPLOY / "requirements.lock").read_text(encoding="utf-8")
PINNED = dict(re.findall(r"^([\w.-]+)==(\S+) \\$", LOCK, re.MULTILINE))
WANTED = [Requirement(line) for line in (ROOT / "requirements.txt").read_text().splitlines() if line.strip()]


@pytest.mark.parametrize("wanted", WANTED, ids=lambda wanted: wanted.name)
def test_the_lock_has_what_is_required(wanted):
    assert PINNED.get(wanted.name, "none") in wanted.specifier


def test_every_version_of_the_lock_has_a_sum_and_the_image_asks_for_it():
    blocks = re.split(r"^(?=\S+==)", LOCK, flags=re.MULTILINE)[1:]
    assert len(blocks) == len(PINNED) > len(WANTED)
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}", block) for block in blocks)
    assert "--require-hashes -r requirements.lock" in DOCKERFILE


def test_actions_are_pinned_by_commit():
    used = [
        line.strip()
        for path in (ROOT / ".github" / "workflows").glob("*.yml")
        for line in path.read_text(encoding="utf-8").splitlines()
        if "uses:" in line
    ]
    assert len(used) > 5
    pinned = re.compile(r"uses: [\w.-]+/[\w.-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+$")
    assert all(map(pinned.search, used)), used


def test_base_images_are_exact_versions():
    (python,) = re.findall("^FROM (.*)", DOCKERFILE, re.MULTILINE)
    images = [python, *(one["image"] for one in COMPOSE["services"].values() if "image" in one)]
    assert len(images) == 2
    assert all(re.search(r":\d+\.\d+\.\d+-[\w-]+@sha256:[0-9a-f]{64}$", image) for image in images), images
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert re.search(r"\d+\.\d+\.\d+", python).group() in Requirement(f"python{wanted}").specifier


@pytest.mark.parametrize("name", ["app", "proxy"])
def test_a_container_is_held(name):
    held = COMPOSE["services"][name]
    assert held["read_only"] is True
    assert held["cap_drop"] == ["ALL"]
    assert held["security_opt"] == ["no-new-privileges:true"]
    assert {"mem_limit", "cpus", "pids_limit", "ulimits", "tmpfs"} <= set(held)
    mounted = [one.split(":")[0] for one in held["volumes"] if one.startswith("./")]
    assert all((DEPLOY / file).is_file() for file in mounted)
    if name == "proxy":
        included = re.findall(r"include (\S+);", (DEPLOY / "nginx.conf").read_text())
        assert {f"./{file}" for file in (*included, "nginx.conf")} == set(mounted)


@pytest.mark.skipif(NGINX is None, reason="no nginx found: install Debian's `nginx-light`")
def test_nginx_takes_the_configuration_of_compose(tmp_path):
    for file in ("nginx.conf", "seats.conf", "proxy.conf"):
        shutil.copy(DEPLOY / file, tmp_path)
    shipped = (tmp_path / "nginx.conf").read_text()
    assert shipped.count("server app:8501;") == 1
    (tmp_path / "nginx.conf").write_text(shipped.replace("server app:8501;", "server 127.0.0.1:8501;"))
    command = [NGINX, "-t", "-c", tmp_path / "nginx.conf", "-e", tmp_path / "error.log"]
    ran = subprocess.run([*command, "-g", f"pid {tmp_path}/pid;"], capture_output=True, text=True)
    assert "syntax is ok" in ran.stderr
    assert "test is successful" in ran.stderr or "Permission denied" in ran.stderr, ran.stderr
