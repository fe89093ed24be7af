"""As few writes as possible, and none the second time."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain.hold import HoldState
from bot.ids import HoldId, WorkId
from bot.views.thread import HoldView, ThreadState, WorkView
from projectors.desired import Projection, desired
from projectors.diff import AddLabels, CreateComment, EditComment, RemoveLabel
from tests.projectors.model import ModelThread
from tests.projectors.samples import (
    BRAKE,
    BUDGET,
    EARLIER,
    GATE,
    HELP,
    NOW,
    OPERATOR,
    REVIEW,
    RUNNING,
    SETTINGS,
    VERDICT,
    WORK,
    held,
    thread,
)

STICKY = "sticky:item:1/42"


def show(*works: WorkView) -> Projection:
    return desired(thread(*works), SETTINGS, NOW)


def settled(hold: HoldView) -> HoldView:
    return replace(hold, state=HoldState.ADMITTED, settled_by="bob", settled_at=EARLIER)


STATES = st.builds(
    lambda work, state, holds: replace(work, state=state, holds=tuple(holds)),
    st.sampled_from([WORK, RUNNING, REVIEW, HELP]),
    st.sampled_from(ThreadState),
    st.lists(
        st.sampled_from([GATE, settled(GATE), BUDGET, BRAKE, OPERATOR, VERDICT]), max_size=2, unique_by=lambda h: h.id
    ),
)


def _apart(work: WorkView, place: int) -> WorkView:
    """Give a section its own identities, as the store does."""
    holds = tuple(replace(hold, id=HoldId(f"{hold.id}-{place}")) for hold in work.holds)
    return replace(work, work=WorkId(f"wrk-{place}"), playbook=f"playbook-{place}", holds=holds)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(STATES, max_size=2), max_size=5))
def test_showing_the_same_twice_writes_nothing(history: list[list[WorkView]]) -> None:  # gh-L-01, ag-J15
    model = ModelThread()
    model.put("bug", "Run:Work-Issue")
    for works in history:
        projection = show(*(_apart(work, place) for place, work in enumerate(works)))
        model.show(projection)
        assert model.show(projection) == ()
        assert "bug" in model.labels


def test_a_label_is_swapped_by_adding_first() -> None:
    model = ModelThread()
    model.show(show(RUNNING))
    operations = model.show(show(REVIEW))
    assert [type(operation) for operation in operations] == [AddLabels, RemoveLabel, EditComment]
    assert model.lowest == 1
    assert set(model.labels) == {"state:review"}


def test_only_labels_of_ours_are_touched() -> None:
    model = ModelThread()
    model.put("bug", "state:mine", "hold:music", "state:help", "hold:gate")
    model.show(show(RUNNING))
    assert set(model.labels) == {"bug", "state:mine", "hold:music", "state:building"}


def test_labels_are_compared_without_case() -> None:  # gh-L-13, ag-F10
    model = ModelThread()
    model.put("State:Building", "STATE:REVIEW")
    operations = model.show(show(RUNNING))
    assert RemoveLabel(name="STATE:REVIEW") in operations
    assert set(model.labels.values()) == {"State:Building"}


def test_the_starting_label_is_taken_off_at_the_end() -> None:
    model = ModelThread()
    model.put("run:work-issue")
    model.show(show(REVIEW))
    assert "run:work-issue" in model.labels
    ended = replace(REVIEW, state=ThreadState.COMPLETED, merged=True)
    model.show(show(ended))
    assert set(model.labels) == {"state:done"}
    model.put("run:work-issue")
    assert model.show(show(replace(ended, trigger_settled=True))) == ()


def test_an_item_full_of_labels_gets_what_fits() -> None:  # gh-L-06
    model = ModelThread()
    model.put(*(f"label {number}" for number in range(99)), "state:help")
    operations = model.show(show(replace(RUNNING, holds=(GATE,))))
    assert [type(operation) for operation in operations[:2]] == [RemoveLabel, AddLabels]
    assert "state:building" in model.labels
    assert "hold:gate" not in model.labels


def test_two_playbooks_share_one_comment_and_their_labels() -> None:
    model = ModelThread()
    model.show(show(RUNNING, replace(HELP, playbook="triage")))
    assert set(model.labels) == {"state:building", "state:help"}
    body = model.bodies[model.ids[STICKY]]
    assert "work-issue" in body
    assert "triage" in body
    model.show(show(RUNNING, replace(HELP, playbook="triage", state=ThreadState.COMPLETED, notify=False)))
    assert set(model.labels) == {"state:building", "state:done"}
    assert list(model.ids) == [STICKY, "question:wrk-1/1"]


def test_a_deleted_sticky_comment_is_made_again_once() -> None:  # ag-J05
    model = ModelThread()
    model.show(show(RUNNING))
    model.delete(STICKY)
    assert [type(operation) for operation in model.show(show(RUNNING))] == [CreateComment]
    assert model.show(show(RUNNING)) == ()


def test_labels_come_before_comments_and_the_sticky_comment_before_what_asks() -> None:  # gh-L-03
    operations = ModelThread().show(show(held(GATE)))
    assert [getattr(operation, "key", type(operation)) for operation in operations] == [AddLabels, STICKY, "hold:hld-1"]


def test_a_hold_asks_once_and_its_comment_shows_the_decision() -> None:  # ag-E15, ag-E16
    model = ModelThread()
    model.show(show(held(GATE)))
    question = model.ids["hold:hld-1"]
    model.show(show(replace(RUNNING, holds=(settled(GATE),))))
    assert "**Approved** by" in model.bodies[question]
    assert "/approve" not in model.bodies[question]
    assert model.ids["hold:hld-1"] == question


def test_a_hold_that_was_settled_before_it_was_shown_asks_nobody() -> None:
    model = ModelThread()
    model.show(show(replace(RUNNING, holds=(settled(GATE),))))
    assert list(model.ids) == [STICKY]


def test_an_item_without_work_is_left_alone() -> None:
    model = ModelThread()
    model.put("state:help", "run:work-issue")
    assert model.show(show()) == ()


def test_line_ends_of_the_tracker_are_no_difference() -> None:
    model = ModelThread()
    model.show(show(HELP))
    model.bodies = {number: body.replace("\n", "\r\n") + "\n" for number, body in model.bodies.items()}
    assert model.show(show(HELP)) == ()


def test_progress_edits_the_sticky_comment_and_tells_nobody() -> None:
    model = ModelThread()
    model.show(show(RUNNING))
    for work in (
        replace(RUNNING, state=ThreadState.RETRYING, failed=1),
        replace(RUNNING, attempt=2),
        replace(RUNNING, state=ThreadState.PAUSED),
        REVIEW,
        replace(REVIEW, state=ThreadState.CANCELLED),
    ):
        assert not any(isinstance(operation, CreateComment) for operation in model.show(show(work)))
