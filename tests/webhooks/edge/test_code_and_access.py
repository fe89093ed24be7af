"""Deliveries about commits, branches and what the bot may reach."""

from __future__ import annotations

import json
import time
import tracemalloc
from typing import Any

import pytest

from bot.trackers.contract import Person
from tests.webhooks.edge import payloads
from webhooks.access_facts import AccessFact, Lost
from webhooks.code_facts import ChecksFact, PushFact
from webhooks.fact_documents import from_document, to_document
from webhooks.fact_parts import RepositoryRef
from webhooks.facts import Fact, Wake
from webhooks.github.normalise import Malformed, normalise
from webhooks.payload import parse_object
from webhooks.reach import ReachFact

SHOP = RepositoryRef(id=payloads.REPOSITORY_ID, owner="acme", owner_id=70, name="shop")
SHA = "b2" * 20
NONE = "0" * 40
MANY = 10_000
BOUND = 64 * 1024 * 1024


def facts(event: str, payload: dict[str, Any]) -> tuple[Fact, ...]:
    found = normalise(event, payload.get("action", ""), payload, delivery="d-1")
    assert not isinstance(found, Malformed), found
    for fact in found:
        assert from_document(json.loads(json.dumps(to_document(fact)))) == fact
    return found


def push(**changes: object) -> dict[str, Any]:
    about = {"ref": "refs/heads/main", "before": payloads.HEAD_SHA, "after": SHA, "forced": False, "deleted": False}
    return payloads.envelope("") | about | changes


def installation(action: str, **changes: object) -> dict[str, Any]:
    return {"action": action, "installation": {"id": 5, "account": payloads.account("acme", 70)}} | changes


@pytest.mark.parametrize(
    ("event", "about"),
    [
        ("check_run", {"check_run": {"head_sha": SHA, "check_suite": {"head_branch": "fix"}}}),
        ("check_suite", {"check_suite": {"head_sha": SHA, "head_branch": "fix"}}),
        ("status", {"sha": SHA, "branches": [{"name": "fix"}]}),
    ],
)
def test_whatever_checks_a_commit_says_only_to_look_at_it_again(event: str, about: dict[str, Any]) -> None:
    # gh-O-04
    found = facts(event, payloads.envelope("completed") | about)
    assert found == (ChecksFact(repository=SHOP, sha=SHA, branches=("fix",), delivery="d-1"),)
    assert found[0].keys == ("branch:7001/fix",)


@pytest.mark.parametrize(
    ("event", "about", "expected"),
    [
        (
            "check_run",
            {"check_run": {"head_sha": SHA, "check_suite": {"head_branch": None}, "app": {"id": 5}}},
            (5, None),
        ),
        ("check_suite", {"check_suite": {"head_sha": SHA, "head_branch": None, "app": {"id": 5}}}, (5, None)),
        ("check_suite", {"check_suite": {"head_sha": SHA, "head_branch": None, "app": None}}, (None, None)),
        ("status", {"sha": SHA, "branches": [], "context": "trackside/turn"}, (None, 11)),
        ("status", {"sha": SHA, "branches": [], "context": "deploy"}, (None, None)),
    ],
)
def test_a_check_names_who_made_it_where_that_may_be_us(
    event: str, about: dict[str, Any], expected: tuple[int | None, int | None]
) -> None:
    (fact,) = facts(event, payloads.envelope("completed") | about)
    assert isinstance(fact, ChecksFact)
    assert (fact.app, fact.account) == expected


def test_a_check_on_the_commit_of_a_fork_names_no_branch() -> None:
    suite = {"check_suite": {"head_sha": SHA, "head_branch": None}}
    assert facts("check_suite", payloads.envelope("completed") | suite)[0].keys == ()


def test_a_push_is_known_by_its_new_head_whichever_delivery_tells_it() -> None:
    # gh-D-07
    found = facts("push", push())[0]
    assert isinstance(found, PushFact)
    assert found.natural_key == f"push:7001/refs/heads/main/{SHA}"
    assert found.sender == Person(id=11, login="ann")
    assert found.keys == ("branch:7001/main",)


def test_a_deleted_branch_is_known_by_the_head_that_it_had() -> None:
    found = facts("push", push(after=NONE, deleted=True))[0]
    assert found.natural_key == f"push:7001/refs/heads/main/deleted/{payloads.HEAD_SHA}"


def test_a_tag_belongs_to_no_branch() -> None:
    assert facts("push", push(ref="refs/tags/v1"))[0].keys == ()


@pytest.mark.parametrize(("action", "review"), [("created", 9), ("edited", None), ("deleted", None)])
def test_comments_on_lines_say_only_to_read_the_pull_request_again(action: str, review: int | None) -> None:
    # gh-P-07: what is written on a line is read with its review.
    head = {"ref": "fix", "sha": SHA, "repo": {"id": payloads.REPOSITORY_ID}}
    about = {"pull_request": {"number": 42, "head": head}, "comment": {"body": "/approve", "pull_request_review_id": 9}}
    found = facts("pull_request_review_comment", payloads.envelope(action) | about)
    assert found == (Wake(repository=SHOP, number=42, delivery="d-1", branch="fix", review=review),)


@pytest.mark.parametrize("action", ["created", "unsuspend", "new_permissions_accepted"])
def test_access_that_is_given_takes_nothing_away_and_says_what_to_try_again(action: str) -> None:
    # ag-J06
    assert facts("installation", installation(action)) == (ReachFact(owner=70, repositories=(), delivery="d-1"),)


def test_repositories_that_are_added_or_opened_are_tried_again() -> None:
    # ag-J06
    found = facts("installation_repositories", installation("added", repositories_added=[{"id": 1}, {"id": 2}]))
    assert found == (ReachFact(owner=70, repositories=(1, 2), delivery="d-1"),)
    assert facts("installation_repositories", installation("added", repositories_added=[])) == ()
    for action in ("unarchived", "transferred"):
        (fact,) = (each for each in facts("repository", payloads.envelope(action)) if isinstance(each, ReachFact))
        assert fact.repositories == (payloads.REPOSITORY_ID,)
    assert not any(isinstance(each, ReachFact) for each in facts("repository", payloads.envelope("archived")))


def test_repositories_that_are_removed_are_known_by_their_ids() -> None:
    found = facts("installation_repositories", installation("removed", repositories_removed=[{"id": 1}, {"id": 2}]))
    assert found == (AccessFact(lost=Lost.REMOVED, owner=70, repositories=(1, 2), delivery="d-1"),)


def test_an_empty_list_of_removed_repositories_never_means_all_of_them() -> None:
    assert facts("installation_repositories", installation("removed", repositories_removed=[])) == ()


@pytest.mark.parametrize(
    ("event", "action", "key"),
    [("installation", "deleted", "repositories"), ("installation_repositories", "removed", "repositories_removed")],
)
def test_ten_thousand_repositories_are_read_in_a_second_and_little_memory(event: str, action: str, key: str) -> None:
    # gh-H-07
    each = [{"id": n, "name": f"r{n}", "full_name": f"acme/r{n}", "private": True} for n in range(1, MANY + 1)]
    body = json.dumps(installation(action, **{key: each})).encode()
    began = time.process_time()
    found = facts(event, dict(parse_object(body)))
    assert time.process_time() - began < 1
    assert len(found) == 1
    tracemalloc.start()
    try:
        facts(event, dict(parse_object(body)))
        assert tracemalloc.get_traced_memory()[1] < BOUND
    finally:
        tracemalloc.stop()
