"""Decode a visitor's picture or clip: what runs in a process of its own, with limits (`confined.child`)."""

import errno
import io
import warnings

MAX_BYTES = 20 << 20
MAX_PIXELS = 16_000_000
MAX_LENGTH = 65_535  # of a side: a JPEG cannot be longer, and Pillow's filter holds 16 bytes for each pixel
MAX_FRAMES = 300
MAX_ANIMATED = 100_000_000  # pixels of an animated picture's frames: each is unpacked whole
MAX_FILMED = 640_000_000  # of a video's: 300 frames of 1920 x 1080
MAX_KEPT = 60
MAX_SIDE = 320


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


def load(about: dict) -> None:
    """Import all that decoding needs, some of which the libraries would import only when they come to it."""
    if about["library"] == "video":
        import logging  # noqa: F401

        import av.audio.stream
        import av.subtitles.stream
        import av.video.stream  # noqa: F401
    else:
        import copy  # noqa: F401
        import mmap  # noqa: F401

        from PIL import Image, ImagePalette, MpoImagePlugin, TiffImagePlugin, WebPImagePlugin  # noqa: F401

        Image.preinit()


def decode(about: dict, data: bytes) -> tuple[dict, list[bytes]]:
    """Frames of a file that `about` names a library and a reader for: their shape, and their bytes.

    What cannot be used is said: ``{"problem": sentence}``.
    """
    try:
        read = picture_frames if about["library"] == "picture" else video_frames
        frames, tall, wide = read(data, about["reader"])
    except Unusable as error:
        return {"problem": str(error)}, []
    kept = [frames[at] for at in spread(len(frames))]
    return {"shape": (len(kept), tall, wide, 3)}, kept
