from __future__ import annotations

import itertools
import json
import secrets

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhooks.signature import sign, signed_by

BODY = '{"title": "Größe 🙂 ç"}'.encode()


def _secret() -> bytes:
    return secrets.token_hex(16).encode()


def test_a_body_signed_with_our_secret_verifies() -> None:
    secret = _secret()
    assert signed_by(BODY, sign(BODY, secret), [secret]) == 0


def test_the_published_example_of_the_tracker_verifies() -> None:
    header = b"sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert signed_by(b"Hello, World!", header, [b"It's a Secret to Everybody"]) == 0


def test_one_changed_byte_of_the_body_is_refused() -> None:
    secret = _secret()
    assert signed_by(BODY + b" ", sign(BODY, secret), [secret]) is None


def test_what_is_signed_are_the_bytes_and_no_other_spelling_of_the_same() -> None:  # gh-H-02
    document = {"comment": {"body": "/approve 🙂 ç"}, "action": "created"}
    spellings = [
        json.dumps(document).encode(),
        json.dumps(document, ensure_ascii=False).encode(),
        json.dumps(document, indent=3, sort_keys=True).encode() + b"\r\n",
    ]
    secret = _secret()
    for signed, body in itertools.product(spellings, spellings):
        assert signed_by(body, sign(signed, secret), [secret]) == (0 if body == signed else None)


def test_while_secrets_are_rotated_both_verify() -> None:
    old, new = _secret(), _secret()
    assert signed_by(BODY, sign(BODY, old), [new, old]) == 1
    assert signed_by(BODY, sign(BODY, new), [new, old]) == 0
    assert signed_by(BODY, sign(BODY, _secret()), [new, old]) is None


def test_without_a_secret_nothing_verifies() -> None:  # ag-B10
    assert signed_by(BODY, sign(BODY, b""), []) is None


def test_an_empty_secret_is_no_secret() -> None:
    assert signed_by(BODY, sign(BODY, b""), [b""]) is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda header: header.upper(),
        lambda header: header.replace(b"sha256=", b"sha1="),
        lambda header: header.removeprefix(b"sha256="),
        lambda header: header[:-1],
        lambda header: header + b"0",
        lambda header: header + b"\n",
        lambda header: b" " + header,
        lambda header: header + b"," + header,
    ],
)
def test_only_the_exact_shape_of_the_header_verifies(spoil: object) -> None:
    secret = _secret()
    assert callable(spoil)
    assert signed_by(BODY, spoil(sign(BODY, secret)), [secret]) is None


@given(st.binary() | st.binary(min_size=1).map(lambda tail: b"sha256=" + tail) | st.none())
def test_no_header_whatever_raises(header: bytes | None) -> None:  # gh-H-03
    assert signed_by(BODY, header, [b"made for this test"]) is None
