"""What setting up an App asks of GitHub: its key for a code, and where it is installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import quote, urlsplit

import httpx

from bot.errors import TrackerError, TrackerUnavailableError
from bot.setup.manifest import Wishes
from bot.setup.progress import NewApp
from bot.trackers.github.client import PAGE, Client, json_of
from bot.trackers.github.credentials import AppIdentity
from bot.trackers.github.fields import Fields
from bot.trackers.github.opening import open_client
from bot.trackers.github.permissions import EVENTS, NEWER_EVENTS, PERMISSIONS
from bot.trackers.github.refusal import refusal

_SECONDS = 10.0


@dataclass(frozen=True)
class GithubApps:
    """Asks GitHub; ``transport`` takes the place of the network in tests. Every method raises ``TrackerError``."""

    transport: httpx.AsyncBaseTransport | None = None

    @property
    def permissions(self) -> Mapping[str, str]:
        """The permissions that an App of the bot needs."""
        return PERMISSIONS

    def events(self, tracker: str) -> Sequence[str]:
        """Return the events that it subscribes to; a server of one's own may be too old for some."""
        newest = not urlsplit(tracker).path
        return [event for event in EVENTS if newest or event not in NEWER_EVENTS]

    async def exchange(self, wishes: Wishes, code: str) -> NewApp:
        """Exchange the code for the App and its key, which is told this once."""
        async with httpx.AsyncClient(timeout=_SECONDS, transport=self.transport) as http:
            headers = {"Accept": "application/vnd.github+json", "User-Agent": "trackside"}
            path = f"{wishes.tracker}/app-manifests/{quote(code, safe='')}/conversions"
            try:
                answer = await http.post(path, headers=headers)
            except httpx.HTTPError as error:
                raise TrackerUnavailableError(f"the tracker cannot be reached: {type(error).__name__}") from error
        if answer.status_code == HTTPStatus.NOT_FOUND:
            raise TrackerError("the code is not known any more: it counts once, for an hour", status=404)
        if answer.is_error:
            raise refusal(answer)
        made = Fields.of(json_of(answer))
        return NewApp(
            id=made.number("id"),
            slug=made.text("slug"),
            page=made.text("html_url"),
            tracker=wishes.tracker,
            hook=wishes.hook,
            key=made.text("pem"),
            webhook_secret=made.text_or_none("webhook_secret") or "",
        )

    async def repositories(self, app: NewApp) -> Sequence[str]:
        """Return the full names of all repositories that the App was let into, in their order."""
        found: set[str] = set()
        async with open_client(AppIdentity(id=app.id, key=app.key), base_url=app.tracker, transport=self.transport) as (
            client,
            _,
        ):
            for installation in await client.pages("/app/installations"):
                if installation.document.get("suspended_at") is None:
                    found |= set(await self._of(client, app, installation.number("id")))
        return sorted(found, key=str.lower)

    async def _of(self, client: Client, app: NewApp, installation: int) -> list[str]:
        minted = await client.send("POST", f"/app/installations/{installation}/access_tokens", {})
        names: list[str] = []
        async with open_client(minted.text("token"), base_url=app.tracker, transport=self.transport) as (own, _):
            page = 1
            while True:
                answer = await own.get(f"/installation/repositories?per_page={PAGE}&page={page}")
                entries = [Fields.of(entry).text("full_name") for entry in answer.items("repositories")]
                names += entries
                if len(entries) < PAGE:
                    return names
                page += 1
