"""Features of words from a template that a person can read: ``word[0] ending3[0] word[-1]+word[0]``.

An entry names what is looked at and where: 0 is the word itself, -1 the word before it, 1 the word after it;
+ joins several. This file needs nothing but Python, so that the script that repeats a page can include it.
"""

import re

DEFAULT = "bias word[0] lower[0] shape[0] ending2[0] ending3[0] beginning2[0] word[-1] word[1]"
LONGEST, MOST = 400, 40
MOST_SIGNS = 32
"""Most characters of a word that ``signs`` sees, each with its position."""
FARTHEST = 5
"""Largest distance of a neighbour that is looked at."""

ENTRY = re.compile(r"(word|lower|shape|signs|ending[1-5]|beginning[1-5])\[(-?[0-9])\]")

Part = tuple[str, int]
Template = tuple[tuple[Part, ...], ...]


def shape_of(word: str) -> str:
    """A word with its letters and digits as X, x and d, and runs of one kind as one character.

    >>> shape_of("McDonald's"), shape_of("1999-12"), shape_of("\u05e9\u05dc")
    ("XxXx'x", 'd-d', 'x')
    """
    signs = ("d" if c.isdigit() else "X" if c.isupper() else "x" if c.isalpha() else c for c in word)
    return re.sub(r"(.)\1+", r"\1", "".join(signs), flags=re.DOTALL)


def looked_at(word: str, what: str) -> str:
    """What one part of an entry sees of a word.

    >>> looked_at("Walking", "ending3"), looked_at("Walking", "lower"), looked_at("Walking", "beginning2")
    ('ing', 'walking', 'Wa')
    """
    if what == "word":
        return word
    if what == "lower":
        return word.lower()
    if what == "shape":
        return shape_of(word)
    size = int(what[-1])
    return word[-size:] if what.startswith("ending") else word[:size]


def read_template(text: str) -> Template:
    """The entries of a template; an entry without parts is ``bias``, which every word has.

    >>> read_template("bias word[0] word[-1]+word[0]")
    ((), (('word', 0),), (('word', -1), ('word', 0)))

    Raises ValueError, with a readable sentence, for an invalid template.
    """
    entries = []
    for entry in text.split():
        if entry == "bias":
            entries.append(())
            continue
        parts = [ENTRY.fullmatch(part) for part in entry.split("+")]
        if None in parts or len(parts) > 3 or (len(parts) > 1 and "signs[" in entry):
            raise ValueError(
                f"A template's entry must be bias, signs, or up to three of word, lower, shape, ending1 to "
                f"ending5, beginning1 to beginning5, each with a place like [0] or [-1], joined by +; got "
                f"{entry!r:.60}."
            )
        entries.append(tuple((part[1], int(part[2])) for part in parts))
        if any(abs(place) > FARTHEST for _, place in entries[-1]):
            raise ValueError(f"A template must look at most {FARTHEST} words away, got {entry!r:.60}.")
    if not 1 <= len(entries) <= MOST or len(text) > LONGEST:
        raise ValueError(f"A template must have 1 to {MOST} entries and at most {LONGEST} characters.")
    return tuple(entries)


def name_of(entry: tuple[Part, ...]) -> str:
    """An entry as it is written in a template.

    >>> name_of((("word", -1), ("shape", 0))), name_of(())
    ('word[-1]+shape[0]', 'bias')
    """
    return "+".join(f"{what}[{place}]" for what, place in entry) or "bias"


def features_of(words: list[str], template: Template) -> list[list[str]]:
    """The features of each word of a sentence, by name.

    >>> features_of(["The", "dog"], read_template("lower[0] word[-1]"))
    [['lower[0]=the', 'word[-1]=<s>'], ['lower[0]=dog', 'word[-1]=The']]
    >>> features_of(["3f"], read_template("signs[0]"))
    [['signs[0]=0:3', 'signs[0]=1:f']]
    """
    n, named = len(words), [(name_of(entry), entry) for entry in template]
    seen: dict[Part, list[str]] = {}
    for part in {part for entry in template for part in entry}:
        what, place = part
        forms = [word if what == "signs" else looked_at(word, what) for word in words]
        seen[part] = [
            forms[i + place] if 0 <= i + place < n else "<s>" if i + place < 0 else "</s>" for i in range(n)
        ]
    out: list[list[str]] = [[] for _ in words]
    for name, entry in named:
        for i in range(n):
            if entry and entry[0][0] == "signs":
                out[i] += [f"{name}={k}:{c}" for k, c in enumerate(seen[entry[0]][i][:MOST_SIGNS])]
            else:
                out[i].append(f"{name}={'|'.join(seen[part][i] for part in entry)}" if entry else name)
    return out
