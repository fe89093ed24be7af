"""The checks of ours that stand on commits of pull requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.storage.sql import Row, Sql

INTENT = 0
"""The id of a check run that was about to be made: no tracker gives it to one."""
STATUS = -1
"""The id of what is a commit status, which is known by its name alone."""


@dataclass(frozen=True, kw_only=True)
class ShownCheck:
    """
    A check of ours.

    ``external`` is the tracker's id of it, or ``INTENT``, or ``STATUS``. ``digest`` is that of what it said last, and
    ``ended`` whether it had a conclusion then.
    """

    name: str
    head: str
    external: int
    digest: str
    ended: bool


@dataclass(frozen=True)
class Checks:
    """Checks of ours, by the item whose Work they tell of."""

    sql: Sql

    def of_item(self, item: str) -> Sequence[ShownCheck]:
        """Return the checks of ours that tell of an item."""
        return [_check(row) for row in self.sql.all("shown_checks_of_item", item=item)]

    def put(self, item: str, check: ShownCheck) -> None:
        """Record a check of ours."""
        self.sql.run(
            "shown_check_put",
            item=item,
            name=check.name,
            head=check.head,
            external=check.external,
            digest=check.digest,
            ended=int(check.ended),
        )

    def forget(self, item: str, check: ShownCheck) -> None:
        """Forget a check, which is left as it is."""
        self.sql.run("shown_check_forget", item=item, name=check.name, head=check.head)


def _check(row: Row) -> ShownCheck:
    return ShownCheck(
        name=row["name"],
        head=row["head"],
        external=row["external"],
        digest=row["digest"],
        ended=bool(row["ended"]),
    )
