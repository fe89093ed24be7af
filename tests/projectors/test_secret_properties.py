"""No token gets out, whatever stands around it and however it is written (ag-J12, gh-S-03)."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable, Mapping
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projectors.redact import MARK, Redactor
from projectors.tidy import tidy
from tests.projectors.test_safe_properties import TEXTS

ALNUM = string.ascii_letters + string.digits


Make = Callable[[random.Random], str]
"""Makes a token, as random as a real one."""


def body(chance: random.Random, alphabet: str, length: int) -> str:
    """Return the body of a token, which has a digit, as every real one has."""
    return f"7{''.join(chance.choices(alphabet, k=length - 1))}"


def prefixed(prefix: str, length: int, alphabet: str = ALNUM) -> Make:
    return lambda chance: prefix + body(chance, alphabet, length)


def jwt(chance: random.Random) -> str:
    return ".".join(f"eyJ{body(chance, ALNUM + '_-', length)}" for length in (30, 60, 43))


def pem(kind: str) -> Make:
    def make(chance: random.Random) -> str:
        lines = [body(chance, ALNUM + "+/", 64) for _ in range(chance.randint(3, 6))]
        return "\n".join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----"])

    return make


TOKENS: Mapping[str, Make] = {
    "ghp": prefixed("ghp_", 36),
    "gho": prefixed("gho_", 36),
    "ghu": prefixed("ghu_", 36),
    "ghs": prefixed("ghs_", 36),
    "ghr": prefixed("ghr_", 76),
    "github_pat": prefixed("github_pat_", 82, ALNUM + "_"),
    "sk-ant": prefixed("sk-ant-api03-", 95, ALNUM + "_-"),
    "sk": prefixed("sk-", 48),
    "sk-proj": prefixed("sk-proj-", 100, ALNUM + "_-"),
    "AKIA": prefixed("AKIA", 16, string.ascii_uppercase + string.digits),
    "ASIA": prefixed("ASIA", 16, string.ascii_uppercase + string.digits),
    "xoxb": prefixed("xoxb-", 50, ALNUM + "-"),
    "xoxp": prefixed("xoxp-", 70, ALNUM + "-"),
    "xapp": prefixed("xapp-1-", 60, ALNUM + "-"),
    "glpat": prefixed("glpat-", 20, ALNUM + "_-"),
    "npm": prefixed("npm_", 36),
    "AIza": prefixed("AIza", 35, ALNUM + "_-"),
    "JWT": jwt,
    "RSA key": pem("RSA PRIVATE KEY"),
    "key": pem("PRIVATE KEY"),
    "OPENSSH key": pem("OPENSSH PRIVATE KEY"),
}
WITH_A_BEGINNING = ("ghp", "gho", "ghu", "ghs", "ghr", "github_pat", "sk-ant", "glpat", "xoxb", "xoxp", "key")
"""Those that are known in base64 too."""
AROUND = (
    "{}",
    "token={}&x=1",
    '"{}"',
    "({})",
    "<{}>",
    "Bearer {}",
    "https://x:{}@example.com/o/r.git",
    "- {}\r\n",
    "| {} |",
)
"""What stands directly around a token."""
SPELLINGS: Mapping[str, Callable[[str], str]] = {
    "as it is": str,
    "in JSON": lambda token: json.dumps({"log": f"line\n{token}\n"}),
    "in JSON in JSON": lambda token: json.dumps(json.dumps(f"\x1b[31m{token}\x1b[0m")),
    "in an address": lambda token: f"https://example.com/?token%3D{quote(token, safe='')}&a=b",
    "in colour": lambda token: f"\x1b[1;31m{token}\x1b[0m",
    "in a quote": lambda token: "\n".join(f"> {line}" for line in token.splitlines()),
    "with CRLF": lambda token: token.replace("\n", "\r\n"),
}
SEEDS = st.integers(0, 2**32).map(random.Random)


def pieces(token: str) -> list[str]:
    """Return what nobody may read of a token: stretches of it, from behind its beginning."""
    lines = [line for line in token.splitlines() if not line.startswith("-----")]
    return [line[start : start + 12] for line in lines for start in range(14, len(line) - 12, 6)] or [lines[0][-12:]]


@settings(deadline=None, max_examples=300)
@given(
    SEEDS, st.sampled_from(sorted(TOKENS)), st.sampled_from(sorted(SPELLINGS)), st.sampled_from(AROUND), TEXTS, TEXTS
)
def test_a_token_of_a_known_shape_is_taken_out_of_any_text(
    chance: random.Random, name: str, spelling: str, around: str, before: str, after: str
) -> None:
    # ag-J12, gh-S-03
    token = TOKENS[name](chance)
    text = f"{before}\n{around.format(SPELLINGS[spelling](token))}\n{after}"
    shown = Redactor().redact(tidy(text))
    assert [piece for piece in pieces(token) if piece in shown] == []
    assert MARK in shown


@pytest.mark.parametrize("name", TOKENS)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_each_shape_is_known_in_each_spelling(name: str, spelling: str) -> None:
    # ag-J12, gh-S-03
    token = TOKENS[name](random.Random(f"{name}/{spelling}"))  # noqa: S311 - no secret
    for around in AROUND:
        shown = Redactor().redact(tidy(around.format(SPELLINGS[spelling](token))))
        assert [piece for piece in pieces(token) if piece in shown] == [], around
        assert MARK in shown


@settings(deadline=None, max_examples=150)
@given(
    SEEDS,
    st.sampled_from(WITH_A_BEGINNING),
    st.integers(0, 2),
    st.sampled_from([base64.b64encode, base64.urlsafe_b64encode]),
)
def test_a_token_with_a_beginning_of_its_own_is_found_in_base64_at_any_offset(
    chance: random.Random, name: str, offset: int, encode: Callable[[bytes], bytes]
) -> None:
    # ag-J12
    token = TOKENS[name](chance)
    encoded = encode(b"x" * offset + token.encode()).decode()
    shown = Redactor().redact(f"config: {encoded}")
    assert encoded[len(encoded) // 3 : -4] not in shown
    assert encoded[-16:-4] not in shown


@settings(deadline=None, max_examples=200)
@given(
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp", "Cf"]), min_size=8, max_size=60),
    TEXTS,
    TEXTS,
)
def test_a_value_that_was_set_is_taken_out_as_it_is_and_encoded(value: str, before: str, after: str) -> None:
    # ag-J12, gh-S-03
    redactor = Redactor([value])
    for spelled in (
        value,
        quote(value, safe=""),
        json.dumps(value)[1:-1],
        base64.b64encode(value.encode()).decode(),
        base64.b64encode(f"user:{value}".encode()).decode(),
        quote(base64.b64encode(value.encode()).decode(), safe=""),
    ):
        shown = redactor.redact(f"{before}\n{spelled}\n{after}")
        kept = spelled.rstrip("=").removesuffix("%3D").removesuffix("%3D")[2:-3]
        assert kept in MARK or kept in f"{before}{after}" or kept not in shown


@pytest.mark.parametrize(
    "text",
    [
        "task-sk-learn is not a key",
        "see mask-2024-01-02-and-more-words-here",
        "The eyJ prefix, AKIA and ghp_ are beginnings only",
        "npm_config_registry=https://example.com",
        "disk-usage-1234567890-report",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    ],
)
def test_words_that_only_look_like_tokens_stay(text: str) -> None:
    assert Redactor().redact(text) == text
