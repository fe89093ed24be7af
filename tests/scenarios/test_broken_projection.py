"""A thread that was refused is put right when the reason is gone, also when nothing happens in it any more."""

from __future__ import annotations

from bot.clock import HOUR
from tests.scenarios.playbooks import AWAIT, Signal
from tests.scenarios.scenes import behaves, silent_only
from tests.scenarios.stage import Stage

ANY = r"/repos/acme/greeter/issues/.*"


# gh-W-11
@silent_only
@behaves(AWAIT)
async def test_a_restart_with_a_token_that_works_shows_what_ended_meanwhile(scene: Stage, signal: Signal) -> None:
    async with scene.bot():
        thread = await scene.begin()
        await scene.at_work(thread)
        await scene.settle()
        for method in ("POST", "PATCH", "DELETE"):
            scene.faults.refuse(method, ANY, status=401)
        signal.give()
        await scene.until("parked", lambda: _parked(scene))
        await scene.settle()
    scene.faults.heal()
    async with scene.bot():
        await scene.said(thread, "**Done**")
        await scene.settle()
        assert not await _parked(scene)


# ag-I05
@silent_only
@behaves(AWAIT)
async def test_a_permission_that_is_given_back_is_found_within_hours(stage: Stage, signal: Signal) -> None:
    thread = await stage.begin()
    await stage.at_work(thread)
    await stage.settle()
    for method in ("POST", "PATCH", "DELETE"):
        stage.faults.refuse(method, ANY, status=403)
    signal.give()
    await stage.until("parked", lambda: _parked(stage))
    await stage.settle()
    stage.faults.heal()
    stage.clock.advance(6 * HOUR)
    await stage.said(thread, "**Done**")


async def _parked(stage: Stage) -> bool:
    return bool(await stage.up.store.read(lambda tx: tx.threads.parked()))
