"""Executors by the configuration that an attempt was started under."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot.domain.kind import Capability
from bot.errors import ConfigError, ExecutorError
from bot.executors.contract import Executor
from bot.executors.registry import Generation, Registry
from bot.executors.shell.executor import ShellExecutor
from tests.executors.containers import SimulatedExecutor


@dataclass(kw_only=True)
class Resumable(SimulatedExecutor):
    """An executor that can do what it says."""

    capabilities: frozenset[Capability] = field(default_factory=lambda: frozenset({Capability.RESUME}))

    async def resume(self, *_: Any) -> None:
        raise AssertionError


class Crippled:
    """Something that is called an executor."""

    name = "half"
    pool = "jobs"
    capabilities: frozenset[Capability] = frozenset()

    def check(self, config: object) -> None:
        raise AssertionError(config)

    async def run(self, *_: Any) -> None:
        raise AssertionError


# C-04
@pytest.mark.parametrize(
    ("executors", "complaint"),
    [
        ([SimulatedExecutor(name="Agent")], "executor 'Agent': a name is a lower-case letter"),
        ([SimulatedExecutor(name="a" * 64)], "a name is a lower-case letter"),
        ([SimulatedExecutor(), SimulatedExecutor()], "executor 'agent': there are two of this name"),
        ([SimulatedExecutor(pool="attic")], "there is no pool 'attic'; there are: agents, jobs"),
        ([SimulatedExecutor(capabilities=frozenset({Capability.RESUME}))], "executor 'agent': has no resume"),
        ([SimulatedExecutor(capabilities=frozenset({Capability.INTERRUPT}))], "executor 'agent': has no interrupt"),
        ([Crippled()], "executor 'half': has no recover, stop"),
    ],
)
def test_an_executor_that_cannot_be_one_is_refused_at_once(executors: Sequence[Any], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        Generation("g1", executors)


# C-04
def test_everything_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        Generation("g1", [SimulatedExecutor(name="X"), SimulatedExecutor(pool="attic")])
    assert len(str(caught.value).splitlines()) == 2


# C-04 (negative control)
def test_an_executor_that_does_what_it_says_is_taken(tmp_path: Path) -> None:
    shell: Executor = ShellExecutor(tmp_path)
    generation = Generation("g1", [Resumable(), shell])
    assert sorted(generation.executors) == ["agent", "shell"]


# C-07
def test_what_was_given_is_copied() -> None:
    given = [SimulatedExecutor()]
    generation = Generation("g1", given)
    given.append(SimulatedExecutor(name="late"))
    assert list(generation.executors) == ["agent"]
    with pytest.raises(TypeError):
        generation.executors["late"] = given[1]  # type: ignore[index] # that is what must fail


# C-21, C-23
def test_an_attempt_keeps_the_executor_of_its_own_generation() -> None:
    old, new = SimulatedExecutor(), SimulatedExecutor()
    registry = Registry(Generation("g1", [old]))
    registry.use(Generation("g2", [new]))
    assert registry.of("g1", "agent") is old
    assert registry.of("g2", "agent") is new
    assert registry.current.digest == "g2"


def test_the_same_generation_in_force_again_keeps_its_executors() -> None:
    first = SimulatedExecutor()
    registry = Registry(Generation("g1", [first]))
    registry.use(Generation("g2", [SimulatedExecutor()]))
    registry.use(Generation("g1", [SimulatedExecutor()]))
    assert registry.current.executors["agent"] is first


# C-22
@pytest.mark.parametrize(
    ("generation", "name", "said"),
    [
        ("g0", "agent", "the configuration 'g0' that this attempt was started under is not known any more"),
        ("g1", "other", "the executor 'other' is not there any more"),
    ],
)
def test_what_is_not_there_is_never_replaced(generation: str, name: str, said: str) -> None:
    registry = Registry(Generation("g1", [SimulatedExecutor()]))
    registry.use(Generation("g2", [SimulatedExecutor(), SimulatedExecutor(name="other")]))
    with pytest.raises(ExecutorError, match=said) as caught:
        registry.of(generation, name)
    assert (caught.value.code, caught.value.permanent) == ("unsupported", True)
