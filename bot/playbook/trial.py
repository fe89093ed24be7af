"""
Render a prompt with sample values when its playbook is loaded.

What only shows on rendering (a pull request asked for its number before there is one) is then said to the
author, and not to the person whose issue the first attempt fails on.
"""

from __future__ import annotations

from dataclasses import replace

from bot.playbook.playbook import Playbook
from bot.playbook.problem import Problem
from bot.playbook.prompt import Item, OpenPullRequest, Previous, PromptContext, PromptInput, Repository
from bot.playbook.render import filled

_NONCE = "sample0123456789"
_FIRST = PromptContext(
    item=Item(
        number=42,
        title="Fix the login",
        body="It fails.",
        url="https://tracker.example/owner/name/issues/42",
        kind="issue",
        author="author",
    ),
    repository=Repository(full_name="owner/name", default_branch="main"),
    branch="trackside/42-fix-the-login",
    attempt=1,
    run=1,
    starter="starter",
)
_LATER = replace(
    _FIRST,
    attempt=2,
    inputs=(PromptInput(kind="comment", author="reviewer", trusted=True, body="Please test it."),),
    previous=Previous(status="help", comment="Which login?"),
    pull_request=OpenPullRequest(number=43, url="https://tracker.example/owner/name/pull/43"),
)


def fault(playbook: Playbook) -> Problem | None:
    """Return why the prompt of a first attempt, or of a later one, could not be made; None if it can."""
    for moment, context in (("the first attempt", _FIRST), ("a later attempt", _LATER)):
        made = filled(playbook, context, nonce=_NONCE)
        if isinstance(made, Problem):
            return replace(made, message=f"{made.message} (on {moment})")
    return None
