"""What the sweep had to find is counted, so that webhooks which do not arrive show in a graph."""

from __future__ import annotations

from bot.metrics import REGISTRY
from tests.scenarios.playbooks import RECORD
from tests.scenarios.scenes import behaves, silent_only, webhooks_only
from tests.scenarios.stage import Stage


def _missed() -> dict[str, float]:
    kinds = ("wake", "comment")
    name = "trackside_reconcile_found_missed_total"
    return {kind: REGISTRY.get_sample_value(name, {"kind": kind}) or 0.0 for kind in kinds}


async def _day(stage: Stage) -> dict[str, float]:
    before = _missed()
    thread = await stage.begin()
    await stage.say(thread, "Please.")
    await stage.ended(thread)
    after = _missed()
    return {kind: after[kind] - before[kind] for kind in after}


# ag-B04, gh-W-01
@silent_only
@behaves(RECORD)
async def test_what_no_delivery_told_is_counted_by_its_kind(stage: Stage) -> None:
    found = await _day(stage)
    assert found["wake"] >= 1
    assert found["comment"] >= 1


@webhooks_only
@behaves(RECORD)
async def test_what_deliveries_told_is_not_counted(stage: Stage) -> None:
    assert await _day(stage) == {"wake": 0.0, "comment": 0.0}
