"""What an App's webhook missed while the bot was down is sent again, without anybody asking."""

from __future__ import annotations

from bot.clock import MINUTE
from bot.trackers.embedded.apps import Manifest
from bot.trackers.github.credentials import AppIdentity
from bot.trackers.github.permissions import EVENTS, PERMISSIONS
from tests.scenarios.playbooks import RECORD, runs
from tests.scenarios.scenes import behaves, webhooks_only
from tests.scenarios.stage import Stage
from tests.trackers.github.apps import pem

ADDRESS = "http://bot.test/webhooks/github"


# gh-W-01, ag-A04, ag-B04
@webhooks_only
@behaves(RECORD)
async def test_what_an_app_missed_while_it_was_down_comes_again_and_counts_once(scene: Stage) -> None:
    """Also the sweep finds the label meanwhile: there is one Work, and one run of it."""
    manifest = Manifest(
        name="Trackside acme",
        url="https://bot.test",
        hook_url=ADDRESS,
        permissions=dict(PERMISSIONS),
        events=list(EVENTS),
    )
    made, keys = await scene.tracker.add_app("acme", manifest, pem=pem())
    await scene.tracker.install(made.slug, "acme")
    assert keys.webhook_secret is not None
    scene.app, scene.secret = AppIdentity(id=made.id, key=keys.pem), keys.webhook_secret
    await scene.tracker.deliver_pending()
    thread = await scene.begin()
    await scene.tracker.deliver_pending()
    scene.clock.advance(MINUTE)
    async with scene.bot():
        await scene.ended(thread)
        await scene.settle()
        sent = await scene.tracker.app_deliveries(made.slug)
        lost = {each.guid for each in sent if not each.redelivery and each.event == "issues" and not each.status_code}
        again = {each.guid for each in sent if each.redelivery and each.status_code == 202}
        assert lost
        assert lost <= again
        assert (len(await scene.works(thread)), runs(scene.directory)) == (1, 1)
