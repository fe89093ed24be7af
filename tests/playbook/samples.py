"""Playbooks that tests start from, and change line by line."""

from __future__ import annotations

from bot.playbook.load import load
from bot.playbook.playbook import Playbook
from bot.playbook.prompt import Item, PromptContext, Repository

SMALL = """\
---
name: tidy
on: {label: "run:tidy", command: tidy}
kind: work-issue
running: tidying
default: stuck
binding: {executor: claude-code, timeout: 20m, estimate: {usd: 2}}
statuses:
  tidying: {label: "state:tidying"}
  ready: {label: "state:ready", publish: pull-request, wait: [review, comment]}
  stuck: {notify: true, wait: [comment]}
  finished: {complete: true}
  parked: {}
gates: [{name: start, need: 1, permission: write}]
budgets: [{unit: usd, max: 5, warn_at: 0.8}]
retry: {delays: [5m, 10m]}
---
Tidy up {{ item.title }}.
"""
"""Its settings stand on lines 2 to 16, its prompt on line 18."""

PATH = "playbooks/tidy.md"


def changed(*changes: tuple[str, str]) -> str:
    """Return the small playbook with parts replaced; each part must be there."""
    text = SMALL
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def small(*changes: tuple[str, str]) -> Playbook:
    """Load the small playbook with parts replaced."""
    return load(changed(*changes), PATH)


def with_body(body: str) -> Playbook:
    """Load the small playbook with another prompt, which begins on line 18."""
    return small(("Tidy up {{ item.title }}.\n", body))


def context(**changes: object) -> PromptContext:
    """Return what a first attempt at issue 42 knows, with fields of ``PromptContext`` or ``Item`` replaced."""
    item = {
        "number": 42,
        "title": "Fix the login",
        "body": "It fails.",
        "url": "https://tracker.example/o/r/issues/42",
        "kind": "issue",
        "author": "alice",
    }
    values: dict[str, object] = {
        "repository": Repository(full_name="o/r", default_branch="main"),
        "branch": "trackside/42-fix-the-login",
        "attempt": 1,
        "run": 1,
        "starter": "bob",
    }
    for key, value in changes.items():
        (item if key in item or key == "trusted" else values)[key] = value
    return PromptContext(item=Item(**item), **values)  # type: ignore[arg-type]  # checked by use
