"""Sentences on offer: the shipped ones are those chosen, and the page opens with the right one."""

import numpy as np
import pytest

from spcviz.problems.parsing.data import gallery, prepare
from spcviz.problems.parsing.model import policies, stored
from spcviz.problems.parsing.page import live
from spcviz.problems.parsing.shown import OFFERED
from spcviz.problems.tagging.model import stored as tagging
from spcviz.shared import folders
from spcviz.shared.bring.original import OriginalError
from spcviz.shared.folders import MODELS
from tests.oracles import trees_of_words as oracle

OPENING_SPEND = 0.3
"""Share of the budget at which the Parsing page opens."""


def test_300_sentences_ship_and_each_is_a_tree():
    some = gallery.shipped_sentences()
    assert len({s.key for s in some}) == len({s.words for s in some}) == len(some) == 300
    for sentence in some:
        assert gallery.SHORTEST <= len(sentence.words) <= gallery.LONGEST
        assert len(sentence.heads) == len(sentence.words)
        assert oracle.is_tree(sentence.heads.tolist())


def test_they_keep_their_licence_and_say_whose_they_are():
    folder = gallery.SHIPPED.parent
    said = (folder / "ATTRIBUTION.txt").read_text(encoding="utf-8")
    for part in (
        "CC BY-SA 4.0",
        "Silveira",
        "https://github.com/UniversalDependencies/UD_English-EWT",
        "Changes:",
    ):
        assert part in said
    assert (folder / "LICENSE.txt").read_text(encoding="utf-8").startswith("Attribution-ShareAlike 4.0")


def test_the_same_is_on_offer_with_and_without_data_but_for_the_test_part(shared_data, monkeypatch):
    with_data = [s.key for s in gallery.sentences()]
    monkeypatch.delenv("SPCVIZ_DATA")
    without = [s.key for s in gallery.sentences()]
    assert without == with_data[: len(without)]
    assert without[0] == gallery.FIRST
    assert [key[:3] for key in with_data[len(without) :]] == ["ewt"] * gallery.FROM_TEST


def test_the_file_is_made_again_byte_for_byte(shared_data, tmp_path):
    (line,) = prepare.prepare(shared_data / "text_ud_ewt", tmp_path)
    assert line == "sentences.conllu: 300 of 2001 sentences"
    assert (tmp_path / "sentences.conllu").read_bytes() == gallery.SHIPPED.read_bytes()


def block(number, n_words, tag="NN"):
    rows = [f"{k}\tw{number}\tw\tNOUN\t{tag}\t_\t{k - 1}\tdep\t_\t_" for k in range(1, n_words + 1)]
    return "\n".join([f"# sent_id = {number}", *rows]) + "\n\n"


def test_sentences_are_taken_as_they_are_under_their_number(tmp_path, monkeypatch):
    """Too short, too long and with an address are left out; numbers count all sentences of the part."""
    kinds = [(8, "NN"), (7, "NN"), (30, "NN"), (31, "NN"), (9, "ADD")]
    blocks = [block(k, *kinds[k % 5]) for k in range(900)]
    (tmp_path / prepare.PART).write_text("".join(blocks))
    place = tmp_path / "out"
    place.mkdir()
    (line,) = prepare.prepare(tmp_path, place)
    assert line == f"sentences.conllu: 300 of 900 sentences{prepare.OTHER}"
    monkeypatch.setattr(gallery, "SHIPPED", place / "sentences.conllu")
    gallery.shipped_sentences.cache_clear()
    try:
        some = gallery.shipped_sentences()
    finally:
        gallery.shipped_sentences.cache_clear()
    numbers = [int(s.key.removeprefix("dev")) for s in some]
    assert numbers == sorted(numbers)
    assert {number % 5 for number in numbers} == {0, 2}
    assert all(s.words == (f"w{n}",) * kinds[n % 5][0] for s, n in zip(some, numbers))
    assert all(s.heads.tolist() == list(range(len(s.words))) for s in some)
    text = (place / "sentences.conllu").read_text()
    assert all(f"{gallery.NUMBER}{n}\n{blocks[n]}" in text for n in numbers)


def test_too_few_sentences_are_refused(tmp_path):
    (tmp_path / prepare.PART).write_text("".join(block(k, 8) for k in range(299)))
    with pytest.raises(OriginalError, match="must have 300 sentences of 8 to 30 words, got 299"):
        list(prepare.prepare(tmp_path, tmp_path))


def test_a_package_without_the_repository_offers_what_was_written_for_the_page(tmp_path, monkeypatch):
    monkeypatch.delenv("SPCVIZ_DATA", raising=False)
    monkeypatch.setattr(folders, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(gallery, "SHIPPED", tmp_path / "cache" / "sentences.conllu")
    assert {s.key[:3] for s in gallery.sentences()} == {"own"}
    gallery.shipped_sentences.cache_clear()
    with pytest.raises(
        folders.NoCacheError, match=r"sentences\.conllu is missing; .* come with the repository"
    ):
        gallery.shipped_sentences()


@pytest.fixture(scope="module")
def scored():
    """(shipped sentences, the parser's world of them, the values that its policies follow)."""
    some, model, tagger = gallery.shipped_sentences(), stored.load(MODELS), tagging.load_tagger(MODELS)
    words = [s.words for s in some]
    world = live.world_of(model, words, [live.tags_of(tagger, sentence) for sentence in words])
    world = world._replace(heads=np.concatenate([s.heads for s in some]))
    return some, world, policies.fixed_values(model.policies, world, np.random.default_rng(0))


def wrong(world, tiers):
    """Number of wrong heads in each sentence."""
    return np.add.reduceat(world.read(tiers) != world.heads, world.starts[:-1])


def bought(world, values, n_bought):
    """Tiers after `n_bought` purchases in each sentence, largest value first."""
    tiers = np.zeros(world.shape[0], dtype=np.int64)
    for start, stop, n in zip(world.starts[:-1], world.starts[1:], n_bought):
        tiers[start + np.argsort(-values[start:stop], kind="stable")[:n]] = 1
    return tiers


def test_the_page_opens_with_the_sentence_of_which_most_can_be_learned(scored):
    some, world, values = scored
    lengths = np.diff(world.starts)
    opening = np.floor(OPENING_SPEND * lengths + 0.01).astype(int)
    fits = wrong(world, np.zeros(world.shape[0], dtype=np.int64)) >= 3
    first = values[OFFERED[0]].ravel()
    for more in range(max(lengths - opening) + 1):
        fits &= wrong(world, bought(world, first, np.minimum(opening + more, lengths))) == 0
    rng = np.random.default_rng(1)
    at_random = [wrong(world, bought(world, rng.random(world.shape[0]), opening)) for _ in range(100)]
    left = np.where(fits, np.mean(at_random, axis=0), -1)
    chosen = int(np.argmax(left))
    assert fits.sum() >= 1
    assert some[chosen].key == gallery.FIRST
    assert left[chosen] >= 2


def test_in_the_first_scene_the_policy_is_done_where_chance_is_not():
    """As the page shows it, with its own random order."""
    first = gallery.sentences()[0]
    parsed = live.parse(stored.load(MODELS), tagging.load_tagger(MODELS), first.words, first.heads)
    courses = {course.name: (course.heads != first.heads).sum(axis=1) for course in parsed.courses}
    n_words = len(first.words)
    opening = int(OPENING_SPEND * n_words + 0.01)
    assert courses[OFFERED[0]][0] >= 3
    assert not courses[OFFERED[0]][opening : n_words + 1].any()
    assert n_words / 4 <= opening <= n_words / 2
    assert courses["uniform"][opening] >= 2
