"""Which Work waits for a turn of other Work, by the key under which that turn is published (C-97)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain.wait import Dependency
from bot.ids import WorkId
from bot.storage.rows import dump, load
from bot.storage.sql import Row, Sql


@dataclass(frozen=True, kw_only=True)
class Subscription:
    """One Work that waits for one dependency."""

    work: WorkId
    dependency: Dependency


def _subscription(row: Row) -> Subscription:
    dependency = Dependency(key=row["key"], statuses=tuple(load(row["statuses"])))
    return Subscription(work=WorkId(row["work"]), dependency=dependency)


@dataclass(frozen=True)
class Subscriptions:
    """Subscriptions of waiting Work; they go when it wakes or ends."""

    sql: Sql

    def put(self, work: WorkId, dependency: Dependency) -> None:
        """Subscribe a Work, in place of an earlier subscription to the same key."""
        self.sql.run("subscription_put", work=work, key=dependency.key, statuses=dump(list(dependency.statuses)))

    def of_work(self, work: WorkId) -> Sequence[Dependency]:
        """Return what a Work waits for."""
        return [_subscription(row).dependency for row in self.sql.all("subscriptions_of_work", work=work)]

    def to(self, key: str) -> Sequence[Subscription]:
        """Return every subscription to a key."""
        return [_subscription(row) for row in self.sql.all("subscriptions_to_key", key=key)]

    def remove(self, work: WorkId) -> None:
        """Remove every subscription of a Work."""
        self.sql.run("subscriptions_remove", work=work)
