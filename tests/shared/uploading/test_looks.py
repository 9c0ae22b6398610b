"""Pictures and clips come out as browsers and players show them, in every container that can specify it."""

import io
import struct
from fractions import Fraction

import numpy as np
import pytest
from PIL import Image, PngImagePlugin

from spcviz.shared.uploading.uploads import read_upload

COLOURS = {"red": (255, 0, 0), "green": (0, 255, 0), "blue": (0, 0, 255), "white": (255, 255, 255)}
STORED = ("red", "green", "blue", "white")  # top left, top right, bottom left, bottom right
# The corners of the stored picture as EXIF's orientations 1 to 8 show them.
ORIENTED = {
    1: ("red", "green", "blue", "white"), 2: ("green", "red", "white", "blue"),
    3: ("white", "blue", "green", "red"), 4: ("blue", "white", "red", "green"),
    5: ("red", "blue", "green", "white"), 6: ("blue", "red", "white", "green"),
    7: ("white", "green", "blue", "red"), 8: ("green", "white", "red", "blue"),
}  # fmt: skip
# Display matrices a b c d of a track for the same eight.
MATRICES = {
    1: (1, 0, 0, 1), 2: (-1, 0, 0, 1), 3: (-1, 0, 0, -1), 4: (1, 0, 0, -1),
    5: (0, 1, 1, 0), 6: (0, 1, -1, 0), 7: (0, -1, -1, 0), 8: (0, -1, 1, 0),
}  # fmt: skip


def quarters(width=64, height=32):
    picture = Image.new("RGB", (width, height))
    for k, name in enumerate(STORED):
        x, y = k % 2 * width // 2, k // 2 * height // 2
        picture.paste(COLOURS[name], (x, y, x + width // 2, y + height // 2))
    return picture


def saved(picture, form, **how):
    file = io.BytesIO()
    picture.save(file, form, **how)
    return file.getvalue()


def seen(data):
    frame = read_upload(data)[0].astype(int)
    tall, wide = frame.shape[:2]
    spots = [frame[y, x] for y in (4, tall - 5) for x in (4, wide - 5)]
    near = [min(COLOURS, key=lambda name: np.abs(spot - COLOURS[name]).sum()) for spot in spots]
    return (wide, tall), tuple(near)


@pytest.mark.parametrize("orientation", ORIENTED)
@pytest.mark.parametrize(
    ("form", "how"), [("JPEG", {"quality": 95}), ("PNG", {}), ("WEBP", {"lossless": True})]
)
def test_pictures_are_turned_by_their_tag(form, how, orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    size = (64, 32) if orientation < 5 else (32, 64)
    assert seen(saved(quarters(), form, exif=exif, **how)) == (size, ORIENTED[orientation])


def test_a_large_picture_is_turned_after_it_is_made_small():
    exif = Image.Exif()
    exif[0x0112] = 6
    assert seen(saved(quarters(1600, 800), "JPEG", exif=exif)) == ((160, 320), ORIENTED[6])


@pytest.mark.parametrize("tag", [b"Exif\0\0" + bytes(20), b"Exif\0\0II*\0" + b"\xff" * 40, b""])
def test_a_damaged_tag_turns_nothing(tag):
    assert seen(saved(quarters(), "JPEG", exif=tag))[1] == STORED


def bar(mode, below):
    """A dark bar on a transparent ground with a colour stored below it."""
    picture = Image.new("RGBA", (40, 40), (*below, 0))
    picture.paste((10, 20, 30, 255), (15, 0, 25, 40))
    return picture.convert(mode)


@pytest.mark.parametrize("below", [(0, 0, 0), (255, 255, 255), (255, 0, 0)])
@pytest.mark.parametrize(
    ("form", "mode"), [("PNG", "RGBA"), ("PNG", "LA"), ("WEBP", "RGBA"), ("GIF", "RGBA")]
)
def test_what_is_transparent_is_white(form, mode, below):
    frame = read_upload(saved(bar(mode, below), form, **({"lossless": True} if form == "WEBP" else {})))[0]
    assert frame[5, 3].tolist() == [255, 255, 255]
    assert frame[20, 20].max() < 40


def test_one_colour_or_palette_entry_may_be_transparent():
    palette = Image.new("P", (40, 40), 0)
    palette.putpalette([0, 0, 0, 200, 30, 30])
    palette.paste(1, (0, 0, 20, 40))
    grey = Image.new("L", (40, 40), 7)
    grey.paste(100, (0, 0, 20, 40))
    deep = Image.fromarray(np.tile(np.repeat([25_700, 1000], 20), (40, 1)).astype(np.uint16))
    for picture, clear, left in ((palette, 0, 200), (grey, 7, 100), (deep, 1000, 100)):
        frame = read_upload(saved(picture, "PNG", transparency=clear))[0]
        assert frame[5, 35].tolist() == [255, 255, 255]
        assert abs(int(frame[5, 5, 0]) - left) < 2


def test_half_transparent_is_mixed_with_white():
    frame = read_upload(saved(Image.new("RGBA", (40, 40), (0, 0, 0, 128)), "PNG"))[0]
    assert abs(int(frame[5, 5, 0]) - 127) < 2


def test_sixteen_bits_of_grey_are_scaled():
    ramp = np.tile(np.linspace(0, 65_535, 64).round(), (32, 1)).astype(np.uint16)
    frame = read_upload(saved(Image.fromarray(ramp), "PNG"))[0]
    np.testing.assert_allclose(frame[3, :, 0], np.linspace(0, 255, 64), atol=1.5)


def swapped_profile():
    """An ICC profile (matrix, no curve) whose red is the blue of sRGB, and whose blue its red."""

    def number(value):
        return struct.pack(">i", round(value * 65_536))

    def xyz(*values):
        return b"XYZ \0\0\0\0" + b"".join(map(number, values))

    curve = b"curv\0\0\0\0" + struct.pack(">IH", 1, round(2.2 * 256)) + b"\0\0"
    tags = {
        b"wtpt": xyz(0.9642, 1, 0.8249), b"rXYZ": xyz(0.1431, 0.0606, 0.7141),
        b"gXYZ": xyz(0.3851, 0.7169, 0.0971), b"bXYZ": xyz(0.4360, 0.2225, 0.0139),
        b"rTRC": curve, b"gTRC": curve, b"bTRC": curve,
    }  # fmt: skip
    at, table, body = 128 + 4 + 12 * len(tags), struct.pack(">I", len(tags)), b""
    for name, data in tags.items():
        table += name + struct.pack(">II", at + len(body), len(data))
        body += data
    head = struct.pack(">I4sI4s4s4s", at + len(body), b"lcms", 0x02100000, b"mntr", b"RGB ", b"XYZ ")
    head += bytes(12) + b"acsp" + bytes(28) + number(0.9642) + number(1) + number(0.8249)
    return head.ljust(128, b"\0") + table + body


@pytest.mark.parametrize(
    ("form", "how"), [("JPEG", {"quality": 95}), ("PNG", {}), ("WEBP", {"lossless": True})]
)
def test_colours_of_a_profile_are_shown_as_browsers_do(form, how):
    data = saved(quarters(), form, icc_profile=swapped_profile(), **how)
    assert seen(data)[1] == ("blue", "green", "red", "white")
    clear = saved(bar("RGBA", (255, 0, 0)), "PNG", icc_profile=swapped_profile())
    assert read_upload(clear)[0, 5, 3].tolist() == [255, 255, 255]
    for wrong in (b"no profile", swapped_profile()[:200], swapped_profile().replace(b"RGB ", b"GRAY")):
        assert seen(saved(quarters(), form, icc_profile=wrong, **how))[1] == STORED


RAMP, PLAIN = [0, 16, 64, 128, 200, 255], [0, 16, 64, 128, 200, 255]
GAMMAS = {  # as Chromium 156 shows such a ramp
    "linear": ({b"gAMA": 100_000}, [0, 71, 137, 188, 229, 255]),
    "of a Macintosh": ({b"gAMA": 55_556}, [0, 20, 81, 146, 210, 255]),
    "usual": ({b"gAMA": 45_455}, PLAIN),
    "none": ({b"gAMA": 0}, PLAIN),
    "beside sRGB": ({b"sRGB": b"\0", b"gAMA": 100_000}, PLAIN),
}


@pytest.mark.parametrize("name", GAMMAS)
@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "P"])
def test_a_pngs_gamma_is_followed_as_browsers_do(mode, name):
    chunks, right = GAMMAS[name]
    ramp = np.tile(np.repeat(np.array(RAMP, np.uint8), 20), (32, 1))
    more = PngImagePlugin.PngInfo()
    for kind, value in chunks.items():
        more.add(kind, value if isinstance(value, bytes) else struct.pack(">I", value))
    frame = read_upload(saved(Image.fromarray(ramp).convert(mode), "PNG", pnginfo=more))[0]
    found = frame[16, 10::20].astype(int)
    assert (found == found[:, :1]).all()
    assert found[:, 0] == pytest.approx(right, abs=1)


def clip(form, codec, *, ratio=None, pixels="yuv420p", picture=None):
    av = pytest.importorskip("av")
    file = io.BytesIO()
    with av.open(file, "w", format=form) as container:
        stream = container.add_stream(codec, rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 32, pixels
        if ratio:
            stream.codec_context.sample_aspect_ratio = ratio
        for _ in range(3):
            shown = picture or quarters()
            frame = av.VideoFrame.from_ndarray(
                np.asarray(shown), format="rgb24" if shown.mode == "RGB" else "rgba"
            )
            container.mux(stream.encode(frame.reformat(format=pixels)))
        container.mux(stream.encode())
    return file.getvalue()


@pytest.mark.parametrize("orientation", MATRICES)
@pytest.mark.parametrize("form", ["mp4", "mov"])
def test_clips_are_turned_by_their_track(form, orientation):
    data = bytearray(clip(form, "mpeg4"))
    a, b, c, d = MATRICES[orientation]
    one, unit = 1 << 16, 1 << 30
    at = data.index(b"tkhd") + 44
    data[at : at + 36] = struct.pack(">9i", a * one, b * one, 0, c * one, d * one, 0, 0, 0, unit)
    size = (64, 32) if orientation < 5 else (32, 64)
    assert seen(bytes(data)) == (size, ORIENTED[orientation])


CLIPS = [("mp4", "mpeg4"), ("mov", "mpeg4"), ("matroska", "mpeg4"), ("avi", "mpeg4")]


@pytest.mark.parametrize("ratio", [Fraction(2, 1), Fraction(1, 2), Fraction(16, 15)])
@pytest.mark.parametrize(("form", "codec"), CLIPS)
def test_pixels_are_as_wide_as_a_clip_says(form, codec, ratio):
    assert seen(clip(form, codec, ratio=ratio)) == ((round(64 * ratio), 32), STORED)


def test_a_clip_that_is_transparent_stands_over_white():
    data = clip("mov", "png", pixels="rgba", picture=bar("RGBA", (255, 0, 0)).resize((64, 32)))
    assert read_upload(data)[0, 5, 3].tolist() == [255, 255, 255]
