from __future__ import annotations

import pytest

from projectors.inline import mention, name
from projectors.safe import Safe
from projectors.size import COMMENT_LIMIT, size
from tests.projectors.reader import code, ends_outside, live

SAFE = Safe()
FULL = "https://bot.example/work/wrk-1"


@pytest.mark.parametrize(
    ("unit", "length"),
    [
        *(("word ", length) for length in (65_535, 65_536, 65_537, 70_000)),
        *(
            (unit, 70_000)
            for unit in ("x", "🙂", "a line of text\n", "a\r\n", "`@a` and @b ", "a text\n```\n", "e\u0301")
        ),
    ],
)
def test_a_text_of_any_length_fits_a_comment(unit: str, length: int) -> None:  # ag-J01, gh-C-02
    text = (unit * length)[:length]
    shown = SAFE.block(text, limit=COMMENT_LIMIT, full=FULL)
    assert size(shown) <= COMMENT_LIMIT
    assert ends_outside(shown)
    assert len(shown) > COMMENT_LIMIT // 8


def test_a_cut_is_seen_and_leads_to_the_whole_text() -> None:
    shown = SAFE.block("word " * 20_000, limit=1_000, full=FULL)
    assert shown.endswith(f" of 100,000 characters are shown.* [Read all of it]({FULL}).")
    assert "Read all" not in SAFE.block("word " * 20_000, limit=1_000)
    assert "Cut here" not in SAFE.block("word " * 20, limit=1_000)


def test_a_cut_within_a_fence_closes_it_before_it_says_so() -> None:
    shown = SAFE.block("```\n" + "x = 1\n" * 1_000, limit=1_000)
    assert len(code(shown)) == 1
    assert "Cut here" not in code(shown)[0]


@pytest.mark.parametrize("text", ["```\nx", "~~~~\nx", "```py\nx\n", "<details>\n\nx", "<details>\n\n<details>\n\n```"])
def test_what_is_left_open_is_closed(text: str) -> None:
    assert ends_outside(SAFE.block(text, limit=500))
    assert not ends_outside(text)


def test_what_a_cut_opens_anew_is_inert() -> None:
    # The cut takes the closing backtick away, so that what stood in code stands in text.
    shown = SAFE.block("`" + "@alice " * 200 + "`", limit=700)
    assert live(shown) == []


def test_what_nobody_wrote_to_be_read_is_shown_as_code() -> None:
    # As Markdown, each of these takes seconds or minutes to take apart.
    for text in ("[" * 70_000, "@a" * 40_000, "<" * 70_000, "[^" * 30_000, "a\n" * 30_000):
        shown = SAFE.block(text, limit=COMMENT_LIMIT)
        assert shown.startswith("```")
        assert size(shown) <= COMMENT_LIMIT


def test_terminal_codes_and_halves_of_pairs_are_gone() -> None:
    assert SAFE.block("\x1b[1;31mred\x1b[0m \ud83d \x00\u202ex", limit=100) == "red \ufffd x"


def test_nothing_comes_of_nothing_or_of_no_room() -> None:
    assert SAFE.block("", limit=100) == ""
    assert SAFE.block("\n\n", limit=100) == ""
    assert SAFE.block("some text", limit=3) == ""


def test_a_line_is_short_and_plain() -> None:
    assert SAFE.line("a\n  b\t**c**") == r"a b \*\*c\*\*"
    assert SAFE.line("snake_case and _this_") == r"snake_case and \_this\_"
    assert len(SAFE.line("x" * 1_000)) == 300


@pytest.mark.parametrize("text", ["# a", "- a", "+ a", "1. a", "1) a", "> a", "=== a"])
def test_a_line_begins_no_block(text: str) -> None:
    assert SAFE.line(text) != text


@pytest.mark.parametrize("text", ["a`b", "`a`", "``", "plain", "@alice", "a\nb"])
def test_a_name_shown_as_code_is_all_code(text: str) -> None:
    assert code(SAFE.code(text)) == [text.replace("\n", " ")]


def test_only_a_mention_is_live_and_only_of_an_account() -> None:
    assert live(mention("alice"))
    assert live(name("alice")) == []
    assert live(mention("x, @bob #1")) == []
    assert live(name("x, @bob #1")) == []
