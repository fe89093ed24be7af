"""The labels that start playbooks are made, and made again when they have changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from bot.clock import MINUTE
from bot.errors import RateLimitedError, TrackerError
from bot.trackers.contract import WriteThreads
from projectors.limiters import Limiters
from projectors.triggers import RETRY, TriggerLabels
from tests.clock import FakeClock

REPOSITORIES = ("acme/greeter", "acme/other")


@dataclass
class Labels:
    """A tracker that knows labels only; it refuses those of one repository."""

    refuses: str = ""
    limit: int = 0
    made: list[tuple[str, str]] = field(default_factory=list)

    async def ensure_label(self, repository: str, name: str, *, color: str, description: str) -> None:
        del color, description
        if self.limit:
            raise RateLimitedError(status=429, retry_after=self.limit)
        if repository == self.refuses:
            raise TrackerError("not allowed")
        self.made.append((repository, name))


def triggers_of(
    tracker: Labels, clock: FakeClock, wanted: dict[str, str], stamps: Mapping[str, str] | None = None
) -> TriggerLabels:
    return TriggerLabels(
        tracker=cast("WriteThreads", tracker),
        clock=clock,
        limiters=Limiters(clock=clock),
        repositories=REPOSITORIES,
        triggers=lambda: dict(wanted),
        changed=lambda repository: told(stamps or {}, repository),
    )


async def told(stamps: Mapping[str, str], repository: str) -> str:
    return stamps.get(repository, "")


async def test_labels_are_made_once_and_again_when_they_have_changed(clock: FakeClock) -> None:
    # C-23
    tracker, wanted = Labels(), {"run:tidy": "tidy"}
    triggers = triggers_of(tracker, clock, wanted)
    for _ in range(2):
        await triggers.run()
        clock.advance(MINUTE)
    assert tracker.made == [(repository, "run:tidy") for repository in REPOSITORIES]

    wanted["run:mow"] = "mow"
    await triggers.run()
    assert {made for made in tracker.made if made[1] == "run:mow"} == {(each, "run:mow") for each in REPOSITORIES}


# ag-F10
async def test_labels_are_made_anew_where_somebody_renamed_or_deleted_some(clock: FakeClock) -> None:
    tracker, stamps = Labels(), dict[str, str]()
    triggers = triggers_of(tracker, clock, {"run:tidy": "tidy"}, stamps)
    await triggers.run()
    tracker.made.clear()
    stamps[REPOSITORIES[1]] = "delivery-1"
    for _ in range(2):
        await triggers.run()
    assert tracker.made == [(REPOSITORIES[1], "run:tidy")]


async def test_a_repository_that_refuses_is_tried_again_later_and_stops_no_other(clock: FakeClock) -> None:
    tracker = Labels(refuses=REPOSITORIES[0])
    triggers = triggers_of(tracker, clock, {"run:tidy": "tidy"})
    await triggers.run()
    tracker.refuses = ""
    await triggers.run()
    assert tracker.made == [(REPOSITORIES[1], "run:tidy")]
    clock.advance(RETRY)
    await triggers.run()
    assert tracker.made[1:] == [(REPOSITORIES[0], "run:tidy")]


async def test_after_a_limit_it_goes_on_when_the_limit_ends(clock: FakeClock) -> None:
    # gh-R-04
    tracker = Labels(limit=2 * MINUTE)
    triggers = triggers_of(tracker, clock, {"run:tidy": "tidy"})
    await triggers.run()
    tracker.limit = 0
    clock.advance(2 * MINUTE - 1)
    await triggers.run()
    assert tracker.made == []
    clock.advance(MINUTE)
    await triggers.run()
    assert tracker.made == [(repository, "run:tidy") for repository in REPOSITORIES]
