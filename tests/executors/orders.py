"""Orders, and a host's record of what it persisted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from bot.domain.result import Order
from bot.errors import StaleEpochError
from bot.executors.contract import ExecutionContext
from bot.ids import ExecutionId, WorkId

EXECUTION = ExecutionId("exe-0000000000000001")


def order(directory: Path, config: Mapping[str, object], **changes: object) -> Order:
    """Return an order for the first launch of an attempt."""
    made = Order(
        key=f"{EXECUTION}/1",
        work=WorkId("wrk-0000000000000001"),
        execution=EXECUTION,
        epoch=1,
        attempt=1,
        executor="shell",
        config=config,
        prompt="Do it.",
        directory=str(directory),
        timeout=3_600_000,
    )
    return replace(made, **changes)  # type: ignore[arg-type] # named by the tests


@dataclass
class Host:
    """Persists what executors ask it to; ``stale`` is a host that lost its lease meanwhile."""

    stale: bool = False
    persisted: list[Mapping[str, object]] = field(default_factory=list)

    @property
    def context(self) -> ExecutionContext:
        return ExecutionContext(persist=self._persist)

    async def _persist(self, metadata: Mapping[str, object]) -> None:
        if self.stale:
            raise StaleEpochError
        self.persisted.append(metadata)
