"""What a host does with what its runs say of trying again: hints, deferrals, and accounts that are paused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pytest
from structlog.testing import capture_logs

from bot.clock import HOUR, MINUTE, Millis
from bot.domain.account import Account
from bot.domain.admission import Reason, Terms
from bot.domain.result import Deferral, Outcome, Result
from bot.domain.retry import RetryHint
from bot.domain.turn import Turn
from bot.domain.work import BlockedReason, WorkState
from bot.errors import ExecutorError
from bot.executors.contract import HintsRetry
from bot.executors.shell.executor import ShellExecutor
from bot.host.accounts import AccountsPass
from bot.host.bindings import Bindings
from bot.host.in_force import InForce
from bot.storage.contract import Store
from bot.views.query import Threads
from bot.views.standing import Explain
from bot.views.thread import ThreadState, WorkView
from tests.clock import START
from tests.factories import UNLIMITED, make_work
from tests.host.scripted import ScriptedExecutor
from tests.host.test_resuming import Place, place_of
from tests.playbook.samples import small
from tests.scheduler.bench import Bench

LIMIT = Deferral(reason="The usage limit is reached", account="provider", until=Millis(START + HOUR))
USES = {"account": "provider", "credentials": "digest"}
TERMS = Terms(pool="agents", limits=UNLIMITED, account="provider")


class HintingError(ExecutorError):
    """A fault of an executor that knows when trying again makes sense."""

    retry_hint = RetryHint(reset_at=Millis(START + HOUR))


@dataclass(kw_only=True)
class Paid(ScriptedExecutor):
    """An executor whose runs use an account."""

    account: Account | None = None


def view_of(terms: Terms) -> Threads:
    return Threads(playbooks={}, explain=Explain(known=lambda _: True, terms=lambda _: terms))


async def shown(bench: Bench, item: str, terms: Terms = TERMS) -> WorkView:
    now = bench.clock.now()
    view = await bench.see(lambda tx: view_of(terms).view(tx, item, now))
    return view.sections[0]


async def limited(bench: Bench, deferral: Deferral = LIMIT) -> Place:
    place = place_of(bench, Result(ok=False, deferral=deferral, turn=Turn(status="finished"), units={"usd": 2.0}))
    await place.drive(await place.claimed(**USES))
    return place


# ag-H09
async def test_a_run_that_is_deferred_ends_so_whatever_its_word_says(bench: Bench) -> None:
    place = await limited(bench)
    (order,) = (order for _, order in place.executor.calls)
    execution = await bench.execution(order.execution)
    assert (execution.outcome, execution.summary) == (Outcome.DEFERRED, "The usage limit is reached")
    work = await bench.work(execution.work)
    assert (work.state, work.failures, work.reason) == (WorkState.READY, 0, "The usage limit is reached")
    pause = await bench.see(lambda tx: tx.accounts.get("provider"))
    assert pause is not None
    assert (pause.until, pause.credentials) == (START + HOUR, "digest")


# C-110
async def test_a_hint_of_a_result_moves_the_next_try(bench: Bench) -> None:
    place = place_of(bench, Result(ok=False, summary="limit", hint=RetryHint(reset_at=Millis(START + HOUR))))
    execution = await place.drive(await place.claimed())
    timer = await bench.timer(execution.work)
    assert timer is not None
    assert timer.due_at == START + HOUR + 2 * MINUTE


# C-119
async def test_a_hint_of_an_error_moves_the_next_try_too(bench: Bench) -> None:
    place = place_of(bench, HintingError("limit"))
    execution = await place.drive(await place.claimed())
    timer = await bench.timer(execution.work)
    assert timer is not None
    assert timer.due_at == START + HOUR + 2 * MINUTE


# C-119
async def test_an_error_without_a_hint_is_tried_again_by_the_policy(bench: Bench) -> None:
    """The negative control of the test above."""
    assert not isinstance(ExecutorError("limit"), HintsRetry)
    place = place_of(bench, ExecutorError("limit"))
    execution = await place.drive(await place.claimed())
    timer = await bench.timer(execution.work)
    assert timer is not None
    assert timer.due_at == START + 5 * MINUTE


# C-114
@pytest.mark.parametrize(
    ("result", "blocked"),
    [
        (Result(ok=False, permanent=True), BlockedReason.PERMANENT_FAILURE),
        (Result(ok=False, hint=RetryHint(reset_at=Millis(1))), BlockedReason.INVALID_HINT),
        (Result(ok=False), None),
    ],
)
async def test_the_log_says_why_nothing_tries_again(
    bench: Bench, result: Result, blocked: BlockedReason | None
) -> None:
    place = place_of(bench, result)
    with capture_logs() as lines:
        await place.drive(await place.claimed())
    (finished,) = (line for line in lines if line["event"] == "finished")
    assert finished.get("retry.blocked_reason") == (None if blocked is None else blocked.value)


# ag-H09
async def test_every_waiting_thread_says_until_when_the_account_is_paused(bench: Bench) -> None:
    waiting = await bench.ready(7)
    await limited(bench)
    for item in (waiting.item, make_work().item):
        view = await shown(bench, item)
        assert (view.state, view.next_at, view.reason) == (ThreadState.PAUSED, START + HOUR, LIMIT.reason)


async def test_a_thread_whose_work_uses_no_account_says_that_it_is_queued(bench: Bench) -> None:
    """The negative control of the test above."""
    waiting = await bench.ready(7)
    await limited(bench)
    view = await shown(bench, waiting.item, replace(TERMS, account=None))
    assert (view.state, view.next_at) == (ThreadState.QUEUED, None)


async def test_a_work_that_was_put_off_alone_says_until_when(bench: Bench) -> None:
    await limited(bench, replace(LIMIT, account=None))
    view = await shown(bench, make_work().item)
    assert (view.state, view.next_at, view.reason) == (ThreadState.PAUSED, START + HOUR, LIMIT.reason)


async def test_while_the_account_is_tried_the_others_are_queued(bench: Bench) -> None:
    first, second = await bench.ready(7), await bench.ready(8)
    await limited(bench)
    bench.clock.advance(HOUR)
    await releasing(bench, Account(name="provider", credentials="digest")).run()
    await bench.claim(first, terms=TERMS, binding=paid_binding(bench).of(make_work(playbook="tidy")))
    view = await shown(bench, second.item)
    assert (view.state, view.waiting_for) == (
        ThreadState.QUEUED,
        "Its account was paused and is tried by one run first. Starts by itself.",
    )


def paid_binding(_bench: Bench, account: Account | None = None) -> Bindings:
    executor = Paid(name="claude-code", account=account or Account(name="provider", credentials="digest"))
    return Bindings(
        playbooks={"tidy": small()}, executors={executor.name: executor}, timeout=HOUR, generation="generation-1"
    )


def releasing(bench: Bench, account: Account) -> AccountsPass:
    in_force = InForce(bindings=paid_binding(bench, account))
    return AccountsPass(store=cast("Store", bench.store), clock=bench.clock, in_force=in_force)


async def test_the_pass_releases_an_account_when_its_time_has_come(bench: Bench) -> None:
    await limited(bench)
    accounts = releasing(bench, Account(name="provider", credentials="digest"))
    await accounts.run()
    assert await bench.refusal(await bench.ready(7), terms=TERMS) is Reason.PAUSED_ACCOUNT
    bench.clock.advance(HOUR)
    with capture_logs() as lines:
        await accounts.run()
        await accounts.run()
    assert [line["account"] for line in lines if line["event"] == "account_released"] == ["provider"]


# ag-H14
@pytest.mark.parametrize(("credentials", "released"), [("digest", False), ("renewed", True)])
async def test_the_pass_releases_an_account_when_its_credentials_were_renewed(
    bench: Bench, credentials: str, *, released: bool
) -> None:
    await limited(bench, replace(LIMIT, until=None, reason="The login has expired"))
    view = await shown(bench, make_work().item)
    assert (view.state, view.next_at, view.waiting_for) == (
        ThreadState.PAUSED,
        None,
        "Paused: The login has expired. It goes on by itself when the credentials of its account are renewed.",
    )
    bench.clock.advance(100 * HOUR)
    await releasing(bench, Account(name="provider", credentials=credentials)).run()
    pause = await bench.see(lambda tx: tx.accounts.get("provider"))
    assert pause is not None
    assert (pause.released_at is not None) is released


def test_the_account_of_an_executor_is_pinned_with_its_attempts_and_asked_for_at_a_start(bench: Bench) -> None:
    bindings = paid_binding(bench)
    binding = bindings.of(make_work(playbook="tidy"))
    assert (binding.account, binding.credentials) == ("provider", "digest")
    assert bindings.terms("tidy").account == "provider"


def test_an_executor_without_an_account_names_none() -> None:
    """The negative control of the test above."""
    shell = ShellExecutor(Path("/nowhere"), name="claude-code")
    bindings = Bindings(
        playbooks={"tidy": small()}, executors={shell.name: shell}, timeout=HOUR, generation="generation-1"
    )
    assert bindings.of(make_work(playbook="tidy")).account is None
    assert bindings.terms("tidy").account is None
