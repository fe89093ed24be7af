"""
Setting a bot up as an App, step by step: what was chosen, made and found so far.

Nothing of it knows of pages. Each step can be done again; what counts is written at the end only, but for the App's
key, which is kept from the moment that it is told.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bot.errors import ConfigError
from bot.host.config import SECRETS
from bot.host.identity import APP_KEY, APP_KEY_FILE
from bot.host.sections import TOKEN
from bot.setup import progress
from bot.setup.finding import Finding, Severity, worst
from bot.setup.manifest import Wishes, form_target, manifest
from bot.setup.progress import NewApp
from bot.setup.write import lines_of, store_beside, write

_WINNING = (TOKEN, APP_KEY, APP_KEY_FILE, SECRETS)
"""Variables that would win over what is stored here."""

_DELIVERY = "delivery"
"""The check of the doctor that looks at what arrived."""


class Apps(Protocol):
    """The tracker, as far as Apps go. Every method raises ``TrackerError``."""

    @property
    def permissions(self) -> Mapping[str, str]:
        """The permissions that an App of the bot needs."""
        ...

    def events(self, tracker: str) -> Sequence[str]:
        """Return the events that it subscribes to."""
        ...

    async def exchange(self, wishes: Wishes, code: str) -> NewApp:
        """Exchange the code for the App and its key."""
        ...

    async def repositories(self, app: NewApp) -> Sequence[str]:
        """Return the full names of the repositories that the App was let into."""
        ...


class Examiner(Protocol):
    """The doctor."""

    async def __call__(self, path: Path, hook: str) -> Sequence[Finding]:
        """Return all findings; ``hook`` is where events go, empty where they do not."""
        ...


@dataclass(frozen=True, kw_only=True)
class Offer:
    """A manifest, and the address of the tracker's site to which a browser sends it."""

    target: str
    manifest: str


@dataclass(kw_only=True)
class Wizard:
    """The state of one run. ``replace`` says that a configuration that is there may be written over."""

    path: Path
    apps: Apps
    examiner: Examiner
    environment: Mapping[str, str]
    replace: bool = False
    wishes: Wishes | None = None
    app: NewApp | None = None
    findings: Sequence[Finding] = ()
    written: bool = False
    finished: asyncio.Event = field(default_factory=asyncio.Event)
    _state: str = field(default="", repr=False)

    def open(self) -> None:
        """
        Look what an interrupted run left.

        Raises ``ConfigError`` where what is to be stored could not be in force, or the store cannot be opened.
        """
        for name in _WINNING:
            if self.environment.get(name, "").strip():
                raise ConfigError(f"{name} is set, and would win over what is stored here; unset it and begin again")
        self.app = progress.unfinished(store_beside(self.path, self.environment))

    def anew(self) -> None:
        """Forget the App of an interrupted run; at the tracker it stays until a person deletes it."""
        progress.forget(store_beside(self.path, self.environment))
        self.app, self.wishes, self._state = None, None, ""

    def offer(self, redirect: str) -> Offer:
        """Return the manifest for what was wished. Raises ``ConfigError`` before that."""
        if self.wishes is None:
            raise ConfigError("nothing was chosen yet; begin at the first step")
        self._state = self._state or secrets.token_urlsafe(24)
        events = self.apps.events(self.wishes.tracker)
        text = manifest(self.wishes, redirect=redirect, permissions=self.apps.permissions, events=events)
        return Offer(target=form_target(self.wishes, self._state), manifest=text)

    async def arrive(self, code: str, state: str) -> None:
        """
        Take what the tracker's site leads back with, and keep the App's key.

        Raises ``ConfigError`` for a visit that this run did not ask for, ``TrackerError`` when the exchange fails.
        """
        if self.wishes is None or not self._state or not secrets.compare_digest(state.encode(), self._state.encode()):
            message = "this run did not ask for that, or it was answered already"
            raise ConfigError(f"{message}; begin at the first step, and delete an App that is left over")
        app = await self.apps.exchange(self.wishes, code)
        progress.keep(store_beside(self.path, self.environment), app)
        self.app, self._state = app, ""

    async def repositories(self) -> Sequence[str]:
        """Return where the App was let in. Raises ``ConfigError`` before there is one, and ``TrackerError``."""
        return await self.apps.repositories(self._made())

    @property
    def asks_to_replace(self) -> bool:
        """Whether there is a configuration that nobody allowed to write over yet."""
        return self.path.exists() and not self.replace and not self.written

    async def finish(self, repositories: Sequence[str], *, replace: bool) -> None:
        """
        Write the configuration, and let the doctor look.

        Raises ``ConfigError`` when nothing was chosen, when a file would be written over that nobody allowed to, or
        when it cannot be written.
        """
        app = self._made()
        if not repositories:
            raise ConfigError("choose at least one repository")
        if self.asks_to_replace and not replace:
            raise ConfigError(f"{self.path} is there already; allow to write over it, or name another with --config")
        stored = progress.without(store_beside(self.path, self.environment).read())
        kept = {name: value for name, value in stored.items() if name not in _WINNING}
        kept[APP_KEY] = app.key
        if app.webhook_secret:
            kept[SECRETS] = app.webhook_secret
        text = lines_of(repositories, {"url": app.tracker, "app_id": app.id})
        write(self.path, text, kept, self.environment)
        self.written = True
        await self.examine()

    async def examine(self) -> None:
        """Let the doctor look once more."""
        self.findings = await self.examiner(self.path, self._made().hook)

    @property
    def severity(self) -> Severity:
        """How bad the worst finding is, but for deliveries: none can arrive before the bot is started."""
        return worst(each for each in self.findings if each.check != _DELIVERY)

    @property
    def sound(self) -> bool:
        """Whether nothing but a start is missing to the bot."""
        return self.written and self.severity < Severity.ERROR

    def _made(self) -> NewApp:
        if self.app is None:
            raise ConfigError("there is no App yet; begin at the first step")
        return self.app
