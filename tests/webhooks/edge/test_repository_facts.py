"""Deliveries about a repository itself: its name, its labels, links between issues, and runs of workflows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.webhooks.edge import payloads
from tests.webhooks.edge.test_code_and_access import SHA, SHOP, facts
from webhooks.fact_parts import RepositoryRef
from webhooks.facts import Wake
from webhooks.reach import ReachFact
from webhooks.repository_facts import LabelFact, MovedFact, WorkflowFact

FARM = RepositoryRef(id=9, owner="zoo", owner_id=71, name="farm")
FARM_PART = {"id": 9, "name": "farm", "owner": payloads.account("zoo", 71)}


def label(action: str, name: str, changes: object = None) -> dict[str, Any]:
    return payloads.envelope(action) | {"label": {"id": 5, "name": name, "color": "ffffff"}, "changes": changes or {}}


# ag-F10
def test_of_a_label_only_another_name_and_its_end_are_facts() -> None:
    renamed = facts("label", label("edited", "agent", {"name": {"from": "run:work-issue"}}))
    assert renamed == (LabelFact(repository=SHOP, before="run:work-issue", name="agent", delivery="d-1"),)
    assert facts("label", label("edited", "agent", {"color": {"from": "000000"}})) == ()
    assert facts("label", label("created", "agent")) == ()
    gone = facts("label", label("deleted", "agent"))
    assert gone == (LabelFact(repository=SHOP, before="agent", name=None, delivery="d-1"),)


# gh-K-09
def test_another_name_or_owner_of_a_repository_is_told_with_what_it_is_now() -> None:
    moved = MovedFact(repository=SHOP, delivery="d-1")
    assert facts("repository", payloads.envelope("renamed")) == (moved,)
    reach = ReachFact(owner=70, repositories=(SHOP.id,), delivery="d-1")
    assert facts("repository", payloads.envelope("transferred")) == (moved, reach)
    assert facts("repository", payloads.envelope("edited")) == ()


@pytest.mark.parametrize(
    ("event", "action", "sides"),
    [
        ("sub_issues", "sub_issue_added", ("parent_issue", "sub_issue")),
        ("sub_issues", "sub_issue_removed", ("parent_issue", "sub_issue")),
        ("issue_dependencies", "blocking_added", ("blocking_issue", "blocked_issue")),
        ("issue_dependencies", "blocking_removed", ("blocking_issue", "blocked_issue")),
    ],
)
def test_a_link_wakes_both_issues_each_where_it_is(event: str, action: str, sides: tuple[str, str]) -> None:
    here, there = sides
    about = {here: {"number": 1}, there: {"number": 2}, f"{there}_repo": FARM_PART}
    found = facts(event, payloads.envelope(action) | about)
    assert {(each.repository, each.number) for each in found if isinstance(each, Wake)} == {(SHOP, 1), (FARM, 2)}
    assert len({each.natural_key for each in found}) == 2
    alone = facts(event, payloads.envelope(action) | {here: {"number": 1}})
    assert [each.natural_key for each in alone] == [each.natural_key for each in found if each in alone]
    assert facts(event, payloads.envelope("elsewhere") | about) == ()


# gh-O-09
def test_a_run_of_a_workflow_is_known_by_its_id_and_attempt() -> None:
    run = {"id": 7, "run_attempt": 2, "head_sha": SHA, "head_branch": "fix", "status": "completed"}
    found = facts("workflow_run", payloads.envelope("completed") | {"workflow_run": run | {"conclusion": "success"}})
    fact = WorkflowFact(
        repository=SHOP,
        run=7,
        attempt=2,
        job=None,
        sha=SHA,
        branch="fix",
        state="completed",
        conclusion="success",
    )
    assert found == (fact,)
    assert fact.natural_key == f"workflow:{SHOP.id}/7/2/completed/success"
    assert fact.keys == (f"branch:{SHOP.id}/fix",)
    assert facts("workflow_run", payloads.envelope("unknown") | {"workflow_run": run}) == ()


# gh-O-09
def test_a_job_is_one_of_its_run_and_its_states_are_facts_of_their_own() -> None:
    job = {"id": 70, "run_id": 7, "head_sha": SHA, "status": "queued", "conclusion": None}
    (queued,) = facts("workflow_job", payloads.envelope("queued") | {"workflow_job": job})
    assert isinstance(queued, WorkflowFact)
    assert (queued.run, queued.attempt, queued.job, queued.branch) == (7, 1, 70, None)
    running = payloads.envelope("in_progress") | {"workflow_job": job | {"status": "in_progress"}}
    assert facts("workflow_job", running)[0].natural_key != queued.natural_key
