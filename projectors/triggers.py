"""The labels that start playbooks, made for the repositories that do not have them yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import structlog

from bot.clock import MINUTE, Clock, Millis
from bot.errors import TrackerError
from bot.trackers.contract import WriteThreads
from projectors.labels import trigger_label
from projectors.limiter import Limiter

RETRY = 10 * MINUTE

_log = structlog.get_logger(__name__)


@dataclass(kw_only=True)
class TriggerLabels:
    """
    Makes the labels once for each repository. ``triggers`` maps a label to its playbook's name.

    A repository where that fails is tried again later, and said in the log: nothing else would show that the bot
    may not write there.
    """

    tracker: WriteThreads
    clock: Clock
    limiter: Limiter
    repositories: Sequence[str]
    triggers: Mapping[str, str]
    _done: set[str] = field(default_factory=set)
    _later: dict[str, Millis] = field(default_factory=dict)

    async def run(self) -> None:
        """Make what is missing."""
        for name in self.repositories:
            if name in self._done or self._later.get(name, Millis(0)) > self.clock.now():
                continue
            try:
                await self._make(name)
            except TrackerError as error:
                self._later[name] = Millis(self.clock.now() + RETRY)
                _log.warning("labels_not_made", repository=name, reason=str(error))
            else:
                self._done.add(name)

    async def _make(self, repository: str) -> None:
        for name, playbook in self.triggers.items():
            label = trigger_label(name, playbook)
            await self.limiter.write(
                lambda each=label: self.tracker.ensure_label(  # type: ignore[misc]
                    repository, each.name, color=each.color, description=each.description
                )
            )
