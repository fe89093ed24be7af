"""Our checks on the head of a pull request: one for each gate, and one for where the Work stands."""

from __future__ import annotations

from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from bot.domain.hold import HoldState
from bot.errors import RateLimitedError, TrackerError, TrackerUnavailableError
from bot.storage.checks import INTENT
from bot.storage.contract import Tx
from bot.trackers.checks import Check, Conclusion, Maker, MakerKind, Shown, Writer
from bot.views.thread import DecisionView, ThreadState, WorkView
from projectors.checking import AGAIN
from projectors.checks import Links, outdated, wanted_checks
from tests.clock import FakeClock
from tests.projectors.desk import ITEM, ME, OTHER, Desk, Projecting
from tests.projectors.samples import GATE, NOW, REVIEW, SETTINGS
from tests.storage.twice import Writable

APP = 77
OLD, NEW = "1" * 40, "2" * 40
LINKS = Links(
    thread="https://t/1",
    sticky="sticky:item:1/1",
    comments={"hold:hld-1": "https://t/1#issuecomment-5", "sticky:item:1/1": "https://t/1#issuecomment-4"},
)
GATED = replace(REVIEW, gates=("start",), details_url=None)
ALONE = replace(REVIEW, details_url=None)


@pytest.fixture
def desk(clock: FakeClock) -> Desk:
    return Desk(clock=clock, app=APP, heads={57: OLD})


def said(work: WorkView) -> dict[str, Shown]:
    return {shown.name: shown for shown in wanted_checks(work, LINKS, SETTINGS, NOW)}


@pytest.mark.parametrize(
    ("state", "conclusion"),
    [
        (ThreadState.QUEUED, None),
        (ThreadState.HELD, None),
        (ThreadState.BLOCKED, None),
        (ThreadState.PAUSED, None),
        (ThreadState.RUNNING, None),
        (ThreadState.RETRYING, None),
        (ThreadState.WAITING, Conclusion.NEUTRAL),
        (ThreadState.EXHAUSTED, Conclusion.FAILURE),
        (ThreadState.COMPLETED, Conclusion.SUCCESS),
        (ThreadState.CANCELLED, Conclusion.CANCELLED),
        (ThreadState.FAILED, Conclusion.FAILURE),
        (ThreadState.GONE, Conclusion.CANCELLED),
    ],
)
def test_the_check_of_a_run_succeeds_only_when_it_is_done(state: ThreadState, conclusion: Conclusion | None) -> None:
    shown = said(replace(ALONE, state=state))["trackside/turn"]
    assert (shown.conclusion, shown.url) == (conclusion, "https://t/1#issuecomment-4")
    assert 0 < len(shown.title) <= 140


@pytest.mark.parametrize(
    ("state", "title", "conclusion"),
    [
        (HoldState.OPEN, "Waiting for approval", None),
        (HoldState.STALE, "Out of date, asked again", None),
        (HoldState.ADMITTED, "Approved", Conclusion.SUCCESS),
        (HoldState.REFUSED, "Refused", Conclusion.FAILURE),
        (HoldState.ENDED, "Not needed any more", Conclusion.CANCELLED),
    ],
)
def test_the_check_of_a_gate_succeeds_only_when_it_was_admitted(
    state: HoldState, title: str, conclusion: Conclusion | None
) -> None:
    decision = DecisionView(login="bob", verb="approve", decided_at=NOW)
    hold = replace(GATE, state=state, settled_reason="not *now*, @all", decisions=(decision,))
    shown = said(replace(GATED, holds=(replace(GATE, state=HoldState.STALE), hold)))["trackside/start"]
    assert (shown.title, shown.conclusion, shown.url) == (title, conclusion, "https://t/1#issuecomment-5")
    assert "1 person with write access" in shown.summary
    assert ("Not \\*now\\*" in shown.summary) is (state is HoldState.REFUSED)
    assert "approve by" in shown.summary


@pytest.mark.parametrize("state", [HoldState.OPEN, HoldState.STALE])
def test_a_gate_that_nobody_let_through_is_cancelled_with_its_run(state: HoldState) -> None:
    ended = replace(GATED, state=ThreadState.CANCELLED, holds=(replace(GATE, state=state),))
    assert said(ended)["trackside/start"].conclusion is Conclusion.CANCELLED


def test_a_gate_that_had_to_ask_nobody_is_approved_once_a_run_has_started() -> None:
    assert said(GATED)["trackside/start"].conclusion is Conclusion.SUCCESS
    before = replace(GATED, state=ThreadState.QUEUED, attempt=0)
    assert said(before)["trackside/start"].conclusion is None
    assert said(replace(before, state=ThreadState.CANCELLED))["trackside/start"].conclusion is Conclusion.CANCELLED


def test_who_only_looks_at_a_change_leaves_the_short_names_to_who_makes_it() -> None:
    assert list(said(replace(GATED, playbook="review-pr", commit=OLD))) == [
        "trackside/review-pr/start",
        "trackside/review-pr/turn",
    ]


def test_each_gate_has_a_check_of_its_own_whatever_its_name() -> None:
    names = list(said(replace(GATED, gates=("start", "turn"))))
    assert names == ["trackside/start", "trackside/turn-gate", "trackside/turn"]


def test_a_summary_stays_short_however_many_decide() -> None:
    many = tuple(DecisionView(login=f"person-{n}", verb="approve", decided_at=NOW) for n in range(5_000))
    assert len(said(replace(GATED, holds=(replace(GATE, decisions=many),)))["trackside/start"].summary) < 2_000


def test_our_own_checks_are_those_of_our_app_or_of_our_account_under_our_name() -> None:
    def check(name: str, kind: MakerKind, identity: int) -> Check:
        return Check(id=1, name=name, conclusion=None, maker=Maker(kind, identity))

    app, token = Writer(account=ME.id, app=APP), Writer(account=ME.id)
    assert app.wrote(check("anything", MakerKind.APP, APP))
    assert token.wrote(check("trackside/turn", MakerKind.ACCOUNT, ME.id))
    assert not token.wrote(check("deploy", MakerKind.ACCOUNT, ME.id))
    for writer in (app, token):
        assert not writer.wrote(check("trackside/turn", MakerKind.ACCOUNT, OTHER.id))
        assert not writer.wrote(check("trackside/turn", MakerKind.APP, ME.id))
        assert not writer.wrote(replace(check("trackside/turn", MakerKind.APP, APP), maker=None))
    assert not token.wrote(check("trackside/turn", MakerKind.APP, APP))
    assert not app.wrote(check("trackside/turn", MakerKind.ACCOUNT, APP))


async def test_an_app_writes_check_runs_once_and_rewrites_only_what_changed(store: Writable[Tx], desk: Desk) -> None:
    projecting = Projecting(store=store, desk=desk)
    work = replace(GATED, state=ThreadState.RUNNING, holds=(replace(GATE, state=HoldState.ADMITTED),))
    for _ in range(2):
        await projecting.show(work)
    assert desk.check_writes == [f"create trackside/start success {OLD}", f"create trackside/turn open {OLD}"]

    await projecting.show(replace(work, state=ThreadState.COMPLETED))
    assert desk.check_writes[2:] == [f"update trackside/turn success {OLD}"]


async def test_with_a_token_there_are_commit_statuses(store: Writable[Tx], desk: Desk) -> None:
    desk.app = None
    projecting = Projecting(store=store, desk=desk)
    for _ in range(2):
        await projecting.show(ALONE)
    assert desk.check_writes == [f"status trackside/turn neutral {OLD}"]
    # The bot became an App: only then can there be check runs.
    desk.app = APP
    await projecting.show(ALONE)
    assert desk.check_writes[1:] == [f"create trackside/turn neutral {OLD}"]


async def test_a_moved_head_gets_the_checks_and_the_old_one_keeps_none_open(store: Writable[Tx], desk: Desk) -> None:
    projecting = Projecting(store=store, desk=desk)
    await projecting.show(replace(GATED, state=ThreadState.HELD, holds=(GATE,)))
    desk.heads[57] = NEW
    await projecting.show(replace(GATED, holds=(replace(GATE, state=HoldState.ADMITTED),)))
    assert desk.check_writes[2:] == [
        f"create trackside/start success {NEW}",
        f"create trackside/turn neutral {NEW}",
        # A branch may be protected by it, and go back to the old commit.
        f"update trackside/start cancelled {OLD}",
        f"update trackside/turn neutral {OLD}",
    ]
    assert outdated("trackside/turn").conclusion is Conclusion.NEUTRAL
    desk.heads[57] = "3" * 40
    await projecting.show(replace(ALONE, state=ThreadState.RUNNING))
    assert desk.check_writes[6:] == [f"create trackside/turn open {'3' * 40}"], "what has ended stays as it is"
    known = await store.read(lambda tx: tx.checks.of_item(ITEM))
    assert [each.head for each in known] == ["3" * 40]


async def test_a_check_run_whose_answer_was_lost_is_found_again_and_not_made_twice(
    store: Writable[Tx], desk: Desk
) -> None:
    projecting = Projecting(store=store, desk=desk)
    desk.loses = TrackerUnavailableError("the answer got lost")
    await projecting.show(ALONE)
    assert [each.external for each in await store.read(lambda tx: tx.checks.of_item(ITEM))] == [INTENT]
    desk.loses = None
    (run,) = desk.runs.values()
    # Anybody can give a run our name for it.
    desk.runs[1] = replace(run, id=1, app=APP + 1)
    desk.runs = dict(sorted(desk.runs.items()))
    desk.clock.advance(AGAIN)
    await projecting.show(replace(ALONE, state=ThreadState.COMPLETED))
    assert desk.check_writes == [f"create trackside/turn neutral {OLD}", f"update trackside/turn success {OLD}"]
    assert desk.runs[1].shown.conclusion is Conclusion.NEUTRAL


async def test_a_check_run_that_was_never_made_is_made(store: Writable[Tx], desk: Desk) -> None:
    projecting = Projecting(store=store, desk=desk)
    desk.refuses_checks = RateLimitedError("slow down", retry_after=1_000)
    await projecting.show(ALONE)
    desk.refuses_checks = None
    desk.clock.advance(AGAIN)
    await projecting.again()
    assert desk.check_writes == [f"create trackside/turn neutral {OLD}"]


async def test_a_check_run_that_is_gone_is_made_anew(store: Writable[Tx], desk: Desk) -> None:
    projecting = Projecting(store=store, desk=desk)
    await projecting.show(ALONE)
    desk.runs.clear()
    await projecting.show(replace(ALONE, state=ThreadState.COMPLETED))
    assert desk.check_writes[1:] == [f"create trackside/turn success {OLD}"]


async def test_a_missing_permission_leaves_out_the_checks_alone_with_one_warning_and_is_tried_again(
    store: Writable[Tx], desk: Desk
) -> None:
    projecting = Projecting(store=store, desk=desk)
    desk.refuses_checks = TrackerError("Resource not accessible by integration", status=403)
    with capture_logs() as logs:
        await projecting.show(ALONE)
        await projecting.show(replace(ALONE, state=ThreadState.COMPLETED))
        assert desk.check_refusals == 1, "the second time nothing was asked"
        desk.clock.advance(AGAIN)
        await projecting.again()
    assert desk.check_refusals == 2
    assert [each["reason"] for each in logs if each["event"] == "checks_refused"] == [
        "Resource not accessible by integration"
    ]
    assert (len(desk.written), await store.read(lambda tx: tx.threads.parked())) == (1, [])
    assert desk.labels == ["state:done"]

    desk.refuses_checks = None
    desk.clock.advance(AGAIN)
    await projecting.again()
    assert desk.check_writes == [f"create trackside/turn success {OLD}"]


async def test_what_was_looked_at_keeps_its_checks_when_the_head_moves(store: Writable[Tx], desk: Desk) -> None:
    """An approval or a verdict is about a commit, and must not seem to be about the next."""
    projecting = Projecting(store=store, desk=desk)
    looked = replace(ALONE, playbook="review-pr", commit=OLD, pull_request=None, gates=("start",))
    for state in (ThreadState.RUNNING, ThreadState.COMPLETED):
        await projecting.show(replace(looked, state=state))
        desk.heads[57] = NEW
    assert {write.split()[-1] for write in desk.check_writes} == {OLD}
    await projecting.show(replace(looked, commit=NEW, state=ThreadState.HELD, holds=(GATE,)))
    assert desk.check_writes[-2:] == [
        f"create trackside/review-pr/start open {NEW}",
        f"create trackside/review-pr/turn open {NEW}",
    ]


@pytest.mark.parametrize(("merged", "head"), [(False, OLD), (True, NEW)])
async def test_what_has_ended_says_nothing_of_later_commits_unless_they_were_merged_with_it(
    store: Writable[Tx], desk: Desk, *, merged: bool, head: str
) -> None:
    projecting = Projecting(store=store, desk=desk)
    await projecting.show(ALONE)
    desk.heads[57] = NEW
    await projecting.show(replace(ALONE, state=ThreadState.COMPLETED, merged=merged))
    assert f"success {head}" in "\n".join(desk.check_writes)


async def test_work_without_a_pull_request_shows_no_checks(store: Writable[Tx], desk: Desk) -> None:
    await Projecting(store=store, desk=desk).show(replace(ALONE, pull_request=None))
    desk.heads.clear()
    await Projecting(store=store, desk=desk).show(ALONE)
    assert desk.check_writes == []
