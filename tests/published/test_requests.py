"""Every request that the adapter can make is as GitHub publishes it, and GitHub's own examples can be read."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import httpx
import pytest

from bot.trackers.contract import Tracker
from bot.trackers.github.permissions import EVENTS, PERMISSIONS
from bot.trackers.inspection import AppInspector
from tests.published.__main__ import PAGE, rendered
from tests.published.calls import APP_INSPECTOR, TRACKER, methods
from tests.published.cut import GITHUB, SERVERS
from tests.published.description import description
from tests.published.operations import DOCTORS_OWN, OPERATIONS, event_permission
from tests.published.walk import by_app, by_token, operation

LEVELS = ("", "read", "write")
PUSHING = {"contents": "write"}
"""What git needs beside the API."""


@dataclass(frozen=True)
class Walked:
    """What was asked."""

    by_token: Sequence[httpx.Request]
    by_app: Sequence[httpx.Request]


@pytest.fixture(scope="module")
def walked() -> Walked:
    return Walked(asyncio.run(by_token()), asyncio.run(by_app()))


@pytest.mark.parametrize(("port", "calls"), [(Tracker, TRACKER), (AppInspector, APP_INSPECTOR)])
def test_no_method_of_a_port_is_left_out(port: type, calls: Mapping[str, object]) -> None:
    assert sorted(set(methods(port))) == sorted(calls)


def test_what_is_asked_for_is_what_is_listed(walked: Walked) -> None:
    github = description()

    asked = {str(github.check_request(request)) for request in [*walked.by_token, *walked.by_app]}

    assert sorted(asked) == sorted(OPERATIONS)


def test_a_server_of_ones_own_takes_the_same_requests(walked: Walked) -> None:
    for request in (*walked.by_token, *walked.by_app):
        for server in SERVERS:
            description(server).check_request(request)


def test_an_app_may_do_all_that_it_does_by_an_installation(walked: Walked) -> None:
    github = description()
    by_installation = [each for each in walked.by_app if each.headers.get("Authorization", "").startswith("token ")]

    used = {github.check_request(request) for request in by_installation}

    assert used
    assert [each for each in used if not github.details(each)["x-github"]["enabledForGitHubApps"]] == []


def test_what_is_allowed_is_what_requests_and_events_need() -> None:
    """Nothing that is needed is missing, and nothing is asked of an owner that is not needed."""
    needed = [(use.permission, use.level) for use in OPERATIONS.values() if use.permission not in DOCTORS_OWN | {""}]
    needed += [(permission, "read") for permission in map(event_permission, EVENTS) if permission]
    needed += PUSHING.items()
    most: dict[str, str] = {}
    for permission, level in needed:
        most[permission] = max(level, most.get(permission, ""), key=LEVELS.index)

    assert most == dict(PERMISSIONS)


@pytest.mark.parametrize("event", EVENTS)
def test_an_event_needs_a_permission_that_is_asked_for(event: str) -> None:
    assert event_permission(event) in PERMISSIONS


def test_the_page_of_permissions_has_these_tables() -> None:
    """After a change here: ``python -m tests.published`` writes them anew."""
    page = PAGE.read_text(encoding="utf-8")

    assert rendered(page) == page


@pytest.mark.parametrize("host", [GITHUB, *SERVERS])
def test_every_host_has_the_operations_that_are_listed(host: str) -> None:
    for text in OPERATIONS:
        description(host).details(operation(text))
