"""What a thread should show: labels, the sticky comment, and the comments that ask. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from bot.clock import Millis
from bot.views.thread import ThreadView
from projectors.asks import Ask, asks
from projectors.labels import Label, owned, wanted
from projectors.settings import Settings
from projectors.sticky import sticky, sticky_key


@dataclass(frozen=True, kw_only=True)
class Sticky:
    """The comment that is edited in place."""

    key: str
    body: str


@dataclass(frozen=True, kw_only=True)
class Projection:
    """
    What a thread should show.

    ``labels`` are those that should be there, ``owned`` the names that may be taken off when they are not among
    them. ``sticky`` is None when there is nothing to say; one that stands there is then left alone.
    """

    labels: tuple[Label, ...] = ()
    owned: frozenset[str] = frozenset()
    sticky: Sticky | None = None
    asks: tuple[Ask, ...] = ()


def desired(view: ThreadView, settings: Settings, now: Millis) -> Projection:
    """Return what a thread should show at ``now``."""
    body = sticky(view, settings, now)
    return Projection(
        labels=wanted(view, settings),
        owned=owned(view, settings) if view.sections else frozenset(),
        sticky=None if body is None else Sticky(key=sticky_key(view), body=body),
        asks=asks(view, settings, now),
    )
