"""Signed tokens that identify browsers without a list on the server.

A token is ``NUMBER.AT.SIGN``: a random number, "a" for a browser that came in time or "b" for one in a crowd,
and a keyed digest of both. The key lives as long as the server's process: tokens of other processes are
invalid.
"""

import hashlib
import hmac
import re
import secrets
from typing import NamedTuple

_KEY = secrets.token_bytes(32)
_TOKEN = re.compile(r"([0-9a-f]{32})\.([ab])\.([0-9a-f]{32})", re.ASCII)


class Phone(NamedTuple):
    """The holder of a token."""

    number: str
    in_crowd: bool  # its address had requested more tokens than a hall needs: evicted first


def handed_out(in_crowd: bool) -> str:
    """A new token."""
    return sign_token(Phone(secrets.token_hex(16), in_crowd))


def sign_token(phone: Phone) -> str:
    """The token of a phone.

    >>> phone = Phone("0" * 32, False)
    >>> read(sign_token(phone)) == phone, read(sign_token(phone)[:-1] + "x"), read("")
    (True, None, None)
    """
    text = f"{phone.number}.{'b' if phone.in_crowd else 'a'}"
    return f"{text}.{_sign(text)}"


def read(token: str) -> Phone | None:
    """The holder of a token; None if this process has not issued it."""
    if not (match := _TOKEN.fullmatch(token)):
        return None
    number, crowd, sign = match.groups()
    return Phone(number, crowd == "b") if hmac.compare_digest(sign, _sign(f"{number}.{crowd}")) else None


def _sign(text):
    return hmac.new(_KEY, text.encode(), hashlib.sha256).hexdigest()[:32]
