"""Text from outside names nobody and refers to nothing (ag-C03, ag-J08, ag-J10)."""

from __future__ import annotations

import pytest

from projectors.neutralise import GAP, neutralise
from tests.projectors.reader import hidden, live

LIVE = [
    "@alice",
    "ask @org/team",
    "(@alice)",
    "_@alice_",
    "\\@alice",
    "&#64;alice",
    "&commat;alice",
    "&#x40;alice",
    "@&#97;lice",
    "@<x></x>alice",
    "#12",
    "fixes #12",
    "Closes: o/r#12",
    "&#35;12",
    "#&#49;2",
    "\\#12",
    "GH-12",
    "gh\\-12",
    "GH&#45;12",
    "https://github.com/o/r/issues/12",
    "resolves https://github.com/o/r/pull/12",
    "[here](https://github.com/o/r/issues/12)",
    "[here](https://github\\.com/o/r/issues/12)",
    "<https://www.github.com/o/r/discussions/12>",
    "> @alice",
    "- @alice",
    "| a |\n|---|\n| @alice |",
    "# @alice",
    "<details>\n@alice\n</details>",
    "<pre>\n@alice\n</pre>",
    "`a` @alice `b`",
]


@pytest.mark.parametrize("text", LIVE)
def test_what_would_be_live_is_inert(text: str) -> None:
    shown = neutralise(text)
    assert live(shown) == []
    assert shown != text


@pytest.mark.parametrize("text", [text for text in LIVE if "<" not in text])
def test_the_reader_of_these_tests_sees_what_is_live(text: str) -> None:
    assert live(text)


@pytest.mark.parametrize(
    "text",
    [
        "user@example.com",
        "a/@b",
        "node_modules/@scope/pkg",
        "`@scope/pkg` and `#12`",
        "``a ` @alice``",
        "```\n@alice\nfixes #1\n<!-- x -->\n```",
        "~~~py\n@decorator\n~~~",
        "text\n\n    @alice #12\n",
        "```@alice\nx\n```",
        "> ```\n> @alice\n> ```",
        "https://medium.com/@alice/post#12",
        "<https://x.y/@alice>",
        "[docs](https://x.y/a#12)",
        "colour #fff, C#, issue # 12",
        "high-12",
        "https://github.com/o/r/blob/main/a.py#L12",
        "a &lt; b &amp;&nbsp;c",
        "see [this][1]\n\n[1]: https://x.y",
        "<details>\n<summary>more</summary>\n\ntext\n\n</details>",
        "a<br>b",
    ],
)
def test_what_is_harmless_or_code_stays_as_it_is(text: str) -> None:
    assert neutralise(text) == text


def test_a_reference_gets_a_gap_that_is_not_seen() -> None:
    assert neutralise("@alice fixes o/r#12, GH-3") == f"@{GAP}alice fixes o/r#{GAP}12, GH-{GAP}3"


def test_an_address_of_an_item_leads_there_without_referring() -> None:
    shown = neutralise("[it](https://www.github.com/o/r/issues/1) HTTPS://GitHub.com/o/r/pull/2#issuecomment-3")
    assert (
        shown == "[it](https://redirect.github.com/o/r/issues/1) HTTPS://redirect.GitHub.com/o/r/pull/2#issuecomment-3"
    )


@pytest.mark.parametrize(
    "text",
    ["<!-- x -->", "a <!-- x --> b", "<!-- trackside:sticky:item:1/42 -->", "<!--", "- a\n  <!-- x -->", "<!-->x-->"],
)
def test_a_comment_in_the_html_becomes_text(text: str) -> None:
    assert hidden(neutralise(text)) == []
    assert "&lt;!--" in neutralise(text)


def test_html_is_shown_as_it_was_written() -> None:
    assert neutralise("a List<String> <img src=x> <picture>") == "a List&lt;String> &lt;img src=x> &lt;picture>"


@pytest.mark.parametrize(
    "text", ["</details>\n\nx", "> <details>\n> x", "- <details>", "<details>\n<summary>x", "<summary>x</summary>"]
)
def test_a_fold_that_would_take_others_with_it_is_shown_as_text(text: str) -> None:
    assert "<details>" not in neutralise(text)
    assert "</details>" not in neutralise(text)


def test_code_that_a_comment_seemed_to_hold_is_looked_at_again() -> None:
    # Without its comment, the first fence opens and the second one closes: the name stands outside.
    assert live(neutralise("<!--\n```\n-->\n```\n@alice\n```\n")) == []


def test_an_address_cannot_swallow_the_start_of_code() -> None:
    # The tracker's address goes on up to a space and takes the backtick along; this parser's does not.
    assert neutralise("https://x.y/` @alice `") == "https://x.y/ ` @alice `"
    assert neutralise("`https://x.y` and `@alice`") == "`https://x.y` and `@alice`"


def test_a_footnote_cannot_turn_indented_code_into_text() -> None:
    assert neutralise("[^1]: x\n\n    @alice") == f"[{GAP}^1]: x\n\n    @alice"
