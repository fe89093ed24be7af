"""
From the end of a run to a state.

The scheduler knows outcome kinds only; this is where a playbook's words become one. The table::

    result          word                      outcome     waits for       published
    deferred        any or none               DEFERRED    as it says      no
    failed          any or none               FAILED      -               no
    ended well      declared, `complete`      COMPLETED   -               as the status says
    ended well      declared, `wait`          WAITING     as declared     as the status says
    ended well      none                      as for the `default` status
    ended well      declared, neither         by kind: a job is COMPLETED,
    ended well      undeclared                anything else is WAITING for a comment

A job stands on its own and is simply done; any other work belongs to a thread, where a word that nobody gave
a meaning waits for a person instead of ending the work, or running on, unseen. The word is kept and shown
in every row.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.result import Outcome, Result
from bot.playbook.playbook import Playbook
from bot.playbook.schema import Status
from bot.playbook.words import Kind, Publish, WaitFor


@dataclass(frozen=True, kw_only=True)
class Decision:
    """
    What follows from a result.

    ``status`` is the word to show; empty for a failed run that said none. ``wait`` is what wakes the work,
    only for ``WAITING``. ``publish`` says that the host publishes the branch first. ``declared`` is whether
    the word is one of the playbook's statuses.
    """

    kind: Outcome
    status: str
    comment: str
    wait: tuple[str, ...] = ()
    publish: bool = False
    declared: bool = True


def outcome(playbook: Playbook, result: Result) -> Decision:
    """Return what a result means under a playbook (the one that was pinned with the attempt)."""
    turn = result.turn
    comment = turn.comment if turn else result.summary
    if result.deferral is not None:
        return Decision(kind=Outcome.DEFERRED, status="", comment="")
    if not result.ok:
        word = turn.status if turn else ""
        return Decision(kind=Outcome.FAILED, status=word, comment=comment, declared=word in playbook.statuses)
    word = turn.status if turn else playbook.default
    status = playbook.statuses.get(word)
    kind, wait = _end(playbook.kind, status)
    return Decision(
        kind=kind,
        status=word,
        comment=comment,
        wait=wait,
        publish=status is not None and status.publish is not Publish.NONE,
        declared=status is not None,
    )


def _end(kind: Kind, status: Status | None) -> tuple[Outcome, tuple[str, ...]]:
    if status and status.complete:
        return Outcome.COMPLETED, ()
    if status and status.wait:
        return Outcome.WAITING, tuple(each.value for each in status.wait)
    if kind is Kind.JOB:
        return Outcome.COMPLETED, ()
    return Outcome.WAITING, (WaitFor.COMMENT.value,)
