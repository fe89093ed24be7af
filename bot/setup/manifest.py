"""What is asked of the tracker's site to make an App: pure, from what a person chose to the form that is sent."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import quote, urlsplit

from bot.errors import ConfigError
from bot.host.sections import GITHUB
from bot.setup.remote import HOOK_PATH

MOST = 34
"""Characters of an App's name."""
_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")
_API_PATH = "/api/v3"


class FieldError(ConfigError):
    """What a person wrote into one field cannot be used; ``field`` is its name."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """
    What the App is to be.

    ``organization`` is empty for one of the person's own account; ``hook`` is where events go, empty where they
    cannot and the bot looks by itself; ``tracker`` is the address of the API.
    """

    name: str
    organization: str
    hook: str
    tracker: str

    @property
    def form(self) -> dict[str, str]:
        """The form of the first page that says the same."""
        account = "organization" if self.organization else "personal"
        return {
            "account": account,
            "organization": self.organization,
            "name": self.name,
            "hook": self.hook,
            "tracker": self.tracker,
        }


def wishes_of(form: Mapping[str, str]) -> Wishes:
    """Read the form of the first page. Raises ``FieldError`` for the first field that cannot be used."""
    value = {key: text.strip() for key, text in form.items()}
    name, organization = value.get("name", ""), ""
    if value.get("account") == "organization":
        organization = value.get("organization", "")
        if not _LOGIN.fullmatch(organization):
            raise FieldError("organization", "write the organisation as in its address, such as acme")
    if not name or len(name) > MOST or not re.search(r"[A-Za-z0-9]", name):
        raise FieldError("name", f"write 1 to {MOST} characters, with a letter or a digit among them")
    tracker = value.get("tracker", "").rstrip("/") or GITHUB
    _check_url("tracker", tracker, f"write a URL such as {GITHUB} or https://host{_API_PATH}")
    hook = hook_of(value.get("hook", ""))
    if hook and tracker == GITHUB and _is_private(urlsplit(hook).hostname or ""):
        raise FieldError("hook", "GitHub does not reach this machine by that name; leave it empty to do without")
    return Wishes(name=name, organization=organization, hook=hook, tracker=tracker)


def hook_of(address: str) -> str:
    """Return where events go at a public address of the bot, empty for none. Raises ``FieldError``."""
    if not address:
        return ""
    _check_url("hook", address, "write a URL such as https://bot.example.org, or leave it empty")
    return address.rstrip("/").removesuffix(HOOK_PATH) + HOOK_PATH


def _check_url(field: str, value: str, cure: str) -> None:
    try:
        parts = urlsplit(value)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or parts.username is not None or parts.query or parts.fragment or re.search(r"[\s<>\"']", value):
        raise FieldError(field, cure)


def _is_private(host: str) -> bool:
    try:
        return not ip_address(host).is_global
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local"))


def site_of(tracker: str) -> str:
    """Return the address of the pages that belong to an API."""
    parts = urlsplit(tracker)
    if (parts.hostname or "").startswith("api.") and not parts.path:
        return f"{parts.scheme}://{parts.netloc.removeprefix('api.')}"
    return tracker.removesuffix(_API_PATH)


def form_target(wishes: Wishes, state: str) -> str:
    """Return the address to which the manifest is sent by a browser."""
    owner = f"/organizations/{quote(wishes.organization, safe='')}" if wishes.organization else ""
    return f"{site_of(wishes.tracker)}{owner}/settings/apps/new?state={quote(state, safe='')}"


def manifest(wishes: Wishes, *, redirect: str, permissions: Mapping[str, str], events: Sequence[str]) -> str:
    """Return the manifest as JSON; ``redirect`` is where the tracker's site leads back to."""
    document: dict[str, object] = {
        "name": wishes.name,
        "url": wishes.hook.removesuffix(HOOK_PATH) or site_of(wishes.tracker),
        "redirect_url": redirect,
        "public": False,
        "default_permissions": dict(permissions),
    }
    # GitHub takes events only with a webhook, and a webhook only with an address, active or not.
    if wishes.hook:
        document |= {"hook_attributes": {"url": wishes.hook, "active": True}, "default_events": list(events)}
    return json.dumps(document)
