"""``trackside init`` against the embedded tracker: a browser with cookies between the two sites, and no network."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx

from bot.clock import SECOND, Millis, SystemClock
from bot.setup.doctor import examine
from bot.setup.door import Door
from bot.setup.finding import Finding
from bot.setup.github_app import GithubApps
from bot.setup.pages import build_pages
from bot.setup.wizard import Wizard
from bot.trackers.embedded.tracker import EmbeddedTracker

SITE = "http://tracker.test"
PAGES = "http://127.0.0.1:4711"
KEY = "k1"
DESCRIBED = {"account": "organization", "organization": "acme", "name": "Trackside acme", "hook": "", "tracker": SITE}


@dataclass
class Shelf:
    """Answers of the tracker, in the place of the network; ``fails`` turns it off."""

    transport: httpx.ASGITransport
    fails: bool = False
    asked: list[str] = field(default_factory=list)

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(f"{request.method} {request.url.path}")
        if self.fails:
            raise httpx.ConnectError("nobody is there", request=request)
        return await self.transport.handle_async_request(request)


@dataclass
class Visit:
    """A person with a browser, ``trackside init`` and the tracker."""

    tracker: EmbeddedTracker
    shelf: Shelf
    wizard: Wizard
    browser: httpx.AsyncClient
    site: httpx.AsyncClient

    async def open(self) -> httpx.Response:
        return await self.browser.get(f"/?key={KEY}")

    async def post(self, path: str, form: Mapping[str, str | list[str]]) -> httpx.Response:
        return await self.browser.post(path, data=form, headers={"Origin": PAGES})

    async def create(self, name: str = "Trackside acme") -> httpx.Response:
        """Send the manifest to the tracker's site, confirm there, and come back."""
        offered = await self.browser.get("/create")
        assert offered.status_code == 200, offered.text
        action = unescape(re.search(r'<form method="post" action="([^"]+)"', offered.text)[1])  # type: ignore[index]
        manifest = unescape(re.search(r'name="manifest" value="([^"]*)"', offered.text)[1])  # type: ignore[index]
        asked = await self.site.post(action, data={"manifest": manifest}, headers={"Origin": PAGES})
        assert asked.status_code == 200, asked.text
        state = parse_qs(urlsplit(action).query)["state"][0]
        form = {"manifest": manifest, "state": state, "name": name}
        path = urlsplit(action).path + "/confirm"
        made = await self.site.post(path, data=form, headers={"Origin": SITE})
        assert made.status_code == 303, made.text
        return await self.browser.get(made.headers["location"])

    async def install(self, *repositories: str) -> int:
        """Let the App in, and return the id of the installation."""
        assert self.wizard.app is not None
        return (await self.tracker.install(self.wizard.app.slug, "acme", repositories)).id


@dataclass
class Ticking:
    moment: int

    def now(self) -> Millis:
        self.moment += SECOND // 100
        return Millis(self.moment)


@asynccontextmanager
async def visiting(
    place: Path, environment: dict[str, str] | None = None, *, replace: bool = False
) -> AsyncIterator[Visit]:
    """Open both sites, with a repository ``acme/shop`` and a private ``acme/secret``."""
    nowhere = httpx.MockTransport(lambda _: httpx.Response(500))
    clock = Ticking(SystemClock().now())
    async with (
        httpx.AsyncClient(transport=nowhere) as sender,
        EmbeddedTracker.open(place / "tracker.db", place / "git", clock=clock, client=sender, base_url=SITE) as tracker,
    ):
        await tracker.add_user("ada")
        for name, private in (("shop", False), ("secret", True)):
            await tracker.create_repository("acme", name, {"README.md": "# One\n"}, private=private)
        shelf = Shelf(httpx.ASGITransport(tracker.app))
        wizard = wizard_at(place, shelf, environment or {}, replace=replace)
        async with (
            browsing(wizard) as browser,
            httpx.AsyncClient(transport=httpx.ASGITransport(tracker.app), base_url=SITE) as site,
        ):
            yield Visit(tracker, shelf, wizard, browser, site)


def wizard_at(place: Path, shelf: Shelf, environment: dict[str, str], *, replace: bool = False) -> Wizard:
    transport = httpx.MockTransport(shelf)

    async def look(path: Path, hook: str) -> Sequence[Finding]:
        return [each async for each in examine(path, SystemClock(), transport, url=hook)]

    wizard = Wizard(
        path=place / "trackside.toml",
        apps=GithubApps(transport),
        examiner=look,
        environment=environment,
        replace=replace,
    )
    wizard.open()
    return wizard


@asynccontextmanager
async def browsing(wizard: Wizard) -> AsyncIterator[httpx.AsyncClient]:
    """Open the pages of a wizard in a browser of its own."""
    door = Door(build_pages(wizard, PAGES), address=PAGES, key=KEY)
    transport = httpx.ASGITransport(door, raise_app_exceptions=True)
    async with httpx.AsyncClient(transport=transport, base_url=PAGES, follow_redirects=True) as browser:
        yield browser
