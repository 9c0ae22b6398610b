"""How much a page asks for at once: what can be operated in its first view, its height, its width.

What stands on every page does not count (the bars at its top, of tools, tasks and tours, and the side bar),
and neither do the glossary's words, which are text. What lies in a closed box is not there. Each choice of
a row of choices counts, and what is greyed counts too: it is read all the same. A picture with one place in
the Tab order counts once.
"""

from pathlib import Path

LIMITS = {"operable": 16, "groups": 8, "projector_height": 1080, "phone_width": 390}
"""What a page has at most."""
TALL = ("course", "tours", "tables")
"""Pages that may be higher than a projector: lists, to be scrolled."""
ASKED = Path(__file__).with_name("less.js").read_text(encoding="utf-8")
"""JavaScript: what a page asks for in the window as it is: {operable, groups, height, width, names}."""
