"""The environment of a run: asked for at each launch, handed to the executor, and kept nowhere."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Mapping
from pathlib import Path

import pytest
import structlog

from bot.errors import EnvironmentUnavailableError
from bot.host.environment import IDENTITY, CommitIdentity, LaunchContext, PassedOn
from bot.scheduler.phases import unrecorded
from tests.factories import make_work
from tests.host.rig import Rig, taken
from tests.host.test_launching import trail
from tests.scheduler.bench import Bench


class Asked:
    """A ``RunEnvironment`` that counts how often it was asked, and answers or raises what it is told."""

    def __init__(self, answer: Mapping[str, str] | Exception) -> None:
        self._answer = answer
        self.times = 0

    async def of(self, _launch: LaunchContext) -> Mapping[str, str]:
        self.times += 1
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


# C-25
async def test_every_launch_asks_anew_and_no_adoption_does(bench: Bench) -> None:
    asked = Asked({"KEY": "value"})
    rig = Rig(bench=bench, environments=(CommitIdentity(), asked))
    first = await rig.claimed()
    relaunch = await bench.recovered(first.execution.id)
    assert relaunch.relaunch
    await rig.launched(taken(relaunch))
    assert asked.times == 1
    assert rig.executor.orders[0].environment == {**IDENTITY, "KEY": "value"}

    adoption = await bench.recovered(first.execution.id)
    assert not adoption.relaunch
    await rig.launched(taken(adoption))
    assert asked.times == 1
    assert rig.executor.recovered[0].environment == {}

    await rig.launched(await rig.claimed(2))
    assert asked.times == 2


async def test_a_later_member_stands_above_an_earlier_one(bench: Bench) -> None:
    rig = Rig(bench=bench, environments=(CommitIdentity(), Asked({"GIT_AUTHOR_NAME": "Ada"})))
    await rig.launched(await rig.claimed())
    assert rig.executor.orders[0].environment["GIT_AUTHOR_NAME"] == "Ada"


# C-24, C-26
async def test_nothing_of_an_environment_reaches_the_store_or_the_log(bench: Bench, place: str) -> None:
    canary = secrets.token_hex(20)
    passed_on = PassedOn(names={"*": ("CANARY",)}, host={"CANARY": canary})
    rig = Rig(bench=bench, environments=(passed_on,))
    with structlog.testing.capture_logs() as logged:
        execution = await rig.launched(await rig.claimed())
        await bench.recovered(execution.id)
    order = rig.executor.orders[0]
    assert order.environment == {"CANARY": canary}
    assert canary not in repr(order)
    assert canary not in repr(logged)
    await bench.store.close()
    rows = dump(Path(place))
    assert "generation-1" in rows, "negative control: what is pinned is there"
    assert canary not in rows
    assert canary.encode() not in b"".join(each.read_bytes() for each in Path(place).parent.glob("trackside.db*"))


def dump(place: Path) -> str:
    """Return every row of every table."""
    connection = sqlite3.connect(place)
    try:
        return "\n".join(connection.iterdump())
    finally:
        connection.close()


# C-27
@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
async def test_an_environment_that_cannot_be_had_keeps_the_executor_from_being_called(
    bench: Bench, *, known: bool
) -> None:
    canary = secrets.token_hex(20)
    fault = EnvironmentUnavailableError("the vault is sealed") if known else RuntimeError(f"bad password {canary}")
    rig = Rig(bench=bench, environments=(Asked(fault),))
    ours = await rig.claimed()
    with structlog.testing.capture_logs() as logged, pytest.raises(EnvironmentUnavailableError) as caught:
        await rig.launched(ours)
    assert rig.executor.orders == []
    assert rig.orders.made == 0
    said = "run environment unavailable"
    assert str(caught.value) == (f"{said}: the vault is sealed" if known else said)
    assert not caught.value.permanent, "it may be there at the next try"
    assert canary not in repr((logged, caught.value, caught.value.__cause__))
    assert trail(await bench.execution(ours.execution.id)) == [("toolbelt", "ok"), ("environment", "failed")]


NAMES = {"*": ("ALL",), "acme": ("OWNERS",), "acme/greeter": ("ITS",), "acme/other": ("OTHERS",)}
HOST = {"ALL": "1", "OWNERS": "2", "ITS": "3", "OTHERS": "4", "TRACKSIDE_TOKEN": "5"}


def launch_of(bench_execution: object, repository: str) -> LaunchContext:
    return LaunchContext(
        work=make_work(),
        execution=bench_execution,  # type: ignore[arg-type] # not looked at
        repository=repository,
        trail=unrecorded,
    )


@pytest.mark.parametrize(
    ("repository", "expected"),
    [
        ("Acme/Greeter", {"ALL": "1", "OWNERS": "2", "ITS": "3"}),
        ("acme/new", {"ALL": "1", "OWNERS": "2"}),
        ("acme2/greeter", {"ALL": "1"}),
    ],
)
async def test_a_run_gets_what_is_passed_on_to_its_repository_and_nothing_else(
    repository: str, expected: Mapping[str, str]
) -> None:
    passed_on = PassedOn(names=NAMES, host=HOST)
    assert await passed_on.of(launch_of(None, repository)) == expected


async def test_what_is_to_be_passed_on_and_is_not_set_is_said_by_its_name() -> None:
    passed_on = PassedOn(names=NAMES, host={"ALL": "1"})
    with pytest.raises(EnvironmentUnavailableError, match="OWNERS is not set"):
        await passed_on.of(launch_of(None, "acme/greeter"))


def test_the_values_that_are_passed_on_are_known_to_be_hidden() -> None:
    assert PassedOn(names=NAMES, host=HOST).values() == {"1", "2", "3", "4"}


# C-43
async def test_reading_what_is_passed_on_is_a_step_of_its_own(bench: Bench) -> None:
    rig = Rig(bench=bench, environments=(PassedOn(names={"acme": ("KEY",)}, host={"KEY": "value"}),))
    execution = await rig.launched(await rig.claimed())
    assert [step for step, _ in trail(execution)] == ["toolbelt", "environment", "secrets", "workspace", "executor"]
    rig.environments = (PassedOn(names={"other": ("KEY",)}, host={}),)
    execution = await rig.launched(await rig.claimed(2))
    assert "secrets" not in [step for step, _ in trail(execution)]
