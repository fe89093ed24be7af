from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bot.clock import Millis
from bot.trackers.contract import Comment, Person, PullRequest, Repository, Review, Verdict
from tests.webhooks.edge import payloads
from webhooks.fact_documents import from_document, to_document
from webhooks.fact_parts import RepositoryRef
from webhooks.facts import CommentFact, Fact, Ping, PullAction, PullRequestFact, ReviewFact, Wake
from webhooks.github.normalise import Malformed, normalise
from webhooks.vote_facts import CommentDeletedFact

ANN = Person(id=11, login="ann")
BOT = Person(id=12, login="trackside[bot]", bot=True)
TEN_O_CLOCK = Millis(1_772_359_200_000)
SHOP = Repository(
    id=7001, owner="acme", owner_id=70, name="shop", default_branch="main", clone_url="https://example/x.git"
)
REF = RepositoryRef.of(SHOP)
PULL = PullRequest(
    number=57,
    title="Fix log-in",
    body="",
    open=True,
    merged=False,
    draft=False,
    head_ref="trackside/42-fix",
    head_sha=payloads.HEAD_SHA,
    base_ref="main",
    author=BOT,
    url="https://example/57",
)
COMMENT = Comment(id=555, number=42, body="/approve", author=ANN, created_at=TEN_O_CLOCK, updated_at=TEN_O_CLOCK)
REVIEW = Review(
    id=333,
    number=57,
    body="",
    author=Person(id=21, login="rev"),
    verdict=Verdict.APPROVED,
    commit=payloads.HEAD_SHA,
    submitted_at=Millis(1_772_440_215_000),
)


def delivered(event: str, payload: payloads.Payload) -> tuple[Fact, ...]:
    found = normalise(event, payload.get("action", ""), payload, delivery="d-1")
    assert not isinstance(found, Malformed)
    return found


ALL: list[Fact] = [
    *delivered("issues", payloads.issues("labeled")),
    *delivered("issue_comment", payloads.comment()),
    *delivered("issue_comment", payloads.comment("edited", previous="before")),
    *delivered("issue_comment", payloads.comment("deleted")),
    *delivered("pull_request", payloads.pull_request("closed", merged=True)),
    *delivered("pull_request", payloads.pull_request("synchronize", fork=True)),
    *delivered("pull_request_review", payloads.review(state="changes_requested", body="Größe 🙂")),
    *delivered("ping", payloads.ping()),
]


def test_a_comment_is_the_same_fact_delivered_or_read() -> None:
    assert delivered("issue_comment", payloads.comment()) == (CommentFact.of(REF, COMMENT, on_pull_request=False),)


def test_that_a_comment_was_deleted_names_what_was_said_in_it() -> None:
    (said,) = delivered("issue_comment", payloads.comment())
    (deleted,) = delivered("issue_comment", payloads.comment("deleted"))
    assert isinstance(deleted, CommentDeletedFact)
    assert deleted.said == said.natural_key != deleted.natural_key
    assert deleted.keys == said.keys


def test_an_edit_has_the_same_key_delivered_or_read() -> None:
    (told,) = delivered("issue_comment", payloads.comment("edited", previous="before"))
    read = CommentFact.of(REF, replace(COMMENT, updated_at=Millis(TEN_O_CLOCK + 300_000)), on_pull_request=False)
    assert read.edited
    assert read.natural_key == told.natural_key != CommentFact.of(REF, COMMENT, on_pull_request=False).natural_key


def test_a_review_is_the_same_fact_delivered_or_read() -> None:
    assert delivered("pull_request_review", payloads.review()) == (ReviewFact.of(REF, REVIEW, PULL, from_fork=False),)


def test_a_dismissal_has_the_same_key_delivered_or_read() -> None:
    (told,) = delivered("pull_request_review", payloads.review("dismissed", state="dismissed"))
    read = ReviewFact.of(REF, replace(REVIEW, verdict=Verdict.DISMISSED), PULL, from_fork=False)
    assert read.natural_key == told.natural_key


def test_a_pull_request_is_the_same_fact_delivered_or_read_but_for_who_did_it() -> None:
    told, _ = delivered("pull_request", payloads.pull_request("opened"))
    assert isinstance(told, PullRequestFact)
    read = PullRequestFact.of(REF, PULL, action=PullAction.OPENED, from_fork=False)
    assert replace(told, sender=None) == read
    assert read.natural_key == told.natural_key


@pytest.mark.parametrize("fact", ALL, ids=lambda fact: f"{fact.kind.value}")
def test_a_fact_survives_being_stored(fact: Fact) -> None:
    text = json.dumps(to_document(fact), allow_nan=False)
    assert from_document(json.loads(text)) == fact


def test_the_stored_document_is_plain_and_says_its_version() -> None:
    wake = Wake(repository=REF, number=42, delivery="d-1")
    assert to_document(wake) == {
        "version": 1,
        "kind": "wake",
        "fact": {
            "repository": {"id": 7001, "owner": "acme", "owner_id": 70, "name": "shop"},
            "number": 42,
            "delivery": "d-1",
            "branch": None,
            "review": None,
        },
    }


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"version": 2, "kind": "ping", "fact": {"hook_id": 1, "delivery": "d"}},
        {"version": 1, "kind": "gossip", "fact": {}},
        {"version": 1, "kind": "ping", "fact": {"hook_id": 1}},
        {"version": 1, "kind": "ping", "fact": None},
    ],
)
def test_a_document_that_makes_no_sense_is_an_error(document: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"fact|FactKind"):
        from_document(document)


def test_a_document_with_a_field_of_a_later_release_can_be_read() -> None:
    document = {"version": 1, "kind": "ping", "fact": {"hook_id": 1, "delivery": "d", "later": True}}
    assert from_document(document) == Ping(hook_id=1, delivery="d")


def test_a_repository_is_addressed_by_owner_and_name() -> None:
    assert REF.full_name == SHOP.full_name == "acme/shop"
