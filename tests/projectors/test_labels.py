from __future__ import annotations

from dataclasses import replace

import pytest

from bot.domain.hold import HoldState
from bot.views.thread import LabelView, ThreadState, WorkView
from projectors.labels import GREEN, RED, YELLOW, owned, trigger_label, wanted
from tests.projectors.samples import BUDGET, FEW, GATE, HELP, OPERATOR, REVIEW, RUNNING, VERDICT, WORK, held, thread


def names(*works: WorkView) -> list[str]:
    return [label.name for label in wanted(thread(*works), FEW)]


def test_a_live_run_shows_the_label_of_its_status() -> None:
    assert names(RUNNING) == ["state:building"]
    assert names(REVIEW) == ["state:review"]
    assert names(WORK) == []


def test_holds_stand_beside_the_state_one_label_for_each_kind() -> None:
    work = replace(held(GATE, BUDGET, VERDICT, OPERATOR, replace(GATE, id=VERDICT.id)), status_label="state:review")
    assert names(work) == ["state:review", "hold:gate", "hold:budget", "hold:verdict", "hold:operator"]


def test_a_settled_hold_has_no_label() -> None:
    assert names(held(replace(GATE, state=HoldState.ADMITTED))) == []


def test_two_runs_show_the_labels_of_both_each_once() -> None:
    assert names(RUNNING, HELP, replace(HELP, playbook="other")) == ["state:building", "state:help"]


@pytest.mark.parametrize(
    ("state", "label"),
    [
        (ThreadState.COMPLETED, "state:done"),
        (ThreadState.EXHAUSTED, "state:failed"),
        (ThreadState.FAILED, "state:failed"),
    ],
)
def test_done_and_failed_have_a_label_whatever_stood_before(state: ThreadState, label: str) -> None:  # ag-J13
    assert names(replace(REVIEW, state=state)) == [label]
    assert names(replace(REVIEW, state=state, labels=())) == [label]


@pytest.mark.parametrize("state", [ThreadState.CANCELLED, ThreadState.GONE])
def test_a_cancelled_run_leaves_no_label_behind(state: ThreadState) -> None:  # ag-F01, ag-G16
    assert names(replace(RUNNING, state=state)) == []
    assert {"state:building", "run:work-issue"} <= owned(thread(replace(RUNNING, state=state)), FEW)


def test_the_status_that_completed_the_run_is_shown_among_several() -> None:
    labels = (*REVIEW.labels, LabelView(name="state:answered", completes=True))
    done = replace(REVIEW, state=ThreadState.COMPLETED, labels=labels, status_label="state:answered")
    assert names(done) == ["state:answered"]


def test_colours_are_those_of_the_playbook_or_of_the_word() -> None:
    looks = {label.name: label.color for label in wanted(thread(RUNNING), FEW)}
    assert looks == {"state:building": YELLOW}
    bare = replace(RUNNING, labels=(LabelView(name="state:done"),), status_label="state:done")
    assert wanted(thread(bare), FEW)[0].color == GREEN
    assert wanted(thread(replace(WORK, state=ThreadState.FAILED)), FEW)[0].color == RED
    assert trigger_label("run:x", "x").description == "Starts x"


def test_prefixes_are_a_choice() -> None:
    chosen = replace(FEW, state_prefix="agent/", hold_prefix="wait/")
    view = thread(held(GATE), replace(WORK, state=ThreadState.FAILED))
    assert [label.name for label in wanted(view, chosen)] == ["agent/failed", "wait/gate"]
    assert {"agent/done", "wait/budget"} <= owned(view, chosen)


def test_the_starting_label_is_ours_only_at_the_end_and_only_once() -> None:
    ended = replace(REVIEW, state=ThreadState.COMPLETED)
    assert "run:work-issue" not in owned(thread(REVIEW), FEW)
    assert "run:work-issue" in owned(thread(ended), FEW)
    # Put on again after that, it is a wish for another run: taking it off would lose the wish.
    assert "run:work-issue" not in owned(thread(replace(ended, trigger_settled=True)), FEW)
    # Another run that lives needs it.
    assert "run:work-issue" not in owned(thread(ended, replace(RUNNING, playbook="other")), FEW)


def test_foreign_labels_are_not_ours() -> None:
    assert owned(thread(REVIEW), FEW).isdisjoint({"bug", "state:other", "hold:other"})
