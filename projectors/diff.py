"""
From what a thread shows to what it should show, in as few writes as possible. Pure.

Labels come before comments, so that no comment says what the labels do not show yet (gh-L-03); a new label comes
before an old one goes, so that there is none without a state in between; and the sticky comment comes before those
that ask, so that they stand below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bot.storage.threads import ThreadComment
from projectors.desired import Projection
from projectors.digest import digest
from projectors.labels import Label

MOST_LABELS = 100
"""How many labels an item can carry."""


@dataclass(frozen=True, kw_only=True)
class Actual:
    """What a thread shows: all its labels, and our comments by key."""

    labels: frozenset[str] = frozenset()
    comments: Mapping[str, ThreadComment] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class AddLabels:
    """Put labels on; each is made first where the repository has none of its name."""

    labels: tuple[Label, ...]


@dataclass(frozen=True, kw_only=True)
class RemoveLabel:
    """Take a label off, by its name as the item spells it."""

    name: str


@dataclass(frozen=True, kw_only=True)
class CreateComment:
    """Post a comment; ``key`` is in its mark."""

    key: str
    body: str


@dataclass(frozen=True, kw_only=True)
class EditComment:
    """Rewrite a comment of ours."""

    comment: ThreadComment
    body: str


Operation = AddLabels | RemoveLabel | CreateComment | EditComment


def diff(projection: Projection, actual: Actual) -> tuple[Operation, ...]:
    """Return the operations that make a thread show what it should; none when it does already."""
    return (*_labels(projection, actual), *_comments(projection, actual))


def _labels(projection: Projection, actual: Actual) -> Iterator[Operation]:
    # The tracker compares names without case, and so do we (gh-L-13).
    there = {name.casefold() for name in actual.labels}
    wanted = {label.name.casefold() for label in projection.labels}
    ours = {name.casefold() for name in projection.owned}
    missing = tuple(label for label in projection.labels if label.name.casefold() not in there)
    surplus = [
        RemoveLabel(name=name)
        for name in sorted(actual.labels)
        if name.casefold() in ours and name.casefold() not in wanted
    ]
    if len(actual.labels) + len(missing) <= MOST_LABELS:
        yield from [AddLabels(labels=missing)] if missing else []
        yield from surplus
        return
    # An item that is full takes no label before one has gone; what does not fit is left out (gh-L-06).
    yield from surplus
    fitting = missing[: max(MOST_LABELS - len(actual.labels) + len(surplus), 0)]
    yield from [AddLabels(labels=fitting)] if fitting else []


def _comments(projection: Projection, actual: Actual) -> Iterator[Operation]:
    sticky = projection.sticky
    if sticky is not None:
        yield from _comment(sticky.key, sticky.body, actual, post=True)
    for ask in projection.asks:
        yield from _comment(ask.key, ask.body, actual, post=ask.due)


def _comment(key: str, body: str, actual: Actual, *, post: bool) -> Iterator[Operation]:
    known = actual.comments.get(key)
    if known is None:
        yield from [CreateComment(key=key, body=body)] if post else []
    elif known.digest != digest(body):
        yield EditComment(comment=known, body=body)
