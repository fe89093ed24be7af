"""A repository that was renamed or given away, asked about by the name that the bot knows."""

from __future__ import annotations

from pathlib import Path

from tests.trackers.github.contract import REPO
from tests.trackers.github.stage import embedded_stage


# gh-K-09
async def test_a_repository_is_read_and_written_by_its_former_name(tmp_path: Path) -> None:
    """A redirect is followed for reading, and for writing with the same method and body, once."""
    async with embedded_stage(tmp_path) as stage:
        number = await stage.open_issue("Broken")
        before = await stage.tracker.repository(REPO)
        await stage.embedded.rename(REPO, "store", by="ada")
        after = await stage.tracker.repository(REPO)
        assert (after.id, after.full_name) == (before.id, "acme/store")
        await stage.tracker.create_comment(REPO, number, "Still here.")
        await stage.embedded.transfer("acme/store", "ada", by="ada")
        moved = await stage.tracker.repository(REPO)
        assert (moved.id, moved.full_name) == (before.id, "ada/store")
        assert [each.body for each in await stage.embedded.comments("ada/store", number)] == ["Still here."]
