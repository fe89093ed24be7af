"""Every moment that a reader of a thread may meet, by name: what the snapshots show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from bot.clock import DAY, HOUR, MINUTE, SECOND, Millis
from bot.domain.hold import HoldState
from bot.domain.permission import Permission
from bot.domain.result import Outcome
from bot.domain.work import Gone
from bot.ids import HoldId
from bot.views.reply import Reply, ReplyCode
from bot.views.thread import (
    AttemptView,
    BlockerView,
    DecisionView,
    RequirementView,
    ThreadState,
    UsageView,
    WorkView,
)
from projectors.desired import desired
from projectors.replies import reply_text
from projectors.settings import Settings
from tests.projectors.samples import (
    BRAKE,
    BUDGET,
    EARLIER,
    FEW,
    GATE,
    HELP,
    LATER,
    NOW,
    OPERATOR,
    REVIEW,
    RUNNING,
    SETTINGS,
    SOON,
    VERDICT,
    WORK,
    held,
    thread,
)

DIRECTORY = Path(__file__).parent / "snapshots"

_SPENT = UsageView(attempts=3, turns=5, minutes=131, units={"usd": 5.0}, caps={"usd": 5.0})
_LEFT = UsageView(attempts=1, units={"usd": 2.0}, caps={"usd": 5.0})
_TODAY = "25.00 of 25.00 usd used in this repository today; it goes on by itself on the next day (UTC)"
_TAKES = "2.00 of 5.00 usd used by this issue, and a start takes 4.00"
_APPROVED = DecisionView(login="bob", verb="approve", decided_at=EARLIER)
_REFUSED = DecisionView(login="bob", verb="refuse", reason="not *now*, see #7", decided_at=EARLIER)
_TWO_GATES = replace(
    GATE,
    requirements=(
        RequirementView(need=2, permission=Permission.WRITE, not_starter=True, not_author=True),
        RequirementView(need=1, permission=Permission.NONE, users=("carol", "dave")),
    ),
    decisions=(_APPROVED,),
)
_LOG = (
    AttemptView(
        number=1,
        outcome=Outcome.WAITING,
        status="review",
        reason="I fixed it.",
        started_at=Millis(NOW - 2 * DAY),
        ended_at=Millis(NOW - 2 * DAY + 131 * MINUTE),
        units={"usd": 1.25, "tokens": 120_000.0},
    ),
    AttemptView(
        number=2,
        outcome=Outcome.DEFERRED,
        reason="the usage limit is reached",
        started_at=Millis(NOW - HOUR),
        ended_at=Millis(NOW - HOUR + 4 * SECOND),
    ),
    AttemptView(
        number=3,
        outcome=Outcome.FAILED,
        reason="no network, see #7",
        started_at=Millis(NOW - 40 * MINUTE),
        ended_at=Millis(NOW - 31 * MINUTE),
        units={"usd": 0.4},
    ),
    AttemptView(
        number=4,
        outcome=Outcome.INTERRUPTED,
        started_at=Millis(NOW - 30 * MINUTE),
        ended_at=Millis(NOW - 29 * MINUTE),
        units={"usd": 0.0},
    ),
    AttemptView(
        number=5,
        outcome=Outcome.FAILED,
        status="building",
        reason="exit code 1: 2 tests failed",
        started_at=Millis(NOW - 20 * MINUTE),
        ended_at=Millis(NOW - 2 * MINUTE),
        units={"usd": 0.85},
    ),
)
_FAILED = replace(
    WORK,
    state=ThreadState.RETRYING,
    attempt=1,
    failed=1,
    next_at=SOON,
    reason="the tests of `shop.login` failed",
    usage=UsageView(attempts=1, turns=1, minutes=9),
)
_STOPPED = replace(
    WORK,
    state=ThreadState.EXHAUSTED,
    attempt=5,
    failed=3,
    reason="exit code 1: 2 tests failed",
    comment="I could not find the cause.",
    log=_LOG,
    usage=replace(_SPENT, units={"usd": 2.5}),
)
_REVIEWING = replace(WORK, playbook="review-pr", commit="5e6f7081a2b3c4d", pull_request=None)
_MOVED = (
    replace(GATE, state=HoldState.STALE, commit="5e6f708", moved_to="9a8b7c6", decisions=(_APPROVED,)),
    replace(GATE, id=HoldId("hld-7"), commit="9a8b7c6", carried=True, decisions=(_APPROVED,)),
)
_CANCELLED = replace(WORK, state=ThreadState.CANCELLED, attempt=1, ended_by="bob", reason="the issue was closed")

WORKS: Mapping[str, tuple[WorkView, ...]] = {
    "queued": (replace(WORK, waiting_for="Waiting for a free slot (4 of 4 agents busy). Starts by itself."),),
    "queued-again": (replace(WORK, run=2),),
    "held-for-approval": (held(GATE),),
    "held-for-two-gates": (held(_TWO_GATES),),
    "held-for-a-commit": (replace(_REVIEWING, state=ThreadState.HELD, holds=(replace(GATE, commit="5e6f708"),)),),
    "held-for-the-same-change": (replace(_REVIEWING, state=ThreadState.HELD, holds=_MOVED),),
    "reviewing": (replace(_REVIEWING, state=ThreadState.RUNNING, status="reviewing", attempt=1),),
    "reviewed": (
        replace(
            _REVIEWING,
            state=ThreadState.COMPLETED,
            status="reviewed",
            attempt=1,
            notify=True,
            comment="It is right. One thing: `sum` of nothing is 0.",
        ),
    ),
    "approved": (
        replace(
            RUNNING,
            holds=(
                replace(GATE, state=HoldState.ADMITTED, decisions=(_APPROVED,), settled_by="bob", settled_at=EARLIER),
            ),
        ),
    ),
    # ag-E10
    "approved-and-queued": (
        replace(
            WORK,
            waiting_for="Waiting for a free slot (4 of 4 agents busy). Starts by itself.",
            holds=(
                replace(GATE, state=HoldState.ADMITTED, decisions=(_APPROVED,), settled_by="bob", settled_at=EARLIER),
            ),
        ),
    ),
    "refused": (
        replace(
            _CANCELLED,
            attempt=0,
            reason="not *now*, see #7",
            holds=(
                replace(
                    GATE,
                    state=HoldState.REFUSED,
                    decisions=(_REFUSED,),
                    settled_by="bob",
                    settled_reason="not *now*, see #7",
                    settled_at=EARLIER,
                ),
            ),
        ),
    ),
    "stale": (held(replace(GATE, state=HoldState.STALE, settled_at=EARLIER), replace(GATE, id=BUDGET.id)),),
    "released": (
        replace(
            RUNNING,
            holds=(
                replace(
                    BUDGET, state=HoldState.RELEASED, settled_by="bob", settled_reason="once more", settled_at=EARLIER
                ),
            ),
        ),
    ),
    "ended-while-held": (
        replace(_CANCELLED, holds=(replace(VERDICT, state=HoldState.ENDED, settled_at=EARLIER),), attempt=0),
    ),
    "building": (RUNNING,),
    "building-again": (replace(RUNNING, attempt=6, log=_LOG),),
    "review": (REVIEW,),
    "help": (HELP,),
    "help-without-words": (replace(HELP, comment=""),),
    "waiting-for-checks": (replace(REVIEW, status="landing", waits=("checks", "merge"), comment=""),),
    "waiting-for-checks-in-vain": (replace(REVIEW, status="landing", waits=("checks",), unchecked=True, comment=""),),
    "paused": (replace(WORK, state=ThreadState.PAUSED, next_at=LATER, attempt=1),),
    "over-budget": (replace(held(BUDGET), attempt=3, usage=_SPENT),),
    "over-budget-of-the-day": (held(replace(BUDGET, unit=None, reason=_TODAY)),),
    "over-budget-by-what-a-start-takes": (replace(held(replace(BUDGET, reason=_TAKES)), usage=_LEFT),),
    "failed-and-tried-again": (_FAILED,),
    "exhausted": (_STOPPED,),
    "held-by-a-person": (held(OPERATOR),),
    "held-by-a-brake": (held(BRAKE),),
    "held-for-a-verdict": (held(VERDICT),),
    "held-for-several-reasons": (replace(held(GATE, BUDGET, OPERATOR), usage=_SPENT),),
    "waiting-for-another": (
        replace(WORK, state=ThreadState.BLOCKED, blockers=(BlockerView(number=12, needs_person=True),)),
    ),
    "waiting-for-another-or-a-person": (
        replace(
            RUNNING,
            state=ThreadState.BLOCKED,
            status=None,
            blockers=(
                BlockerView(number=12),
                BlockerView(number=3, repository="octo/api_docs", needs_person=True, words=("approved", "done")),
                BlockerView(number=7, words=()),
            ),
            waits=("comment",),
            next_at=LATER,
        ),
    ),
    "waiting-for-its-time": (
        replace(RUNNING, state=ThreadState.WAITING, status=None, waits=("comment", "branch:1/x"), next_at=LATER),
    ),
    "held-while-running": (replace(RUNNING, holds=(OPERATOR,)),),
    "held-while-waiting": (replace(HELP, holds=(BRAKE,)),),
    "cancelled": (_CANCELLED,),
    "merged": (replace(REVIEW, state=ThreadState.COMPLETED, merged=True, comment=""),),
    "done": (replace(REVIEW, state=ThreadState.COMPLETED, status="done", pull_request=None),),
    "failed-for-good": (replace(WORK, state=ThreadState.FAILED, attempt=1, reason="the sandbox cannot be set up"),),
    "gone": (replace(WORK, state=ThreadState.GONE, attempt=1),),
    "gone-with-the-app": (replace(WORK, state=ThreadState.GONE, reason=Gone.SUSPENDED.value, log=_LOG[:1]),),
    "two-playbooks": (RUNNING, replace(HELP, work=REVIEW.work, playbook="triage", trigger="run:triage")),
}

_REPLIES: Mapping[ReplyCode, Mapping[str, str]] = {
    ReplyCode.NOT_ALLOWED: {"explanation": "write access is needed, and you have read"},
    ReplyCode.COULD_NOT_CHECK: {},
    ReplyCode.STALE: {"explanation": ""},
    ReplyCode.NOTHING_HELD: {},
    ReplyCode.NOT_ASKED: {},
    ReplyCode.NOTHING_LIVE: {},
    ReplyCode.TOO_LATE: {},
    ReplyCode.CONTRADICTION: {"verb": "approve", "word": "deny"},
    ReplyCode.IN_CODE: {"verb": "approve"},
    ReplyCode.REPEATED: {},
    ReplyCode.COUNTED: {"explanation": "start"},
    ReplyCode.REASON_NEEDED: {},
    ReplyCode.SEVERAL: {"explanation": "`hld-1`, `hld-2`"},
    ReplyCode.GATE_HOLD: {},
    ReplyCode.BUDGET_HOLD: {},
    ReplyCode.RAISED: {"text": "work-issue may use 10.00 usd on this issue now; it goes on by itself."},
    ReplyCode.NOT_RAISED: {"explanation": "at most 50.00 usd are allowed here for one issue, and it has 45.00"},
    ReplyCode.UNKNOWN_VERB: {"word": "aprove", "nearest": "approve"},
    ReplyCode.POST_NEW: {},
    ReplyCode.ON_A_LINE: {},
    ReplyCode.GIVEN_UP: {"what": "your comment", "explanation": "the tracker failed with 502"},
    ReplyCode.NOT_RETRIED: {"explanation": "attempt 2 is running"},
    ReplyCode.ALREADY_RUNNING: {"playbook": "work-issue"},
    ReplyCode.WRONG_KIND: {"playbook": "work-issue", "wanted": "issues", "found": "a pull request"},
    ReplyCode.STATUS: {"text": "**work-issue**: Held: ask @carol about #7"},
    ReplyCode.HELP: {},
}


def snapshots() -> Mapping[str, str]:
    """Return what each snapshot should hold, by the name of its file."""
    texts = {
        **{name: _thread(works, SETTINGS) for name, works in WORKS.items()},
        "few-commands": _thread((_FAILED, _STOPPED, held(BRAKE), RUNNING), FEW),
        "review-announced": _thread((REVIEW,), replace(SETTINGS, announce_review=True)),
        "replies": "\n".join(_replies()),
    }
    return {f"{name}.md": text for name, text in texts.items()}


def _thread(works: tuple[WorkView, ...], settings: Settings) -> str:
    projection = desired(thread(*works), settings, NOW)
    assert projection.sticky is not None
    labels = " ".join(f"`{label.name}`" for label in projection.labels)
    comments = [f"## A comment{'' if ask.due else ', edited if it is there'}\n\n{ask.body}" for ask in projection.asks]
    return (
        "\n\n".join([f"Labels: {labels or 'none'}", f"## The sticky comment\n\n{projection.sticky.body}", *comments])
        + "\n"
    )


def _replies() -> Iterator[str]:
    for code in ReplyCode:
        yield f"## {code.value}\n\n{reply_text(Reply(code=code, login='erin', details=_REPLIES[code]), SETTINGS)}\n"
