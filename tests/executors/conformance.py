"""
What every executor must do, whatever it starts.

An executor joins with a subclass that overrides ``subject``: how it is made, configs by which its program
behaves in three ways, and how a test sees what was started and what is left.
"""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest

from bot.domain.result import Order
from bot.errors import ConfigError, ExecutorError, NotAdoptableError, StaleEpochError
from bot.executors.contract import Executor, StopEvidence
from tests.executors import orders
from tests.executors.orders import EXECUTION, Host


class Behaviour(enum.Enum):
    """How the program under test behaves."""

    SUCCEED = "succeed"
    FAIL = "fail"
    LINGER = "linger"
    """Does not end by itself, and hides a descendant as well as a program of this kind can."""


class Subject(Protocol):
    """An executor and its world."""

    def executor(self) -> Executor:
        """Return the executor as a new host would make it: it knows nothing of earlier ones."""
        ...

    def config(self, behaviour: Behaviour) -> Mapping[str, object]:
        """Return a config whose program behaves so."""
        ...

    def wrong_config(self) -> Mapping[str, object]:
        """Return a config that no run can have."""
        ...

    async def lingering(self) -> None:
        """Wait until a lingering program has started all that it will."""
        ...

    def starts(self) -> int:
        """Return how many times a program was started."""
        ...

    def left(self) -> Sequence[object]:
        """Return what is left running."""
        ...


class ExecutorConformance:
    """The suite."""

    @pytest.fixture
    def subject(self) -> Subject:
        raise pytest.UsageError("a conformance suite names its subject")

    @pytest.fixture
    def succeeding(self, subject: Subject, work: Path) -> Order:
        return orders.order(work, subject.config(Behaviour.SUCCEED))

    @pytest.fixture
    def lingering(self, subject: Subject, work: Path) -> Order:
        return orders.order(work, subject.config(Behaviour.LINGER))

    async def test_a_program_that_ends_well_is_ok(self, subject: Subject, succeeding: Order, host: Host) -> None:
        handle = await subject.executor().run(succeeding, host.context)
        assert (await handle.wait()).ok
        assert subject.starts() == 1

    async def test_a_program_that_fails_is_not_ok_and_may_be_tried_again(
        self, subject: Subject, work: Path, host: Host
    ) -> None:
        order = orders.order(work, subject.config(Behaviour.FAIL))
        result = await (await subject.executor().run(order, host.context)).wait()
        assert not result.ok
        assert not result.permanent
        assert result.summary

    async def test_the_same_key_twice_is_one_run(self, subject: Subject, succeeding: Order, host: Host) -> None:
        executor = subject.executor()
        first = await executor.run(succeeding, host.context)
        second = await executor.run(succeeding, host.context)
        assert (await first.wait()).ok
        assert (await second.wait()).ok
        assert subject.starts() == 1

    async def test_two_hosts_at_once_start_one_run(self, subject: Subject, succeeding: Order, host: Host) -> None:
        one, other = subject.executor(), subject.executor()
        handles = await asyncio.gather(one.run(succeeding, host.context), other.run(succeeding, host.context))
        results = await asyncio.gather(*(handle.wait() for handle in handles))
        assert [result.ok for result in results] == [True, True]
        assert subject.starts() == 1

    async def test_two_attempts_are_two_runs(self, subject: Subject, succeeding: Order, host: Host) -> None:
        """The control for the two tests above."""
        executor = subject.executor()
        other = orders.order(Path(succeeding.directory), succeeding.config, key="other", execution="exe-2")
        for order in (succeeding, other):
            await (await executor.run(order, host.context)).wait()
        assert subject.starts() == 2

    async def test_a_wrong_config_is_refused_and_fails_for_good(
        self, subject: Subject, work: Path, host: Host
    ) -> None:  # C-116
        with pytest.raises(ConfigError):
            subject.executor().check(subject.wrong_config())
        with pytest.raises(ExecutorError) as raised:
            await subject.executor().run(orders.order(work, subject.wrong_config()), host.context)
        assert raised.value.permanent
        assert subject.starts() == 0

    async def test_metadata_is_persisted_before_there_is_a_handle(
        self, subject: Subject, succeeding: Order, host: Host
    ) -> None:  # C-52
        await subject.executor().run(succeeding, host.context)
        assert len(host.persisted) == 1

    async def test_a_host_without_a_lease_gets_no_handle(self, subject: Subject, lingering: Order) -> None:  # C-52
        executor = subject.executor()
        with pytest.raises(StaleEpochError):
            await executor.run(lingering, Host(stale=True).context)
        assert await executor.stop(EXECUTION, 1) is StopEvidence.STOPPED

    async def test_a_run_starts_only_when_its_sandbox_lets_it(
        self, subject: Subject, succeeding: Order, host: Host
    ) -> None:  # C-59, C-63
        executor = subject.executor()

        async def refuse() -> None:
            raise StaleEpochError

        with pytest.raises(StaleEpochError):
            await executor.run(succeeding, replace(host.context, release=refuse))
        assert await executor.stop(EXECUTION, 1) is StopEvidence.NEVER_STARTED
        assert subject.starts() == 0
        assert host.persisted == []

    async def test_a_new_host_adopts_at_a_higher_epoch(
        self, subject: Subject, lingering: Order, host: Host
    ) -> None:  # C-56, C-58
        await subject.executor().run(lingering, host.context)
        await subject.lingering()
        successor = subject.executor()
        later = orders.order(Path(lingering.directory), lingering.config, epoch=3, key="later")
        handle = await successor.recover(later, host.persisted[0])
        assert await successor.stop(EXECUTION, 3) is StopEvidence.STOPPED
        assert not (await handle.wait()).ok
        assert subject.starts() == 1

    async def test_a_launch_that_was_never_confirmed_is_adopted(
        self, subject: Subject, succeeding: Order, host: Host
    ) -> None:  # C-55
        await subject.executor().run(succeeding, host.context)
        handle = await subject.executor().recover(succeeding, {})
        assert (await handle.wait()).ok
        assert subject.starts() == 1

    async def test_recovery_starts_nothing(self, subject: Subject, succeeding: Order) -> None:  # C-58
        with pytest.raises(NotAdoptableError):
            await subject.executor().recover(succeeding, {})
        assert subject.starts() == 0

    async def test_a_run_of_a_later_epoch_is_not_adopted(self, subject: Subject, succeeding: Order, host: Host) -> None:
        later = orders.order(Path(succeeding.directory), succeeding.config, epoch=2, key="later")
        await (await subject.executor().run(later, host.context)).wait()
        with pytest.raises(NotAdoptableError):
            await subject.executor().recover(succeeding, {})

    async def test_stopping_leaves_no_descendant(
        self, subject: Subject, lingering: Order, host: Host
    ) -> None:  # C-81, ag-K06, ag-F05
        executor = subject.executor()
        handle = await executor.run(lingering, host.context)
        await subject.lingering()
        assert len(subject.left()) > 1
        assert await executor.stop(EXECUTION, 1) is StopEvidence.STOPPED
        assert subject.left() == []
        assert not (await handle.wait()).ok

    async def test_stopping_again_proves_it_again(self, subject: Subject, lingering: Order, host: Host) -> None:
        await subject.executor().run(lingering, host.context)
        assert await subject.executor().stop(EXECUTION, 1) is StopEvidence.STOPPED
        assert await subject.executor().stop(EXECUTION, 2) is StopEvidence.STOPPED

    async def test_a_stop_before_the_launch_blocks_the_launch(
        self, subject: Subject, succeeding: Order, host: Host
    ) -> None:
        executor = subject.executor()
        assert await executor.stop(EXECUTION, 1) is StopEvidence.NEVER_STARTED
        with pytest.raises(ExecutorError) as raised:
            await executor.run(succeeding, host.context)
        assert raised.value.code == "stopped"
        assert subject.starts() == 0
        assert host.persisted == []
        assert await executor.stop(EXECUTION, 1) is StopEvidence.NEVER_STARTED

    async def test_a_stop_blocks_late_launches_of_earlier_epochs_but_not_of_later_ones(
        self, subject: Subject, succeeding: Order, host: Host
    ) -> None:
        executor = subject.executor()
        assert await executor.stop(EXECUTION, 2) is StopEvidence.NEVER_STARTED
        with pytest.raises(ExecutorError):
            await executor.run(succeeding, host.context)
        later = orders.order(Path(succeeding.directory), succeeding.config, epoch=3, key="later")
        assert (await (await executor.run(later, host.context)).wait()).ok

    async def test_to_stop_waiting_is_not_to_stop_the_run(
        self, subject: Subject, lingering: Order, host: Host
    ) -> None:  # C-74
        handle = await subject.executor().run(lingering, host.context)
        await subject.lingering()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await handle.wait()
        assert len(subject.left()) > 1
