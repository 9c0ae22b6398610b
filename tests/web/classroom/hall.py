"""Questions that the rooms of these tests ask, and phones that answer."""

from spcviz.web.transport.clients import Phone

ASKED = {"code": "why/1", "ask": "Noun or verb?", "choices": ["noun", "verb", "neither"]}
GUESS = {"code": "why/2", "ask": "How many?", "choices": []}
LINK = "letters?ask=L2&a0=0.5"
TASK = ASKED | {"choices": ["I have it"], "link": "letters?ask=L2&in=1234567"}


def voter(number, in_crowd=False):
    return Phone(f"{number:032x}", in_crowd)


class Clock:
    seconds = 0.0

    def __call__(self):
        return self.seconds
