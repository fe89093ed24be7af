"""By what name an instance marks what it writes (gh-L-14)."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from bot.host.instance_mark import instance_mark
from bot.storage.contract import Shared, Tx
from tests.storage.twice import Twice, Writable


class Several(Twice[Tx]):
    """A store that several hosts share."""

    async def changes(self) -> AsyncGenerator[None, None]:
        """Yield nothing: nobody else commits."""
        nothing: tuple[None, ...] = ()
        for each in nothing:
            yield each


async def test_a_host_with_a_database_of_its_own_goes_by_its_own_name(store: Writable[Tx]) -> None:
    # gh-L-14
    assert await instance_mark(store, "host-a") == "host-a"
    assert await instance_mark(store, "host-b") == "host-b", "a copy elsewhere is another instance"


async def test_hosts_that_share_a_database_are_one_instance(store: Writable[Tx]) -> None:
    # gh-L-14
    shared = Several(store)
    assert isinstance(shared, Shared)
    assert [await instance_mark(shared, name) for name in ("host-b", "host-a", "host-b")] == ["host-b"] * 3
