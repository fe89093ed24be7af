from __future__ import annotations

from bot.trackers.checks import ReadChecks, WriteChecks
from bot.trackers.github.tracker import GithubTracker
from bot.trackers.teams import TeamsOf


async def test_the_adapter_also_keeps_the_ports_of_checks_and_teams(tracker: GithubTracker) -> None:
    """What the type checker says of these assignments is the test."""
    reading: ReadChecks = tracker
    writing: WriteChecks = tracker
    teams: TeamsOf = tracker

    parts: tuple[object, ...] = (reading, writing, teams)
    assert all(part is tracker for part in parts)
