"""What git reaches a repository with, asked of the tracker each time: the tokens of an App last an hour."""

from __future__ import annotations

from urllib.parse import urlsplit

from bot.executors.workspace.git import Token
from bot.trackers.contract import Tracker


def git_tokens(tracker: Tracker) -> Token:
    """Return what finds the token of the moment for the address of a repository."""

    async def token(remote: str) -> str:
        return await tracker.git_token(repository_at(remote))

    return token


def repository_at(remote: str) -> str:
    """Return ``owner/name`` of the repository at an address, whatever stands before them."""
    return "/".join(urlsplit(remote).path.strip("/").removesuffix(".git").split("/")[-2:])
