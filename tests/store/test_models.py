"""Model files: what comes back is what went in, and nothing unreadable is ever taken for a model."""

import copy
import hashlib
import io
import json
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from spcviz import store
from spcviz.engine.errors import ArgumentError
from spcviz.store import archive, manifest, models

ABOUT = {
    "kind": "cascade",
    "version": 2,
    "settings": {"order": 3, "alphas": (0.1, np.float64(0.2))},
    "data_digest": "d" * 64,
    "random_state": 7,
    "metrics": {"char_accuracy": 98.5, "per_level": np.array([1, 2])},
}
ARRAYS = {
    "weights": np.arange(12.0).reshape(3, 4)[:, ::2],
    "levels.kept": np.array([True, False]),
    "order": np.array(3, dtype=">i4"),
    "empty": np.zeros((0, 5), dtype=np.float32),
}
REPAIR = r"; repair with: python -m spcviz train ocr$"


@pytest.fixture
def folder(tmp_path):
    store.save_model(tmp_path, "ocr-raw", ARRAYS, **ABOUT)
    return tmp_path


def load(folder, name="ocr-raw", kind="cascade", version=2):
    return store.load_model(folder, name, kind=kind, version=version)


def npz_of(folder, name="ocr-raw"):
    (path,) = folder.glob(f"{name}.*.npz")
    return path


def rewrite(folder, change, npz=None):
    """Edit a manifest and recompute its digests, as an attacker would."""
    path = folder / "ocr-raw.json"
    body = json.loads(path.read_bytes())
    if npz is not None:
        npz_of(folder).unlink()
        body["npz"] = {"sha256": hashlib.sha256(npz).hexdigest(), "bytes": len(npz)}
        (folder / manifest.npz_name(body)).write_bytes(npz)
    change(body)
    body["sha256"] = manifest._digest(body)
    path.write_bytes(manifest.manifest_bytes(body))


def test_round_trip(folder):
    model = load(folder)
    assert model.name == "ocr-raw"
    assert model.arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(model.arrays[name], array)
        assert model.arrays[name].shape == array.shape
        assert model.arrays[name].dtype == array.dtype.newbyteorder("<")
    assert {key: model.manifest[key] for key in ABOUT} == {
        **ABOUT,
        "settings": {"order": 3, "alphas": [0.1, 0.2]},
        "metrics": {"char_accuracy": 98.5, "per_level": [1, 2]},
    }
    assert store.verify_model(folder, "ocr-raw") == model.manifest


@given(
    st.dictionaries(
        st.from_regex(manifest.ARRAY_NAME, fullmatch=True),
        hnp.arrays(
            st.one_of(
                hnp.boolean_dtypes(),
                hnp.integer_dtypes(),
                hnp.unsigned_integer_dtypes(),
                hnp.floating_dtypes(sizes=(16, 32, 64)),
            ),
            hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4),
        ),
        max_size=4,
    )
)
def test_every_array_survives_to_the_bit(arrays):
    stored = manifest.check_arrays(arrays)
    packed = archive.pack(stored)
    back = archive.unpack(packed, {name: archive.describe(array) for name, array in stored.items()})
    assert back.keys() == arrays.keys()
    for name, array in arrays.items():
        assert back[name].shape == array.shape
        assert back[name].tobytes() == array.astype(array.dtype.newbyteorder("<")).tobytes()
    with np.load(io.BytesIO(packed), allow_pickle=False) as by_numpy:
        assert sorted(by_numpy) == sorted(arrays)


def test_the_same_model_gives_the_same_bytes(folder, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    store.save_model(other, "ocr-raw", dict(reversed(ARRAYS.items())), **ABOUT)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        path.name: path.read_bytes() for path in other.iterdir()
    }


def test_arrays_are_read_only_for_good(folder):
    weights = load(folder).arrays["weights"]
    with pytest.raises(ValueError, match="read-only"):
        weights[0, 0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        weights.flags.writeable = True


def test_saving_again_leaves_one_version(folder):
    (folder / ".ocr-raw.json.killed.tmp").write_bytes(b"half")
    store.save_model(folder, "ocr-raw", {"weights": np.ones(2)}, **ABOUT)
    assert load(folder).arrays["weights"].tolist() == [1, 1]
    assert len(list(folder.iterdir())) == 2


def test_names_that_share_a_beginning_do_not_touch_each_other(folder):
    store.save_model(folder, "ocr", {"weights": np.ones(2)}, **ABOUT)
    store.save_model(folder, "ocr", {"weights": np.zeros(2)}, **ABOUT)
    assert load(folder).arrays["order"] == 3


def test_list_models(folder):
    store.save_model(folder, "pose", {"weights": np.ones(2)}, **ABOUT)
    (folder / "ocr-raw.json").write_text("{}")
    (folder / "README.json.txt").write_text("not a model")
    (folder / "lost.0123456789abcdef.npz").write_bytes(b"an npz without its manifest")
    lost, broken, whole = store.list_models(folder)
    assert whole == ("pose", "cascade", 2, npz_of(folder, "pose").stat().st_size, "")
    assert broken.name == "ocr-raw"
    assert broken.problem.endswith("repair with: python -m spcviz train ocr")
    assert lost.problem.endswith("lost.json is missing; repair with: python -m spcviz train lost")
    assert store.list_models(folder / "nowhere") == []


# Requests that a caller may not make


@pytest.mark.parametrize(
    "name",
    ["", "../ocr", "a/b", "a\\b", "Ocr", "öcr", "ocr\n", ".hidden", "a.b", "a" * 65, None, "a\0", "-rf"],
)
def test_unsafe_names_are_refused(tmp_path, name):
    for call in (
        lambda: store.save_model(tmp_path, name, {}, **ABOUT),
        lambda: load(tmp_path, name),
        lambda: store.verify_model(tmp_path, name),
    ):
        with pytest.raises(ArgumentError, match=r"^name must match \[a-z0-9\].*, got "):
            call()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ([1], r"^arrays must be of type dict, got \[1\]"),
        ({"../w": np.ones(1)}, r"^names in arrays must match .*, got '../w'"),
        ({"ö": np.ones(1)}, r"^names in arrays must match .*, got 'ö'"),
        ({3: np.ones(1)}, r"^names in arrays must match .*, got 3"),
        ({"w": np.array([{}])}, r"^array 'w' must be bool, integer or float .*, got dtype object"),
        ({"w": np.array(["a"])}, r"^array 'w' must be bool, integer or float .*, got dtype <U1"),
        ({"w": np.ones(1, complex)}, r"^array 'w' must be bool, integer or float .*, got dtype complex128"),
        ({"w": np.ones(1, "f8,i4")}, r"^array 'w' must be bool, integer or float .*"),
        ({"w": np.broadcast_to(1.0, 2**28)}, r"^arrays must hold at most 1073741824 bytes, got 2147483648"),
        ({f"w{i}": np.ones(1) for i in range(1001)}, r"^arrays must be at most 1000, got 1001"),
    ],
)
def test_arrays_that_cannot_be_stored(tmp_path, arrays, message):
    with pytest.raises(ArgumentError, match=message):
        store.save_model(tmp_path, "ocr", arrays, **ABOUT)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": ""}, r"^kind must not be empty, got ''"),
        ({"kind": 3}, r"^kind must be of type str, got 3"),
        ({"version": 0}, r"^version must be at least 1, got 0"),
        ({"version": True}, r"^version must be of type int, got True"),
        ({"random_state": None}, r"^random_state must be of type int, got None"),
        ({"data_digest": b""}, r"^data_digest must be of type str, got b''"),
        ({"settings": []}, r"^settings must be of type dict, got \[\]"),
        ({"metrics": {"loss": float("nan")}}, r"^settings and metrics must be plain JSON without NaN"),
        ({"settings": {"f": len}}, r"^settings and metrics must be plain JSON.*builtin_function"),
        ({"settings": {"s": "\ud800"}}, r"^settings and metrics must be plain JSON.*surrogates"),
        ({"settings": {"s": "x" * (4 << 20)}}, r"^settings and metrics must fit in 4194304 bytes, got"),
    ],
)
def test_manifest_entries_that_cannot_be_stored(tmp_path, change, message):
    with pytest.raises(ArgumentError, match=message):
        store.save_model(tmp_path, "ocr", ARRAYS, **{**ABOUT, **change})
    assert list(tmp_path.iterdir()) == []


def test_arrays_that_pack_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr(models, "MAX_NPZ_BYTES", 100)
    with pytest.raises(ArgumentError, match=r"^arrays must pack into at most 100 bytes, got \d+"):
        store.save_model(tmp_path, "ocr", ARRAYS, **ABOUT)


# Harm that a file may do


def test_another_kind_or_version(folder):
    with pytest.raises(
        store.StoreError, match=r"is 'cascade' version 2; this program needs 'crf' version 2" + REPAIR
    ):
        load(folder, kind="crf")
    with pytest.raises(store.StoreError, match="needs 'cascade' version 3" + REPAIR):
        load(folder, version=3)


@pytest.mark.parametrize("which", ["ocr-raw.json", "npz"])
def test_missing_and_strange_files(folder, which):
    path = npz_of(folder) if which == "npz" else folder / which
    path.unlink()
    with pytest.raises(store.StoreError, match=rf"is incomplete: {path.name} is missing" + REPAIR):
        load(folder)
    path.mkdir()
    with pytest.raises(store.StoreError, match=REPAIR):
        load(folder)


def test_unreadable_file(folder, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(models.Path, "open", refuse)
    with pytest.raises(store.StoreError, match=r"cannot be read: ocr-raw.json: Permission denied" + REPAIR):
        load(folder)


def test_too_large_files_are_not_read(folder, monkeypatch):
    monkeypatch.setattr(models, "MAX_NPZ_BYTES", 10)
    with pytest.raises(store.StoreError, match="is too large: .*npz has more than 10 bytes" + REPAIR):
        load(folder)
    monkeypatch.setattr(models, "MAX_MANIFEST_BYTES", 10)
    with pytest.raises(store.StoreError, match="is too large: ocr-raw.json has more than 10 bytes" + REPAIR):
        load(folder)


def test_npz_is_hashed_before_it_is_parsed(folder, monkeypatch):
    npz_of(folder).write_bytes(b"PK not ours")
    monkeypatch.setattr(models, "unpack", lambda *_: pytest.fail("parsed before it was verified"))
    with pytest.raises(store.StoreError, match="does not have the SHA-256 of the manifest" + REPAIR):
        load(folder)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is not a JSON object"),
        (b"[]", "is not a JSON object"),
        (b"\xff\xfe", "is not a JSON object"),
        (b"[" * 100_000, "is not a JSON object"),
        (b'{"a": NaN}', "is not a JSON object"),
        (b"{}", "is damaged: its digest of itself is wrong"),
    ],
)
def test_damaged_manifests(folder, data, message):
    (folder / "ocr-raw.json").write_bytes(data)
    with pytest.raises(store.StoreError, match=f"has a manifest that {message}.*" + REPAIR):
        load(folder)


def set_in(*path):
    """A change to a manifest: the last of `path` is the value, the rest are keys."""

    def change(body):
        for key in path[:-2]:
            body = body[key]
        body[path[-2]] = path[-1]

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_in("format", "spcviz model 9"), "format must be 'spcviz model 1', got 'spcviz model 9'"),
        (set_in("name", "pose"), "name must be 'ocr-raw', got 'pose'"),
        (set_in("kind", 3), "kind must be of type str, got 3"),
        (set_in("npz", "sha256", "../../etc"), "npz sha256 must be 64 hexadecimal digits, got '../../etc'"),
        (set_in("npz", "bytes", "9"), "npz bytes must be of type int, got '9'"),
        (set_in("arrays", "weights", "dtype", "O"), "array 'weights' must be a stored one, got dtype object"),
        (
            set_in("arrays", "weights", "shape", [-1]),
            r"array 'weights' must have a shape of sizes, got \[-1\]",
        ),
        (set_in("arrays", "weights", "shape", [2**40]), "arrays must hold at most 1073741824 bytes, got"),
        (lambda body: body.pop("settings"), "KeyError"),
    ],
)
def test_manifests_made_on_purpose(folder, change, message):
    rewrite(folder, change)
    with pytest.raises(
        store.StoreError, match=f"has a manifest that this program cannot use: .*{message}.*" + REPAIR
    ):
        load(folder)


def entry(name, data):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(name, data)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("npz", "message"),
    [
        (b"", "its npz file cannot be unpacked"),
        (entry("other.npy", b""), r"its npz file must hold \['w'\], got \['other.npy'\]"),
        (
            entry("w.npy", bytes(200 << 20)),
            "its npz file has an array 'w' that unpacks to 209715200 bytes, must be 144",
        ),
        (
            entry("w.npy", bytes(144)),
            r"its npz file has an array 'w' that is not of dtype float64 and shape \(2,\)",
        ),
        (
            archive.pack({"w": np.zeros(2)}),
            "its npz file has an array 'w' without the SHA-256 of the manifest",
        ),
    ],
)
def test_archives_made_on_purpose(folder, npz, message):
    rewrite(folder, set_in("arrays", {"w": archive.describe(np.ones(2))}), npz)
    with pytest.raises(store.StoreError, match=f"is damaged: {message}.*" + REPAIR):
        load(folder)


def test_a_reader_follows_a_writer(folder, monkeypatch):
    """The model is replaced between the reading of the manifest and of the arrays."""
    read_manifest, replaced = models._read_manifest, []

    def slowly(where, name):
        earlier = read_manifest(where, name)
        if not replaced:
            replaced.append(store.save_model(where, name, {"weights": np.ones(1)}, **ABOUT))
        return earlier

    monkeypatch.setattr(models, "_read_manifest", slowly)
    assert load(folder).arrays["weights"].tolist() == [1]


def test_a_reader_gives_up_after_some_time(folder, monkeypatch):
    npz_of(folder).unlink()
    whole, reads = models._read_manifest(folder, "ocr-raw"), iter(range(100))
    monkeypatch.setattr(models, "_read_manifest", lambda *_: {**copy.deepcopy(whole), "sha256": next(reads)})
    with pytest.raises(store.StoreError, match="was replaced 5 times while it was being read" + REPAIR):
        load(folder)
