"""Property tests of the grammar: what a reader would not take for the writer's own order is none."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhooks.commands import Command, parse
from webhooks.verbs import Verb

_WORDS = st.text(alphabet="abc xyz,.!é", max_size=20).map(str.strip)
_ORDERS = st.builds(
    lambda verb, rest: f"/{verb.value} {rest}".rstrip(),
    st.sampled_from(Verb),
    _WORDS,
)
_LINES = st.lists(st.one_of(_ORDERS, _WORDS), min_size=1, max_size=6).map(lambda lines: [*lines, "/approve"])

_INSIDE: dict[str, Callable[[list[str]], str]] = {
    "quote": lambda lines: "\n".join(f"> {line}" for line in lines),
    "nested quote": lambda lines: "\n".join(f"> > {line}" for line in lines),
    "fence of backticks": lambda lines: "\n".join(["```", *lines, "```"]),
    "fence of tildes": lambda lines: "\n".join(["~~~ text", *lines, "~~~"]),
    "fence that is never closed": lambda lines: "\n".join(["```", *lines]),
    "indented code": lambda lines: "\n".join(f"    {line}" for line in lines),
    "bulleted list": lambda lines: "\n".join(f"- {line}" for line in lines),
    "numbered list": lambda lines: "\n".join(f"1. {line}" for line in lines),
    "comment": lambda lines: "\n".join(["<!--", *lines, "-->"]),
    "comment that is never closed": lambda lines: "\n".join(["<!--", *lines]),
    "element": lambda lines: "\n".join(["<div>", *lines, "</div>"]),
    "details": lambda lines: "\n".join(["<details><summary>more</summary>", "", *lines, "", "</details>"]),
    "details that are never closed": lambda lines: "\n".join(["<details>", "", *lines]),
    "links": lambda lines: "\n".join(f"[{line}](https://example.org/)" for line in lines),
    "code spans": lambda lines: "\n".join(f"`{line}`" for line in lines),
    "signature of a mail": lambda lines: "\n".join(["thanks", "", "-- ", *lines]),
    "answered mail": lambda lines: "\n".join(["thanks", "", "On Monday, Ann wrote:", *(f"> {line}" for line in lines)]),
    "below an answered mail": lambda lines: "\n".join(["thanks", "", "On Monday, Ann wrote:", "> x", "", *lines]),
}
_CLOSED = [
    "quote",
    "nested quote",
    "fence of backticks",
    "fence of tildes",
    "comment",
    "element",
    "details",
    "links",
    "code spans",
]


# ag-E01, gh-P-01
@pytest.mark.parametrize("place", _INSIDE)
@given(lines=_LINES)
def test_an_order_inside_of_something_is_no_command(place: str, lines: list[str]) -> None:
    """Quotes, code, lists, HTML, links and the trailers of mails hold words of others, or about commands."""
    assert parse(_INSIDE[place](lines)) == ()


# ag-E01
@pytest.mark.parametrize("place", _CLOSED)
@given(lines=_LINES)
def test_an_order_below_it_is_one(place: str, lines: list[str]) -> None:
    """What precedes an order, and has ended, takes nothing from it."""
    assert parse(f"{_INSIDE[place](lines)}\n\n/approve") == (Command(verb=Verb.APPROVE),)


# gh-P-10
@given(before=st.text(alphabet="abc xyz,.!é", min_size=1, max_size=20).filter(lambda text: text.strip() != ""))
def test_an_order_behind_other_words_is_no_command(before: str) -> None:
    """A line that speaks of a command does not give it."""
    assert parse(f"{before.strip()} /release") == ()
