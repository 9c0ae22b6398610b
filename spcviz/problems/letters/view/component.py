"""The word on the home page: pruned by one slider, then read by a sharper model; all of it in the browser."""

import numpy as np

from spcviz.problems.letters.page.home_word import HomeWord
from spcviz.web.view.mount import Component, show

HTML = """
<figure class="home-word">
  <svg role="img" aria-labelledby="home-word-says"></svg>
  <figcaption>
    <label>
      Prune <b>gently</b>
      <input type="range" min="0" max="1" step="0.01" value="0" aria-describedby="home-word-says">
      <b>hard</b>
    </label>
    <button type="button" title="Play the story again">↻ Again</button>
    <p id="home-word-says" aria-live="polite"><strong></strong> <span></span></p>
  </figcaption>
</figure>
"""


HOME_WORD = Component(
    "spcviz_home_word",
    ("problems/letters/view/home_word.css",),
    ("problems/letters/view/home_word.js",),
    html=HTML,
)


def home_word(word: HomeWord, stop: float, *, is_over: bool = False, key: str = "home_word"):
    """Show a word, prune it up to alpha `stop`, let the sharper model read; `is_over`: from the end."""
    payload = {
        "pixels": word.pixels.reshape(len(word.pixels), -1).tolist(),
        "truth": _spell(word.truth),
        "order": [_spell(letters) for letters in word.order],
        "fallsAt": np.round(word.falls_at, 4).tolist(),
        "sharper": [[round(alpha, 4), _spell(reading)] for alpha, reading in word.sharper],
        "stop": stop,
        "isOver": is_over,
    }
    return show(HOME_WORD, payload, key=key)


def _spell(letters):
    return "".join(chr(ord("a") + int(letter)) for letter in letters)
