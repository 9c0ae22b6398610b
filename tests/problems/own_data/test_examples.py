"""Examples derived from shipped data: their rules, and models of chunks that obey BIO."""

from itertools import pairwise

import numpy as np
import pytest

from spcviz.io.zipped import of_zip
from spcviz.problems.letters.handwriting import load_words
from spcviz.problems.own_data.model import cascades, stored
from spcviz.problems.own_data.model import script as scripts
from spcviz.problems.own_data.model.examples import EXAMPLES, N_WORDS, data_of, pixels_of, read_example
from spcviz.problems.own_data.model.files import found
from spcviz.problems.own_data.model.training import Settings, rules_of, train
from spcviz.problems.own_data.page import live
from spcviz.shared.folders import MODELS
from tests.problems.own_data.test_model import run

SIZES = {
    "ewt": "17 labels. CoNLL-U, columns separated by tabs: tokens in 2, labels in 4",
    "penn": "46 labels. CoNLL-U, columns separated by tabs: tokens in 2, labels in 5",
    "chunks": "3 labels. CoNLL-2000, columns separated by spaces: tokens in 1, labels in 3 (BIO)",
    "names": "3 labels. CoNLL-2000, columns separated by spaces: tokens in 1, labels in 3 (BIO)",
    "letters": "26 labels. CSV, columns separated by commas, with a header: "
    "tokens in 1 “token”, labels in 2 “label”",
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_read_as_a_visitors_file_is(name):
    brought = read_example(name)
    assert found(brought).endswith(SIZES[name])
    assert found(brought).startswith("400 sentences, 3,026" if name == "letters" else "300 sentences, 4,503")
    assert not brought.warnings


@pytest.mark.parametrize("name", ["chunks", "names"])
def test_derived_labels_keep_to_the_rules_of_bio(name):
    labels = read_example(name).labels
    assert rules_of(labels) == "bio"
    assert rules_of([sentence[::-1] for sentence in labels]) == ""  # backwards they violate it


def spans(name, number):
    """Words of each chunk of a sentence."""
    brought, out = read_example(name), []
    for word, label in zip(brought.sentences[number], brought.labels[number]):
        if label[0] == "B":
            out.append([word])
        elif label[0] == "I":
            out[-1].append(word)
    return [" ".join(chunk) for chunk in out]


def test_chunks_are_those_of_the_trees_and_names_runs_of_proper_nouns():
    assert spans("chunks", 1) == [
        "the eastern city", "Baqubah", "guerrillas", "a car bomb", "a police station", "several people"
    ]  # fmt: skip
    assert spans("chunks", 2)[:2] == ["Arafat 's secular nationalism", "Israel"]
    assert spans("names", 2) == ["Arafat", "Israel"]


def test_letters_are_the_shipped_ones():
    brought, words = read_example("letters"), load_words()
    chosen = np.linspace(0, len(words.lengths) - 1, N_WORDS).round().astype(int)
    for at in (0, 7, N_WORDS - 1):
        rows = slice(words.starts[chosen[at]], words.starts[chosen[at] + 1])
        assert (pixels_of(brought.sentences[at]) == words.pixels[rows]).all()
        assert "".join(brought.labels[at]) == words.text(chosen[at])


@pytest.fixture(scope="module", params=["perceptron", "crf"])
def ruled(request):
    example, settings = read_example("names"), Settings(method=request.param, passes=1, template="shape[0]")
    return example, settings, train(settings, example.sentences, example.labels)


def test_a_model_of_names_keeps_to_the_rules_and_so_does_its_lattice(ruled):
    example, _, model = ruled
    report, tagger = model.report, of_zip(model.model)
    assert tagger.constraints == "bio"
    inside, outside = report.labels.index("I-NAME"), report.labels.index("O")
    for a, b in pairwise(report.starts.tolist()):
        guess = report.guess[a:b].tolist()
        assert guess[0] != inside
        assert (outside, inside) not in pairwise(guess)
    reader = live.reader_in(model.model)
    held = [*report.dev.tolist(), *report.test.tolist()]
    for i in range(0, len(held), 9):
        words = example.sentences[held[i]][: live.MAX_WORDS]
        if len(words) < len(example.sentences[held[i]]):
            continue
        trace = live.trace(reader.cascade, cascades.rows_of(reader, [words]), words, reader.labels)
        assert (
            trace.predictions[-1].tolist() == report.guess[report.starts[i] : report.starts[i + 1]].tolist()
        )


def test_the_script_keeps_to_the_rules_too(ruled, tmp_path):
    example, settings, model = ruled
    (tmp_path / "names.txt").write_bytes(data_of("names"))
    rules = rules_of(example.labels)
    script = scripts.of_training("names.txt", (0, 2), settings, int(model.report.dev[0]), rules=rules)
    assert "constraints='bio'" in script
    right = (model.report.truth == model.report.guess).mean()
    assert float(run(script, tmp_path)["tokens right"]) == pytest.approx(right, abs=1e-6)


def test_letters_are_read_by_their_pixels():
    example = read_example("letters")
    settings = Settings(method="perceptron", passes=3, template=EXAMPLES["letters"].template)
    report = train(settings, example.sentences[:200], example.labels[:200]).report
    assert (report.truth == report.guess).mean() > 0.6


def test_the_stored_example_is_what_training_and_its_script_make(tmp_path):
    example = read_example(stored.EXAMPLE)
    kept, fresh = stored.load(MODELS), train(Settings(), example.sentences, example.labels)
    for one, other in zip(kept.report._replace(cpu_seconds=0.0), fresh.report._replace(cpu_seconds=0.0)):
        if isinstance(one, np.ndarray):
            np.testing.assert_array_equal(one, other)
    # on another processor sums may differ in their last bits
    assert [level.tuned_alpha for level in kept.report.levels] == pytest.approx(
        [level.tuned_alpha for level in fresh.report.levels], rel=1e-9
    )
    (tmp_path / EXAMPLES[stored.EXAMPLE].name).write_bytes(data_of(stored.EXAMPLE))
    number = int(kept.report.test[0])
    rules = rules_of(example.labels)
    script = scripts.of_training("sentences.conllu", (1, 3), Settings(), number, rules=rules)
    printed = run(script, tmp_path)
    assert printed["tokens right"] == f"{(kept.report.truth == kept.report.guess).mean():.6f}"
    w = len(kept.report.dev)
    answer = kept.report.guess[kept.report.starts[w] : kept.report.starts[w + 1]]
    assert printed[f"sentence {number + 1}"] == " ".join(kept.report.labels[k] for k in answer)
