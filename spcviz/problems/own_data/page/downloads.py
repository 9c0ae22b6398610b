"""Downloads of the page Your data: a Python script that repeats it, the model, tables, the example's file."""

from spcviz.problems.own_data.model import examples, files, foreign_scores
from spcviz.problems.own_data.model import script as scripts
from spcviz.problems.own_data.model.examples import EXAMPLES
from spcviz.problems.own_data.model.settings import Settings, rules_of
from spcviz.problems.own_data.page import shelf, tables
from spcviz.problems.own_data.page.cached import Source, steps_of


def example_file(visit: shelf.Own) -> tuple[str, bytes]:
    """Name and bytes of an example's file."""
    return EXAMPLES[visit.example].name, examples.data_of(visit.example)


def script(source: Source, settings: Settings, steps: str, number: int) -> str:
    """The Python script that repeats what is shown."""
    visit = source.own
    name = visit.brought.name if visit.brought.name != "pasted text" else "pasted.txt"
    if source.scored is not None:
        how = steps_of(visit, steps)
        subwords = visit.how.subwords if visit.brought.scores.n_subwords else ""
        return scripts.of_scores(
            name, how, settings.seed, settings.tolerance, foreign_scores.MOST_ARCS, subwords
        )
    if source.is_brought:
        file = (name, visit.brought.corpus.columns, _how(visit))
        return scripts.of_model(*file, visit.model.name, settings.seed, number)
    rules = rules_of(visit.brought.labels)
    return scripts.of_training(name, visit.brought.corpus.columns, settings, number, _how(visit), rules)


def _how(visit: shelf.Own) -> str:
    """Arguments of `read_conll` beyond the columns that read a file as it is read here, as Python source."""
    told = {
        key: value for key, value in visit.how.of_text().items() if value != getattr(files.FOUND_OUT, key)
    }
    if visit.brought.cut:
        told["max_tokens"] = visit.brought.cut
    return "".join(f", {key}={value!r}" for key, value in told.items())


def model_file(source: Source) -> bytes:
    """The model to download; an uploaded one is returned unchanged."""
    return source.own.model.model if source.is_brought else source.model


def tables_of(source: Source) -> list[str]:
    """Names of the available tables."""
    return list(tables.TABLES) if source.has_gold else ["tokens"]


def table(source: Source, name: str) -> bytes:
    """One table as CSV."""
    if name == "tokens":
        return tables.write_tokens(source.report, source.own.brought.sentences)
    return tables.TABLES[name](source.report)
