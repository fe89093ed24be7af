"""Two playbooks: one whose start a second person must approve, and one that starts by itself in another pool."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from bot.playbook.load import load
from bot.playbook.playbook import Playbook

_GATED = """\
---
name: work-issue
on: {label: "run:work-issue"}
kind: work-issue
running: building
default: help
binding: {executor: agent, timeout: 10m, estimate: {usd: 4}}
statuses:
  building: {label: "state:building"}
  review: {label: "state:review", publish: pull-request, wait: [review, comment]}
  help: {label: "state:help", notify: true, wait: [comment]}
  done: {label: "state:done", complete: true}
gates:
  - {name: start, need: 1, permission: write, not: [starter]}
budgets:
  - {unit: usd, max: 9}
  - {unit: turns, max: 4, warn_at: 0.5}
retry: {delays: [5m, 10m]}
---
{{ item.title }}

{{ item.body | untrusted }}
{% for input in inputs %}
{{ input.body | untrusted }}
{% endfor %}
"""

_OPEN = """\
---
name: fix
on: {label: "run:fix"}
kind: work-issue
running: fixing
default: fixed
binding: {executor: tool, timeout: 4m}
statuses:
  fixing: {label: "fix:running"}
  asking: {label: "fix:asking", wait: [comment]}
  fixed: {label: "fix:done", complete: true}
gates: []
budgets:
  - {unit: attempts, max: 3}
retry: {delays: [1m]}
---
{{ item.title }}
"""

GATED, OPEN = "work-issue", "fix"
TRIGGERS = {"run:work-issue": GATED, "run:fix": OPEN}
WORDS = {GATED: ("review", "done", "review", "help", "wondering"), OPEN: ("fixed", "asking", "wondering")}
"""What a run of each may say at its end; the last word means nothing to the playbook."""
BUDGETS: Mapping[str, Mapping[str, int]] = {GATED: {"usd": 9, "turns": 4}, OPEN: {"attempts": 3}}
"""What all runs of each on one issue may use, by unit, as the playbooks say."""
ESTIMATES: Mapping[str, Mapping[str, int]] = {GATED: {"usd": 4}, OPEN: {}}
"""What one attempt of each is expected to use."""
POOLS = {"agent": "agents", "tool": "jobs"}
"""The pool of each executor."""


@cache
def playbooks() -> Mapping[str, Playbook]:
    """Return the playbooks by name."""
    loaded = [load(text, f"{number}.md") for number, text in enumerate((_GATED, _OPEN))]
    return {playbook.name: playbook for playbook in loaded}
