"""The embedded tracker as a stage: GitHub's adapter speaks to it, and people act in it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from bot.clock import SECOND, Millis
from bot.trackers.embedded.tracker import EmbeddedTracker
from bot.trackers.github.tracker import GithubTracker, open_tracker
from tests.published.watch import Watched
from tests.trackers.github.contract import REPO

BASE = "http://tracker.test"
START = Millis(1_770_000_000_000)


@dataclass
class Ticking:
    """A clock that goes on by a second whenever it is read, so that no two things happen at once."""

    moment: int = START

    def now(self) -> Millis:
        self.moment += SECOND
        return Millis(self.moment)


@dataclass(frozen=True)
class EmbeddedStage:
    tracker: GithubTracker
    embedded: EmbeddedTracker

    async def open_issue(self, title: str, *, labels: Sequence[str] = ()) -> int:
        return (await self.embedded.open_issue(REPO, by="ada", title=title, labels=tuple(labels))).number

    async def comment(self, number: int, body: str) -> None:
        await self.embedded.comment(REPO, number, body, by="ada")

    async def unlabel(self, number: int, label: str) -> None:
        await self.embedded.unlabel(REPO, number, label, by="ada")

    async def close(self, number: int) -> None:
        await self.embedded.close(REPO, number, by="ada")

    async def push(self, branch: str, name: str) -> str:
        return await self.embedded.commit(REPO, branch, {name: "text\n"}, by="ada")

    async def merge(self, number: int) -> None:
        await self.embedded.merge(REPO, number, by="ada")

    async def approve(self, number: int, commit: str) -> None:
        await self.embedded.review(REPO, number, "APPROVE", by="ada", commit=commit)

    async def reactions(self, number: int) -> dict[str, int]:
        return dict((await self.embedded.thread(REPO, number)).reactions)


@asynccontextmanager
async def embedded_stage(place: Path) -> AsyncIterator[EmbeddedStage]:
    """Open a tracker with a repository, and the adapter that speaks to it as the bot, both as GitHub publishes it."""
    # No hook is registered, so nothing is sent.
    nowhere = httpx.MockTransport(lambda _: httpx.Response(500))
    async with (
        httpx.AsyncClient(transport=nowhere) as client,
        EmbeddedTracker.open(
            place / "tracker.db", place / "git", clock=Ticking(), client=client, base_url=BASE
        ) as embedded,
    ):
        for login in ("ada", "ben"):
            await embedded.add_user(login)
        token = await embedded.add_user("trackside[bot]", bot=True)
        await embedded.create_repository("acme", "shop", {"README.md": "# Shop\n"})
        await embedded.grant(REPO, "ada", "admin")
        await embedded.grant(REPO, "trackside[bot]", "write")
        for name in ("run:work", "bug"):
            await embedded.create_label(REPO, name, by="ada")
        watched = Watched(httpx.ASGITransport(embedded.app))
        async with open_tracker(token, base_url=BASE, transport=watched) as tracker:
            yield EmbeddedStage(tracker, embedded)
        watched.settle()
