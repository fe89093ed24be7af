from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.trackers.contract import Person, Verdict
from tests.webhooks.edge import payloads
from webhooks.fact_parts import RepositoryRef
from webhooks.facts import CommentFact, Fact, Ping, PullAction, PullRequestFact, ReviewAction, ReviewFact, Wake
from webhooks.github import comments, issues, pulls, reviews
from webhooks.github.normalise import EVENTS, Malformed, normalise
from webhooks.github.payloads import GHOST

SHOP = RepositoryRef(id=payloads.REPOSITORY_ID, owner="acme", owner_id=70, name="shop")
ANN = Person(id=11, login="ann")
TEN_O_CLOCK = 1_772_359_200_000


def facts(event: str, payload: dict[str, Any], delivery: str = "d-1") -> tuple[Fact, ...]:
    found = normalise(event, payload.get("action", ""), payload, delivery=delivery)
    assert not isinstance(found, Malformed), found
    return found


@pytest.mark.parametrize("action", sorted(issues.ACTIONS))
def test_whatever_happens_to_an_issue_is_a_wake(action: str) -> None:
    found = facts("issues", payloads.issues(action))
    assert found == (Wake(repository=SHOP, number=42, delivery="d-1"),)
    assert found[0].keys == ("item:7001/42",)


def test_two_labels_added_at_once_are_two_wakes_that_name_no_label() -> None:  # ag-A05
    first = facts("issues", payloads.issues("labeled", label="documentation"), "d-1")
    second = facts("issues", payloads.issues("labeled", label="run:work-issue"), "d-2")
    assert [fact.natural_key for fact in first + second] == ["wake:d-1", "wake:d-2"]
    assert "run:work-issue" not in repr(first + second)


def test_a_new_comment_is_told_in_full() -> None:
    assert facts("issue_comment", payloads.comment(body="/approve\r\nthanks 🙂")) == (
        CommentFact(
            repository=SHOP,
            number=42,
            comment_id=555,
            author=ANN,
            body="/approve\r\nthanks 🙂",
            created_at=TEN_O_CLOCK,  # type: ignore[arg-type]  # a plain number reads best in a table
            version=TEN_O_CLOCK,  # type: ignore[arg-type]  # as above
            on_pull_request=False,
        ),
    )


def test_an_edited_comment_tells_what_it_said_before() -> None:
    (fact,) = facts("issue_comment", payloads.comment("edited", body="/approve", previous="/aprove"))
    assert isinstance(fact, CommentFact)
    assert (fact.edited, fact.previous_body) == (True, "/aprove")
    assert fact.natural_key == f"comment:7001/555/edited/{TEN_O_CLOCK + 300_000}"


def test_an_edit_that_does_not_tell_the_text_before_is_still_an_edit() -> None:
    (fact,) = facts("issue_comment", payloads.comment("edited"))
    assert isinstance(fact, CommentFact)
    assert (fact.edited, fact.previous_body) == (True, None)


def test_a_comment_on_a_pull_request_is_known_as_one() -> None:
    (fact,) = facts("issue_comment", payloads.comment(pull_request=True))
    assert isinstance(fact, CommentFact)
    assert fact.on_pull_request


def test_a_comment_of_an_app_is_known_by_the_mark_of_its_account_alone() -> None:
    payload = payloads.comment()
    payload["comment"]["user"] = payloads.account("deploy", 77, "Bot")
    (app,) = facts("issue_comment", payload)
    payload["comment"]["user"] = payloads.account("looks-like-a[bot]", 78)
    (person,) = facts("issue_comment", payload)
    assert isinstance(app, CommentFact)
    assert isinstance(person, CommentFact)
    assert (app.author.bot, person.author.bot) == (True, False)


def test_a_comment_of_a_deleted_account_belongs_to_the_ghost() -> None:
    payload = payloads.comment()
    payload["comment"]["user"] = None
    (fact,) = facts("issue_comment", payload)
    assert isinstance(fact, CommentFact)
    assert fact.author == GHOST


def test_a_nul_in_a_text_is_replaced_as_markdown_does() -> None:
    (fact,) = facts("issue_comment", payloads.comment(body="a\0b"))
    assert isinstance(fact, CommentFact)
    assert fact.body == "a\ufffdb"


@pytest.mark.parametrize("action", sorted(pulls.ACTIONS))
def test_what_became_of_a_pull_request_is_a_fact_and_a_wake(action: str) -> None:
    fact, wake = facts("pull_request", payloads.pull_request(action))
    assert fact == PullRequestFact(
        repository=SHOP,
        number=57,
        action=PullAction(action),
        head_ref="trackside/42-fix",
        head_sha=payloads.HEAD_SHA,
        base_ref="main",
        author=Person(id=12, login="trackside[bot]", bot=True),
        merged=False,
        open=action != "closed",
        from_fork=False,
        sender=ANN,
    )
    assert fact.natural_key == f"pull:7001/57/{action}/{payloads.HEAD_SHA}"
    assert wake == Wake(repository=SHOP, number=57, delivery="d-1", branch="trackside/42-fix")
    assert fact.keys == wake.keys == ("item:7001/57", "branch:7001/trackside/42-fix")


@pytest.mark.parametrize("action", sorted(pulls.WAKES))
def test_other_changes_of_a_pull_request_are_a_wake_only(action: str) -> None:
    assert facts("pull_request", payloads.pull_request(action)) == (
        Wake(repository=SHOP, number=57, delivery="d-1", branch="trackside/42-fix"),
    )


def test_a_merged_pull_request_is_known_as_merged() -> None:
    fact, _ = facts("pull_request", payloads.pull_request("closed", merged=True))
    assert isinstance(fact, PullRequestFact)
    assert (fact.merged, fact.open) == (True, False)


def test_a_pull_request_closed_twice_on_the_same_head_still_wakes_twice() -> None:
    first = facts("pull_request", payloads.pull_request("closed"), "d-1")
    second = facts("pull_request", payloads.pull_request("closed"), "d-2")
    assert first[0].natural_key == second[0].natural_key
    assert first[1].natural_key != second[1].natural_key


@pytest.mark.parametrize("gone", [False, True])
def test_the_branch_of_a_fork_is_no_key_of_ours(*, gone: bool) -> None:  # ag-D12
    payload = payloads.pull_request(fork=True)
    if gone:
        payload["pull_request"]["head"]["repo"] = None
    for fact in facts("pull_request", payload):
        assert fact.keys == ("item:7001/57",)


@pytest.mark.parametrize("state", ["approved", "changes_requested", "commented"])
def test_a_submitted_review_is_told_with_the_commit_it_was_given_on(state: str) -> None:  # gh-A-08
    (fact,) = facts("pull_request_review", payloads.review(state=state, body="Nice"))
    assert fact == ReviewFact(
        repository=SHOP,
        number=57,
        review_id=333,
        action=ReviewAction.SUBMITTED,
        author=Person(id=21, login="rev"),
        state=Verdict(state),
        body="Nice",
        commit=payloads.HEAD_SHA,
        submitted_at=1_772_440_215_000,  # type: ignore[arg-type]  # a plain number reads best in a table
        head_ref="trackside/42-fix",
        head_sha=payloads.HEAD_SHA,
        from_fork=False,
    )
    assert fact.natural_key == "review:7001/333"
    assert fact.keys == ("item:7001/57", "branch:7001/trackside/42-fix")


def test_a_review_without_a_text_has_an_empty_one() -> None:
    (fact,) = facts("pull_request_review", payloads.review(body=None))
    assert isinstance(fact, ReviewFact)
    assert not fact.body


def test_a_dismissed_or_rewritten_review_is_not_the_submitted_one() -> None:
    found = [
        *facts("pull_request_review", payloads.review()),
        *facts("pull_request_review", payloads.review("dismissed", state="dismissed")),
        *facts("pull_request_review", payloads.review("edited", body="one")),
        *facts("pull_request_review", payloads.review("edited", body="two")),
    ]
    assert len({fact.natural_key for fact in found}) == 4
    again = facts("pull_request_review", payloads.review("edited", body="two"))
    assert again[0].natural_key == found[3].natural_key


def test_a_ping_names_its_hook() -> None:
    assert facts("ping", payloads.ping()) == (Ping(hook_id=99, delivery="d-1"),)


@pytest.mark.parametrize(
    ("event", "action"),
    [
        ("star", "created"),
        ("issues", "assigned"),
        ("issues", ""),
        ("issue_comment", "pinned"),
        ("pull_request", "auto_merge_enabled"),
        ("pull_request_review", "something_new"),
        ("event_of_next_year", "x"),
    ],
)
def test_events_and_actions_not_in_use_tell_nothing(event: str, action: str) -> None:
    assert normalise(event, action, {"action": action}, delivery="d-1") == ()


KNOWN = [
    ("issues", payloads.issues("labeled"), ["repository.id", "repository.owner", "issue.number"]),
    ("issue_comment", payloads.comment(), ["comment.id", "comment.body", "comment.user", "comment.created_at"]),
    ("pull_request", payloads.pull_request(), ["pull_request.head.sha", "pull_request.merged", "sender.id"]),
    ("pull_request_review", payloads.review(), ["review.state", "review.commit_id", "pull_request.number"]),
    ("ping", payloads.ping(), ["hook_id"]),
]


MAKES_SENSE = {("comment.user", "null"), ("comment.body", "empty"), ("pull_request.merged", "true")}
SPOILS: dict[str, object] = {"null": None, "list": [], "negative": -5, "empty": "", "true": True, "absent": ...}


@pytest.mark.parametrize(
    ("event", "payload", "path", "spoil"),
    [
        pytest.param(event, payload, path, spoil, id=f"{event}-{path}-{spoil}")
        for event, payload, paths in KNOWN
        for path in paths
        for spoil in SPOILS
        if (path, spoil) not in MAKES_SENSE
    ],
)
def test_a_known_event_with_a_field_that_makes_no_sense_is_malformed(
    event: str, payload: dict[str, Any], path: str, spoil: str
) -> None:
    spoiled = copy.deepcopy(payload)
    *outer, last = path.split(".")
    part = spoiled
    for name in outer:
        part = part[name]
    part[last] = SPOILS[spoil]
    if spoil == "absent":
        del part[last]
    found = normalise(event, payload.get("action", ""), spoiled, delivery="d-1")
    assert isinstance(found, Malformed)
    assert found.reason.startswith(path)
    assert "\n" not in found.reason


def test_the_reason_of_malformed_never_quotes_the_payload() -> None:
    payload = payloads.comment()
    payload["comment"]["created_at"] = "a stranger's words"
    found = normalise("issue_comment", "created", payload, delivery="d-1")
    assert isinstance(found, Malformed)
    assert "stranger" not in found.reason


def test_a_moment_without_a_time_zone_is_malformed() -> None:
    payload = payloads.comment()
    payload["comment"]["created_at"] = "2026-03-01T10:00:00"
    assert isinstance(normalise("issue_comment", "created", payload, delivery="d-1"), Malformed)


ACTIONS = sorted({*issues.ACTIONS, *comments.ACTIONS, *pulls.ACTIONS, *pulls.WAKES, *reviews.ACTIONS})
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(sorted(EVENTS)), st.sampled_from(ACTIONS), st.dictionaries(st.text(), ANYTHING))
def test_no_payload_whatever_raises(event: str, action: str, payload: dict[str, object]) -> None:
    found = normalise(event, action, payload, delivery="d-1")
    assert isinstance(found, tuple | Malformed)


@given(st.sampled_from(KNOWN), st.data())
def test_no_spoiled_payload_raises(known: tuple[str, dict[str, Any], list[str]], data: st.DataObject) -> None:
    event, payload, _ = known
    spoiled = copy.deepcopy(payload)
    part: Any = spoiled
    while True:
        name = data.draw(st.sampled_from(sorted(part)))
        if not (isinstance(part[name], dict) and part[name] and data.draw(st.booleans())):
            break
        part = part[name]
    part[name] = data.draw(ANYTHING)
    assert isinstance(normalise(event, payload.get("action", ""), spoiled, delivery="d-1"), tuple | Malformed)
