"""The page Your data: its opening, files in, faults, links, training, every view, nothing on a disk."""

import io
import secrets
import time

import numpy as np
import pytest

import spcviz
from spcviz.io.zipped import to_zip
from spcviz.problems.own_data.controls.state import TABLE, VIEWS
from spcviz.problems.own_data.data.examples import data_of, read_example
from spcviz.problems.own_data.data.files import digest_of
from spcviz.problems.own_data.model import template as templates
from spcviz.problems.own_data.model.budget import spend
from spcviz.problems.own_data.model.settings import Settings
from spcviz.problems.own_data.page import cached, runs, work
from spcviz.problems.own_data.page import text as say
from spcviz.web.cached import ownership
from tests import heap
from tests.app.driver import open_page

PAGE = "pages/start/data.py"
CHUNKS = "He PRP B-NP\nreckons VBZ B-VP\nthe DT B-NP\ndeficit NN I-NP\n. . O\n\n" * 30


def let_go():
    """All that visitors brought, as after half an hour."""
    ownership.CLOCK.turn(ownership.SECONDS + 1)
    ownership.clean()


def theirs():
    """What the visitor of these tests has brought."""
    (owner,) = cached.MINE.owners()
    return cached.MINE.get(owner, cached.DATA)


@pytest.fixture(autouse=True)
def nothing_left():
    yield
    let_go()


def run(**params):
    return open_page(PAGE, **{name: str(value) for name, value in params.items()})


def give(at, name, data):
    """Put a file into the page's first widget."""
    at.get("file_uploader")[0].set_value((name, data, "application/octet-stream")).run()
    assert not at.exception
    return at


def said(at):
    return " ".join(block.value for block in (*at.markdown, *at.caption)).replace("\\", "")


def trained(at):
    """The page once its model has been trained."""
    next(button for button in at.button if button.label.startswith("Train")).click().run()
    visit = theirs()
    assert visit.job.ended.wait(240)
    assert not visit.job.problem
    return at.run()


def test_it_opens_with_an_example_that_is_read_and_a_model_that_is_there():
    at = run()
    assert "4,503 tokens, 17 labels. CoNLL-U, columns separated by tabs: tokens in 2" in said(at)
    assert "% are right" in said(at)
    assert at.get("bidi_component")


def has_tasks(at):
    return any(component.key == "course_bar" for component in at.get("bidi_component"))


def test_tasks_about_the_example_are_not_offered_beside_a_file():
    at = run()
    assert has_tasks(at)
    at = give(at, "chunks.txt", CHUNKS.encode())
    assert not has_tasks(at)
    at = run(ask="D1")
    assert has_tasks(give(at, "chunks.txt", CHUNKS.encode()))  # one that is open stays
    assert not at.warning
    assert "never written to a disk" in said(at)


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens_on_the_example(view):
    at = run(view=view)
    assert not at.warning
    if view == "sweep":
        assert "on test sentences" in said(at)
    if view == "compare":
        assert "max-marginals (SPC)" in said(at)
    if view == "take":
        assert "sp.CascadeTagger(order=3" in at.code[0].value


def test_the_first_widget_takes_a_file_and_what_was_read_is_said():
    at = give(run(), "chunks.txt", CHUNKS.encode())
    assert "150 tokens, 4 labels. CoNLL-2000, columns separated by spaces: tokens in 1" in said(at)
    assert at.query_params["file"] == digest_of(CHUNKS.encode())
    assert at.info[0].value.startswith("Train a model")


def test_a_file_is_trained_on_and_its_lattice_opens():
    at = give(run(method="perceptron"), "chunks.txt", CHUNKS.encode())
    at = trained(at)
    assert not at.exception
    assert "Trained on" in said(at)
    assert "100.0 % are right" in said(at)
    assert at.get("bidi_component")


def test_it_opens_with_the_verdict_and_its_numbers():
    at = run()
    verdict = next(block.value for block in at.markdown if "A threshold is" in block.value)
    assert "of 17 labels** a token (a CRF's marginals:" in verdict
    assert "5 % allowed" in verdict
    assert "dense search over triples" in verdict
    assert "other sentences lose at most 5 %" in verdict.partition("**Guaranteed beyond this file:**")[2]
    assert "The most frequent tag of each word:" in said(at)


def test_a_sentence_of_ones_own_is_read_at_once():
    at = run(view="own")
    at.text_input(key="data_own").set_value("The old man sleeps.").run()
    assert not at.exception
    assert any("data:image/svg+xml" in part.body for part in at.get("html"))


def test_each_training_stays_as_a_row_and_two_are_compared():
    assert say.NO_RUNS in [info.value for info in run(view="runs").info]
    at = trained(run(view="runs", method="perceptron"))
    at = trained(at.number_input(key="data_passes").set_value(3).run())
    assert at.dataframe[0].value["passes"].tolist() == [10, 3]
    visit = theirs()
    first, second = runs.of(visit)
    assert runs.are_comparable(first, second)
    assert runs.find(visit, first.key) is first.trained


def test_what_was_found_can_be_said_otherwise():
    at = give(run(), "a.tsv", b"word\tart\nHaus\tN\nrot\tA\n\n" * 20)
    assert "60 tokens, 3 labels. TSV, columns separated by tabs: tokens in 1, labels in 2" in said(at)
    at.selectbox(key="data_header").set_value("yes").run()
    assert not at.exception
    assert "with a header: tokens in 1 “word”, labels in 2 “art”" in said(at)
    at.selectbox(key="data_header").set_value("auto").run()
    assert "with a header" not in said(at)


def test_misread_tokens_are_filtered():
    at = run(view="errors")
    every = len(at.dataframe[0].value)
    at.selectbox(key="data_gold").set_value("NOUN").run()
    nouns = at.dataframe[0].value
    assert 0 < len(nouns) < every
    assert set(nouns["gold"]) == {"NOUN"}
    word = nouns["word"].iloc[0]
    at.text_input(key="data_word").set_value(word).run()
    assert set(at.dataframe[0].value["word"].str.lower()) >= {word.lower()}


def test_scores_of_another_model_open_at_once():
    file = io.BytesIO()
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 60)
    scores = rng.normal(size=(60, 3)) + 2 * np.eye(3)[labels]
    np.savez(file, emissions=scores, lengths=np.full(10, 6), labels=labels, label_names=["O", "B-X", "I-X"])
    at = give(run(), "scores.npz", file.getvalue())
    assert "10 sentences, 60 tokens, scores of 3 labels" in said(at)
    assert "27 triples of labels" in said(at)
    at.selectbox(key="data_steps").set_value("none").run()
    assert "Transitions: none." in said(at)
    at.selectbox(key="data_view").set_value("sweep").run()
    assert not at.exception
    assert "on test sequences" in said(at)


def model_file(example, n):
    """A model that somebody trained elsewhere, zipped."""
    template = templates.read_template("lower[0] ending2[0]")
    X = [templates.features_of(words, template) for words in example.sentences[:n]]
    tagger = spcviz.StructuredPerceptron(max_iter=2, random_state=0).fit(X, example.labels[:n])
    return to_zip(tagger)


def read_with_model(at):
    """The page once a brought model has read its sentences."""
    visit = theirs()
    assert visit.job.ended.wait(240)
    assert not visit.job.problem
    return at.run()


def test_a_model_from_a_file_reads_the_example_and_then_pasted_sentences():
    example = read_example("ewt")
    data, n_labels = model_file(example, 40), len({label for row in example.labels[:40] for label in row})
    at = give(run(), "mine.zip", data)
    assert not at.error
    assert f"a perceptron, {n_labels} labels" in said(at)
    assert at.query_params["model"] == digest_of(data)
    at = read_with_model(at)
    assert "The model read 4,503 tokens" in said(at)
    assert at.get("bidi_component")
    at.selectbox(key="data_view").set_value("take").run()
    assert "tagger = sp.load(" in at.code[0].value
    at.selectbox(key="data_view").set_value("errors").run()
    assert "tokens are wrong" in said(at)

    at.text_area(key="data_text").set_value("The\ndog\nbarked\n").run()
    next(button for button in at.button if button.label == "Read it").click().run()
    at = read_with_model(at)
    assert "The model read 3 tokens; none has a gold label" in said(at)
    assert "without gold labels" in at.info[0].value.lower()
    at.selectbox(key="data_view").set_value("lattice").run()
    assert at.get("bidi_component")
    assert not at.error

    next(button for button in at.button if button.label == "Put the model away").click().run()
    assert "model" not in at.query_params
    assert "The model read" not in said(at)


def test_a_link_asks_for_its_model():
    at = run(model="0123456789ab")
    assert "a model of the digest 0123456789ab" in at.warning[0].value


def test_a_budget_is_drawn_in_the_trade_off_pages_view():
    at = run(view="budget", policy="greedy", budget="0.3")
    assert "What would you pay for features" in said(at)
    visit, example = theirs(), read_example("ewt")
    spent = spend(Settings(), example.sentences[:60], example.labels[:60])
    visit.keep(work.key_of(visit, Settings(), "budget"), spent)
    at.run()
    assert not at.exception
    assert at.get("bidi_component")
    assert f"Drawn are {len(spent.batch.truths)} sentences" in said(at)
    state = TABLE.parse(dict(at.query_params))
    assert (state["policy"], state["budget"]) == ("greedy", 0.3)


@pytest.mark.parametrize(
    ("name", "says"),
    [("chunks", "derived, not annotated"), ("names", "runs of proper nouns"), ("letters", "signs")],
)
def test_an_example_says_where_it_comes_from(name, says):
    at = run()
    at.selectbox(key="data_example").set_value(name).run()
    assert not at.exception
    assert says in said(at)
    assert at.query_params["example"] == name
    assert ("template" in at.query_params) == (name == "letters")


BAD = {
    "columns.txt": (b"a X\nb X Y\nc X\n", "line 2: must have 2 columns"),
    "empty.txt": (b"", "is empty"),
    "line.txt": (b"x" * (10 << 20), "expected one token a line"),
    "script.txt": (b"<script>\0", "must be text"),
    "s.npz": (b"PK\3\4 nothing", "can be unpacked"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_fault_is_one_error_and_nothing_else_is_disturbed(name):
    data, what = BAD[name]
    at = give(run(), name, data)
    assert len(at.error) == 1
    assert what in at.error[0].value.replace("\\", "")
    assert "300 sentences" in said(at)
    at = give(at, "chunks.txt", CHUNKS.encode())
    assert not at.error
    assert "30 sentences" in said(at)


def test_without_examples_it_opens_empty_and_takes_a_file(monkeypatch):
    """As where pip installed the package."""
    monkeypatch.setattr(cached, "has_examples", lambda: False)
    at = run()
    assert [note.value for note in at.info] == [say.BRING_FIRST]
    assert "The example" not in said(at)
    at = give(at, "chunks.txt", CHUNKS.encode())
    assert "30 sentences, 150 tokens, 4 labels" in said(at)
    at = give(at, "empty.txt", b"")
    assert "is empty" in at.error[0].value
    let_go()
    at = run(file="0123456789ab")
    assert "see an example" not in at.warning[0].value


def test_pasted_text_is_read():
    at = run()
    at.text_area(key="data_text").set_value(CHUNKS).run()
    next(button for button in at.button if button.label == "Read it").click().run()
    assert "30 sentences, 150 tokens" in said(at)


def test_columns_are_set_on_screen():
    at = give(run(), "sentences.conllu", data_of("ewt"))
    assert "17 labels" in said(at)
    at.selectbox(key="data_columns").set_value("1-4").run()
    assert "17 labels" not in said(at)
    assert at.query_params["columns"] == "1-4"


def test_a_link_asks_for_its_file_and_says_when_another_comes():
    at = run(file="0123456789ab", method="crf")
    assert "made for a file with the digest 0123456789ab" in at.warning[0].value
    at = give(at, "chunks.txt", CHUNKS.encode())
    assert not at.warning
    at = run(file=digest_of(CHUNKS.encode()), method="crf", seed=3)
    at = give(at, "chunks.txt", CHUNKS.encode())
    assert not at.warning
    state = TABLE.parse(dict(at.query_params))
    assert (state["method"], state["seed"]) == ("crf", 3)


def test_a_bad_template_is_said_and_the_page_goes_on():
    at = run(template="word[0] words[1]")
    assert any("template" in warning.value for warning in at.warning)
    assert at.info[0].value.startswith("Train a model")


def test_a_file_of_this_computer_is_opened_at_start(tmp_path, monkeypatch):
    path = tmp_path / "mine.txt"
    path.write_text(CHUNKS)
    monkeypatch.setenv("SPCVIZ_OPEN_FILE", str(path))
    assert "30 sentences, 150 tokens" in said(run())
    monkeypatch.setenv("SPCVIZ_OPEN_FILE", str(tmp_path / "none.txt"))
    let_go()
    at = open_page_with_error()
    assert "cannot be read" in at.error[0].value


def open_page_with_error():
    from tests.app.driver import open_home

    at = open_home()
    at.switch_page(PAGE)
    return at.run()


SECRET = "Xyzzyplugh"


def test_a_visitors_data_are_never_on_a_disk():
    since = time.time() - 1
    at = give(run(method="perceptron"), "chunks.txt", CHUNKS.replace("deficit", SECRET).encode())
    at = trained(at)
    assert "Trained on" in said(at)
    assert heap.on_disk(SECRET, since) == []


@pytest.mark.parametrize("view", ["lattice", "errors", "take"])
def test_half_an_hour_later_nothing_of_a_visitors_is_in_this_process(view):
    """A marker word, what was trained on it, and the features that name it; the clock is turned."""
    marker = f"Xy{secrets.token_hex(8)}"
    at = trained(give(run(method="perceptron", view=view), "chunks.txt", _marked(marker)))
    assert heap.holders(marker)
    ownership.CLOCK.turn(35 * 60)
    end = time.monotonic() + 20
    while cached.MINE.owners() and time.monotonic() < end:  # the clock runs by itself
        time.sleep(0.1)
    assert not cached.MINE.owners()
    del at
    assert heap.holders(marker) == []


def test_at_the_end_of_a_visit_nothing_of_it_is_in_this_process():
    marker = f"Xy{secrets.token_hex(8)}"
    at = trained(give(run(method="perceptron"), "chunks.txt", _marked(marker)))
    (name,) = cached.MINE.owners()
    ownership.end(name)
    del at
    assert heap.holders(marker) == []


def marked_model(marker):
    """A model that somebody trained on words, and labels, with a marker."""
    words = ["The", marker, "barked", "at", "the", "man"]
    labels = ["D", f"N{marker}", "V", "P", "D", "N"]
    X = [templates.features_of(words, templates.read_template("bias lower[0]"))] * 12
    return to_zip(spcviz.StructuredPerceptron(max_iter=2, random_state=0).fit(X, [labels] * 12))


def over():
    """The visit ends."""
    (name,) = cached.MINE.owners()
    ownership.end(name)


def idle():
    """Nobody uses the page, which stays open, for 35 minutes; the clock runs by itself."""
    ownership.CLOCK.turn(35 * 60)
    end = time.monotonic() + 20
    while cached.MINE.owners() and time.monotonic() < end:
        time.sleep(0.1)
    assert not cached.MINE.owners()


def left_of(marker):
    """What still holds a marker once processes that are ended had their time."""
    end = time.monotonic() + 60
    while (left := heap.holders(marker)) and time.monotonic() < end:
        time.sleep(0.5)
    return left


@pytest.mark.parametrize("ends", [over, idle])
@pytest.mark.parametrize("view", ["lattice", "errors"])
def test_of_a_brought_model_nothing_stays_while_the_page_is_open(ends, view):
    """Streamlit keeps what callbacks and fragments were given; what is in it must have gone all the same."""
    marker = f"xy{secrets.token_hex(8)}"
    at = read_with_model(give(run(view=view), "mine.zip", marked_model(marker)))
    assert heap.holders(marker)
    ends()
    heap.collect()
    tree, at._tree = at._tree, None  # what this test's browser was sent
    del tree
    assert left_of(marker) == []
    del at


def _marked(marker):
    return CHUNKS.replace("deficit", marker).encode()


@pytest.mark.parametrize("name", list(cached.EXAMPLES))
def test_a_model_is_used_with_every_example(name):
    sentences = [["a", "dog", "barks"], ["the", "man"]] * 10
    labels = [["D", "N", "V"], ["D", "N"]] * 10
    X = [templates.features_of(words, templates.read_template("bias lower[0]")) for words in sentences]
    data = to_zip(spcviz.StructuredPerceptron(max_iter=1, random_state=0).fit(X, labels))
    at = give(run(example=name), "mine.zip", data)
    assert "a perceptron, 3 labels" in said(at)
    visit = theirs()
    assert visit.example == name
    assert visit.model.digest == at.query_params["model"]
    assert visit.job is None or visit.job.ended.wait(240)
    at.run()
    at.run()
    seed = Settings(seed=int(at.query_params.get("seed", ["0"])[0]))
    assert not at.error
    assert visit.find(work.key_of(visit, seed, "read")) is not None
    at.selectbox(key="data_example").set_value("ewt" if name != "ewt" else "penn").run()
    assert "a perceptron, 3 labels" in said(at)  # it reads the other example, too


def test_what_is_under_way_ends_with_words_when_the_columns_change():
    at = give(run(method="cascade"), "sentences.conllu", data_of("ewt"))
    next(button for button in at.button if button.label.startswith("Train")).click().run()
    job = theirs().job
    at.selectbox(key="data_columns").set_value("1-4").run()
    assert job.ended.wait(60)
    assert job.state == "cancelled"
    assert "was ended: it was on what the file was read as before" in at.info[0].value
    assert theirs().job is None
    assert at.info[-1].value.startswith("Train a model")


def test_other_columns_of_an_example_are_read_and_do_not_show_its_stored_model():
    at = run()
    at.selectbox(key="data_columns").set_value("1-4").run()
    assert not at.error
    assert "17 labels" not in said(at)
    assert at.info[0].value.startswith("Train a model")


@pytest.mark.parametrize("view", ["scores", "runs", "sweep"])
def test_above_another_view_the_verdict_is_short_and_the_rest_unfolds(view):
    at = run(view=view)
    verdict = next(block.value for block in at.markdown if "A threshold is" in block.value)
    assert "Guaranteed beyond" not in verdict
    box = next(box for box in at.expander if box.label == say.MORE_OF_VERDICT)
    assert any("**Guaranteed beyond this file:**" in block.value for block in box.markdown)
    assert said(at).count("The most frequent tag of each word:") == 1
