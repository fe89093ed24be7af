"""The labels that start playbooks, made for the repositories that do not have them yet."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

import structlog

from bot.clock import MINUTE, Clock, Millis
from bot.errors import RateLimitedError, TrackerError
from bot.trackers.contract import WriteThreads
from projectors.labels import trigger_label
from projectors.limiters import Limiters

RETRY = 10 * MINUTE

_log = structlog.get_logger(__name__)


@dataclass(kw_only=True)
class TriggerLabels:
    """
    Makes the labels once for each repository, and again when they have changed.

    ``triggers`` returns the labels that there are to be now, each with its playbook's name; ``changed`` returns, for a
    repository, a word that is another one after somebody renamed or deleted labels there.

    A repository where that fails is tried again later, and said in the log: nothing else would show that the bot
    may not write there.
    """

    tracker: WriteThreads
    clock: Clock
    limiters: Limiters
    repositories: Sequence[str]
    triggers: Callable[[], Mapping[str, str]]
    changed: Callable[[str], Awaitable[str]]
    _done: dict[str, tuple[str, Mapping[str, str]]] = field(default_factory=dict)
    _later: dict[str, Millis] = field(default_factory=dict)

    async def run(self) -> None:
        """Make what is missing."""
        triggers = self.triggers()
        for name in self.repositories:
            wanted = (await self.changed(name), triggers)
            if self._done.get(name) == wanted or self._later.get(name, Millis(0)) > self.clock.now():
                continue
            try:
                await self._make(name, triggers)
            except RateLimitedError as error:
                # Nothing is wrong here: it goes on as soon as the limit ends.
                self._later[name] = Millis(self.clock.now() + error.retry_after)
            except TrackerError as error:
                self._later[name] = Millis(self.clock.now() + RETRY)
                _log.warning("labels_not_made", repository=name, reason=str(error))
            else:
                self._done[name] = wanted

    async def _make(self, repository: str, triggers: Mapping[str, str]) -> None:
        for name, playbook in triggers.items():
            label = trigger_label(name, playbook)
            await self.limiters.of(repository).write(
                lambda each=label: self.tracker.ensure_label(  # type: ignore[misc]
                    repository, each.name, color=each.color, description=each.description
                )
            )
