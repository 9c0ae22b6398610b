"""Decode a visitor's picture or clip inside the confined child process (`confined.child`)."""

import errno
import importlib
import io
import struct
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

MAX_BYTES = 20 << 20
MAX_PIXELS = 16_000_000
MAX_LENGTH = 65_535  # of a side: a JPEG cannot be longer, and Pillow's filter holds 16 bytes for each pixel
MAX_FRAMES = 300
MAX_ANIMATED = 100_000_000  # pixels of an animated picture's frames: each is decoded in full
MAX_FILMED = 640_000_000  # of a video's: 300 frames of 1920 x 1080
MAX_KEPT = 60
MAX_SIDE = 320


class Unusable(ValueError):
    """The file cannot be used; the message is for the visitor."""


def picture_frames(data: bytes, form: str) -> tuple[list[bytes], int, int]:
    """Frames as RGB bytes, their height and width, of a picture that Pillow calls `form`.

    They look as in a browser: rotated by the EXIF tag, on white where they are transparent, 16-bit grey as
    8-bit, and colours with a profile as sRGB.
    """
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = None  # the check below has our own message
    picture = Image.open(io.BytesIO(data), formats=(form,))
    check_size(*picture.size)
    Image.MAX_IMAGE_PIXELS = MAX_PIXELS  # a later frame of a GIF may be larger than the first
    warnings.simplefilter("ignore")  # damaged tags do not matter, and a warning would open files
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    n_pixels = picture.width * picture.height
    size = small_size(*picture.size)
    picture.draft("RGB", (2 * MAX_SIDE, 2 * MAX_SIDE))  # a JPEG need not be decoded at full size
    # Further images in a JPEG are depth or gain maps of its one picture.
    most = 1 if form == "JPEG" else max(1, min(MAX_FRAMES, MAX_ANIMATED // n_pixels))
    turn: Any = None
    recolour: Callable[[Picture], Picture] = leave
    frames: list[bytes] = []
    for at in range(most):
        try:
            picture.seek(at)
        except EOFError:
            break
        if at == 0:
            recolour = _recolouring(picture)
        frame = convert_to_rgb(recolour(_small(picture, size)))
        if at == 0:  # after the first frame's pixels: a PNG's tags may follow them
            turn = _turning(picture)
        frame = frame if turn is None else frame.transpose(turn)
        frames.append(frame.tobytes())
    return frames, frame.height, frame.width


def leave(frame: "Picture") -> "Picture":
    """The frame with its colours unchanged."""
    return frame


def _small(picture: "Picture", size: tuple[int, int]) -> "Picture":
    """A frame at its final size, in one of Pillow's 8-bit modes."""
    from PIL import Image, ImageChops

    if picture.mode.startswith("I"):  # 16 bits of grey, as scanners and depth cameras write
        clear = picture.info.get("transparency")
        whole = picture.convert("I")
        grey = whole.point(lambda value: value * (1 / 257)).convert("L")
        if isinstance(clear, int):
            off = whole.point(lambda value: value * 255 - 255 * clear).convert("F")
            far = (off.convert("L"), off.point(lambda value: value * -1).convert("L"))
            grey.putalpha(ImageChops.lighter(*far))  # 255 wherever a value is not the transparent one
        picture = grey
    elif picture.mode in ("P", "1", "PA") or picture.has_transparency_data:
        picture = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
    elif picture.mode not in ("RGB", "L", "CMYK"):
        picture = picture.convert("RGB")
    return picture.resize(size, Image.Resampling.BILINEAR)


def convert_to_rgb(frame: "Picture") -> "Picture":
    """A frame in RGB, on white where it is transparent."""
    from PIL import Image

    if frame.mode in ("RGBA", "LA"):
        ground = Image.new("RGBA", frame.size, "white")
        frame = Image.alpha_composite(ground, frame.convert("RGBA"))
    return frame.convert("RGB")


_TURNS = {2: "FLIP_LEFT_RIGHT", 3: "ROTATE_180", 4: "FLIP_TOP_BOTTOM", 5: "TRANSPOSE", 6: "ROTATE_270",
          7: "TRANSVERSE", 8: "ROTATE_90"}  # fmt: skip
"""Pillow's name of the transposition for each EXIF orientation."""


def _turning(picture: "Picture") -> Any:
    """The transposition by a picture's EXIF or XMP tag; None if there is none or the tag is damaged."""
    from PIL import Image

    try:
        name = _TURNS.get(picture.getexif().get(0x0112, 1))
    except Exception:  # an untrusted tag may raise anything; the picture may be good
        return None
    return name and Image.Transpose[name]


def _recolouring(picture: "Picture") -> "Callable[[Picture], Picture]":
    """A function that converts a picture's colours to sRGB by its profile or gamma; `leave` without them."""
    from PIL import ImageCms

    kinds = {"RGB": ("RGB", "RGBA"), "GRAY": ("L", "LA"), "CMYK": ("CMYK",)}
    try:
        profile = ImageCms.ImageCmsProfile(io.BytesIO(picture.info["icc_profile"]))
        modes = kinds[profile.profile.xcolor_space.strip()]
        srgb = ImageCms.createProfile("sRGB")
        transform = ImageCms.buildTransform(profile, srgb, modes[0], "RGB")
    except Exception:  # no profile, or a damaged one
        return _of_gamma(picture.info)

    def recolour(frame: "Picture") -> "Picture":
        if frame.mode not in modes:
            return frame
        out = transform.apply(frame.convert(modes[0]))
        if frame.mode != modes[0]:
            out.putalpha(frame.getchannel("A"))
        return out

    return recolour


_USUAL = 0.45455
"""The gamma in a PNG that means the sRGB curve."""


def _of_gamma(info: dict[Any, Any]) -> "Callable[[Picture], Picture]":
    """A function that maps a PNG's levels to the sRGB curve by its gamma, as browsers do."""
    gamma = info.get("gamma")
    if not isinstance(gamma, float) or gamma <= 0 or abs(gamma - _USUAL) < 1e-3 or "srgb" in info:
        return leave
    light = [(level / 255) ** (1 / gamma) for level in range(256)]
    levels = [round(255 * (12.92 * x if x <= 0.0031308 else 1.055 * x ** (1 / 2.4) - 0.055)) for x in light]

    def recolour(frame: "Picture") -> "Picture":
        kept = [*range(256)] if frame.mode.endswith("A") else []
        return frame.point(levels * (len(frame.getbands()) - bool(kept)) + kept)

    return recolour


def video_frames(data: bytes, form: str) -> tuple[list[bytes], int, int]:
    """Frames as RGB bytes, their height and width, of a video that FFmpeg calls `form`.

    They look as in a player: rotated, scaled by the pixel aspect ratio, on white where they are transparent.
    """
    import av

    most = {"max_pixels": str(2 * MAX_PIXELS)}  # checked before allocation; frames have padded edges
    options = {"protocol_whitelist": "none", "format_whitelist": form} | most
    with av.open(
        io.BytesIO(data), "r", format=form, options=options, io_open=_refuse, metadata_errors="ignore"
    ) as container:  # fmt: skip
        if not container.streams.video:
            raise Unusable("The file holds no picture and no video.")
        stream = container.streams.video[0]
        if stream.codec_context is None:
            raise Unusable("The video is coded in a way that cannot be read here; save it as MP4 (H.264).")
        check_size(stream.width, stream.height)
        stream.codec_context.thread_count = 1
        stream.codec_context.options = most
        size, turn, n_pixels = (0, 0), None, 0
        frames: list[bytes] = []
        for frame in container.decode(stream):
            check_size(frame.width, frame.height)
            n_pixels += frame.width * frame.height
            scaled = small_size(*displayed_size(frame.width, frame.height, stream.sample_aspect_ratio))
            if size == (0, 0):
                size, turn = scaled, _turning_of(frame)
            if scaled == size:
                frames.append(_picture(frame, size, turn))
            if len(frames) >= MAX_FRAMES or n_pixels >= MAX_FILMED:
                break
    if not frames:
        raise Unusable("The video holds no frame that can be decoded.")
    tall, wide = (size[0], size[1]) if turn in _ASIDE else (size[1], size[0])
    return frames, tall, wide


_ASIDE = ("TRANSPOSE", "ROTATE_270", "TRANSVERSE", "ROTATE_90")


def displayed_size(width: int, height: int, ratio: Any) -> tuple[int, int]:
    """Width and height of a frame whose pixels are `ratio` times as wide as tall, as a player shows it.

    >>> displayed_size(720, 576, 16 / 15), displayed_size(32, 32, None), displayed_size(32, 32, 10**6)
    ((768, 576), (32, 32), (32, 32))
    """
    ratio = float(ratio or 1)
    return (max(1, round(width * ratio)), height) if 0.1 <= ratio <= 10 else (width, height)


def _turning_of(frame: Any) -> str | None:
    """Pillow's name of the transposition in a frame's display matrix; None if there is none."""
    from av.sidedata.sidedata import Type

    matrix = frame.side_data.get(Type.DISPLAYMATRIX)
    if matrix is None or len(held := bytes(matrix)) < 36:
        return None
    a, b, _, c, d = struct.unpack("=5i", held[:20])  # x and y become (a x + c y, b x + d y)
    if abs(a) + abs(d) >= abs(b) + abs(c):
        return {(True, False): _TURNS[2], (True, True): _TURNS[3], (False, True): _TURNS[4]}.get(
            (a < 0, d < 0)
        )
    return {(False, False): _TURNS[5], (True, False): _TURNS[6], (True, True): _TURNS[7],
            (False, True): _TURNS[8]}[c < 0, b < 0]  # fmt: skip


def _picture(frame: Any, size: tuple[int, int], turn: str | None) -> bytes:
    """RGB bytes of a frame at its final size."""
    is_clear = any(component.is_alpha for component in frame.format.components)
    if not is_clear and turn is None:
        return _pack(frame.reformat(*size, "rgb24"), 3)
    from PIL import Image

    mode = "RGBA" if is_clear else "RGB"
    held = _pack(frame.reformat(*size, mode.lower() if is_clear else "rgb24"), len(mode))
    picture = convert_to_rgb(Image.frombytes(mode, size, held))
    return (picture if turn is None else picture.transpose(Image.Transpose[turn])).tobytes()


def _pack(frame: Any, n: int) -> bytes:
    """Bytes of a frame's rows, n per pixel, without FFmpeg's padding (and without numpy: 25 MB)."""
    (plane,) = frame.planes
    held, step = bytes(plane), plane.line_size
    return b"".join(held[at : at + n * frame.width] for at in range(0, frame.height * step, step))


def _refuse(url: str, flags: int, options: dict[str, Any]) -> None:
    """Raise when FFmpeg tries to open anything else."""
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
    """At most `MAX_KEPT` of n indices, evenly spaced, with the first and the last.

    >>> spread(3), spread(1), len(spread(300)), spread(300)[-1]
    ([0, 1, 2], [0], 60, 299)
    """
    kept = min(n, MAX_KEPT)
    return [i * (n - 1) // max(kept - 1, 1) for i in range(kept)]


def load(about: dict[Any, Any]) -> None:
    """Import all that decoding needs, some of which the libraries would import only on demand."""
    if about["library"] == "video":
        import logging  # noqa: F401

        import av.audio.stream
        import av.sidedata.sidedata
        import av.subtitles.stream
        import av.video.stream  # noqa: F401
        from PIL import Image

        Image.preinit()
    else:
        import copy  # noqa: F401
        import mmap  # noqa: F401

        from PIL import Image, ImageCms

        for name in ("ImageChops", "ImagePalette", "MpoImagePlugin", "TiffImagePlugin", "WebPImagePlugin"):
            importlib.import_module(f"PIL.{name}")
        Image.preinit()
        ImageCms.createProfile("sRGB")


def decode(about: dict[Any, Any], data: bytes) -> tuple[dict[Any, Any], list[bytes]]:
    """Decode a file with the library and reader that `about` names: the frames' shape, and their bytes.

    For a file that cannot be used, returns ``{"problem": sentence}``.
    """
    try:
        read = picture_frames if about["library"] == "picture" else video_frames
        frames, tall, wide = read(data, about["reader"])
    except Unusable as error:
        return {"problem": str(error)}, []
    kept = [frames[at] for at in spread(len(frames))]
    return {"shape": (len(kept), tall, wide, 3)}, kept
