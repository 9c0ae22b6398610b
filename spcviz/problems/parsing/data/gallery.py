"""Sentences that the page Parsing offers, with true heads, each under a key for its address.

"own3": written for the page; "dev1180": of the English Web Treebank's development part, 300 of which ship (CC
BY-SA 4.0, see `prepare`); "ewt120": of its test part, only where its files are.
"""

import re
from typing import NamedTuple

import numpy as np
from cachetools.func import lru_cache

from spcviz.problems.tagging.data.corpora import COLUMNS, EWT_ORIGIN, FOLDERS, read_columns
from spcviz.registry.problem import DataSet
from spcviz.shared.folders import CACHE, data_folder, shipped_path

SHIPPED = CACHE / "data" / "ewt" / "sentences.conllu"
SHIPPED_SHA256 = "b50ccdaac162ae5fca18ee283800f827c7404456d49c151549d81c7e23901ece"
DATA_SETS = (
    DataSet(
        "ewt_sentences",
        "300 sentences of the English Web Treebank's development part",
        f"{EWT_ORIGIN}; chosen by: python -m spcviz data prepare ewt_sentences",
        "ewt_sentences",
        shipped=SHIPPED,
        sha256=SHIPPED_SHA256,
        licence="CC BY-SA 4.0",
        weights="share-alike",
        prepare="spcviz.problems.parsing.data.prepare:prepare",
    ),
)
NUMBER = "# number_in_part = "
"""Start of the comment that is added to each shipped sentence."""
FIRST = "dev1180"
"""Key of the sentence that the page opens with. Tags alone get at least three of its heads wrong, and the
page's first policy has every head right from the page's first budget on. Of all such shipped sentences, it is
the one in which the same number of words bought at random leaves the most heads wrong, on average over random
orders. A test repeats the choice.
"""

OWN = (
    "The/2 dog/3 chased/0 the/5 cat/3 that/7 stole/5 the/9 fish/7 ./3",
    "The/2 old/3 man/0 the/5 boats/3 ./3",
    "I/2 saw/0 the/4 man/2 with/7 the/7 telescope/2 ./2",
    "She/2 ate/0 the/4 soup/2 with/8 a/8 wooden/8 spoon/2 ./2",
    "She/2 ate/0 the/4 soup/2 with/6 noodles/4 ./2",
    "The/2 horse/7 raced/2 past/6 the/6 barn/3 fell/0 ./7",
    "Time/2 flies/0 like/5 an/5 arrow/2 ,/10 but/10 fruit/9 flies/10 like/2 a/12 banana/10 ./2",
    "We/3 will/3 discuss/0 the/5 report/3 that/8 you/8 sent/5 us/8 on/11 Monday/8 ./3",
    "A/2 parser/10 that/4 looks/2 at/7 every/7 word/4 twice/4 is/10 slower/0 than/12 one/10 that/14 "
    "knows/12 where/17 to/17 look/14 ./10",
    "Not/4 a/4 single/4 word/6 was/6 spoken/0 ./6",
    "The/2 teacher/3 gave/0 the/5 children/3 who/8 had/8 finished/5 early/8 an/12 extra/12 book/3 to/14 "
    "read/12 ./3",
    "When/3 it/3 rains/11 ,/3 the/6 cellar/11 of/10 the/10 old/10 house/6 fills/0 with/13 water/11 "
    "and/15 smells/11 of/17 earth/15 ./11",
    "What/8 did/4 you/4 say/0 you/6 wanted/4 to/8 buy/6 ?/4",
    "A/2 hearing/4 is/4 scheduled/0 on/7 the/7 issue/2 today/4 ./4",
    "My/2 neighbour/3 bought/0 a/6 red/6 car/3 and/10 a/10 blue/10 bicycle/6 last/12 week/3 ./3",
    "If/3 you/3 want/15 to/5 understand/3 why/9 the/8 committee/9 rejected/5 the/11 plan/9 ,/3 you/15 "
    "should/15 read/0 the/17 letters/15 that/21 its/20 members/21 wrote/17 to/24 the/24 mayor/21 "
    "before/27 the/27 vote/21 ./15",
    "The/2 keys/9 to/5 the/5 cabinet/2 are/9 on/9 the/9 table/0 ./9",
    "He/2 said/0 that/11 the/5 doctor/11 who/7 treated/5 his/9 sister/7 would/11 call/2 back/11 "
    "tomorrow/11 ./2",
    "Good/2 night/0 ./2",
    "Yes/0 !/1",
)
FROM_TEST = 30
SHORTEST, LONGEST = 8, 30
"""Lengths, in words, of the treebank's sentences that are shown."""


class Sentence(NamedTuple):
    """A sentence that can be looked at."""

    key: str  # in URLs
    words: tuple
    heads: np.ndarray  # (N,): 0 is the root


def own_sentences():
    """Sentences written for the page; in `OWN` each word is followed by its head's place, 0 for the root."""
    out = []
    for k, line in enumerate(OWN):
        pairs = [pair.rsplit("/", 1) for pair in line.split(" ")]
        heads = np.array([int(head) for _, head in pairs])
        out.append(Sentence(f"own{k}", tuple(word for word, _ in pairs), heads))
    return out


@lru_cache(1)
def shipped_sentences() -> tuple[Sentence, ...]:
    """Treebank sentences that ship with the project; `NoCacheError` in a package installed by pip."""
    text = shipped_path(SHIPPED).read_text(encoding="utf-8")
    numbers = re.findall(rf"^{NUMBER}([0-9]+)$", text, re.MULTILINE)
    return tuple(_sentence(f"dev{number}", read) for number, read in zip(numbers, _read(text)))


def sentences():
    """All that can be shown here, the page's first one first: a list of `Sentence`."""
    some = list(shipped_sentences()) if SHIPPED.is_file() else []
    first = [sentence for sentence in some if sentence.key == FIRST]
    return first + own_sentences() + [s for s in some if s.key != FIRST] + _test_sentences()


def _test_sentences():
    """Some of the treebank's test part; none if it is not here."""
    folder = data_folder()
    path = folder and folder / FOLDERS["ewt"] / "en_ewt-ud-test.conllu"
    if not path or not path.is_file():
        return []
    read = _read(path.read_text(encoding="utf-8"))
    fits = [w for w, sentence in enumerate(read) if SHORTEST <= len(sentence) <= LONGEST]
    some = [fits[k] for k in np.linspace(0, len(fits) - 1, FROM_TEST).astype(int)] if fits else []
    return [_sentence(f"ewt{w}", read[w]) for w in some]


def _read(text):
    """Sentences of (word, head)."""
    return read_columns(text, COLUMNS["ewt"]["word"], COLUMNS["ewt"]["head"])


def _sentence(key, read):
    return Sentence(key, tuple(word for word, _ in read), np.array([int(head) for _, head in read]))
