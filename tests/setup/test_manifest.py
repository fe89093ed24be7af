"""What is asked of the tracker's site, by what a person wrote into the first page."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from bot.setup.github_app import GithubApps
from bot.setup.manifest import FieldError, Wishes, form_target, hook_of, manifest, site_of, wishes_of
from bot.trackers.github.permissions import EVENTS, NEWER_EVENTS, PERMISSIONS

API = "https://api.github.com"
FORM = {"account": "personal", "organization": "", "name": "Trackside", "hook": "", "tracker": API}


@pytest.mark.parametrize(
    ("tracker", "site"),
    [
        (API, "https://github.com"),
        ("https://api.acme.ghe.com", "https://acme.ghe.com"),
        ("https://git.acme.example/api/v3", "https://git.acme.example"),
        # A host may be called that; the path tells a server of one's own.
        ("https://api.acme.example/api/v3", "https://api.acme.example"),
        ("http://127.0.0.1:8421", "http://127.0.0.1:8421"),
    ],
)
def test_the_site_belongs_to_the_api(tracker: str, site: str) -> None:
    assert site_of(tracker) == site


def test_the_form_goes_to_the_settings_of_whose_app_it_is() -> None:
    own = form_target(wishes_of(FORM), "a&b")
    assert own.startswith("https://github.com/settings/apps/new?")
    assert parse_qs(urlsplit(own).query) == {"state": ["a&b"]}
    theirs = form_target(wishes_of({**FORM, "account": "organization", "organization": "acme"}), "s")
    assert theirs == "https://github.com/organizations/acme/settings/apps/new?state=s"


def test_without_an_address_the_manifest_names_neither_a_webhook_nor_events() -> None:
    """GitHub takes events only with a webhook, and a webhook only with an address."""
    text = manifest(wishes_of(FORM), redirect="http://127.0.0.1:1/callback", permissions=PERMISSIONS, events=EVENTS)
    document = json.loads(text)
    assert not document.keys() & {"hook_attributes", "default_events"}
    assert document["default_permissions"] == dict(PERMISSIONS)
    assert (document["public"], document["redirect_url"]) == (False, "http://127.0.0.1:1/callback")
    assert urlsplit(document["url"]).scheme == "https"


def test_with_an_address_events_go_to_the_receiver() -> None:
    wishes = wishes_of({**FORM, "hook": "https://bot.example.org/"})
    document = json.loads(manifest(wishes, redirect="x", permissions=PERMISSIONS, events=EVENTS))
    assert document["hook_attributes"] == {"url": "https://bot.example.org/webhooks/github", "active": True}
    assert document["default_events"] == list(EVENTS)
    assert document["url"] == "https://bot.example.org"


def test_a_server_of_ones_own_is_not_asked_for_events_that_it_may_not_know() -> None:
    assert GithubApps().events(API) == list(EVENTS)
    assert set(GithubApps().events("https://git.acme.example/api/v3")) == set(EVENTS) - NEWER_EVENTS


@pytest.mark.parametrize(
    "address",
    ["https://bot.example.org", "https://bot.example.org/", "https://bot.example.org/webhooks/github"],
)
def test_the_path_of_the_receiver_is_added_once(address: str) -> None:
    assert hook_of(address) == "https://bot.example.org/webhooks/github"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("organization", ""),
        ("organization", "a/b"),
        ("organization", "-a"),
        ("name", " "),
        ("name", "x" * 35),
        ("name", "---"),
        ("hook", "bot.example.org"),
        ("hook", "https://"),
        ("hook", "https://user:word@bot.example.org"),
        ("hook", "https://bot.example.org?x=1"),
        ("hook", "https://bot.example.org:99999"),
        ("hook", "https://bot example.org"),
        ("hook", "http://localhost:8000"),
        ("hook", "http://10.0.0.1"),
        ("tracker", "github.com"),
        ("tracker", "https://h/api;'\"x"),
    ],
)
def test_what_cannot_be_used_is_refused_at_its_field(field: str, value: str) -> None:
    account = "organization" if field == "organization" else "personal"
    with pytest.raises(FieldError) as refused:
        wishes_of({**FORM, "account": account, field: value})
    assert refused.value.field == field


def test_a_server_of_ones_own_may_reach_a_bot_in_the_same_network() -> None:
    wishes = wishes_of({**FORM, "tracker": "https://git.acme.example/api/v3/", "hook": "http://10.0.0.1:8000"})
    assert wishes.hook == "http://10.0.0.1:8000/webhooks/github"
    assert wishes.tracker == "https://git.acme.example/api/v3"


def test_the_form_says_what_was_wished() -> None:
    wishes = Wishes(name="Bot", organization="acme", hook="https://b.example/webhooks/github", tracker=API)
    assert wishes_of(wishes.form) == wishes
