"""Threads as the store would tell of them, for tests to vary."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from bot.clock import HOUR, MINUTE, Millis
from bot.domain.permission import Permission
from bot.ids import HoldId, WorkId
from bot.views.thread import (
    HeldFor,
    HoldView,
    LabelView,
    RequirementView,
    ThreadState,
    ThreadView,
    UsageView,
    WorkView,
)
from projectors.settings import Command, Settings

NOW = Millis(int(datetime(2026, 3, 4, 21, 6, tzinfo=UTC).timestamp() * 1000))
SOON = Millis(NOW + 3 * MINUTE)
LATER = Millis(NOW + 2 * HOUR)
EARLIER = Millis(NOW - 2 * MINUTE)

COMMANDS = tuple(
    Command(form=form, description=f"what {form.split()[0]} does")
    for form in (
        "/approve [hold]",
        "/refuse [hold] reason",
        "/release",
        "/stop",
        "/cancel [reason]",
        "/retry",
        "/budget +N unit",
        "/status",
        "/help",
    )
)
SETTINGS = Settings(commands=COMMANDS)
FEW = Settings(commands=tuple(each for each in COMMANDS if each.verb in {"approve", "refuse", "cancel", "help"}))

LABELS = (
    LabelView(name="state:building", color="fbca04", description="An agent is working on this"),
    LabelView(name="state:review", color="8250df"),
    LabelView(name="state:help"),
    LabelView(name="state:done", color="0e8a16", completes=True),
)

WORK = WorkView(
    work=WorkId("wrk-1"),
    playbook="work-issue",
    state=ThreadState.QUEUED,
    labels=LABELS,
    trigger="run:work-issue",
    branch="trackside/42-fix-login",
    attempts_allowed=3,
    starter="alice",
    details_url="https://bot.example/work/wrk-1",
)
RUNNING = replace(
    WORK,
    state=ThreadState.RUNNING,
    status="building",
    status_label="state:building",
    attempt=1,
    started_at=EARLIER,
)
REVIEW = replace(
    WORK,
    state=ThreadState.WAITING,
    status="review",
    status_label="state:review",
    waits=("review", "comment", "checks"),
    pull_request=57,
    head="9fceb02d0ae598e95dc970b74767f19372d61af8",
    attempt=2,
    comment="I fixed the login and added a test.",
    usage=UsageView(attempts=2, turns=3, minutes=14, units={"usd": 1.87, "tokens": 120000.0}, caps={"usd": 5.0}),
)
HELP = replace(
    WORK,
    state=ThreadState.WAITING,
    status="help",
    status_label="state:help",
    waits=("comment",),
    notify=True,
    attempt=1,
    comment="Which of the two login pages is meant?\n\n```\n/login\n/signin\n```",
    usage=UsageView(attempts=1, turns=1, minutes=4, units={"usd": 0.4}, caps={"usd": 5.0}),
)
GATE = HoldView(
    id=HoldId("hld-1"),
    kind=HeldFor.GATE,
    reason="start: 1 person with write access",
    revision="1a2b3c4d5e6f7081",
    requirements=(RequirementView(need=1, permission=Permission.WRITE),),
)
BUDGET = HoldView(id=HoldId("hld-2"), kind=HeldFor.BUDGET, reason="5 of 5 usd used", unit="usd")
OPERATOR = HoldView(id=HoldId("hld-3"), kind=HeldFor.OPERATOR, reason="not before the release", person="bob")
BRAKE = HoldView(id=HoldId("hld-4"), kind=HeldFor.OPERATOR, reason="5 starts without progress in 24 h")
VERDICT = HoldView(
    id=HoldId("hld-5"),
    kind=HeldFor.VERDICT,
    reason="the hook asks for a look at the migration",
    requirements=(RequirementView(need=1, permission=Permission.MAINTAIN),),
)


def held(*holds: HoldView) -> WorkView:
    return replace(WORK, state=ThreadState.HELD, holds=holds)


def thread(*works: WorkView) -> ThreadView:
    return ThreadView(item="item:1/42", repository="octo/shop", number=42, sections=works)
