"""Claims about the results of budgets on words."""

from spcviz.problems.words.paper import quiescence_claims
from spcviz.web.figures.claims import Claim, find, twice

_DMS, _PI, _SHOT = ("Budgets on words, choosing models (DMS)", "Budgets on words, letter by letter (DMS-π)",
                    "Budgets on words, one shot against Q-learning")  # fmt: skip
_FIG_6, _FIG_7, _FIG_3 = "thesis Fig. 6.1", "thesis Fig. 7.3", "Bolukbasi et al. (2017), Fig. 3"
_FEW_WORDS = "The data have 55 distinct words: n-grams that training never showed carry nearly all of it."
_CHOSEN = "Budget chosen on training words."
_SAID_SHOT = "one shot ahead (of parsing)"
_AGAINST = ("summary", "against_q_learning", "methods")


def _s(*path):
    return ("summary", *path)


def _ratio(above, below):
    return lambda result: find(result, above) / find(result, below)


def _share(method, key):
    return lambda result: find(result, (*_AGAINST, method, key))


def _one_shot(key):
    return lambda result: find(result, (*_AGAINST, result["summary"]["against_q_learning"]["one_shot"], key))


def _minus(first, second):
    return lambda result: find(result, first) - find(result, second)


def _methods(result):
    return len(result["summary"]["overhead"])


def _faster(result):
    return sum(not row["gain_eaten"] for row in result["summary"]["overhead"].values())


def _slower(result):
    rows = result["summary"]["overhead"]
    return f"Slower: {'; '.join(name for name, row in rows.items() if row['gain_eaten'])}."


def _search(kind):
    searches = (f"one-shot, {search}, {kind}" for search in ("parsimonious", "trajectory"))
    shares = [_s("methods", search, "chosen", "share") for search in searches]
    return Claim(
        "constrained-ocr", "Budgets on words, one shot: searches and anytime",
        f"trajectory search ahead, {kind} features", _minus(*shares), "ahead",
        shown="{2:.1f} against {1:.1f} %", beside=tuple(shares), said="trajectory ahead",
        source=_FIG_3, note=f"{_CHOSEN} Errors differ a little: not at equal error.", is_aside=True,
    )  # fmt: skip


def _standard_error(row):
    return lambda result: 2 * find(result, (*row, "error_minus_letters_sd")) / result["folds"] ** 0.5


def _steps(method, what):
    row = "rows", {"method": method}
    return Claim(
        "steps-ocr", "Budgets on words, steps bought apart from letters", f"points more wrong, {what}",
        (*row, "error_minus_letters"), "rival", 0, "lower", spread=_standard_error(row), decimals=2,
        shown="{} points", said="letters alone: 0", note="At equal units; standard error over folds.",
    )  # fmt: skip


_OF_DMS = (
    Claim("dms-ocr", _DMS, "times cheaper in units", _s("speedup_units"), paper=(2.5, 3),
          decimals=2,
          shown="{} at {:.2f} % wrong (all: {:.2f})", beside=(_s("error_at_chosen"), _s("final_error")),
          said="{} times at no loss", source=_FIG_6, note=f"{_CHOSEN} {_FEW_WORDS}", is_headline=True),
    Claim("dms-ocr", _DMS, "letters wrong at that budget", _s("error_at_chosen"), "rival", _s("final_error"),
          "lower", decimals=2, shown="{} %", said="final model here: {} %", source=_FIG_6, note=_CHOSEN),
    Claim("dms-ocr", _DMS, "times cheaper in time", _s("speedup_ms"), paper=(2.5, 3), decimals=2,
          said="{} times",
          source=_FIG_6, note=f"{_CHOSEN} {_FEW_WORDS}"),
    Claim("dms-ocr", _DMS, "below uniform spending, speed-ups 1.5 to 8",
          lambda result: int(not result["summary"]["below_uniform_at_speedups_1.5_to_8"]), "holds",
          decimals=0, shown="by {1:.2f} points at least", beside=(_s("least_gap_to_uniform"),),
          said="below", source=_FIG_6, is_headline=True),
    Claim("dms-ocr", f"{_DMS}: what carries it", "times cheaper without unseen n-grams",
          _s("speedup_units_without_n_grams"), paper=(2.5, 3), decimals=2, said="{} times", source=_FIG_6,
          note=_FEW_WORDS, is_aside=True),
    Claim("dms-ocr", f"{_DMS}: what carries it", "µs a word, batch HoG", _s("fast_hog", "word: dms", "us"),
          "rival", _s("fast_hog", "us_middle_model"), "lower", decimals=0, shown="{} µs",
          said="middle model here: {} µs", note="In batches choosing costs more than it saves.",
          is_aside=True),
    Claim("dms-ocr", f"{_DMS}: what carries it", "µs a word, scikit-image's HoG", _s("us_at_chosen"), "rival",
          _s("us_middle_model"), "lower", decimals=0, shown="{} µs", said="middle model here: {} µs",
          is_aside=True),
)  # fmt: skip
_OF_POLICY = (
    Claim("policy-ocr", _PI, "share bought, values as printed", _s("features_share_printed"),
          paper=20, better="lower", shown="{} %", said="about a fifth", source=_FIG_7, note=_CHOSEN),
    Claim("policy-ocr", _PI, "share bought at equal error, values made anew",
          _s("share_on_test_curve", "q-learning"),
          paper=20, better="lower", shown="{} % ({:.1f} % at {:.2f} % wrong, as chosen)",
          beside=(_s("features_share_refreshed"), _s("error_at_chosen_refreshed")),
          said="about a fifth", source=_FIG_7, note="Read off the mean test curve.", is_headline=True),
    Claim("policy-ocr", _PI, "letters wrong, values as printed",
          _s("error_at_chosen_printed"), "rival", _s("all_features_error"), "lower", decimals=2,
          shown="{} %", said="all features here: {} %", source=_FIG_7, note="The paper: more accurate."),
    Claim("policy-ocr", _PI, "letters wrong, values made anew",
          _s("error_at_chosen_refreshed"), "rival", _s("all_features_error"), "lower", decimals=2,
          shown="{} %", said="all features here: {} %", source=_FIG_7, note="The paper: more accurate."),
    Claim("policy-ocr", _PI, "more speed at q = 0.5 than exact",
          _minus(_s("at_chosen", "range 0.5", "speedup"), _s("at_chosen", "range 0", "speedup")), "ahead",
          shown="{1:.1f} at q = 0.5, {2:.1f} exact",
          beside=(_s("at_chosen", "range 0.5", "speedup"), _s("at_chosen", "range 0", "speedup")),
          said="faster as q grows", source=_FIG_7,
          note="Words have 8 letters: messages are little beside the features that their errors buy.",
          is_headline=True),
    Claim("policy-ocr", _PI, "times faster than all features, q = 0.5",
          _s("at_chosen", "range 0.5", "speedup"), paper=1.5, said="{} times", source=_FIG_7, note=_CHOSEN),
    Claim("policy-ocr", _PI, "greedy's error less Q-learning's, points",
          _s("greedy_minus_q_learning"), "ahead", spread=twice("summary", "greedy_minus_q_learning_stderr"),
          decimals=3, said="Q-learning ahead", source=_FIG_7),
)  # fmt: skip
_OF_ONE_SHOT = (
    Claim("constrained-ocr", f"{_PI}: at equal error", "share bought, values made anew",
          _share("q-learning", "equal_share"), paper=20, better="lower",
          spread=lambda result: 2 * _share("q-learning", "equal_share_sd")(result) / result["folds"] ** 0.5,
          shown="{} %", said="about a fifth", source=_FIG_7,
          note="Read off each fold's test curve where it is as right as all features; standard error.",
          is_aside=True),
    Claim("constrained-ocr", _SHOT, "features, budget chosen",
          lambda result: -result["summary"]["against_q_learning"]["difference"], "ahead",
          shown="{1:.1f} ± {2:.1f} % (rival {3:.1f} ± {4:.1f})",
          beside=(_one_shot("share"), _one_shot("share_sd"), _share("q-learning", "share"),
                  _share("q-learning", "share_sd")),
          said=_SAID_SHOT, source=_FIG_3,
          note=f"{_CHOSEN} Not at equal error; ± is the deviation over folds; rival: Q-learning."),
    Claim("constrained-ocr", _SHOT, "features at equal error",
          lambda result: _share("q-learning", "equal_share")(result) - _one_shot("equal_share")(result),
          "ahead", shown="{1:.1f} ± {2:.1f} % (rival {3:.1f} ± {4:.1f})",
          beside=(_one_shot("equal_share"), _one_shot("equal_share_sd"), _share("q-learning", "equal_share"),
                  _share("q-learning", "equal_share_sd")),
          said=_SAID_SHOT, source=_FIG_3,
          note="Read off the test curves; ± is the deviation over folds; rival: Q-learning.",
          is_headline=True),
    Claim("constrained-ocr", _SHOT, "% of all features' time saved",
          lambda result: 100 * (1 - _one_shot("us")(result)
                                / result["summary"]["against_q_learning"]["us_all_features"]),
          paper=50, decimals=0, shown="{} % at {:.2f} % wrong (all: {:.2f})",
          beside=(_one_shot("error"), _s("all_features_error")), said="up to {} %", source=_FIG_3,
          note="Not at equal error.", is_headline=True),
    _search("complex"),
    _search("simple"),
    Claim("constrained-ocr", "Budgets on words, one shot: searches and anytime",
          "anytime's error less one shot's", _s("anytime_minus_one_shot"), "ahead",
          spread=twice("summary", "anytime_minus_one_shot_stderr"), decimals=2, shown="{} points",
          said="anytime worse (of parsing)", source=_FIG_3, is_aside=True),
)  # fmt: skip
CLAIMS = (
    *_OF_DMS,
    *_OF_POLICY,
    *_OF_ONE_SHOT,
    *(
        Claim(name, system, "methods faster than the fixed middle model", _faster, "new", decimals=0,
              shown="{} of {} beat the fixed middle model, all time counted", beside=(_methods,),
              note=_slower)
        for name, system in (
            ("budget-ocr", "Budgets on words, side by side"),
            ("budget-ocr-open", "Budgets on words of an open vocabulary, side by side"),
        )
    ),
    _steps("q-learning, with steps", "with their letters"),
    _steps("q-learning, steps apart", "apart"),
    Claim("steps-ocr", "Budgets on words, steps bought apart from letters", "letters wrong, all bought",
          ("rows", {"method": "q-learning, steps apart"}, "final_error"), "rival",
          ("rows", {"method": "q-learning"}, "final_error"), "lower", decimals=2, shown="{} %",
          said="letters alone: {} %"),
    *quiescence_claims.CLAIMS,
)  # fmt: skip
