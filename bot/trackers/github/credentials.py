"""By what the bot acts on the tracker: a personal token, or an App and its installations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, kw_only=True)
class AppIdentity:
    """A GitHub App: its id, and its private key in PEM."""

    id: int
    key: str = field(repr=False)


Identity = str | AppIdentity
"""Whom the bot is: a personal token stands for the account that it belongs to."""


def identity(*, token: str, app_id: int, key: str) -> Identity:
    """Return the identity that a configuration names: an App where there is an id of one."""
    return AppIdentity(id=app_id, key=key) if app_id else token


@dataclass(frozen=True)
class Grant:
    """
    What a request is made with: the value of its ``Authorization`` header.

    ``whose`` names the quota that it counts against, empty where there is one only.
    """

    header: str = field(repr=False)
    whose: str = ""


class Credentials(Protocol):
    """Finds what a request is to be made with. Raises ``TrackerError`` when there is nothing."""

    async def grant(self, path: str) -> Grant:
        """Return what a request to a path of the API is to be made with."""
        ...

    async def renewed(self, path: str, refused: Grant, status: int) -> Grant | None:
        """Return what to repeat a refused request with, once, or None when nothing better is to be had."""
        ...


class BotCredentials(Credentials, Protocol):
    """The credentials for all that the bot does."""

    async def account(self) -> str:
        """Return the path of the account that the bot acts as."""
        ...

    async def git_token(self, repository: str) -> str:
        """Return the token by which git reaches a repository now."""
        ...

    @property
    def app(self) -> int | None:
        """The id of the App; None where there is none."""
        ...

    @property
    def hidden(self) -> frozenset[str]:
        """The tokens that were in use lately, which are never shown."""
        ...


@dataclass(frozen=True)
class PersonalToken:
    """One token for everything."""

    value: str = field(repr=False)

    async def grant(self, path: str) -> Grant:  # noqa: ARG002 - the same for every path
        """Return the token."""
        return Grant(f"token {self.value}")

    async def renewed(self, path: str, refused: Grant, status: int) -> Grant | None:  # noqa: ARG002 - nothing helps
        """Return None: a person has to make another token."""
        return None

    async def account(self) -> str:
        """Return the path of the account that the token belongs to."""
        return "/user"

    async def git_token(self, repository: str) -> str:  # noqa: ARG002 - the same for every repository
        """Return the token."""
        return self.value

    @property
    def app(self) -> int | None:
        """None: a token is no App's."""
        return None

    @property
    def hidden(self) -> frozenset[str]:
        """The token."""
        return frozenset({self.value})


def repository_of(path: str) -> str | None:
    """Return ``owner/name`` of the repository that a path of the API leads to, or into."""
    match _parts(path):
        case ["repos", owner, name, *_]:
            return f"{owner}/{name}"
    return None


def owner_of(path: str) -> str:
    """Return the owner that a path of the API leads to, or into, in lower case; empty when it is about none."""
    match _parts(path):
        case ["repos" | "orgs" | "users", owner, *_]:
            return owner.lower()
    return ""


def is_repository(path: str) -> bool:
    """Return whether a path leads to a repository itself."""
    return repository_of(path) is not None and len(_parts(path)) == len(("repos", "owner", "name"))


def is_about_app(path: str) -> bool:
    """Return whether a path is asked by an App for itself: what it is, and where it is installed."""
    match _parts(path):
        case ["app", *_] | ["repos", _, _, "installation"] | ["orgs" | "users", _, "installation"]:
            return True
    return False


def _parts(path: str) -> list[str]:
    return path.partition("?")[0].strip("/").split("/")
