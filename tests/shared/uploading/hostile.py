"""Malicious files: bombs, texts that name other files, headers followed by rubbish."""

import socket
import struct
import time
import zlib
from functools import cache

import numpy as np
import psutil
import pytest
from PIL import Image

from spcviz.shared.folders import ROOT
from spcviz.shared.uploading import uploads
from spcviz.shared.uploading.uploads import UploadError, read_upload
from tests.shared.uploading.test_uploads import encoded, video

PICTURE = "cache/pictures/letters.png"
TARGETS = (
    PICTURE,
    str(ROOT / PICTURE),
    "requirements.txt",
    "http://127.0.0.1:9/x.mp4",
    "rtp://127.0.0.1:40000",
)


def png(width, height):
    """A black PNG of any size, made without holding its pixels."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer, row = zlib.compressobj(9), bytes((width + 7) // 8 + 1)
    data = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def webp(n_frames, side):
    """An animated WebP: one large frame, repeated."""

    def chunk(kind, data):
        return kind + struct.pack("<I", len(data)) + data + bytes(len(data) % 2)

    def short(n):
        return struct.pack("<I", n)[:3]

    still = encoded(Image.new("RGB", (side, side), (90, 0, 0)), "WEBP", lossless=True, method=0)
    size = short(side - 1) + short(side - 1)
    frame = chunk(b"ANMF", bytes(6) + size + short(40) + b"\2" + still[still.index(b"VP8L") :])
    head = chunk(b"VP8X", b"\2\0\0\0" + size) + chunk(b"ANIM", bytes(6))
    data = b"WEBP" + head + n_frames * frame
    return b"RIFF" + struct.pack("<I", len(data)) + data


def gif(n_frames, side, width=1, height=1):
    """A GIF whose frames after the first have one pixel, or say that they are larger."""
    data = encoded(Image.new("P", (side, side)), "GIF")[:-1]
    control, pixel = b"\x21\xf9\x04\x00\x04\x00\x00\x00", b"\x00\x02\x02\x44\x01\x00"
    places = (0 if width > 1 else i % side for i in range(n_frames))
    frames = (control + b"\x2c" + struct.pack("<HHHH", at, 0, width, height) + pixel for at in places)
    return data + b"".join(frames) + b";"


def jpeg_of_scans(n_scans, side):
    """A progressive JPEG whose last scan is repeated: each costs a pass over all pixels."""
    data = encoded(Image.new("L", (side, side), 90), "JPEG", progressive=True)
    last = data[data.rindex(b"\xff\xda") : -2]
    return data[:-2] + n_scans * last + data[-2:]


def avi(width, height):
    """A small AVI that claims another size."""
    data = bytearray(video(3, form="avi", codec="mjpeg", pixels="yuvj420p"))
    at, main = data.index(b"strf"), data.index(b"avih")
    data[at + 12 : at + 20] = data[main + 40 : main + 48] = struct.pack("<ii", width, height)
    return bytes(data)


def nested(depth):
    """Atoms within atoms, to the given depth."""
    atoms = b"".join(struct.pack(">I", 8 * (depth - i)) + b"moov" for i in range(depth))
    return struct.pack(">I", 16) + b"ftypisom" + bytes(4) + atoms


def session(port, address="127.0.0.1", n_media=60):
    """The description of a stream (SDP): opening it binds two sockets per line."""
    head = f"v=0\r\no=- 0 0 IN IP4 {address}\r\ns=x\r\nc=IN IP4 {address}\r\nt=0 0\r\n"
    lines = (f"m=video {port + 2 * i} RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\n" for i in range(n_media))
    return (head + "".join(lines)).encode()


XML = '<?xml version="1.0" encoding="UTF-8"?>\n'


def texts(target):
    """Texts that FFmpeg or a browser would follow to `target`, by the name that an error must use."""
    names = {
        "ffconcat": f"ffconcat version 1.0\nfile {target}\n",
        "HLS": f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{target}\n#EXT-X-ENDLIST\n",
        "DASH": f'{XML}<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"><Period><AdaptationSet>'
        f"<Representation><BaseURL>{target}</BaseURL></Representation></AdaptationSet></Period></MPD>",
        "IMF": f'{XML}<CompositionPlaylist xmlns="x"><Id>urn:uuid:0</Id><Path>{target}</Path>'
        "</CompositionPlaylist>",
        "(IMF)": f'{XML}<am:AssetMap xmlns:am="x"><am:Path>{target}</am:Path></am:AssetMap>',
        "a playlist": f'<asx version="3.0"><entry><ref href="{target}"/></entry></asx>',
        "a playlist, no": f"[playlist]\nFile1={target}\nNumberOfEntries=1\n",
        "playlist, no picture": f'{XML}<playlist version="1"><location>{target}</location></playlist>',
        "SVG": f'{XML}<svg xmlns="http://www.w3.org/2000/svg"><image href="{target}"/></svg>',
        "an address": f"concat:{target}|{target}",
        "an address, no": f"http://{target}",
        "XML": f'{XML}<!DOCTYPE a [<!ENTITY b SYSTEM "file://{target}">]><a>&b;</a>',
        "web page": f'<!DOCTYPE html><video src="{target}">',
        "subtitles": f"1\n00:00:01,000 --> 00:00:02,000\n{target}\n",
        "of subtitles": f"WEBVTT\n\n00:01.000 --> 00:02.000\n{target}\n",
        "a text": f"{target}\n{target}\n",
    }
    return {name: text.encode() for name, text in names.items()}


OTHERS = {
    "HEIC": b"\0\0\0\x18ftypheic\0\0\0\0mif1heic",
    "a HEIC": b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic",
    "AVIF": b"\0\0\0\x18ftypavif\0\0\0\0avifmif1",
    "TIFF": b"II*\0\x08\0\0\0",
    "raw": b"MM\0*\0\0\0\x08",
    "XL": b"\xff\x0a\xfa\x1f\x01",
    "2000": b"\0\0\0\x0cjP  \r\n\x87\n",
    "Photoshop": b"8BPS\0\x01",
    "icon": b"\0\0\x01\0\x01\0\x10\x10",
    "PDF": b"%PDF-1.7\n",
    "PostScript": b"%!PS-Adobe-3.0 EPSF-3.0\n",
    "(EPS)": b"\xc5\xd0\xd3\xc6\x1e\0\0\0",
    "archive": b"PK\x03\x04\x14\0",
    "an archive": b"\x1f\x8b\x08\0",  # a compressed SVG among others
    "sound": b"RIFF\x24\0\0\0WAVEfmt ",
    "of sound": b"ID3\x04\0\0\0\0\0\0",
}
"""Beginnings of files that are not read, by the name that an error must use."""

READ = (
    b"\xff\xd8\xff\xe0\0\x10JFIF\0", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"GIF89a", b"RIFF\xff\xff\0\0WEBPVP8X",
    b"RIFF\xff\xff\0\0WEBPVP8L", b"BM\xff\xff\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0", b"\0\0\0\x18ftypisom\0\0\0\0",
    b"\0\0\0\x14ftypqt  \0\0\0\0", b"\0\0\0\x08wide\0\0\xff\xffmoov", b"\x1aE\xdf\xa3\x84\x42\x82\x84webm",
    b"\x1aE\xdf\xa3\x8b\x42\x82\x88matroska", b"RIFF\xff\xff\0\0AVI LIST", b"FLV\x01\x05\0\0\0\x09\0\0\0\0",
    b"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\0\xaa\0\x62\xce\x6c", b"OggS\0\x02" + bytes(8),
    b"DKIF\0\0\x20\0VP80", b"\0\0\x01\xba\x44\0\x04\0\x04\x01\0\0\x03\xf8", b"\0\0\x01\xb3\x14\0\xf0\x13",
)  # fmt: skip
"""Beginnings of files for which a decoder is started."""

_KINDS = (
    b"ftyp moov mvhd trak tkhd mdia mdhd hdlr minf dinf dref url  stbl stsd stts stsc stsz stco cmov meta "
    b"hdrl avih strh strf LIST movi idx1 00dc IHDR acTL fcTL IDAT iCCP zTXt eXIf VP8X ANIM ANMF VP8L ALPH"
).split(b" ")


def hostile(rng, target):
    """Bytes that begin like one of many formats and continue with anything; many name `target`."""
    kind = rng.integers(10)
    if kind < 3:
        formats = texts(target) | {"SDP": session(int(rng.integers(20_000, 60_000)), n_media=4)}
        start = list(formats.values())[rng.integers(len(formats))]
        before = (b"", b"", b"\xef\xbb\xbf", b"\n \t", b"\0")[rng.integers(5)]
        return before + start + _rubbish(rng, target) * int(rng.integers(2))
    if kind == 3:
        return list(OTHERS.values())[rng.integers(len(OTHERS))] + _rubbish(rng, target)
    if kind == 4:  # transport stream
        return b"".join(
            b"G" + rng.bytes(3) + _rubbish(rng, target)[:184].ljust(184, b"\xff") for _ in range(9)
        )
    return READ[rng.integers(len(READ))] + b"".join(_rubbish(rng, target) for _ in range(rng.integers(1, 5)))


def _rubbish(rng, target):
    kind, n = rng.integers(6), int(rng.integers(1, 3000))
    if kind == 0:
        return rng.bytes(n)
    if kind == 1:
        return rng.bytes(int(rng.integers(1, 9))) * (n // 4)
    if kind == 2:
        return bytes(n)
    if kind == 3:
        formats = texts(target)
        return list(formats.values())[rng.integers(len(formats))]
    order = ">" if kind == 4 else "<"
    parts = []
    for _ in range(rng.integers(1, 30)):  # atoms and chunks, with sizes that are right or not
        body = rng.bytes(int(rng.integers(0, 40)))
        size = (len(body) + 8, len(body), 0, 1, 2**31, 2**32 - 1, n)[rng.integers(7)]
        name = _KINDS[rng.integers(len(_KINDS))]
        word = struct.pack(order + "I", size)
        parts.append((word + name if order == ">" else name + word) + body)
    return b"".join(parts)


def decoders():
    """Running decoders that this process has started."""
    children = []
    for child in psutil.Process().children():
        try:
            children += [child] if "spcviz.shared.confined.child" in child.cmdline() else []
        except psutil.Error:  # just gone
            continue
    return children


def check_hostile(seed):
    """Outcome of one hostile file; raises if it was followed, or if the decoder took too much."""
    rng = np.random.default_rng(seed)
    target = TARGETS[rng.integers(len(TARGETS))]
    opened, peak = [], [0]

    def glance():
        for child in decoders():
            try:
                peak[0] = max(peak[0], child.memory_info().rss)
                opened.extend(f.path for f in child.open_files() if f.path.endswith((".png", ".txt", ".mp4")))
                opened.extend(child.net_connections())
            except psutil.Error:
                continue

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.setblocking(False)
        if target.startswith("http"):
            target = f"http://127.0.0.1:{listener.getsockname()[1]}/x.mp4"
        began = time.monotonic()
        try:
            frames, said = read_upload(hostile(rng, target), glance=glance), None
        except UploadError as error:
            frames, said = None, str(error)
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert not opened, opened
    assert time.monotonic() - began < 2 * uploads.PATIENCE
    if said is None:
        assert not np.array_equal(frames, letters_picture()), "the server's own picture was read"
        assert max(frames.shape[1:3]) <= uploads.MAX_SIDE
    else:
        assert said[0].isupper(), said
        assert said.endswith("."), said
    assert peak[0] <= uploads.DECODE.memory, f"{peak[0] >> 20} MB"
    return "read" if said is None else "refused"


@cache
def letters_picture():
    return read_upload((ROOT / PICTURE).read_bytes())
