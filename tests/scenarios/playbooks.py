"""Playbooks for scenarios: the agent is a few words for a shell, so that a test says how it behaves."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

APPROVED = "[{name: start, need: 1, permission: write, not: [starter]}]"
"""A second person must approve the start."""
WRITER = "[{name: start, need: 1, permission: write}]"
"""One person with write access must stand for the start; the one who started it counts."""
TWO = "[{name: start, need: 2, permission: write, not: [starter]}]"
"""Two more people must approve the start."""

COMMIT = "git commit --quiet --allow-empty --message Work"
AWAIT = 'read -r _ < "$STAGE/signal"'
"""Wait until the test gives its signal."""
RECORD = 'cp "$TRACKSIDE_PROMPT" "$STAGE/prompt-$TRACKSIDE_ATTEMPT"; echo run >> "$STAGE/runs"'
"""Keep the prompt, and count the run."""

_PLAYBOOK = """\
---
name: work-issue
on: {{label: "run:work-issue"}}
kind: work-issue
running: building
default: {default}
binding:
  executor: shell
  script: {script}
  env: {{STAGE: {stage}}}
  timeout: 10m
statuses:
  building: {{label: "state:building"}}
  review: {{label: "state:review", publish: pull-request, wait: {waits}}}
  help: {{label: "state:help", notify: true, wait: [comment]}}
  done: {{label: "state:done", complete: true}}
gates: {gates}
budgets: {budgets}
retry: {{delays: [5m, 10m]}}
---
{{{{ item.title }}}}

{{{{ item.body }}}}

{{% for input in inputs %}}
{{{{ input.body }}}}
{{% endfor %}}
"""


@dataclass(frozen=True, kw_only=True)
class Agent:
    """
    How an agent behaves, and what its playbook says.

    ``script`` is for ``/bin/sh``; ``$STAGE`` is the directory of the test. A run that ends well ends its turn in
    the status ``default``, unless it declares another. Nobody needs to approve its start, unless ``gates`` say so.
    ``waits`` is what wakes it from its review.
    """

    script: str = ":"
    default: str = "done"
    gates: str = "[]"
    budgets: str = "[]"
    waits: str = "[review, comment]"

    def write(self, directory: Path) -> Path:
        """Write the playbook and return its path."""
        path = directory / "playbook.md"
        text = _PLAYBOOK.format(
            default=self.default,
            script=json.dumps(self.script),
            stage=json.dumps(str(directory)),
            gates=self.gates,
            budgets=self.budgets,
            waits=self.waits,
        )
        path.write_text(text, encoding="utf-8")
        return path


_REVIEW = """\
---
name: review-pr
on: {on}
kind: review-pr
running: reviewing
default: help
binding:
  executor: shell
  script: {script}
  env: {{STAGE: {stage}}}
  timeout: 10m
statuses:
  reviewing: {{label: "state:reviewing"}}
  reviewed: {{label: "state:reviewed", notify: true, complete: true}}
  help: {{label: "state:help", notify: true, wait: [comment]}}
gates: {gates}
retry: {{delays: [5m, 10m]}}
---
{{{{ item.title }}}} at {{{{ item.commit }}}} into {{{{ item.base }}}}{{% if item.trusted %}}, trusted{{% endif %}}
"""


@dataclass(frozen=True, kw_only=True)
class Reviewer(Agent):
    """
    An agent for issues, and beside it one that looks at pull requests, with ``reads`` as its script.

    ``on`` is what starts that one.
    """

    reads: str = ":"
    on: str = '{label: "run:review-pr"}'

    def write(self, directory: Path) -> Path:
        """Write both playbooks and return the folder that holds them."""
        folder = directory / "playbooks"
        folder.mkdir()
        super().write(directory).rename(folder / "work-issue.md")
        text = _REVIEW.format(
            on=self.on, script=json.dumps(self.reads), stage=json.dumps(str(directory)), gates=self.gates
        )
        (folder / "review-pr.md").write_text(text, encoding="utf-8")
        return folder


def runs(directory: Path) -> int:
    """Return how many runs have counted themselves by ``RECORD``."""
    path = directory / "runs"
    return len(path.read_text(encoding="utf-8").splitlines()) if path.exists() else 0


class Signal:
    """What programs wait for by ``AWAIT``."""

    def __init__(self, end: int) -> None:
        self._end = end

    def give(self) -> None:
        """Let one program go on, now or when it gets there."""
        os.write(self._end, b"go\n")


@contextmanager
def signal_in(directory: Path) -> Iterator[Signal]:
    """Make the signal of a test's directory."""
    path = directory / "signal"
    os.mkfifo(path)
    # Open at both ends, so that neither side waits for the other to come.
    end = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    try:
        yield Signal(end)
    finally:
        os.close(end)
