"""
Take secrets out of a text: values that are known, and anything that is shaped like a token.

A value is looked for as it is, and as it appears in an address, in JSON, and in base64 at any offset, also where that
is wrapped into lines or stands in an address. Shapes name what a leak would cost most: tokens of forges and providers,
private keys, signed tokens and headers. Those with a beginning of their own are also found in base64.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from urllib.parse import quote

MARK = "[redacted]"

_SHORTEST = 6
"""Shorter values are words that ordinary text contains."""
_SHORTEST_LINE = 16
_WRAP = r"(?:\s|\\[rn]|%0[ADad])*+"
"""What may stand between two characters of base64: line ends, also as JSON and addresses write them."""
_SIGNS = dict.fromkeys("+-", r"(?:[+-]|%2[Bb])") | dict.fromkeys("/_", r"(?:[/_]|%2[Ff])")
_ESCAPE = re.compile("%[0-9A-F]{2}")

_ESCAPES = (r"\\[bfnrt]", r"\\u[0-9A-Fa-f]{4}", r"%[0-9A-Fa-f]{2}", r"[0-9\[]m")
"""What JSON, an address and a terminal write right before a token, with a letter at its end."""


def _begins(prefix: str, within: str = "A-Za-z0-9_-") -> str:
    """
    Return the pattern of a token's beginning that does not stand within a word.

    It starts with the letters themselves: what can be looked up by its first letter is found many times faster.
    """
    behind = "|".join(f"(?<={escape}{prefix})" for escape in _ESCAPES)
    return f"{prefix}(?:(?<![{within}]{prefix})|{behind})"


_SPACE = r"(?:\ |%20|\+|\\u0020)"
# Each shape starts only where a run of its characters starts, so that no text makes the search slow.
_SHAPES = re.compile(
    rf"""
      (?:gh[opsur]|github_pat)_[A-Za-z0-9_.-]{{16,}}
    | sk-ant-[A-Za-z0-9_-]{{8,}}
    | {_begins("sk-")}(?=[A-Za-z_-]*+[0-9])[A-Za-z0-9_-]{{20,}}
    | {_begins("A[KS]IA", "A-Z0-9")}[A-Z0-9]{{16}}(?![A-Z0-9])
    | {_begins("xox[abeoprs]-")}[A-Za-z0-9-]{{10,}}
    | {_begins("xapp-")}[A-Za-z0-9-]{{10,}}
    | {_begins("glpat-")}[A-Za-z0-9_-]{{20,}}
    | {_begins("npm_")}[A-Za-z0-9]{{36,}}
    | {_begins("AIza")}[A-Za-z0-9_-]{{35}}
    | {_begins("eyJ")}[A-Za-z0-9_-]{{8,}}\.[A-Za-z0-9_-]{{8,}}(?:\.[A-Za-z0-9_-]*)?
    | -----BEGIN(?:[A-Z0-9]|{_SPACE}){{0,30}}PRIVATE{_SPACE}KEY(?:{_SPACE}BLOCK)?-----
      (?:(?!-----)[A-Za-z0-9+/=\s\\:,.>%-])*+
      (?:-----END(?:[A-Z0-9]|{_SPACE}){{0,30}}PRIVATE{_SPACE}KEY(?:{_SPACE}BLOCK)?-----)?
    """,
    re.VERBOSE,
)
_RUN_TOKEN = re.compile(r"(TRACKSIDE_RUN_TOKEN=)[A-Za-z0-9_-]{20,}")
_HEADER = re.compile(
    r"""(?ix)
    ( authorization ["']? \s{0,3} [:=] \s{0,3} ["']? (?:(?:bearer|basic|token) \s{1,3})?
    | \b bearer \s{1,3} (?=[A-Za-z0-9._~+/=-]{16}) )
    [A-Za-z0-9._~+/=-]{8,}
    """
)
_USERINFO = re.compile(r"(?i)(\b[a-z][a-z0-9+.-]{1,20}://)[^\s/@:\"'<>\[]{0,200}:[^\s/@\"'<>\[]{1,2000}@")


class Redactor:
    """
    Takes out the given values and all token shapes. Empty and very short values are not looked for.

    ``changing`` returns those values that are others after a while, such as tokens that are minted.
    """

    def __init__(self, secrets: Iterable[str] = (), changing: Callable[[], frozenset[str]] = frozenset) -> None:
        self._secrets = frozenset(secrets)
        self._changing = changing

    def redact(self, text: str) -> str:
        """Return the text with ``[redacted]`` in place of each secret."""
        known = _pattern(self._secrets | self._changing())
        if known is not None:
            text = known.sub(MARK, text)
        text = _SHAPES.sub(MARK, text)
        text = _ENCODED.sub(MARK, text)
        text = _RUN_TOKEN.sub(rf"\1{MARK}", text)
        text = _HEADER.sub(rf"\1{MARK}", text)
        return _USERINFO.sub(rf"\1{MARK}@", text)


@lru_cache(maxsize=16)
def _pattern(secrets: frozenset[str]) -> re.Pattern[str] | None:
    forms = {form for secret in secrets for form in _forms(secret)}
    longest_first = sorted(forms, key=lambda form: (-len(form), form))
    return re.compile("|".join(longest_first)) if longest_first else None


def _forms(secret: str) -> Iterator[str]:
    """Yield patterns of the spellings of a secret; each line of one that has several counts too."""
    lines = [line.strip() for line in secret.splitlines()] if "\n" in secret else []
    for value in [secret.strip(), *(line for line in lines if len(line) >= _SHORTEST_LINE)]:
        if len(value) < _SHORTEST:
            continue
        address = quote(value, safe="")
        lower = _ESCAPE.sub(lambda found: found[0].lower(), address)
        yield from map(re.escape, {value, address, lower, json.dumps(value)[1:-1]})
        yield from (_wrapped(spelling) for spelling in _base64(value) if len(spelling) >= _SHORTEST)


def _base64(value: str) -> Iterator[str]:
    """Yield the base64 of a value within a longer text: it has three forms, by what stands before it."""
    data = value.encode()
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + data).decode().rstrip("=")
        # The first and last characters also hold bits of the neighbours.
        start, surplus = (0, 2, 3)[offset], (offset + len(data)) % 3
        inner = encoded[start : len(encoded) - (1 if surplus else 0)]
        yield inner


def _wrapped(spelling: str) -> str:
    """Return the pattern of a stretch of base64, in either alphabet and however it is broken into lines."""
    return _WRAP.join(_SIGNS.get(character, character) for character in spelling)


_BEGINNINGS = (
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "sk-ant-",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "-----BEGIN ",
)
"""How tokens begin that are long enough to be known in base64."""
_ENCODED = re.compile(
    rf"(?:{'|'.join(sorted({each for beginning in _BEGINNINGS for each in _base64(beginning)}))})"
    r"[A-Za-z0-9+/_-]{16,}={0,2}(?:(?:\r?\n|\\n)[A-Za-z0-9+/_-]{20,}={0,2})*"
)
