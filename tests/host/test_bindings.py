"""What a Work runs on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot.clock import HOUR, MINUTE
from bot.domain.brake import Brakes
from bot.domain.kind import Capability, Lifecycle
from bot.errors import ConfigError
from bot.executors.contract import Executor
from bot.executors.shell.executor import ShellExecutor
from bot.host.bindings import Bindings
from bot.playbook.playbook import Playbook
from tests.factories import make_work
from tests.host.talking import TalkingExecutor
from tests.playbook.samples import small

PATIENT = small(("executor: claude-code, timeout: 20m", "executor: claude-code"))


def bindings(*playbooks: Playbook) -> Bindings:
    agent: Executor = ShellExecutor(Path("/nowhere"), name="claude-code", pool="agents")
    job: Executor = ShellExecutor(Path("/nowhere"), name="shell", pool="jobs")
    return Bindings(
        playbooks={playbook.name: playbook for playbook in playbooks},
        executors={each.name: each for each in (agent, job)},
        timeout=HOUR,
        generation="generation-7",
    )


def test_a_binding_is_the_playbooks_own() -> None:
    playbook = small()
    binding = bindings(playbook).of(make_work(playbook="tidy"))
    assert (binding.executor, binding.pool, binding.timeout) == ("claude-code", "agents", 20 * MINUTE)
    assert binding.retry.delays == (5 * MINUTE, 10 * MINUTE)
    assert binding.generation == "generation-7"


def test_a_timeout_that_the_playbook_does_not_name_is_the_operators() -> None:
    assert bindings(PATIENT).of(make_work(playbook="tidy")).timeout == HOUR


def test_what_the_words_of_an_attempt_mean_is_pinned_with_it() -> None:
    # C-20
    playbook = small()
    binding = bindings(playbook).of(make_work(playbook="tidy"))
    assert Playbook.from_document(binding.playbook) == playbook


def test_what_an_executor_can_take_is_pinned_with_the_attempt() -> None:
    # C-131, C-132
    talks: Executor = TalkingExecutor(name="claude-code")
    able = replace(bindings(small()), executors={talks.name: talks})
    assert able.of(make_work(playbook="tidy")).capabilities == {Capability.INJECT, Capability.INTERRUPT}
    assert bindings(small()).of(make_work(playbook="tidy")).capabilities == frozenset()


def test_a_work_whose_playbook_is_gone_says_what_to_do() -> None:
    work = make_work(playbook="tidy")
    with pytest.raises(ConfigError, match="no playbook is named 'tidy' any more; bring it back or cancel wrk-1-1"):
        bindings().of(work)


def test_a_pool_is_that_of_the_executor() -> None:
    # C-143, C-148
    job = small(("executor: claude-code", "executor: shell"))
    assert bindings(job).terms("tidy").pool == "jobs"
    assert bindings(small()).terms("tidy").pool == "agents"


def test_a_playbook_that_is_gone_counts_as_an_agents() -> None:
    """It is shown in a thread still, and what it waits for has to be said somehow."""
    assert bindings().terms("tidy").pool == "agents"


# C-30
def test_the_lifecycle_of_a_kind_is_pinned_with_its_attempts() -> None:
    kept = bindings(small())
    standing = kept.of(make_work(playbook="tidy", kind="job"))
    assert (standing.lifecycle, standing.terminal) == (Lifecycle.STANDING, False)
    assert kept.of(make_work(playbook="tidy")).lifecycle is Lifecycle.PLAIN


# ag-H08
def test_what_starts_by_a_schedule_is_bounded_by_the_starts_of_a_day() -> None:
    """Each of its runs may end as the one before: that is no sign of a loop."""
    brakes = Brakes(starts=5, repository_starts=50)
    job = small(("executor: claude-code", "executor: shell"), ("kind: work-issue", "kind: job"))
    for playbook, starts in ((job, 50), (small(), 5)):
        kept = replace(bindings(playbook), brakes=brakes)
        assert kept.terms("tidy").brakes == replace(brakes, starts=starts)
