"""A visitor of the page Your data: its files, its requests and the page's messages."""

from spcviz.problems.own_data.page import cached
from spcviz.web.cached import ownership
from tests.app.driver import open_page

PAGE = "pages/start/data.py"


CHUNKS = "He PRP B-NP\nreckons VBZ B-VP\nthe DT B-NP\ndeficit NN I-NP\n. . O\n\n" * 30


def let_go():
    """Drop all that visitors brought, as after half an hour."""
    ownership.CLOCK.turn(ownership.SECONDS + 1)
    ownership.clean()


def theirs():
    """Data that the visitor of these tests has brought."""
    (owner,) = cached.MINE.owners()
    return cached.MINE.get(owner, cached.DATA)


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


def read_with_model(at):
    """The page once a brought model has read its sentences."""
    visit = theirs()
    assert visit.job.ended.wait(240)
    assert not visit.job.problem
    return at.run()
