"""train and models: what they write, say, verify and refuse."""

import json

import pytest

from spcviz import cli
from spcviz.problems.letters.model import cascade as experiment
from spcviz.problems.letters.model.stored import load_ocr
from tests.commands.short import bytes_of, copied, interrupt, refuse


def test_train_writes_a_model_that_loads(words, trained_folder):
    model = load_ocr(trained_folder, "raw")
    assert len(model.cascade.levels) == 6
    assert model.settings == experiment.settings_for("raw", quick=True)
    about = json.loads((trained_folder / "ocr-raw.json").read_text())
    assert about["metrics"]["test_fold"] == json.loads(json.dumps(
        experiment.evaluate(model, 0), default=lambda number: number.tolist()
    ))  # fmt: skip
    assert len(about["metrics"]["held_out"]) == 6


def test_train_says_what_it_wrote_and_repeats_itself(trained_folder, tmp_path, capsys):
    assert cli.main(["train", "ocr", "--features", "raw", "--quick", "--models", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"{tmp_path / 'ocr-raw.json'}: letters ")
    assert out.endswith(" % on fold 0\n")
    assert "order 6: predictor" in err
    assert bytes_of(tmp_path) == bytes_of(trained_folder)


@pytest.mark.parametrize(
    "command", [["train", "ocr"], ["reproduce", "ocr-orders"], ["reproduce", "ocr-sweep"]]
)
def test_unknown_features_are_refused_before_anything_is_trained(command, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(experiment, "train", refuse)
    folder = ["--models" if command[0] == "train" else "--work", str(tmp_path)]
    more = [] if command[0] == "train" else ["--json", str(tmp_path / "x.json")]
    assert cli.main([*command, "--features", "raw", "ink", *folder, *more]) == 1
    assert "spcviz: features must be one of raw, hog, fourier, got 'ink'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_training_leaves_the_old_model(trained_folder, tmp_path, capsys, monkeypatch):
    copied(trained_folder, tmp_path)
    monkeypatch.setattr(experiment, "evaluate", interrupt)
    assert cli.main(["train", "ocr", "--features", "raw", "--models", str(tmp_path)]) == 130
    assert capsys.readouterr().err.endswith("spcviz: interrupted; what was finished has been kept\n")
    assert bytes_of(tmp_path) == bytes_of(trained_folder)


def test_models_lists_and_verifies(trained_folder, capsys):
    for arguments in (["models"], ["models", "list"], ["models", "verify"]):
        assert cli.main([*arguments, "--models", str(trained_folder)]) == 0
        line = capsys.readouterr().out
        assert line.startswith("ocr-raw          ocr-cascade    v1 ")
        assert line.endswith("MB  intact\n" if "verify" in arguments else "MB\n")


def test_a_damaged_model_fails_with_the_repairing_command(trained_folder, tmp_path, capsys):
    (path,) = copied(trained_folder, tmp_path).glob("*.npz")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert cli.main(["models", "list", "--models", str(tmp_path)]) == 0
    capsys.readouterr()
    assert cli.main(["models", "verify", "--models", str(tmp_path)]) == 1
    line = capsys.readouterr().out
    assert line.startswith("ocr-raw ")
    assert "is damaged" in line
    assert line.endswith("repair with: python -m spcviz train ocr\n")
    (tmp_path / "ocr-raw.json").write_text("{")
    for action in ("list", "verify"):
        assert cli.main(["models", action, "--models", str(tmp_path)]) == 1
        assert capsys.readouterr().out.endswith("repair with: python -m spcviz train ocr\n")


def test_no_models(tmp_path, capsys):
    assert cli.main(["models", "verify", "--models", str(tmp_path / "none")]) == 0
    assert "make them with: python -m spcviz train NAME" in capsys.readouterr().out
