"""The playbooks in force, and whether they can run here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bot.domain.budget import Budget
from bot.errors import ConfigError
from bot.executors.contract import Executor
from bot.host.budgets import never_starting, warn_of_missing_estimates
from bot.playbook.find import builtin, load_all
from bot.playbook.playbook import Playbook
from bot.playbook.problem import Problem, failure
from bot.playbook.support import unsupported


def load_playbooks(
    paths: Sequence[Path], executors: Mapping[str, Executor], budgets: Sequence[Budget] = ()
) -> Mapping[str, Playbook]:
    """
    Return the playbooks of files and directories by name, or without any the built-in ones.

    ``budgets`` are the operator's: a playbook that could never start under them is refused.

    Raises one ``ConfigError`` with every problem, also when there is no playbook at all.
    """
    found = load_all(paths).require() if paths else builtin()
    if not found:
        raise ConfigError(f"there is no playbook in {', '.join(map(str, paths))}")
    problems = [problem for playbook in found for problem in misfits(playbook, executors)]
    problems += [problem for playbook in found for problem in never_starting(playbook, budgets)]
    if problems:
        raise failure(problems)
    warn_of_missing_estimates(found, budgets)
    return {playbook.name: playbook for playbook in found}


def misfits(playbook: Playbook, executors: Mapping[str, Executor]) -> Iterator[Problem]:
    """Yield a problem for everything that keeps a valid playbook from running with these executors."""
    yield from unsupported(playbook)
    executor = executors.get(playbook.binding.executor)
    if executor is None:
        known = ", ".join(sorted(executors))
        message = f"there is no executor {playbook.binding.executor!r}; there are: {known}"
        yield Problem(path=playbook.path, line=1, key="binding.executor", message=message)
        return
    try:
        executor.check(playbook.binding.config)
    except ConfigError as error:
        yield Problem(path=playbook.path, line=1, key="binding", message=str(error))
