"""Convert an estimator to the bytes of one zip file and back: the files of `spcviz.io.save` in memory."""

import hashlib
import io
import math
import zipfile
from collections.abc import Iterable
from typing import Any

from spcviz.engine.errors import ArgumentError
from spcviz.io.estimators import KIND, VERSION, contents, estimator_of
from spcviz.store.archive import EPOCH, pack, unpack
from spcviz.store.errors import OWN_MODEL, DamagedError, StoreError
from spcviz.store.manifest import (
    MAX_MANIFEST_BYTES,
    check_arrays,
    make_manifest,
    manifest_bytes,
    npz_name,
    parse_manifest,
)
from spcviz.store.models import StoredModel
from spcviz.store.zips import Zip

MAX_BYTES = 64 << 20
"""Most bytes of the arrays of a model that is read, both packed and unpacked."""

MAX_PACKED = MAX_BYTES + (1 << 20)
"""Most bytes of the zip file."""

MANIFEST = f"{OWN_MODEL}.json"


def to_zip(model: Any) -> bytes:
    """A trained estimator as a zip file; unpacked, it is a folder that `spcviz.load` reads."""
    arrays, about = contents(model)
    arrays = check_arrays(arrays)
    npz = pack(arrays)
    manifest = make_manifest(OWN_MODEL, about, arrays, npz)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in ((MANIFEST, manifest_bytes(manifest)), (npz_name(manifest), npz)):
            archive.writestr(zipfile.ZipInfo(name, EPOCH), data)
    return buffer.getvalue()


def of_zip(data: bytes, name: str = "file", *, types: Iterable[type] = ()) -> Any:
    """Read the estimator in a zip file of what `spcviz.io.save` wrote, verifying every byte.

    The zip may contain the folder or the files in it, from any system. `types` as in `spcviz.io.load`.
    `ArgumentError`, with `name`, if it is no such file, damaged, too large, or of another version or class.
    """
    try:
        archive = Zip(data, is_flat=True)
        manifest = parse_manifest(OWN_MODEL, archive.read(MANIFEST, MAX_MANIFEST_BYTES))
        npz = archive.read(npz_name(manifest), MAX_BYTES)
        stated = manifest["kind"], manifest["version"]
        if stated != (KIND, VERSION):
            raise DamagedError(f"is {stated[0]!r} version {stated[1]}; this program reads {KIND!r} {VERSION}")
        if hashlib.sha256(npz).hexdigest() != manifest["npz"]["sha256"]:
            raise DamagedError("is damaged: its npz file does not have the SHA-256 of the manifest")
        if sum(_size(about) for about in manifest["arrays"].values()) > MAX_BYTES:
            raise DamagedError(f"unpacks to more than {MAX_BYTES >> 20} MB")
        return estimator_of(
            name,
            StoredModel(OWN_MODEL, unpack(npz, manifest["arrays"]), manifest),
            {kind.__name__: kind for kind in types},
        )
    except StoreError as error:
        raise ArgumentError(f"{name}: {error}") from None
    except DamagedError as error:
        raise ArgumentError(
            f"{name}: the model {error}; write it again with spcviz.save and zip the folder"
        ) from None


def _size(about: dict[str, Any]) -> int:
    return int(about["dtype"][2:]) * math.prod(map(int, about["shape"]))
