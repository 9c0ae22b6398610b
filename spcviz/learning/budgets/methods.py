"""The table of all methods that spend a budget: name, level, and the values by which each ranks.

An example (word, arm) is made of parts (letters, frames). A method of level "example" lifts whole examples
(thesis chapter 6, Algorithm 3), one of level "part" single parts (chapter 7, Algorithm 5). No code interprets
a label: `Spends` says what a method does. The table imports nothing, so that figures may name methods.

A new method takes one file next to this one and one row here.
"""

from typing import NamedTuple

EXAMPLE, PART = "example", "part"
BY_TIER, ANY_TIER = "noise by tier", "noise"
RANDOM = (BY_TIER, ANY_TIER)


class Terms(NamedTuple):
    """A problem's own words for its examples and parts, which fill the labels and sentences."""

    example: str
    examples: str
    part: str
    parts: str
    gain: str = "gain"  # what a selector predicts
    free: str = "pixels"  # what is known of a part before anything is bought


class Tier(NamedTuple):
    """A level of features that can be bought; the first is free."""

    key: str  # in results
    # name, short: in legends, and where there is little space
    name: str
    short: str


class Spends(NamedTuple):
    """How a method values its purchases."""

    # where values of purchases come from: "selector" (predicted gain of the next model), "truth" (its real
    # gain), "policy" (values learned from whole trajectories), "one step" (predicted gain of the next
    # purchase alone), "imitation" (likeness to what was bought early), "margin" (the least sure first),
    # "noise", "noise by tier" (random; tier by tier), "one shot" and "anytime" (their own policies),
    # "contrast" (one shot, learned from parts that buying everything corrects), "one shot, streamed" (the
    # same policies, one for each price, each example decided separately), "nothing" (all alike)
    by: str
    looks: bool = False  # reads and describes an example again before its next purchase, which takes time
    # revalues all actions that a purchase may have changed; else only the part's own next, as printed
    is_refreshed: bool = True
    is_all_at_once: bool = False  # lifts a part to the last tier in one step
    # search, inputs: of one-shot policies: the search that makes their pseudo-labels, the classifier's inputs
    search: str = ""
    inputs: str = ""


class Method(NamedTuple):
    """One row of the table."""

    key: str  # in code and in addresses of pages
    level: str  # {"example", "part"}
    names: tuple[str, ...]  # in the rows of result files (which do not all use the same name)
    # label, help: name in menus and charts, and one sentence; ``{Examples}`` and the like: `Terms`
    label: str
    help: str
    rule: Spends

    @property
    def name(self) -> str:
        """The name in most result files."""
        return self.names[0]

    def describe(self, terms: Terms) -> tuple[str, str]:
        """(label, help) in a problem's own terms.

        Examples
        --------
        >>> METHODS["greedy"].describe(Terms("word", "words", "letter", "letters"))[0]
        'Letters, greedy'
        """
        words = terms._asdict()
        words |= {name.capitalize(): word.capitalize() for name, word in words.items()}
        return self.label.format(**words), self.help.format(**words)


_SELECTOR = Spends("selector", looks=True)
_ROWS = (
    Method(
        "dms", EXAMPLE, ("dms",), "{Examples}, learned (DMS)",
        "lifts whole {examples}, those first where its selector predicts the largest {gain}", _SELECTOR,
    ),
    Method(
        "dms_by_value", EXAMPLE, ("dms, by value",), "{Examples}, learned (DMS), by value",
        "as printed: the queue of DMS goes by value, whatever the next model costs", _SELECTOR,
    ),
    Method(
        "dms_per_cost", EXAMPLE, ("dms, by value per µs", "dms, by value per ms"),
        "{Examples}, learned (DMS), by value per time",
        "as DMS, but its queue goes by value per time that the next model takes", _SELECTOR,
    ),
    Method(
        "dms_no_n_grams", EXAMPLE, ("dms, no n-grams",), "{Examples}, learned (DMS), without n-grams",
        "as DMS, but its selector does not see whether an n-gram is new", _SELECTOR,
    ),
    Method(
        "dms_n_grams_only", EXAMPLE, ("dms, n-grams only",), "{Examples}, learned (DMS), n-grams only",
        "as DMS, but all its selector sees is which n-grams are new", _SELECTOR,
    ),
    Method(
        "dms_with_n_grams", EXAMPLE, ("dms, with n-grams",), "{Examples}, learned (DMS), with n-grams",
        "as DMS, but its selector also sees whether an n-gram of states is new", _SELECTOR,
    ),
    Method(
        "dms_elbows", EXAMPLE, ("dms, elbows",), "{Examples}, learned (DMS), elbows only",
        "as DMS, taught by elbows alone", _SELECTOR,
    ),
    Method(
        "dms_wrists", EXAMPLE, ("dms, wrists",), "{Examples}, learned (DMS), wrists only",
        "as DMS, taught by wrists alone", _SELECTOR,
    ),
    Method(
        "fixed", EXAMPLE, ("fixed",), "{Examples}, in turn",
        "lifts every {example} to the next model before any to the one after it", Spends("nothing"),
    ),
    Method(
        "uniform_arms", EXAMPLE, ("uniform",), "{Examples}, at random",  # old links use the key
        "lifts random {examples}, all to the next model before any to the last", Spends(BY_TIER),
    ),
    Method(
        "uniform_loose", EXAMPLE, ("uniform, not by tiers",), "{Examples}, at random, not tier by tier",
        "lifts random {examples} to any model", Spends(ANY_TIER),
    ),
    Method(
        "oracle", EXAMPLE, ("oracle",), "{Examples}, by an oracle",
        "knows the truth: what the best selector could do with one look ahead", Spends("truth"),
    ),
    Method(
        "least_sure", EXAMPLE, ("myopic",), "{Examples}, least sure",
        "lifts the {examples} whose reading is least sure, to everything at once",
        Spends("margin", looks=True),
    ),
    Method(
        "imitation", EXAMPLE, ("imitation",), "{Examples}, by imitation",
        "copies where an oracle would have stopped, at one price of features",
        Spends("imitation", looks=True),
    ),
    Method(
        "dms_pi_whole", EXAMPLE, ("q-learning", "q-learning, whole clips"),
        "{Examples}, learned (DMS-π)",
        "lifts whole {examples} by values of the next purchase and of what may follow it",
        Spends("policy", looks=True),
    ),
    Method(
        "greedy_whole", EXAMPLE, ("greedy", "greedy, whole clips"), "{Examples}, greedy",
        "lifts whole {examples} by the gain it predicts for the next purchase alone",
        Spends("one step", looks=True),
    ),
    Method(
        "dms_pi", PART, ("q-learning",), "{Parts}, learned (DMS-π)",
        "lifts single {parts} by values learned from whole trajectories", Spends("policy"),
    ),
    Method(
        "dms_pi_printed", PART, ("q-learning, as printed",), "{Parts}, learned (DMS-π), stale values",
        "as printed: values are worked out once and grow stale", Spends("policy", is_refreshed=False),
    ),
    Method(
        "dms_pi_by_value", PART, ("q-learning, by value",), "{Parts}, learned (DMS-π), by value",
        "as printed: the queue goes by value, whatever the purchase costs", Spends("policy"),
    ),
    Method(
        "dms_pi_per_cost", PART, ("q-learning, by value per ms",),
        "{Parts}, learned (DMS-π), by value per time",
        "as DMS-π, but its queue goes by value per time that the purchase takes", Spends("policy"),
    ),
    Method(
        "greedy", PART, ("greedy",), "{Parts}, greedy",
        "lifts single {parts} by the gain it predicts for the next purchase alone", Spends("one step"),
    ),
    Method(
        "greedy_printed", PART, ("greedy, as printed",), "{Parts}, greedy, stale values",
        "as greedy, with values worked out once", Spends("one step", is_refreshed=False),
    ),
    Method(
        "imitation_parts", PART, ("imitation",), "{Parts}, by imitation",
        "buys what looks like what was bought early", Spends("imitation"),
    ),
    Method(
        "all_at_once", PART, ("all tiers at once",), "{Parts}, all tiers at once",
        "lifts single {parts} to the last tier in one step, by the learned values",
        Spends("policy", is_all_at_once=True),
    ),
    Method(
        "random", PART, ("random", "uniform"), "{Parts}, at random, any tier",
        "lifts random {parts} to any tier", Spends(ANY_TIER),
    ),
    Method(
        "one_shot_trajectory_simple", PART, ("one-shot, trajectory, simple",),
        "{Parts}, one shot (trajectory, simple)",
        "ranks all {parts} once, from their {free}; learned from trajectories",
        Spends("one shot", search="trajectory", inputs="simple"),
    ),
    Method(
        "one_shot_trajectory", PART, ("one-shot, trajectory, complex",),
        "{Parts}, one shot (trajectory, complex)",
        "ranks all {parts} once, from a first reading; learned from trajectories",
        Spends("one shot", search="trajectory", inputs="complex"),
    ),
    Method(
        "one_shot_simple", PART, ("one-shot, parsimonious, simple",), "{Parts}, one shot (simple)",
        "ranks all {parts} once, from their {free}",
        Spends("one shot", search="parsimonious", inputs="simple"),
    ),
    Method(
        "one_shot", PART, ("one-shot, parsimonious, complex",), "{Parts}, one shot",
        "ranks all {parts} before anything is bought, and never looks again",
        Spends("one shot", search="parsimonious", inputs="complex"),
    ),
    Method(
        "one_shot_contrast", PART, ("one-shot, contrast, complex",), "{Parts}, one shot (contrast)",
        "ranks all {parts} once, from a first reading; learned from {parts} that are wrong when nothing is "
        "bought and right when everything is",
        Spends("contrast", inputs="complex"),
    ),
    Method(
        "streamed_trajectory_simple", PART, ("one-shot, trajectory, simple, streamed",),
        "{Parts}, one shot (trajectory, simple), {example} by {example}",
        "decides by a threshold, from {free}, one {example} after the other; a policy for each price",
        Spends("one shot, streamed", search="trajectory", inputs="simple"),
    ),
    Method(
        "streamed_trajectory", PART, ("one-shot, trajectory, complex, streamed",),
        "{Parts}, one shot (trajectory, complex), {example} by {example}",
        "decides by a threshold, from a first reading, {example} by {example}; a policy for each price",
        Spends("one shot, streamed", search="trajectory", inputs="complex"),
    ),
    Method(
        "streamed_simple", PART, ("one-shot, parsimonious, simple, streamed",),
        "{Parts}, one shot (simple), {example} by {example}",
        "decides by a threshold, from {free}, one {example} after the other; a policy for each price",
        Spends("one shot, streamed", search="parsimonious", inputs="simple"),
    ),
    Method(
        "streamed", PART, ("one-shot, parsimonious, complex, streamed",),
        "{Parts}, one shot, {example} by {example}",
        "decides by a threshold, from a first reading, {example} by {example}; a policy for each price",
        Spends("one shot, streamed", search="parsimonious", inputs="complex"),
    ),
    Method(
        "dms_pi_apart", PART, ("q-learning, steps apart",), "{Parts} and steps apart, learned (DMS-π)",
        "buys features of single {parts} and, by actions of their own, of the steps between them",
        Spends("policy"),
    ),
    Method(
        "dms_pi_together", PART, ("q-learning, with steps",), "{Parts} with steps, learned (DMS-π)",
        "buys features of a {part} together with those of the step into it", Spends("policy"),
    ),
    Method(
        "anytime", PART, ("anytime",), "{Parts}, anytime", "has a policy of its own for each step",
        Spends("anytime", looks=True),
    ),
    Method(
        "myopic", PART, ("myopic",), "{Parts}, least sure",
        "lifts the {parts} whose reading is least sure", Spends("margin"),
    ),
    Method(
        "uniform", PART, ("uniform by tiers",), "{Parts}, at random",
        "lifts random {parts}, all to the next tier before any to the last", Spends(BY_TIER),
    ),
)  # fmt: skip
METHODS = {method.key: method for method in _ROWS}
"""Rows by key."""


def find_method(name: str, level: str) -> Method:
    """The method that a row of a result is about: ``name`` is one of `Method.names`; else a LookupError.

    Examples
    --------
    >>> find_method("q-learning", PART).key
    'dms_pi'
    """
    for method in _ROWS:
        if method.level == level and name in method.names:
            return method
    raise LookupError(f"no method of level {level!r} is called {name!r}")
