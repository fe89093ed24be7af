from __future__ import annotations

import contextlib
import json
from urllib.parse import quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import PayloadError
from webhooks.envelope import Encoding
from webhooks.payload import MAX_DEPTH, MAX_INTEGER, json_bytes, parse_object

SCALARS = st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | st.floats(allow_nan=False) | st.text()
DOCUMENTS = st.dictionaries(
    st.text(max_size=20),
    st.recursive(
        SCALARS.filter(lambda value: value not in (float("inf"), float("-inf"))),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    ),
    max_size=4,
)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "not valid JSON"),
        (b"{", "not valid JSON"),
        (b'{"a": 1} x', "not valid JSON"),
        (b'{"a": "\n"}', "not valid JSON"),
        (b"\xef\xbb\xbf{}", "not valid JSON"),
        (b'{"a": "\xff"}', "UTF-8"),
        ('{"a": 1}'.encode("utf-16"), "UTF-8"),
        (b'{"a": NaN}', "NaN is not JSON"),
        (b'{"a": -Infinity}', "-Infinity is not JSON"),
        (b'{"a": 1e999}', "too large"),
        (b'{"a": 9223372036854775808}', "too large"),
        (b'{"a": ' + b"9" * 100_000 + b"}", "too large"),
        (b'{"a": 1, "b": 2, "a": 3}', "twice"),
        (b'{"x": [{"a": 1, "a": 1}]}', "twice"),
        (b"[]", "not an object"),
        (b"null", "not an object"),
        (b'"text"', "not an object"),
        (b"[" * 100_000, "levels deep"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "levels deep"),
    ],
)
def test_what_is_not_a_strict_json_object_is_refused_in_one_line(text: bytes, reason: str) -> None:
    with pytest.raises(PayloadError, match=reason) as caught:
        parse_object(text)
    assert "\n" not in str(caught.value)


def test_the_depth_allowed_is_allowed_and_one_more_is_not() -> None:
    def nested(levels: int) -> bytes:
        return b'{"a":' * (levels - 1) + b"{}" + b"}" * (levels - 1)

    assert parse_object(nested(MAX_DEPTH))
    with pytest.raises(PayloadError):
        parse_object(nested(MAX_DEPTH + 1))


def test_brackets_inside_of_strings_are_no_depth() -> None:
    text = json.dumps({'[{"' * 200: '\\"' + "[" * 500}).encode()
    assert parse_object(text) == json.loads(text)


def test_the_largest_integer_of_a_database_column_is_allowed() -> None:
    assert parse_object(b'{"a": 9223372036854775807, "b": -9223372036854775807}')["a"] == MAX_INTEGER


@given(DOCUMENTS)
def test_every_document_within_the_limits_is_read_as_it_was_written(document: dict[str, object]) -> None:
    assert parse_object(json.dumps(document).encode()) == document
    assert parse_object(json.dumps(document, ensure_ascii=False).encode("utf-8")) == document


@given(st.binary() | st.text(alphabet='{}[]":,\\0123456789eE.- tfn').map(str.encode))
def test_any_bytes_are_an_object_or_refused(text: bytes) -> None:
    with contextlib.suppress(PayloadError):
        assert isinstance(parse_object(text), dict)


@given(st.text())
def test_a_form_carries_the_json_in_its_field(value: str) -> None:
    text = json.dumps({"a": value}, ensure_ascii=False)
    assert json_bytes(b"payload=" + quote_plus(text).encode(), Encoding.FORM) == text.encode()


@pytest.mark.parametrize("body", [b"", b"other=1", b"payload", b"payload=%7B%7D&payload=%7B%7D", b"xpayload=1"])
def test_a_form_without_exactly_one_payload_is_refused(body: bytes) -> None:
    with pytest.raises(PayloadError, match="one field"):
        json_bytes(body, Encoding.FORM)
