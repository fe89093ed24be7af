"""What people wrote above an issue, above the pull request that comes of it."""

from __future__ import annotations

import pytest

from bot.domain.work import Instructions
from projectors.neutralise import GAP
from projectors.pull_request import pull_request_title
from projectors.safe import Safe
from tests.factories import make_work


def title(text: str) -> str:
    work = make_work(instructions=Instructions(title=text, body="", author="dana", revision="1"))
    return pull_request_title(work, Safe())


def test_a_plain_title_is_kept() -> None:
    assert title("Fix `greet()` in *C#*, 100 % & more <b>") == "Fix `greet()` in *C#*, 100 % & more <b>"


@pytest.mark.parametrize(
    "text",
    ["closes #7", "Fixes: GH-7", "resolves acme/other#7", "fix https://github.com/acme/other/issues/7"],
)
def test_a_title_closes_nothing_when_it_becomes_a_commit(text: str) -> None:
    assert f"{GAP}7" in title(text)
    assert title(text).replace(GAP, "") == text


def test_a_title_calls_nobody() -> None:
    assert title("Ask @dana") == f"Ask @{GAP}dana"


def test_a_title_does_not_turn_its_letters_round() -> None:
    assert "\u202e" not in title("Open a\u202egnp.exe")


def test_a_title_has_one_line_that_the_tracker_takes() -> None:
    assert "\n" not in title("one\ntwo")
    assert len(title("@a " * 85)) <= 256


def test_there_is_a_title_when_nothing_of_it_can_be_seen() -> None:
    assert title("\u202e\u202c") == "Issue 1"
