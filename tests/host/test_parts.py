"""What the host's parts ask of the tracker when they need it, since it changes from hour to hour."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from pydantic import SecretStr

from bot.host.config import Config
from bot.host.parts import Parts
from bot.host.ticks import every
from bot.storage.contract import Store
from bot.trackers.contract import Person, Tracker
from tests.clock import FakeClock


@dataclass
class Minting:
    """A tracker whose tokens are over with each use."""

    used: set[str] = field(default_factory=set)

    async def git_token(self, repository: str) -> str:
        token = f"{repository} {secrets.token_hex(20)}"
        self.used.add(token)
        return token

    @property
    def hidden(self) -> frozenset[str]:
        return frozenset(self.used)


def parts(place: Path, tracker: Minting) -> Parts:
    return Parts(
        config=Config(data=place, repositories=("acme/shop",), token=SecretStr(secrets.token_hex())),
        clock=FakeClock(),
        api="",
        after=lambda _: None,
        ticks=every,
        store=cast("Store", None),
        tracker=cast("Tracker", tracker),
        me=Person(id=1, login="bot", bot=True),
        executors={},
        playbooks={},
        owner="host",
        mark="here",
    )


# ag-I01
async def test_git_has_the_token_of_the_moment_for_the_repository_that_it_reaches(tmp_path: Path) -> None:
    tracker = Minting()
    git = parts(tmp_path, tracker).workspaces.git
    tokens = [await git.token(f"https://tracker.test/{name}.git") for name in ("acme/shop", "acme/shop", "zoo/farm")]

    assert len(set(tokens)) == 3
    assert [token.split()[0] for token in tokens] == ["acme/shop", "acme/shop", "zoo/farm"]


# gh-S-03
async def test_a_token_of_the_moment_is_cut_out_of_texts_from_then_on(tmp_path: Path) -> None:
    tracker = Minting()
    made = parts(tmp_path, tracker)
    safe = made.texts.safe
    token = await made.tracker.git_token("acme/shop")

    assert safe.line(f"It is {token}.") == "It is \\[redacted\\]."
    assert made.config.token.get_secret_value() not in safe.line(f"It is {made.config.token.get_secret_value()}.")
