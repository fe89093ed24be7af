"""ag-K02: an agent is shown what a reader of the page sees."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.playbook.visible import one_line, visible

EVIL = "EVIL"


@pytest.mark.parametrize(
    "text",
    [
        "a <!-- EVIL --> b",
        "a <!--\n\nEVIL\n\n--> b",
        "a <!-- EVIL",
        "a <!EVIL> b",
        "a <? EVIL ?> b",
        "a <![CDATA[ > EVIL ]]> b",
        "a <div hidden>EVIL</div> b",
        "a <DIV HIDDEN>EVIL</DIV> b",
        "a <div hidden='until-found'>EVIL</div> b",
        "a <div/hidden>EVIL</div> b",
        'a <span style="color: red; display : none">EVIL</span> b',
        "a <span style=display:none>EVIL</span> b",
        'a <span style="display&#58;none">EVIL</span> b',
        'a <span style="display:/* x */none">EVIL</span> b',
        'a <span style="visibility: hidden">EVIL</span> b',
        'a <span style="opacity: 0">EVIL</span> b',
        'a <span style="font-size:0px">EVIL</span> b',
        "a <div hidden><div>x</div>EVIL</div> b",
        "a <div hidden><b>x</div>EVIL",
        "a <span hidden><div></span>EVIL</div></span> b",
        "a <div hidden>\n\n```\n</div>\n```\n\nEVIL",
        "a <input type=hidden value=EVIL> b",
        "a <script>EVIL</script><style>EVIL</style><template>EVIL</template> b",
        "a <picture><source media=x srcset=EVIL>EVIL<img src=x></picture> b",
        'a <b title="EVIL">c</b> b',
        "a <b title='>' EVIL>c</b> b",
        'a <img src="https://x/y.png" alt="EVIL"> b',
        "a <b x=EVIL/> b",
        'a <a href="javascript: EVIL">c</a> b',
        "<div\nEVIL\n\n> b",
        "a\n\n<div>\n<b;x EVIL>",
        '<div EVIL "x> b',
        "> <div EVIL",
        "a ![EVIL](https://x) b",
        "a ![x [EVIL] y](https://x) b",
        "a ![x <b>EVIL</b>](https://x) b",
        "a ![x \\] EVIL](https://x) b",
        'a [c](https://x "EVIL") b',
        "a [c](https://x 'EVIL') b",
        "a [c](<https://x> (EVIL)) b",
        "a\n\n[//]: # (EVIL)\nb",
        'a\n\n[x]: https://x "EVIL\nEVIL"\nb',
        "a\n\n[x]:\n  https://x\n  'EVIL'\nb",
        "a\n\n[EVIL]: #\nb",
        "> a\n>\n> [//]: # (EVIL)\n> b",
        "```py EVIL\ncode\n```",
        "``` py EVIL\ncode\n```",
        "<div>\n```\n<!-- EVIL -->\n```\n</div>",
        "<pre>\n\n```\n<!-- EVIL -->\n```\n</pre>",
        "<!--\n```\nEVIL\n```\n-->",
        "```\nnever closed <!-- EVIL -->",
        "- a\n  ```\n  b\n\n<!-- EVIL -->",
        "> ```\n> b\n\n<!-- EVIL -->",
        "``` not ` a fence\n<!-- EVIL -->\n```",
        "".join(chr(0xE0000 + ord(letter)) for letter in EVIL),
    ],
)
def test_what_a_page_does_not_show_is_taken_out(text: str) -> None:
    shown = visible(text)
    assert EVIL not in shown
    assert all(ord(character) < 0xE0000 for character in shown)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Plain text.\n\nAnother paragraph, with *emphasis* and `code`.",
        "a < b and c > d, i<n; x>y, 1 <2, <- ->",
        "```html\n<div hidden>shown</div> <!-- shown -->\n```\nafter",
        "~~~\n<b title='shown'>\n~~~",
        "````\n```\n<!-- shown -->\n````",
        "a\n<details><summary>more</summary>\n\n```\n<!-- shown -->\n```\n\n</details>",
        "[bug]: crash on start, see below",
        "[^1]: a footnote",
        "- [ ] a task\n- [x] another",
        "[a link](https://x.example/y?z=1#f)",
        '<a href="https://x.example">a link</a>',
        "<b>bold</b><br>",
        "Größe, 日本語, العربية, emoji ❤️ 🎉",
        "tab\tand newline\n",
        '{{ braces }} $(command) `; "quotes"',
    ],
)
def test_what_a_page_shows_stays(text: str) -> None:
    assert visible(text) == text


def test_what_stands_around_hidden_text_stays() -> None:
    assert visible("a <!-- x -->b<span hidden>y<p>z</span>c <b title='t'>d</b>") == "a bc <b>d</b>"


def test_characters_without_a_shape_are_taken_out() -> None:
    hidden = "\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2066\u2069\u2060\ufeff\u00ad\u061c\u180e\u3164\x00\x1b\x7f"
    assert visible(f"a{hidden}b") == "ab"
    assert one_line(f"a{hidden}b") == "ab"


def test_line_ends_become_one_kind() -> None:
    assert visible("a\r\nb\rc\u2028d") == "a\nb\nc\nd"


def test_one_line_is_one_line() -> None:
    assert one_line("  a\n\n b\t c\u2029d ") == "a b c d"


@given(st.text(max_size=200) | st.text(alphabet="<>!-/=\"'`~ab \n[]():#&?\u200b", max_size=80))
def test_of_any_text_only_characters_with_a_shape_are_left(text: str) -> None:
    assert not {"\u200b", "\u202e", "\x00", "\r"} & set(visible(text))


@given(st.text(alphabet="<>!/=\"'ab \n[]()#&?", max_size=60))
def test_nothing_within_a_comment_is_left_whatever_stands_before_it(before: str) -> None:
    assert EVIL not in visible(f"{before}\n\n<!-- EVIL -->")


@given(st.text(alphabet="abc .,;:1\n", max_size=200))
def test_plain_words_stay_as_they_are(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    "piece",
    [
        "<a ",
        '<a "',
        '<a ""',
        "<a '",
        "<",
        "<!--",
        "</a",
        "```\n",
        "`" * 3,
        "[a]: b (\n",
        "![",
        '](x "',
        "i<n; ",
        "<a\n\n",
        "<div\n",
    ],
)
def test_hostile_text_is_read_in_reasonable_time(piece: str) -> None:
    for tail in ("", ">", "\"'>"):
        before = time.process_time()
        visible(piece * (64_000 // len(piece)) + tail)
        assert time.process_time() - before < 5
