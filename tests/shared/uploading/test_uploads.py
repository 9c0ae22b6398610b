"""Uploads: caps, broken files, and that a decoder's trouble stays in its process."""

import collections
import io
import time

import av
import numpy as np
import pytest
from PIL import Image

from spcviz.shared.uploading import uploads
from spcviz.shared.uploading.uploads import UploadError, read_upload
from tests.strategies import cases


def encoded(image, form="PNG", **options):
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def video(n_frames, width=64, height=48, form="mp4", codec="mpeg4", pixels="yuv420p"):
    file = io.BytesIO()
    with av.open(file, "w", format=form) as container:
        stream = container.add_stream(codec, rate=25)
        stream.width, stream.height, stream.pix_fmt = width, height, pixels
        for i in range(n_frames):
            frame = np.full((height, width, 3), 3 * i % 250, np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, "rgb24")))
        container.mux(stream.encode())
    return file.getvalue()


def test_a_picture_is_shrunk_and_a_clip_thinned():
    wide = Image.fromarray(np.arange(640 * 480 * 3, dtype=np.uint8).reshape(480, 640, 3))
    assert read_upload(encoded(wide)).shape == (1, 240, 320, 3)
    frames = read_upload(video(70))
    assert frames.shape == (60, 48, 64, 3)
    assert frames[0].mean() < 10 < frames[-1].mean()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (None, "empty"),
        (b"no picture" * 50, "no picture or video"),
        (b"\x89PNG\r\n\x1a\n" + b"\x00" * 500, "no picture or video"),
        (b"x" * (uploads.MAX_BYTES + 1), "at most 20"),
    ],
)
def test_bad_files_get_a_sentence(data, said):
    with pytest.raises(UploadError, match=said):
        read_upload(data)


def test_a_small_file_that_unpacks_to_gigabytes_is_refused():
    bomb = encoded(Image.new("1", (20_000, 20_000)))
    assert len(bomb) < 100_000
    with pytest.raises(UploadError, match="at most 16 million"):
        read_upload(bomb)


def whole_files(rng):
    """A small file of every kind that visitors bring, by name."""
    images = [Image.fromarray(rng.integers(0, 255, (40, 50, 3), np.uint8)) for _ in range(3)]
    files = {"PNG": encoded(images[0]), "MP4": video(5), "JPEG": encoded(images[0], "JPEG")}
    files["animated GIF"] = encoded(images[0], "GIF", save_all=True, append_images=images[1:])
    files["WebM"] = video(5, form="webm", codec="libvpx")
    files["AVI"] = video(5, form="avi", codec="mjpeg", pixels="yuvj420p")
    files["MKV"] = video(5, form="matroska")
    return files | {form: encoded(images[0], form) for form in ("WEBP", "BMP", "GIF")}


def mutated(data, rng):
    """A copy with bytes changed, cut out, inserted, zeroed, swapped, or missing at the end."""
    data = bytearray(data)
    at, other = (int(rng.integers(len(data))) for _ in range(2))
    n = int(rng.integers(1, 64))
    kind = rng.choice(["bytes", "head", "flip", "cut", "insert", "zero", "swap", "truncate"])
    if kind == "bytes":
        for place in rng.integers(0, len(data), 20):
            data[place] = rng.integers(256)
    elif kind == "head":  # sizes and counts are stored there
        data[int(rng.integers(min(len(data), 100)))] = rng.integers(256)
    elif kind == "flip":
        data[at] ^= 1 << int(rng.integers(8))
    elif kind == "cut":
        del data[at : at + n]
    elif kind == "insert":
        data[at:at] = rng.bytes(n)
    elif kind == "zero":
        data[at : at + 10 * n] = bytes(len(data[at : at + 10 * n]))
    elif kind == "swap":
        data[at : at + n], data[other : other + n] = data[other : other + n], data[at : at + n]
    else:
        del data[at:]
    return bytes(data)


def read_or_refused(data):
    """Outcome for a file; anything but frames under the caps or a sentence fails the test."""
    try:
        frames = read_upload(data)
    except UploadError as error:
        return "refused" if str(error).endswith(".") else pytest.fail(str(error))
    assert frames.dtype == np.uint8
    assert max(frames.shape[1:3]) <= uploads.MAX_SIDE
    assert len(frames) <= uploads.MAX_KEPT
    return "read"


def test_mutated_files_are_read_or_refused():
    """Run 3000 files with SPCVIZ_STRESS=1 (a quarter of an hour; `pytest -n 0 -s` prints the outcomes)."""
    files, n = whole_files(np.random.default_rng(0)), cases(3000, usual=6)
    assert all(len(read_upload(files[name])) in (1, 3, 5) for name in list(files)[:n])
    outcomes = collections.Counter(check_upload(files, seed) for seed in range(n))
    print(f"{sum(outcomes.values())} files: {dict(sorted(outcomes.items()))}")


def check_upload(files, seed):
    """(kind of file, outcome) of one mutated file."""
    name = list(files)[seed % len(files)]
    began = time.perf_counter()
    outcome = read_or_refused(mutated(files[name], np.random.default_rng(seed)))
    # It is stopped after that many seconds; a busy machine takes longer to report it.
    assert time.perf_counter() - began < 2 * uploads.PATIENCE
    return name, outcome


def test_a_decoder_that_hangs_is_stopped(monkeypatch):
    monkeypatch.setattr(uploads, "PATIENCE", 0.01)
    with pytest.raises(UploadError, match=r"not read within|busy"):
        read_upload(encoded(Image.new("RGB", (10, 10))))
