"""The demo's tracker: a sample repository, the people in it, and the bot's account."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.trackers.embedded.tracker import EmbeddedTracker

REPOSITORY = "acme/greeter"
DEVELOPER, MAINTAINER, READER, BOT = "dana", "mika", "remy", "trackside-bot"

FILES: Mapping[str, str] = {
    "README.md": "# Greeter\n\nSays hello.\n",
    "greeter.py": 'def greet() -> str:\n    """Return a greeting."""\n    return "Hello, wrold!"\n',
}


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """The tokens of the accounts, by login. Made anew by each demo, and never written down by the tracker."""

    by_login: Mapping[str, str]

    def of(self, login: str) -> str:
        """Return an account's token."""
        return self.by_login[login]


async def furnish(tracker: EmbeddedTracker) -> Tokens:
    """Make the accounts and the repository: Dana and Mika may write, Remy may read, the bot may write."""
    tokens = {
        login: await tracker.add_user(login, name, bot=bot)
        for login, name, bot in (
            (DEVELOPER, "Dana, a developer", False),
            (MAINTAINER, "Mika, a maintainer", False),
            (READER, "Remy, a reader", False),
            (BOT, "Trackside", True),
        )
    }
    owner, _, name = REPOSITORY.partition("/")
    await tracker.create_repository(owner, name, FILES)
    await tracker.grant(REPOSITORY, DEVELOPER, "write")
    await tracker.grant(REPOSITORY, MAINTAINER, "maintain")
    await tracker.grant(REPOSITORY, READER, "read")
    await tracker.grant(REPOSITORY, BOT, "write")
    return Tokens(by_login=tokens)
