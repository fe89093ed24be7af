"""What stands above the changes of a Work: the host alone says what they close."""

from __future__ import annotations

import secrets
from itertools import product
from typing import Any

import pytest

from bot.domain.work import Starter
from projectors.inline import escape
from projectors.pull_request import pull_request_body
from projectors.redact import MARK, Redactor
from projectors.safe import Safe
from projectors.size import COMMENT_LIMIT, size
from tests.factories import make_work
from tests.projectors.reader import live

KEYWORDS = ("close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved")
SPELLINGS = ("{} {}", "{}: {}", "{}:{}", "**{}** {}", "{}\n{}", "({} {})", "{} [it]({})", "{} <b>{}</b>")
REFERENCES = (
    *("#7", "acme/other#7", "GH-7", "gh-7", "&#35;7", "#&#55;"),
    *("https://github.com/acme/other/issues/7", "https://www.github.com/acme/other/pull/7"),
)


def body(comment: str, safe: Safe | None = None, **changes: Any) -> str:
    work = make_work(number=4, **changes)
    return pull_request_body(work, comment, safe or Safe())


@pytest.mark.parametrize("keyword", [*KEYWORDS, "Closes", "FIXES"])
def test_only_the_host_says_which_issue_is_closed(keyword: str) -> None:
    # ag-J10
    for spelling, reference in product(SPELLINGS, REFERENCES):
        said = body(spelling.format(keyword, reference))
        assert set(live(said)) == {"#4"}, (spelling, reference)
        assert "\n\nCloses #4\n\n" in said


def test_the_footer_tells_the_run_and_what_was_used() -> None:
    used = {"usd": 1.87, "minutes": 13.2}
    said = body("Done.", run=2, attempts=2, usage=used, starter=Starter(id=1, login="dana"))
    assert "run 2 for #4" in said
    assert said.endswith("started by dana · 2 attempts · 14 min · 1.87 USD</sub>")


@pytest.mark.parametrize("length", [65_535, 65_536, 65_537, 200_000])
@pytest.mark.parametrize("letter", ["a", "\U0001f642", "\r\n", "`"])
def test_a_long_text_leaves_room_for_the_closing_line(length: int, letter: str) -> None:
    # gh-C-02, ag-J01
    said = body(letter * (length // size(letter)) + "b" * (length % size(letter)))
    assert size(said) <= COMMENT_LIMIT
    assert "\n\nCloses #4\n\n" in said


def test_no_secret_stands_in_a_name_or_text() -> None:
    # ag-J12, gh-S-01
    secret = secrets.token_hex(16)
    safe = Safe(redactor=Redactor([secret]))
    said = body(f"It said {secret}.", safe, playbook=f"play-{secret}", starter=Starter(id=1, login=f"l-{secret}"))
    assert secret not in said
    assert said.count(MARK) == 2
    assert said.count(escape(MARK)) == 1
