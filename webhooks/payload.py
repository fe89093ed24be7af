"""
From the body's bytes to a JSON object, strictly.

What two parsers could read differently is refused: duplicate keys, NaN, encodings other than UTF-8. So is
what would break further in: nesting that exhausts a stack, integers that no database column holds.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from itertools import accumulate
from typing import NoReturn
from urllib.parse import unquote_to_bytes

from bot.errors import PayloadError
from webhooks.envelope import Encoding

MAX_DEPTH = 100
"""Levels of arrays and objects, the outermost included. The tracker's own payloads have fewer than ten."""
MAX_INTEGER = 2**63 - 1
_MAX_DIGITS = len(str(MAX_INTEGER)) + len("-")

# Ends at the closing quote or, when there is none, at the end of the text: so the scan is linear whatever
# the text is.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_BRACKETS = b"[]{}"
_NOT_BRACKETS = bytes(set(range(256)) - set(_BRACKETS))
_STEPS = bytes.maketrans(_BRACKETS, b"\x01\xff\x01\xff")


def json_bytes(body: bytes, encoding: Encoding) -> bytes:
    """Return the JSON text that the body carries. Raises ``PayloadError`` for a form without exactly one."""
    if encoding is Encoding.JSON:
        return body
    found = [field for field in body.split(b"&") if field.startswith(b"payload=")]
    if len(found) != 1:
        raise PayloadError("the form must have one field named payload")
    return unquote_to_bytes(found[0].removeprefix(b"payload=").replace(b"+", b" "))


def parse_object(text: bytes) -> dict[str, object]:
    """Return the JSON object. Raises ``PayloadError``, with a reason of one line, when it is not a strict one."""
    # Measured before parsing, since a parser finds out by running out of stack. Few brackets cannot be nested deeply,
    # and counting them takes a tenth of the time of looking where they stand.
    if text.count(b"[") + text.count(b"{") > MAX_DEPTH and _depth(text) > MAX_DEPTH:
        raise PayloadError(f"the JSON is nested more than {MAX_DEPTH} levels deep")
    try:
        value = json.loads(
            text.decode("utf-8"),
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_constant,
        )
    except UnicodeDecodeError as error:
        raise PayloadError("the JSON is not valid UTF-8") from error
    except json.JSONDecodeError as error:
        raise PayloadError(f"not valid JSON: {error}") from error
    if not isinstance(value, dict):
        raise PayloadError("the JSON is not an object")
    return value


def _depth(text: bytes) -> int:
    steps = _STRING.sub(b"", text).translate(_STEPS, _NOT_BRACKETS)
    return max(accumulate(memoryview(steps).cast("b")), default=0)


def _object(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise PayloadError("a key occurs twice in one object")
    return result


def _integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS or abs(value := int(digits)) > MAX_INTEGER:
        raise PayloadError("an integer is too large")
    return value


def _number(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise PayloadError("a number is too large")
    return value


def _constant(name: str) -> NoReturn:
    raise PayloadError(f"{name} is not JSON")
