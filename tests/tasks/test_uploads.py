"""Uploads: caps, broken files, and that a decoder's trouble stays in its process."""

import contextlib
import io

import av
import numpy as np
import pytest
from PIL import Image

from spcviz.tasks import uploads
from spcviz.tasks.uploads import UploadError, read_upload


def encoded(image, form="PNG"):
    file = io.BytesIO()
    image.save(file, form)
    return file.getvalue()


def video(n_frames, width=64, height=48):
    file = io.BytesIO()
    with av.open(file, "w", format="mp4") as container:
        stream = container.add_stream("mpeg4", rate=25)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
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


def test_mutated_files_never_raise_anything_else():
    """Whole files through the child's decoder; its limits are set in the child only."""
    rng = np.random.default_rng(0)
    originals = [
        encoded(Image.fromarray(rng.integers(0, 255, (40, 50, 3), np.uint8)), f) for f in ("PNG", "JPEG")
    ]
    originals.append(video(5))
    for i in range(6):
        data = bytearray(originals[i % 3])
        for at in rng.integers(0, len(data), 20):
            data[at] = rng.integers(0, 256)
        with contextlib.suppress(UploadError):
            assert read_upload(bytes(data)).dtype == np.uint8


def test_a_decoder_that_hangs_is_stopped(monkeypatch):
    monkeypatch.setattr(uploads, "SECONDS", 0.01)
    with pytest.raises(UploadError, match="took longer"):
        read_upload(encoded(Image.new("RGB", (10, 10))))
