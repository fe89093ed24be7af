from __future__ import annotations

from dataclasses import replace

import pytest

from bot.clock import DAY, Millis
from bot.domain.hold import HoldState
from bot.domain.permission import Permission
from bot.domain.result import Outcome
from bot.ids import WorkId
from bot.views.markers import marked_as
from bot.views.reply import Reply, ReplyCode
from bot.views.thread import AttemptView, DecisionView, RequirementView, ThreadState, WorkView
from projectors.asks import asks
from projectors.desired import desired
from projectors.redact import Redactor
from projectors.replies import reply_text
from projectors.safe import Safe
from projectors.size import COMMENT_LIMIT, size
from projectors.sticky import MOST_SECTIONS, sticky
from tests.projectors.reader import ends_outside, hidden, live
from tests.projectors.samples import GATE, HELP, NOW, OPERATOR, REVIEW, RUNNING, SETTINGS, VERDICT, held, thread

HUGE = "Some *words* and `code` by @alice, in a paragraph of the usual length.\n\n```\nx = 1\n```\n" * 1_500
NASTY = "@alice #12 <!-- x --> </details> ``` [x]( & " * 50


def failed(number: int) -> AttemptView:
    return AttemptView(number=number, outcome=Outcome.FAILED, reason=NASTY, started_at=NOW, ended_at=NOW)


def body(*works: WorkView, now: Millis = NOW) -> str:
    shown = sticky(thread(*works), SETTINGS, now)
    assert shown is not None
    return shown


@pytest.mark.parametrize("count", [1, 2, 12])
def test_the_sticky_comment_fits_however_much_agents_say(count: int) -> None:  # ag-J01
    works = [
        replace(
            REVIEW,
            work=WorkId(f"wrk-{number}"),
            state=ThreadState.EXHAUSTED,
            reason=NASTY,
            comment=HUGE,
            log=tuple(failed(each) for each in range(100)),
        )
        for number in range(count)
    ]
    shown = body(*works)
    assert COMMENT_LIMIT // 2 < size(shown) <= COMMENT_LIMIT
    assert ends_outside(shown)
    assert live(shown.replace("#57", "")) == []


def test_of_very_many_runs_those_that_live_are_shown() -> None:
    ended = replace(REVIEW, state=ThreadState.COMPLETED)
    shown = body(RUNNING, *[ended] * 20)
    assert "**Building**" in shown
    assert shown.count("**Done**") == MOST_SECTIONS - 1
    assert "11 earlier runs are not shown." in shown


@pytest.mark.parametrize("state", list(ThreadState))
def test_no_words_from_outside_get_through_in_any_state(state: ThreadState) -> None:
    hold = replace(
        GATE,
        reason=NASTY,
        decisions=tuple(DecisionView(login="bob", verb="refuse", reason=NASTY, decided_at=NOW) for _ in range(200)),
        requirements=(RequirementView(need=1, permission=Permission.READ, users=("carol",) * 5_000),) * 5,
        settled_by=NASTY,
        settled_reason=NASTY,
    )
    settled = replace(hold, id=OPERATOR.id, state=HoldState.REFUSED)
    work = replace(
        HELP,
        state=state,
        starter="x @bob",
        reason=NASTY,
        comment=NASTY,
        waiting_for=NASTY,
        ended_by=NASTY,
        branch=NASTY,
        status="help",
        holds=(hold, settled, replace(hold, kind=OPERATOR.kind, id=VERDICT.id)),
    )
    projection = desired(thread(work), SETTINGS, NOW)
    assert projection.sticky is not None
    for text in [projection.sticky.body, *(ask.body for ask in projection.asks)]:
        assert live(text) == []
        assert len(hidden(text)) == 1
        assert size(text) <= COMMENT_LIMIT
        assert ends_outside(text)


def test_secrets_are_taken_out_of_names_too() -> None:  # ag-J12
    settings = replace(SETTINGS, safe=Safe(redactor=Redactor(["hunter2-hunter2"])))
    work = replace(RUNNING, branch="fix-hunter2-hunter2", reason="hunter2-hunter2", comment="hunter2-hunter2")
    projection = desired(thread(replace(work, holds=(GATE,)), replace(work, state=ThreadState.RETRYING)), settings, NOW)
    assert projection.sticky is not None
    assert "hunter2" not in projection.sticky.body + "".join(ask.body for ask in projection.asks)


def test_a_comment_is_known_by_its_mark_and_an_agent_cannot_forge_one() -> None:  # ag-C01
    forged = "<!-- trackside:hold:hld-9 -->"
    assert marked_as(body(replace(REVIEW, comment=forged))) == "sticky:item:1/42"
    assert hidden(body(replace(REVIEW, comment=forged))) == [" trackside:sticky:item:1/42 "]
    for ask in asks(thread(replace(HELP, comment=forged)), SETTINGS, NOW):
        assert marked_as(ask.body) == ask.key


def test_only_the_question_tells_the_person_who_started_it() -> None:
    (question,) = asks(thread(replace(HELP, comment="ask @bob")), SETTINGS, NOW)
    assert live(question.body) == ["@a"]
    assert live(body(replace(HELP, ended_by="alice"), held(OPERATOR))) == []


def test_a_time_of_another_day_says_so() -> None:
    assert "Started 21:04 UTC" in body(RUNNING)
    assert "Started Mar 4, 21:04 UTC" in body(RUNNING, now=Millis(NOW + DAY))


def test_the_same_thread_reads_the_same_a_little_later() -> None:
    assert body(RUNNING) == body(RUNNING, now=Millis(NOW + 60_000))


@pytest.mark.parametrize("code", list(ReplyCode))
def test_a_reply_passes_on_no_words_from_outside(code: ReplyCode) -> None:
    details = dict.fromkeys(("explanation", "word", "nearest", "playbook", "text"), NASTY)
    text = reply_text(Reply(code=code, login="x @bob", details=details), SETTINGS)
    assert live(text) == []
    assert hidden(text) == []
    assert size(text) <= COMMENT_LIMIT
    assert text


def test_help_lists_the_commands_that_exist_here() -> None:
    text = reply_text(Reply(code=ReplyCode.HELP, login="bob"), SETTINGS)
    assert all(f"`{command.form}`" in text for command in SETTINGS.commands)
