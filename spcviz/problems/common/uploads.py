"""Pictures and clips that visitors bring: read in a process of their own, under caps.

A small file can unpack to gigabytes and a broken one can crash a decoder, so bytes are decoded by
``python -m spcviz.problems.common.uploads`` with a limit on memory and time; it answers with a line of JSON
and raw frames. Whatever happens there, here it is an `UploadError` with a sentence for the visitor.
"""

import contextlib
import io
import json
import os
import subprocess
import sys

import numpy as np

from spcviz.engine.errors import SpcvizError
from spcviz.problems.common.folders import ROOT

MAX_BYTES = 20 << 20
MAX_PIXELS = 16_000_000
MAX_FRAMES = 300
MAX_KEPT = 60
MAX_SIDE = 320
MEMORY = 1 << 30
SECONDS = 40
PICTURES = ("JPEG", "PNG", "WEBP", "BMP", "GIF")


class UploadError(SpcvizError, ValueError):
    """The file cannot be used; the message is for the visitor."""


def read_upload(data):
    """Frames of a picture or clip.

    Parameters
    ----------
    data : bytes
        At most 20 MB: JPEG, PNG, WebP, BMP or GIF, or a video that PyAV knows.

    Returns
    -------
    ndarray, shape (N, H, W, 3), uint8
        Longest side at most 320; of a clip, at most 60 frames evenly from its first 300.

    Raises
    ------
    UploadError
        Too large, not decodable, or the decoder ran out of memory or time.
    """
    if not isinstance(data, bytes | bytearray) or not data:
        raise UploadError("The file is empty.")
    if len(data) > MAX_BYTES:
        raise UploadError(f"The file has {len(data) / 1e6:.1f} MB; at most {MAX_BYTES >> 20} are read.")
    command = [sys.executable, "-m", "spcviz.problems.common.uploads"]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")  # each reserves memory
    try:
        done = subprocess.run(
            command, input=bytes(data), capture_output=True, timeout=SECONDS, check=False,
            cwd=ROOT, env=os.environ | threads,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise UploadError(f"Reading the file took longer than {SECONDS} s; try a shorter clip.") from None
    head, _, body = done.stdout.partition(b"\n")
    try:
        answer = json.loads(head)
    except ValueError:
        raise UploadError("The file could not be decoded: the decoder gave up on it.") from None
    if "problem" in answer:
        raise UploadError(answer["problem"])
    shape = tuple(answer["shape"])
    if len(body) != int(np.prod(shape)):
        raise UploadError("The file could not be decoded: the decoder stopped half-way.")
    return np.frombuffer(body, dtype=np.uint8).reshape(shape)


def _decode(data):
    """Frames of trusted size; any exception means that the file is no good."""
    from PIL import Image, UnidentifiedImageError

    Image.MAX_IMAGE_PIXELS = None  # the check below says it in our words
    try:
        picture = Image.open(io.BytesIO(data), formats=PICTURES)
    except UnidentifiedImageError:
        return _decode_video(data)
    _check_size(*picture.size)
    n = min(getattr(picture, "n_frames", 1), MAX_FRAMES)
    frames = []
    for at in _spread(n):
        picture.seek(at)
        frames.append(np.asarray(_shrunk(picture.convert("RGB"))))
    return np.stack(frames)


def _decode_video(data):
    import av

    with av.open(io.BytesIO(data), metadata_errors="ignore") as container:
        if not container.streams.video:
            raise UploadError("The file holds no picture and no video.")
        stream = container.streams.video[0]
        _check_size(stream.width, stream.height)
        frames = []
        for at, frame in enumerate(container.decode(stream)):
            if at >= MAX_FRAMES:
                break
            _check_size(frame.width, frame.height)
            wide, tall = _size(frame.width, frame.height)
            frames.append(frame.reformat(wide, tall, "rgb24").to_ndarray())
    if not frames:
        raise UploadError("The video holds no frame that can be decoded.")
    first = frames[0].shape
    frames = [frame for frame in frames if frame.shape == first]
    return np.stack([frames[at] for at in _spread(len(frames))])


def _check_size(width, height):
    if width * height == 0:
        raise UploadError("The file is no picture or video that can be read here (it has no pixels).")
    if width * height > MAX_PIXELS:
        raise UploadError(
            f"The picture has {width} x {height} pixels; at most {MAX_PIXELS // 1_000_000} million are read."
        )


def _size(width, height):
    share = min(1.0, MAX_SIDE / max(width, height))
    return max(1, round(width * share)), max(1, round(height * share))


def _shrunk(picture):
    from PIL import Image

    return picture.resize(_size(*picture.size), Image.Resampling.BILINEAR)


def _spread(n):
    return np.unique(np.linspace(0, n - 1, min(n, MAX_KEPT)).astype(int)).tolist()


def _limit():
    with contextlib.suppress(ImportError, ValueError, OSError):  # not on Windows
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def main():
    """The child: bytes on standard input, frames on standard output."""
    _limit()
    out = sys.stdout.buffer
    try:
        frames = np.ascontiguousarray(_decode(sys.stdin.buffer.read(MAX_BYTES + 1)))
        out.write(json.dumps({"shape": frames.shape}).encode() + b"\n" + frames.tobytes())
    except UploadError as error:
        out.write(json.dumps({"problem": str(error)}).encode() + b"\n")
    except MemoryError:
        said = "The file needs more memory than uploads may use."
        out.write(json.dumps({"problem": said}).encode() + b"\n")
    except Exception as error:  # decoders raise whatever they like; this process is expendable
        said = f"The file is no picture or video that can be read here ({type(error).__name__})."
        out.write(json.dumps({"problem": said}).encode() + b"\n")
    out.flush()


if __name__ == "__main__":
    main()
