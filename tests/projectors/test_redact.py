"""No secret reaches a thread: neither one that is known nor one that has the shape of one (ag-J12, gh-S-03)."""

from __future__ import annotations

import base64
import json
import re
import secrets
import textwrap
from collections.abc import Callable
from urllib.parse import quote

import pytest

from projectors.redact import MARK, Redactor
from projectors.safe import Safe

HEX = secrets.token_hex(32)
SECRET = f'p4ss+/{secrets.token_hex(8)}"é'


def _key() -> str:
    body = "\n".join(base64.b64encode(secrets.token_bytes(48)).decode() for _ in range(4))
    return f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"


SHAPES = {
    "personal": f"ghp_{HEX}",
    "fine-grained": f"github_pat_{HEX}",
    "oauth": f"gho_{HEX}",
    "installation": f"ghs_{HEX}",
    "provider": f"sk-ant-{HEX}",
    "other provider": f"sk-{HEX}",
    "project of a provider": f"sk-proj-{HEX}",
    "cloud": f"AKIA{HEX[:16].upper()}",
    "chat": f"xoxb-{HEX}",
    "signed": f"eyJ{HEX}.{HEX}.{HEX}",
    "key": _key(),
}


@pytest.mark.parametrize("token", SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize("around", ["{}", '{{"token":"{}"}}', "url={}&x=1", "`{}`", "a\n{}\nb", "\x1b[31m{}\x1b[0m"])
def test_what_has_the_shape_of_a_token_is_taken_out(token: str, around: str) -> None:
    shown = Safe().block(around.format(token), limit=5_000)
    assert MARK in shown
    assert HEX[:16].casefold() not in shown.casefold()
    assert token.splitlines()[-1] not in shown


def test_a_header_and_an_address_lose_what_they_carry() -> None:
    shown = Redactor().redact(f"Authorization: Bearer {HEX}\nhttps://x-access-token:{HEX}@github.com/o/r.git")
    assert shown == f"Authorization: Bearer {MARK}\nhttps://{MARK}@github.com/o/r.git"


def test_a_key_without_end_takes_what_follows_with_it() -> None:
    cut = _key()[:150]
    assert cut.splitlines()[1] not in Redactor().redact(f"here:\n{cut}")


@pytest.mark.parametrize(
    "spell",
    [
        str,
        lambda value: quote(value, safe=""),
        lambda value: json.dumps(value)[1:-1],
        lambda value: base64.b64encode(value.encode()).decode(),
        lambda value: base64.b64encode(b"x" + value.encode() + b"y").decode(),
        lambda value: base64.b64encode(b"xy" + value.encode() + b"yz").decode(),
        lambda value: base64.urlsafe_b64encode(b"user:" + value.encode()).decode(),
        lambda value: "\n".join(textwrap.wrap(base64.b64encode(value.encode()).decode(), 8)),
        lambda value: "%0A".join(textwrap.wrap(base64.b64encode(value.encode()).decode(), 5)),
        lambda value: "\\n".join(textwrap.wrap(base64.b64encode(b"x" + value.encode()).decode(), 7)),
        lambda value: quote(base64.b64encode(value.encode()).decode(), safe=""),
        lambda value: re.sub("%..", lambda found: found[0].lower(), quote(value, safe="")),
    ],
)
def test_a_known_value_is_taken_out_however_it_is_spelled(spell: Callable[[str], str]) -> None:
    shown = Redactor([SECRET]).redact(f"before {spell(SECRET)} after")
    assert MARK in shown
    assert spell(SECRET)[4:-4] not in shown
    assert spell(SECRET) in Redactor().redact(f"before {spell(SECRET)} after")


def test_each_line_of_a_known_key_is_taken_out() -> None:
    lines = [secrets.token_hex(16) for _ in range(3)]
    shown = Redactor(["\n".join(lines)]).redact(f"> {lines[1]}")
    assert shown == f"> {MARK}"


def test_a_secret_at_the_cut_is_not_cut_in_half() -> None:
    token = secrets.token_hex(20)
    text = "a" * 480 + token + "b" * 200
    shown = Safe(redactor=Redactor([token])).block(text, limit=600)
    assert token[:8] not in shown


@pytest.mark.parametrize(
    "text",
    [
        "task-oriented, a risk-adjusted-and-very-long-name",
        "sk-learn-and-other-long-words",
        "the authorization: see below",
        "ghp_short",
        "https://example.com:8080/a@b",
        "git@github.com:o/r.git",
        "AKIA is a prefix",
    ],
)
def test_ordinary_words_stay(text: str) -> None:
    assert Redactor(["", "abc"]).redact(text) == text


def test_the_token_of_a_run_is_redacted_where_an_agent_prints_its_environment() -> None:
    token = secrets.token_urlsafe(32)
    assert Redactor().redact(f"TRACKSIDE_RUN_TOKEN={token}\nHOME=/root") == "TRACKSIDE_RUN_TOKEN=[redacted]\nHOME=/root"


# gh-S-03
def test_a_token_that_was_minted_later_is_cut_out_too() -> None:
    minted: set[str] = set()
    redactor = Redactor([SECRET], lambda: frozenset(minted))
    token = secrets.token_hex(20)
    assert token in redactor.redact(f"{token} {SECRET}")
    minted.add(token)
    assert redactor.redact(f"{token} {SECRET}") == "[redacted] [redacted]"
    assert redactor.redact(base64.b64encode(f"x-access-token:{token}".encode()).decode()).count("[redacted]") == 1
