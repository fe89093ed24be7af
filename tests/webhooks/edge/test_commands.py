from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.trackers.contract import Permission
from webhooks.commands import MAX_COMMANDS, MAX_TEXT, Command, Unknown, parse
from webhooks.verbs import VERBS, Verb

APPROVE = Command(verb=Verb.APPROVE)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("/approve", (APPROVE,)),
        ("/approve\n", (APPROVE,)),
        ("/approve  \t ", (APPROVE,)),
        ("/approve hld-1", (Command(verb=Verb.APPROVE, argument="hld-1"),)),
        ("/approve\thld-1  ", (Command(verb=Verb.APPROVE, argument="hld-1"),)),
        ("/Approve", (APPROVE,)),
        ("/APPROVE hld-A", (Command(verb=Verb.APPROVE, argument="hld-A"),)),
        ("/refuse", (Command(verb=Verb.REFUSE),)),
        ("/refuse it *breaks* `x`", (Command(verb=Verb.REFUSE, argument="it *breaks* `x`"),)),
        ("/refuse see <b>this</b>", (Command(verb=Verb.REFUSE, argument="see <b>this</b>"),)),
        ("/cancel", (Command(verb=Verb.CANCEL),)),
        ("/status", (Command(verb=Verb.STATUS),)),
        ("/help", (Command(verb=Verb.HELP),)),
        ("Looks good.\n/approve", (APPROVE,)),
        ("Looks good.\n\n/approve\n\nThanks!", (APPROVE,)),
        ("Looks good.  \n/approve", (APPROVE,)),
        ("Looks good.\r\n\r\n/approve\r\nThanks", (APPROVE,)),
        ("Looks good.\r/approve", (APPROVE,)),
        ("/approve\n/status", (APPROVE, Command(verb=Verb.STATUS))),
        ("# Title\n/approve", (APPROVE,)),
        ("---\n/approve", (APPROVE,)),
        # A real line below a quote, a fence, a list, a comment.
        ("> /refuse no\n\n/approve", (APPROVE,)),
        ("```\n/refuse no\n```\n/approve", (APPROVE,)),
        ("- /refuse no\n\n/approve", (APPROVE,)),
        ("<!-- /refuse no -->\n\n/approve", (APPROVE,)),
        ("<!-- <details> -->\n\n/approve", (APPROVE,)),
        ("<details>\n\n/refuse no\n\n</details>\n\n/approve", (APPROVE,)),
        ("<br>\n\n/approve", (APPROVE,)),
        ("as <your name> says\n\n/approve", (APPROVE,)),
        ("a lone ` backtick\n/approve", (APPROVE,)),
        ("\ue0000\ue001 noise\n/approve", (APPROVE,)),
    ],
)
def test_a_line_of_its_own_is_a_command(body: str, expected: tuple[Command, ...]) -> None:  # ag-E01
    assert parse(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "",
        "approve",
        "please /approve",
        "do not /approve",
        "not so:/approve",
        " /approve",
        "   /approve",
        "text\n /approve",
        "\t/approve",
        "\\/approve",
        "&#47;approve",
        "//approve",
        "/ approve",
        # Quotes, also nested ones and the line directly below.
        "> /approve",
        ">/approve",
        "> > /approve",
        "> quoted\n/approve",
        # Code.
        "`/approve`",
        "`\n/approve\n`",
        "so: `a\n/approve` is how",
        "```\n/approve\n```",
        "```\n/approve",
        "~~~text\n/approve\n~~~",
        "    /approve",
        "text\n\n    /approve",
        # Lists, tables, headings.
        "- /approve",
        "1. /approve",
        "- item\n/approve",
        "- item\n\n  /approve",
        "- [ ] /approve",
        "# /approve",
        "/approve\n===",
        "/approve\n---",
        "/approve | b\n--- | ---\n1 | 2",
        "a | b\n--- | ---\n/approve | 2",
        # HTML.
        "<!-- /approve -->",
        "<!--\n/approve\n-->",
        "<!--\n\n/approve\n\n-->",
        "<!-- never closed\n\n/approve",
        "text <!--\n/approve\n-->",
        "<div>\n/approve\n</div>",
        "<details>\n<summary>x</summary>\n\n/approve\n\n</details>",
        "<DETAILS open>\n\n/approve\n\n</DETAILS>",
        "text <details>\n/approve\n</details>",
        "<pre>\n/approve\n</pre>",
        "<blockquote>\n\n/approve\n\n</blockquote>",
        "<div>\n\n</span>\n\n/approve\n\n</div>",
        # Links, their definitions, and text that is struck out.
        "[\n/approve\n](https://example.org)",
        "[a]:\n/approve\n\n[a]",
        "~~x\n/approve\ny~~",
        # The parser's own marks, forged.
        "```\n/approve\n```\n\n\ue0001\ue001",
        "\ue00099\ue001\n> /approve\n",
        # Mails.
        "Thanks\n\n-- \n/approve",
        "Thanks\n-- \nBob\n\n/approve",
        "Fine.\n\nOn Mon, 2 Mar 2026, Ann <a@example.org> wrote:\n> text\n\n/approve",
        "Fine.\n\nOn Mon, 2 Mar 2026 at 10:00, Ann with a long name\n<ann@example.org> wrote:\n\n> text\n\n/approve",
    ],
)
def test_inside_of_anything_it_does_nothing(body: str) -> None:  # ag-E01 gh-P-01 gh-P-10
    assert parse(body) == ()


@pytest.mark.parametrize(
    "body",
    [
        "/approve\n\n-- \nBob",
        "/approve\n-- \nBob",
        "/approve\r\n\r\nOn Mon, 2 Mar 2026, Ann wrote:\r\n> /refuse no\r\n",
        "On the other hand, he wrote: nothing\n\n/approve",
        "On Monday I wrote:\n\n/approve",
        "```\nfrom a patch\n-- \n2.40\n```\n/approve",
        "Items:\n--\n\n/approve",
    ],
)
def test_above_a_mail_trailer_and_without_one_it_counts(body: str) -> None:
    assert parse(body) == (APPROVE,)


@pytest.mark.parametrize(
    "body",
    [
        "/approve-all",
        "/approve/all",
        "/approve.",
        "/approve,",
        "/approve!",
        "/approve:hld-1",
        "/approve1",
        "/approve_",
        "/approve*",
        "/octokit/approve",
        "/usr/bin",
        "/approve/../x",
        "/etc",
        "/var",
        "/home is full",
        "/etc/passwd",
        "/review",
        "/assign @ann",
        "/",
        "/1",
    ],
)
def test_other_words_and_paths_are_just_text(body: str) -> None:  # ag-E05
    assert parse(body) == ()


@pytest.mark.parametrize(
    "character",
    ["\u00a0", "\u200b", "\u200d", "\u2060", "\ufeff", "\u202e", "\u2066", "\u00ad", "\x00", "\u2028", "\x0b"],
)
@pytest.mark.parametrize("place", ["{}/approve", "/{}approve", "/app{}rove", "/approve{}", "/approve{}hld-1"])
def test_an_invisible_character_makes_it_another_word(place: str, character: str) -> None:
    assert parse(place.format(character)) == ()


@pytest.mark.parametrize("body", ["/\u017ftatus", "/\uff41pprove", "\uff0fapprove", "/\u0430pprove", "/cance\u217c"])
def test_letters_that_only_look_alike_are_another_word(body: str) -> None:
    assert parse(body) == ()


@pytest.mark.parametrize(
    ("body", "word", "nearest"),
    [
        ("/aprove", "aprove", Verb.APPROVE),
        ("/approved", "approved", Verb.APPROVE),
        ("/Aprove hld-1", "aprove", Verb.APPROVE),
        ("/cancle", "cancle", Verb.CANCEL),
        ("/refused", "refused", Verb.REFUSE),
        ("/stauts", "stauts", Verb.STATUS),
    ],
)
def test_a_slip_of_the_pen_is_told_apart_from_text(body: str, word: str, nearest: Verb) -> None:  # ag-E05
    assert parse(body) == (Unknown(word=word, nearest=nearest),)


def test_only_the_first_commands_of_a_comment_count() -> None:
    assert parse("/status\n" * 50) == (Command(verb=Verb.STATUS),) * MAX_COMMANDS


def test_commands_far_down_an_endless_text_do_not_count() -> None:
    filler = ("x" * 998 + "\n\n") * 66
    assert parse(f"/status\n\n{filler}/approve") == (Command(verb=Verb.STATUS),)


def test_the_end_of_what_is_looked_at_never_makes_a_command_of_half_a_word() -> None:
    head = "/status\n\n" + "x" * (MAX_TEXT - len("/status\n\n\n/approve")) + "\n"
    assert len(head + "/approve") == MAX_TEXT
    assert parse(head + "/approve-all") == (Command(verb=Verb.STATUS),)
    assert parse(head + "/approve") == (Command(verb=Verb.STATUS), APPROVE)


def test_the_end_of_what_is_looked_at_never_opens_up_a_span_of_code() -> None:
    assert parse("`\n/approve\n" + "x" * MAX_TEXT + "`") == ()


def test_every_verb_says_how_it_is_written_and_who_may_use_it() -> None:
    assert set(VERBS) == set(Verb)
    for verb, usage in VERBS.items():
        assert parse(usage.form)[0] == Command(verb=verb, argument=usage.form.removeprefix(f"/{verb.value}").strip())
        assert usage.description
        assert usage.permission > Permission.NONE


MARKUP = "/approve,/approve x,> ,```,`,<details>,</details>,<!--,-->,- ,* ,[a](b,~~,#,|"
PIECES = st.sampled_from(
    [
        *MARKUP.split(","),
        "\n",
        "\n\n",
        "\r",
        "-- \n",
        "On Monday Ann wrote:\n",
        "\ue000",
        "\ue0001\ue001",
        "\0",
        "\u202e",
        " ",
        "    ",
    ]
)
TEXTS = st.text() | st.lists(PIECES).map("".join)


@given(TEXTS)
def test_no_text_whatever_raises(text: str) -> None:
    assert len(parse(text)) <= MAX_COMMANDS


@given(st.text() | st.lists(PIECES.filter(lambda piece: "`" not in piece)).map("".join))
def test_whatever_is_fenced_commands_nothing(text: str) -> None:
    fence = "`" * (text.count("`") + 3)
    assert parse(f"{fence}\n{text}\n{fence}") == ()


@given(TEXTS)
def test_whatever_is_quoted_commands_nothing(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert parse("\n".join(f"> {line}" for line in lines)) == ()


@given(TEXTS.filter(lambda text: "--" not in text))
def test_whatever_is_commented_out_commands_nothing(text: str) -> None:
    assert parse(f"<!-- {text}\n-->") == ()
