from __future__ import annotations

import pytest

from projectors.size import boundary, longest, size
from projectors.truncate import shorten, truncate

FAMILY = "👨\u200d👩\u200d👧"


@pytest.mark.parametrize(
    ("text", "units"),
    [("abc", 3), ("é", 1), ("日", 1), ("🙂", 2), ("a\nb", 4), ("a\r\nb", 4), ("a\rb", 4), (FAMILY, 8)],
)
def test_a_text_is_as_long_as_the_strictest_tracker_counts(text: str, units: int) -> None:
    assert size(text) == units
    assert size(text) >= len(text)
    assert size(text) * 4 >= len(text.encode())


def test_as_much_as_fits_is_kept() -> None:  # gh-C-02
    assert [longest("🙂" * 10, limit) for limit in (0, 1, 2, 19, 20, 99)] == [0, 0, 1, 9, 10, 10]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a", "e\u0301"),
        ("a", FAMILY),
        ("a", "👍🏽"),
        ("🇩🇪", "🇫🇷"),
        ("a", "\r\n"),
        ("a", "\\`"),
        ("a\\\\", "\\`"),
        ("a", "&amp;"),
        ("a", "&#64;"),
        ("a", "❤\ufe0f"),
    ],
)
def test_nothing_that_belongs_together_is_split(before: str, after: str) -> None:  # ag-J01, ag-J08
    whole = before + after
    for at in range(len(before) + 1, len(whole)):
        assert boundary(whole, at) == len(before)
    assert boundary(whole, len(whole)) == len(whole)


def test_a_cluster_without_end_is_cut_all_the_same() -> None:
    assert 0 < boundary("e" + "\u0301" * 1000, 500) <= 500


def test_a_cut_goes_between_paragraphs_then_lines_then_words() -> None:
    assert truncate("a" * 95 + "\n\n" + "b c\nd", 102) == "a" * 95
    assert truncate("a" * 95 + "\n" + "b c d e", 101) == "a" * 95
    assert truncate("a" * 95 + " " + "b" * 20, 100) == "a" * 95
    assert truncate("a" * 200, 100) == "a" * 100


def test_what_fits_is_not_touched() -> None:
    assert truncate("a b ", 4) == "a b "


def test_a_line_shows_its_cut() -> None:
    assert shorten("abcdef", 6) == "abcdef"
    assert shorten("abcdefg", 6) == "abcde…"
