"""Write the Python script that repeats what Your data shows, using the library's public calls."""

import inspect
import re

from spcviz.problems.own_data.model import template as templates
from spcviz.problems.own_data.model.training import MOST_HELD, MOST_TOKENS, Settings, arguments_of

_CLASS = {"perceptron": "StructuredPerceptron", "crf": "ChainCRF", "cascade": "CascadeTagger"}


def of_training(
    name: str,
    columns: tuple[int, int | None],
    settings: Settings,
    number: int,
    how: str = "",
    rules: str = "",
) -> str:
    """The script that trains as the page did, and prints the page's numbers.

    `number` is the sentence that is shown; `how` are further arguments of `read_conll`, as Python source.
    """
    given = ", ".join(f"{key}={value!r}" for key, value in arguments_of(settings, rules).items())
    return f'''"""Trains on {_plain(name)} as the page "Your data" of spcviz did. Needs: pip install spcviz"""

import re

import numpy as np

import spcviz as sp

{_read(name, columns, how, repr(settings.template))}

# ---- dealt into parts

order = np.random.default_rng({settings.seed}).permutation(np.flatnonzero(lengths))
n_held = max(2, round(len(order) * {settings.held} / 100))
held, rest = order[:n_held], order[n_held:]
train = np.sort(rest[np.cumsum(lengths[rest]) <= {MOST_TOKENS}])
held = np.sort(held[np.cumsum(lengths[held]) <= {MOST_HELD}])

# ---- the model

tagger = sp.{_CLASS[settings.method]}({given})
tagger.fit([X[i] for i in train], [y[i] for i in train])
print(f"tokens right: {{tagger.score([X[i] for i in held], [y[i] for i in held]):.6f}}")
print("sentence {number + 1}:", " ".join(map(str, tagger.predict([X[{number}]])[0])))

# ---- a new sentence, by the model that the page lets you take away: tagger = sp.load("model.zip")

new = "Type a sentence of your own .".split()
print("a new sentence:", " ".join(map(str, tagger.predict([features_of(new, template)])[0])))
'''


def of_model(name: str, columns: tuple[int, int | None], how: str, model: str, seed: int, number: int) -> str:
    """The script that lets a zipped model read a file as the page did, and prints the page's numbers."""
    template = '" ".join(dict.fromkeys(name.partition("=")[0] for name in tagger.vocabulary_))'
    return f'''"""Reads {_plain(name)} with {_plain(model)} as the page "Your data" of spcviz did."""

import re

import numpy as np

import spcviz as sp

# ---- the model

tagger = sp.load({model!r})

{_read(name, columns, how, template)}

order = np.random.default_rng({seed}).permutation(np.flatnonzero(lengths))
held = order[np.cumsum(lengths[order]) <= {MOST_HELD}]
if y:
    print(f"tokens right: {{tagger.score([X[i] for i in held], [y[i] for i in held]):.6f}}")
print("sentence {number + 1}:", " ".join(map(str, tagger.predict([X[{number}]])[0])))
'''


def _read(name: str, columns: tuple[int, int | None], how: str, template: str) -> str:
    """Lines that read a file into features X and labels y, by a template."""
    return f"""# ---- features: the page's template

{_template_source()}

# ---- the file

corpus = sp.read_conll({name!r}, columns={columns!r}{how})
template = read_template({template})
whole = [i for i in range(len(corpus.sentences)) if not corpus.labels or None not in corpus.labels[i]]
X = [features_of(corpus.sentences[i], template) for i in whole]
y = [corpus.labels[i] for i in whole] if corpus.labels else []
lengths = np.array([len(words) for words in X])"""


def _plain(name: str) -> str:
    """A file's name made safe for a docstring: a stranger may have chosen it to end there and inject code."""
    return repr(re.sub(r"[^\w .()-]+", "_", name, flags=re.ASCII)[:60])


def _template_source() -> str:
    """The functions of the template, without the examples in their docstrings."""
    named = [f"FARTHEST, LONGEST, MOST = {templates.FARTHEST}, {templates.LONGEST}, {templates.MOST}"]
    named.append(f"MOST_SIGNS = {templates.MOST_SIGNS}")
    named.append(f'ENTRY = re.compile(r"{templates.ENTRY.pattern}")')
    functions = (templates.shape_of, templates.looked_at, templates.read_template, templates.name_of)
    return "\n\n\n".join(["\n".join(named), *map(_source, (*functions, templates.features_of))])


def _source(function) -> str:
    text = inspect.getsource(function).rstrip()
    head, _, rest = text.partition('"""')
    doc, _, body = rest.partition('"""')
    head = head.replace(" -> Template", "").replace(": Template", "").replace("tuple[Part, ...]", "tuple")
    body = body.replace("dict[Part, list[str]]", "dict")
    return f'{head}"""{doc.partition(chr(10))[0]}"""{body}'


def of_scores(name: str, steps: str, seed: int, tolerance: float, most_arcs: int, subwords: str = "") -> str:
    """The script that prunes scores as the page did, and prints the page's numbers."""
    how = f", subwords={subwords!r}" if subwords else ""
    given = {
        "given": "transitions, start, end = scores.transitions, scores.start, scores.end",
        "bio": "transitions, start, end = bio_transitions(scores.label_names)",
        "none": "transitions = start = end = None",
        "gold": _ESTIMATED,
    }[steps]
    return f'''"""Prunes the scores in {_plain(name)} as the page "Your data" of spcviz did."""

import numpy as np

from spcviz.io import read_scores
from spcviz.scores import bio_transitions, from_emissions

scores = read_scores({name!r}{how})
lengths, n = scores.lengths, scores.emissions.shape[1]
starts = np.concatenate([[0], np.cumsum(lengths)])
order = np.random.default_rng({seed}).permutation(np.flatnonzero(lengths))
order = order[np.cumsum(lengths[order]) * n * n <= {most_arcs}]
dev, test = np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])
{given}

finite = scores.emissions[np.isfinite(scores.emissions)]
penalty = 1 + 3 * (finite.max() - finite.min())  # of what is forbidden, as on the page


def allowed(table):
    return None if table is None else np.where(np.isneginf(table), -penalty, table)


def sequences(chosen):
    tables = [scores.emissions[starts[i] : starts[i + 1]].astype(float) for i in chosen]
    for table in tables:
        table[0] += 0 if start is None else start
        table[-1] += 0 if end is None else end
    return from_emissions([allowed(table) for table in tables], allowed(transitions))


def gold(chosen):
    return [scores.labels[starts[i] : starts[i + 1]] for i in chosen]


alpha = sequences(dev).tune(gold(dev), {tolerance!r}, by_definition=False)
left = sequences(test).prune(alpha)
labels, truth = np.concatenate(sequences(test).decode()), np.concatenate(gold(test))
print(f"alpha: {{alpha:.6f}}")
print(f"labels left a token: {{left.n_states / len(truth):.6f}}")
print(f"tokens right: {{(labels == truth).mean():.6f}}")
'''


_ESTIMATED = """counts = np.ones((n, n))
for i in dev:
    states = scores.labels[starts[i] : starts[i + 1]]
    np.add.at(counts, (states[:-1], states[1:]), 1)
transitions, start, end = np.log(counts / counts.sum(axis=1, keepdims=True)), None, None"""
