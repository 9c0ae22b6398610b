"""The sandboxed process that decodes a visitor's file.

Run as ``python -m spcviz.shared.uploading.decoder LIBRARY READER``: bytes come on standard input; a
line of JSON and raw frames go to standard output. What the decoders may do is given up before they see a
byte: memory, time, other files, new descriptors and thus sockets, and the network (Linux alone, and only
where it lets an ordinary process have a network of its own: elsewhere no new descriptor is what keeps it
shut). Windows has none of these limits but the wall clock of the caller.
"""

import contextlib
import ctypes
import errno
import io
import json
import os
import signal
import sys
import warnings

MAX_BYTES = 20 << 20
MAX_PIXELS = 16_000_000
MAX_LENGTH = 65_535  # of a side: a JPEG cannot be longer, and Pillow's filter holds 16 bytes for each pixel
MAX_FRAMES = 300
MAX_ANIMATED = 100_000_000  # pixels of an animated picture's frames: each is unpacked whole
MAX_FILMED = 640_000_000  # of a video's: 300 frames of 1920 x 1080
MAX_KEPT = 60
MAX_SIDE = 320
MEMORY = 512 << 20
CPU_SECONDS = 8
SECONDS = 40
NICE = 10


class Unusable(ValueError):
    """The file cannot be used; the message is for the visitor."""


def picture_frames(data: bytes, form: str) -> tuple[list[bytes], int, int]:
    """Frames as RGB bytes, their height and width, of a picture that Pillow calls `form`."""
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = None  # the check below says it in our words
    picture = Image.open(io.BytesIO(data), formats=(form,))
    check_size(*picture.size)
    Image.MAX_IMAGE_PIXELS = MAX_PIXELS  # a later frame of a GIF may be larger than the first
    warnings.simplefilter("ignore")  # a damaged tag is nobody's business, and to say so would open files
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    n_pixels = picture.width * picture.height
    size = small_size(*picture.size)
    picture.draft("RGB", (2 * MAX_SIDE, 2 * MAX_SIDE))  # a JPEG's blocks need not be unpacked whole
    # What else a JPEG may hold are depths and gains of its one picture.
    most = 1 if form == "JPEG" else max(1, min(MAX_FRAMES, MAX_ANIMATED // n_pixels))
    frames = []
    for at in range(most):
        try:
            picture.seek(at)
        except EOFError:
            break
        frames.append(picture.convert("RGB").resize(size, Image.Resampling.BILINEAR).tobytes())
    return frames, size[1], size[0]


def video_frames(data: bytes, form: str) -> tuple[list[bytes], int, int]:
    """Frames as RGB bytes, their height and width, of a video that FFmpeg calls `form`."""
    import av

    most = {"max_pixels": str(2 * MAX_PIXELS)}  # before anything is allocated; frames have edges
    options = {"protocol_whitelist": "none", "format_whitelist": form} | most
    with av.open(
        io.BytesIO(data), format=form, options=options, io_open=_refuse, metadata_errors="ignore"
    ) as container:  # fmt: skip
        if not container.streams.video:
            raise Unusable("The file holds no picture and no video.")
        stream = container.streams.video[0]
        if stream.codec_context is None:
            raise Unusable("The video is coded in a way that cannot be read here; save it as MP4 (H.264).")
        check_size(stream.width, stream.height)
        stream.codec_context.thread_count = 1
        stream.codec_context.options = most
        size, frames, n_pixels = None, [], 0
        for frame in container.decode(stream):
            check_size(frame.width, frame.height)
            n_pixels += frame.width * frame.height
            scaled = small_size(frame.width, frame.height)
            size = size or scaled
            if scaled == size:
                frames.append(_rgb(frame.reformat(*size, "rgb24")))
            if len(frames) >= MAX_FRAMES or n_pixels >= MAX_FILMED:
                break
    if not frames:
        raise Unusable("The video holds no frame that can be decoded.")
    return frames, size[1], size[0]


def _rgb(frame):
    """Bytes of a frame's rows, without what FFmpeg pads them with (and without numpy: 25 MB)."""
    (plane,) = frame.planes
    held, step = bytes(plane), plane.line_size
    return b"".join(held[at : at + 3 * frame.width] for at in range(0, frame.height * step, step))


def _refuse(url, flags, options):
    """What FFmpeg gets where it wants to open anything else."""
    raise PermissionError(errno.EACCES, "an upload opens nothing")


def check_size(width: int, height: int) -> None:
    """Raise `Unusable` for a picture without pixels, with too many, or too long."""
    if width * height == 0:
        raise Unusable("The file is no picture or video that can be read here (it has no pixels).")
    size = f"The picture has {width} x {height} pixels"
    if width * height > MAX_PIXELS:
        raise Unusable(f"{size}; at most {MAX_PIXELS // 1_000_000} million are read.")
    if max(width, height) > MAX_LENGTH:
        raise Unusable(f"{size}; a side may have at most {MAX_LENGTH:,}. Crop it.")


def small_size(width: int, height: int) -> tuple[int, int]:
    """Width and height with the longest side at most `MAX_SIDE`.

    >>> small_size(640, 480), small_size(20, 10), small_size(60_000, 2)
    ((320, 240), (20, 10), (320, 1))
    """
    share = min(1.0, MAX_SIDE / max(width, height))
    return max(1, round(width * share)), max(1, round(height * share))


def spread(n: int) -> list[int]:
    """At most `MAX_KEPT` of n places, evenly, with the first and the last.

    >>> spread(3), spread(1), len(spread(300)), spread(300)[-1]
    ([0, 1, 2], [0], 60, 299)
    """
    kept = min(n, MAX_KEPT)
    return [i * (n - 1) // max(kept - 1, 1) for i in range(kept)]


def give_up(
    memory: int = MEMORY, cpu_seconds: int = CPU_SECONDS, seconds: int = SECONDS, *, may_write: bool = False
) -> None:
    """Let go of memory, time, files' sizes and the network, before any thread is there."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)  # also where nobody is left who would end it
    _limit("RLIMIT_AS", memory)
    _limit("RLIMIT_CPU", cpu_seconds, cpu_seconds + 1)  # asked to end, so that it can be said why
    _limit("RLIMIT_CORE", 0)
    if not may_write:
        _limit("RLIMIT_FSIZE", 0)
    with contextlib.suppress(OSError, AttributeError):
        unshare = ctypes.CDLL(None, use_errno=True).unshare
        for flags in (0x40000000, 0x50000000):  # CLONE_NEWNET: root's alone; else with CLONE_NEWUSER
            if unshare(flags) == 0:
                break


def shut() -> None:
    """From here on no new descriptor: no file, no socket, no pipe. What is needed has been imported."""
    _limit("RLIMIT_NOFILE", 3)


def _limit(name, most, hard=None):
    with contextlib.suppress(ImportError, AttributeError, ValueError, OSError):  # not on every system
        import resource

        resource.setrlimit(getattr(resource, name), (most, most if hard is None else hard))


def load(library: str) -> None:
    """Import all that decoding needs, some of which the libraries would import only when they come to it."""
    if library == "video":
        import logging  # noqa: F401

        import av.audio.stream
        import av.subtitles.stream
        import av.video.stream  # noqa: F401
    else:
        import copy  # noqa: F401
        import mmap  # noqa: F401

        from PIL import Image, ImagePalette, MpoImagePlugin, TiffImagePlugin, WebPImagePlugin  # noqa: F401

        Image.preinit()


def answer(data: bytes, library: str, form: str) -> tuple[dict, list[bytes]]:
    """What goes to standard output: what stands in the line of JSON, and the frames behind it."""
    try:
        read = picture_frames if library == "picture" else video_frames
        frames, tall, wide = read(data, form)
        kept = [frames[at] for at in spread(len(frames))]
        return {"shape": (len(kept), tall, wide, 3)}, kept
    except Unusable as error:
        return {"problem": str(error)}, []
    except MemoryError:
        return {"problem": "The file needs more memory than uploads may use; try a smaller one."}, []
    except Exception as error:  # decoders raise whatever they like; this process is expendable
        return {"damaged": type(error).__name__}, []


def main() -> None:
    """The child: bytes on standard input, frames on standard output."""
    give_up()
    library, form = sys.argv[1:]
    load(library)
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    shut()
    head, frames = answer(data, library, form)
    out = sys.stdout.buffer
    out.write(json.dumps(head).encode() + b"\n")
    out.writelines(frames)
    out.flush()


if __name__ == "__main__":
    main()
