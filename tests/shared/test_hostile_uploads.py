"""Uploads of malicious files: nothing is opened, nobody is held up, and the user gets a sentence."""

import os
import resource
import subprocess
import sys
import threading
import time
from functools import cache
from pathlib import Path

import av
import numpy as np
import psutil
import pytest
from PIL import Image

from spcviz.shared.confined import fork_server
from spcviz.shared.confined.asking import Answer, ask
from spcviz.shared.folders import ROOT
from spcviz.shared.uploading import decoder, uploads
from spcviz.shared.uploading.uploads import UploadBusyError, UploadError, read_upload
from tests.shared.uploading import hostile
from tests.shared.uploading.hostile import PICTURE, TARGETS, check_hostile, decoders
from tests.shared.uploading.test_uploads import encoded, video
from tests.strategies import cases

IS_LINUX = sys.platform == "linux"


def start_to(command, data, folder):
    """Run Python code in a separate process, with `data` on standard input."""
    return subprocess.run(
        [sys.executable, "-c", command], input=data, capture_output=True, check=False, cwd=folder, timeout=60,
        env=os.environ | {"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip


@pytest.mark.parametrize("target", TARGETS[:3])
def test_a_text_that_names_a_file_gets_a_sentence_and_no_process(target, monkeypatch):
    monkeypatch.setattr(uploads, "ask", None)  # must not be reached
    texts = hostile.texts(target) | {"SDP": hostile.session(40_000)} | hostile.OTHERS
    for name, data in texts.items():
        with pytest.raises(UploadError, match=r"^The file is .*\.$") as caught:
            read_upload(data)
        assert name in str(caught.value)
        assert target not in str(caught.value)


def test_ffmpeg_alone_opens_nothing_that_a_file_names():
    """Even if a text were taken for a video: we set the reader's name, the protocols and what it may open."""
    picture = encoded(Image.new("RGB", (8, 8)))
    assert (ROOT / PICTURE).is_file()
    data = hostile.texts(PICTURE)["ffconcat"]
    with av.open(__import__("io").BytesIO(data)) as container:  # as before: the danger is real
        assert container.format.name == "concat"
    for reader in sorted({header.reader for _, header in uploads._SIGNATURES if header.library == "video"}):
        try:
            said, frames = decoder.decode({"library": "video", "reader": reader}, data)
        except (av.error.FFmpegError, ValueError):
            continue
        assert not frames, reader
        assert "problem" in said
    assert decoder.decode({"library": "picture", "reader": "PNG"}, picture)[1]


@pytest.mark.skipif(not IS_LINUX, reason="other systems need not have these limits")
@pytest.mark.parametrize(
    ("deed", "name"),
    [
        ("open('requirements.txt')", "OSError"),
        ("socket.socket(socket.AF_INET, socket.SOCK_DGRAM)", "OSError"),
        ("os.pipe()", "OSError"),
        ("bytearray(700 << 20)", "MemoryError"),
    ],
)
def test_a_decoder_has_given_up_what_it_could_do_harm_with(deed, name, tmp_path):
    command = (
        "import os, socket\nfrom spcviz.shared.uploading import uploads\n"
        "from spcviz.shared.confined import limits\n"
        "limits.give_up(uploads.DECODE)\n{shut}\n"
        "try:\n    {deed}\n    print('done')\nexcept (OSError, MemoryError) as error:\n"
        "    print(type(error).__name__)"
    )
    ran = start_to(command.format(shut="limits.shut(uploads.DECODE)", deed=deed), b"", ROOT)
    assert ran.stdout.decode().strip() == name, ran.stderr
    if name == "OSError":
        assert start_to(command.format(shut="", deed=deed), b"", ROOT).stdout.strip() == b"done"


@cache
def slow():
    """A file that takes seconds to decode: 63 kB and 16 million pixels."""
    return hostile.jpeg_of_scans(3000, 4000)


class Stopped(Exception):
    """Raised to end a decoder in these tests."""


@pytest.mark.skipif(not IS_LINUX, reason="looks into /proc")
def test_a_decoder_at_work_has_no_files_no_network_and_an_empty_folder():
    seen = {}

    def glance():
        for child in decoders():
            numbers = os.listdir(f"/proc/{child.pid}/fd")
            limits = child.rlimit(psutil.RLIMIT_NOFILE)
            if limits[0] == 3:  # its imports are done
                sockets = Path(f"/proc/{child.pid}/net/udp").read_text().splitlines()[1:]
                network = os.readlink(f"/proc/{child.pid}/ns/net")
                seen.update(
                    numbers=sorted(numbers), cwd=child.cwd(), nice=child.nice(),
                    sockets=sockets, own=network != os.readlink("/proc/self/ns/net"),
                    environment=set(child.environ()),
                )  # fmt: skip
                raise Stopped

    with pytest.raises(Stopped):
        read_upload(slow(), glance=glance)
    assert seen["numbers"] == ["0", "1", "2"]
    assert seen["cwd"] == os.sep
    assert seen["nice"] >= 10
    can = "import ctypes; f = ctypes.CDLL(None).unshare; print(f(0x40000000) == 0 or f(0x50000000) == 0)"
    assert str(seen["own"]) == start_to(can, b"", ROOT).stdout.decode().strip()
    assert seen["sockets"] == [] or not seen["own"]
    assert seen["environment"] <= {
        "PYTHONPATH", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", *fork_server._KEPT, *fork_server._ARROW
    }  # fmt: skip
    assert not decoders()


BOMBS = {
    "PNG, long": (lambda: hostile.png(16_000_000, 1), "a side may have at most 65,535"),
    "PNG, tall": (lambda: hostile.png(1, 200_000), "a side may have at most 65,535"),
    "PNG, large": (lambda: hostile.png(30_000, 30_000), "at most 16 million"),
    "WebP": (lambda: hostile.webp(60, 4000), (6, 320, 320, 3)),
    "GIF": (lambda: hostile.gif(3000, 4000), (6, 320, 320, 3)),
    "GIF, many": (lambda: hostile.gif(100_000, 64), (60, 64, 64, 3)),
    "GIF that grows": (lambda: hostile.gif(2, 10, 60_000, 60_000), "damaged"),
    "AVI": (lambda: hostile.avi(30_000, 30_000), (3, 48, 64, 3)),
    "MOV": (lambda: hostile.nested(200_000), "damaged"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_costs_little(name):
    make, expected = BOMBS[name]
    data = make()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    if isinstance(expected, str):
        with pytest.raises(UploadError, match=expected):
            read_upload(data)
    else:
        assert read_upload(data).shape == expected
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 6  # 10 to 18 before


def test_all_pixels_of_a_video_count():
    """Frames of 16 million pixels: 40 are read, and of a video of 1920 x 1080 all 300."""
    assert decoder.MAX_FILMED // (4000 * 4000) == 40
    assert decoder.MAX_FILMED >= 300 * 1920 * 1080


def test_the_budget_ends_a_video_early(monkeypatch):
    monkeypatch.setattr(decoder, "MAX_FILMED", 7 * 64 * 48)
    monkeypatch.setattr(decoder, "MAX_ANIMATED", 2 * 40 * 40)
    assert len(decoder.video_frames(video(20), "mov")[0]) == 7
    frames = [Image.new("L", (40, 40), 50 * i) for i in range(4)]
    moving = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert len(decoder.picture_frames(moving, "GIF")[0]) == 2


@pytest.mark.skipif(not IS_LINUX, reason="other systems need not have this limit")
def test_a_decoder_that_works_too_long_is_ended_by_itself():
    about = {"library": "picture", "reader": "JPEG"}
    answer = ask(uploads.DECODE._replace(cpu_seconds=1, seconds=600), about, slow())
    assert answer.fault == "long"  # SIGXCPU
    jpeg = uploads.header_of(slow())
    with pytest.raises(UploadError, match="took longer than 8 s"):
        uploads._frames(answer, jpeg)
    with pytest.raises(UploadError, match="gave up"):
        uploads._frames(Answer({}, memoryview(b""), fault="ended"), jpeg)


def test_so_many_at_once_and_the_next_waits(monkeypatch):
    most, end = [0], threading.Event()

    def glance():
        most[0] = max(most[0], len(decoders()))
        if end.is_set():
            raise Stopped

    def decode():
        with pytest.raises(Stopped):
            read_upload(slow(), glance=glance)

    threads = [threading.Thread(target=decode) for _ in range(uploads.N_AT_ONCE)]
    [thread.start() for thread in threads]
    try:
        began = time.monotonic()
        while most[0] < uploads.N_AT_ONCE and time.monotonic() - began < 20:
            time.sleep(0.05)
        monkeypatch.setattr(uploads, "PATIENCE", 0.3)
        with pytest.raises(UploadBusyError, match="busy with other visitors' files"):
            read_upload(encoded(Image.new("L", (9, 9))), glance=glance)
        monkeypatch.setattr(uploads, "PATIENCE", 20)
        threading.Timer(0.5, end.set).start()
        assert read_upload(encoded(Image.new("L", (9, 9)))).shape == (1, 9, 9, 3)
    finally:
        end.set()
        [thread.join() for thread in threads]
    assert most[0] == uploads.N_AT_ONCE
    assert not decoders()


def test_who_leaves_while_waiting_waits_no_longer():
    def glance():
        raise Stopped

    taken = [uploads.LINE.join() for _ in range(uploads.N_AT_ONCE)]
    try:
        with pytest.raises(Stopped):
            read_upload(encoded(Image.new("L", (9, 9))), glance=glance)
    finally:
        [place.leave() for place in taken]
    assert read_upload(encoded(Image.new("L", (9, 9)))).shape == (1, 9, 9, 3)


def test_a_server_without_a_process_says_so(monkeypatch):
    def full(*_, **how):
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(fork_server.subprocess, "Popen", full)
    with pytest.raises(UploadBusyError, match="No file can be read just now"):
        read_upload(encoded(Image.new("L", (9, 9))))


@pytest.mark.parametrize("shape", [(1, 400, 9, 3), (61, 9, 9, 3), (1, 9, 9, 3, 1), (0, 9, 9, 3)])
def test_what_a_decoder_says_is_not_believed(shape):
    said = Answer({"shape": list(shape)}, memoryview(bytes(int(np.prod(shape)))))
    with pytest.raises(UploadError, match="stopped half-way"):
        uploads._frames(said, uploads.header_of(b"\xff\xd8\xff"))


GOOD = {
    "mp4": ("mp4", "mpeg4"),
    "mov": ("mov", "mpeg4"),
    "h264": ("mp4", "libx264"),
    "webm": ("webm", "libvpx"),
    "vp9": ("webm", "libvpx-vp9"),
    "mkv": ("matroska", "mpeg4"),
    "avi": ("avi", "mjpeg", "yuvj420p"),
    "wmv": ("asf", "wmv2"),
    "flv": ("flv", "flv1"),
    "mpeg": ("mpeg", "mpeg2video"),
    "vob": ("vob", "mpeg2video"),
    "m2v": ("mpeg2video", "mpeg2video"),
    "ts": ("mpegts", "mpeg2video"),
    "ivf": ("ivf", "libvpx"),
    "3gp": ("3gp", "mpeg4"),
}


@pytest.mark.parametrize("name", GOOD)
def test_what_cameras_and_telephones_make_is_read(name):
    try:
        data = video(8, 176, 144, *GOOD[name])
    except (av.error.FFmpegError, ValueError) as error:
        pytest.skip(f"this FFmpeg does not write {name}: {error}")
    frames = read_upload(data)
    assert frames.shape[0] in (7, 8)
    assert frames.shape[1:] == (144, 176, 3)
    assert frames[0].mean() + 10 < frames[-1].mean()


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "BMP", "GIF"])
def test_pictures_are_read_in_all_modes(form):
    colours = np.random.default_rng(0).integers(0, 255, (350, 450, 3)).astype(np.uint8)
    colours = np.asarray(Image.fromarray(colours).resize((45, 35)).resize((450, 350)))
    for mode in ("RGB", "P", "RGBA", "I;16"):
        picture = Image.fromarray(colours)
        picture = Image.new(mode, (450, 350), 30_000) if mode == "I;16" else picture.convert(mode)
        try:
            data = encoded(picture, form, **({"lossless": True} if form == "WEBP" else {}))
        except (OSError, KeyError, ValueError):
            continue  # a mode that the format does not have
        frames = read_upload(data)
        assert frames.shape == (1, 249, 320, 3)
        if mode == "RGB" and form != "GIF":
            wanted = Image.fromarray(colours).resize((320, 249), Image.Resampling.BILINEAR)
            assert np.abs(frames[0] - np.asarray(wanted).astype(float)).mean() < 6


def test_hostile_files_are_refused_or_read_and_nothing_else():
    """Run 3000 files with SPCVIZ_STRESS=1; `bench robust --only hostile` runs them, too."""
    assert {check_hostile(seed) for seed in range(cases(3000, usual=8))} <= {"read", "refused"}
