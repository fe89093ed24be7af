"""One gate for each installation, and one for a token whatever it writes to."""

from __future__ import annotations

import asyncio

import pytest

from bot.clock import MINUTE
from bot.errors import RateLimitedError
from projectors.limiters import Limiters
from tests.clock import FakeClock


async def limited() -> None:
    raise RateLimitedError(retry_after=MINUTE)


async def done() -> str:
    return "done"


# gh-R-02, ag-I03
async def test_who_is_limited_at_one_account_writes_to_others_all_the_same() -> None:
    limiters = Limiters(clock=FakeClock(), by_owner=True)
    with pytest.raises(RateLimitedError):
        await limiters.of("acme/shop").write(limited)

    for name in ("Acme/Till", "ACME/shop"):
        with pytest.raises(RateLimitedError):
            await limiters.of(name).write(done)
    assert await limiters.of("zoo/acme").write(done) == "done"


async def test_who_acts_by_a_token_waits_wherever_it_is_told_to() -> None:
    limiters = Limiters(clock=FakeClock())
    with pytest.raises(RateLimitedError):
        await limiters.of("acme/shop").write(limited)

    with pytest.raises(RateLimitedError):
        await limiters.of("zoo/farm").write(done)


async def test_a_write_that_hangs_at_one_account_holds_up_no_other() -> None:
    limiters = Limiters(clock=FakeClock(), by_owner=True)
    hanging = asyncio.create_task(limiters.of("acme/shop").write(asyncio.Event().wait))
    await asyncio.sleep(0)

    assert await limiters.of("zoo/farm").write(done) == "done"
    hanging.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hanging
