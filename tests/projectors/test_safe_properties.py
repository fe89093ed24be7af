"""What must hold for any text from outside."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from projectors.inline import escape
from projectors.neutralise import neutralise
from projectors.safe import Safe
from projectors.size import size
from projectors.tidy import one_line, tidy
from tests.projectors.reader import code, ends_outside, hidden, live

SAFE = Safe()
BITS = st.sampled_from(
    [
        *("@alice", "@", "@org/team", "#12", "#", "o/r#3", "GH-4", "gh-", "fixes #1", "12", "word", "a/", "x.y"),
        *("`", "``", "```", "~~~", "````", "```py", "\n", "\n\n", "    ", "\t", " ", "> ", "- ", "1. ", "# ", "\\"),
        *("<!--", "-->", "<b>", "</b>", "<pre>", "</pre>", "<div>", "<?", "<!", "<a href='", "'>", "<", ">", "<br>"),
        *("<details>", "</details>", "<summary>", "</summary>", "<https://x.y/@alice>", "&#64;", "&commat;", "&#35;"),
        *("&#49;", "&amp;", "&#x2d;", "https://github.com/o/r/issues/1", "https://x.y/", "www.", "http://", "/", "."),
        *("[", "]", "](", ")", "![", "[^1]:", "[^1]", "[a]: ", "|", "|-|-|", "===", "---", "*", "**", "_", "~~", "$"),
        *("\r", "\r\n", "\u2028", "\x1b[31m", "🙂", "👩\u200d🚀", "e\u0301", "\u200b", "\ufdd0", "1", "\ufdd1"),
    ]
)
TEXTS = st.lists(BITS, max_size=30).map("".join) | st.text(max_size=80)


@settings(deadline=None, max_examples=150)
@given(TEXTS, st.integers(0, 400))
@example("`a\n<div>\nb`", 400)
@example("https://x.y/` @alice `", 400)
@example("[^1]: x\n\n    @alice", 400)
@example("[a]: https://x.y/`\n`@alice`", 400)
@example("<!--\n```\n-->\n```\n@alice\n```\n", 400)
def test_no_text_is_longer_than_its_limit_or_names_or_hides_or_swallows_anything(text: str, limit: int) -> None:
    shown = SAFE.block(text, limit=limit)
    assert size(shown) <= limit
    assert live(shown) == []
    assert hidden(shown) == []
    assert ends_outside(shown)


@settings(deadline=None, max_examples=150)
@given(TEXTS)
def test_code_stays_as_it_is_to_the_byte(text: str) -> None:  # ag-J08
    # Raw HTML, footnotes, and an address that runs into a backtick change what is code at all.
    text = tidy(text).replace("<", "").replace("[^", "").replace("http", "").replace("www.", "").replace("ftp", "")
    assert code(neutralise(text)) == code(text)


@settings(deadline=None, max_examples=150)
@given(TEXTS)
def test_safe_text_passes_again_unchanged(text: str) -> None:
    once = SAFE.block(text, limit=10_000)
    assert SAFE.block(once, limit=10_000) == once


@settings(deadline=None, max_examples=150)
@given(TEXTS)
def test_a_line_shows_every_character_and_nothing_else(text: str) -> None:
    line = escape(one_line(text))
    assert "\n" not in line
    assert live(line) == []
    assert hidden(line) == []
    assert code(line) == []
    assert ends_outside(line)
