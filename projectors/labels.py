"""The labels that we own: which a Work should show, and how each looks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.views.thread import HeldFor, LabelView, ThreadState, ThreadView, WorkView
from projectors.settings import Settings

YELLOW, PURPLE, ORANGE, GREEN, RED, GREY, BLUE = "fbca04", "8250df", "d93f0b", "0e8a16", "b60205", "6e7781", "1f6feb"

_COLORS = {
    "building": YELLOW,
    "review": PURPLE,
    "help": ORANGE,
    "done": GREEN,
    "failed": RED,
}
_ENDS = {
    ThreadState.COMPLETED: ("done", "Finished, nothing is left to do"),
    ThreadState.FAILED: ("failed", "Stopped after a failure"),
    ThreadState.EXHAUSTED: ("failed", "Stopped after a failure"),
}
_HOLDS = {
    HeldFor.GATE: "Waits for an approval",
    HeldFor.BUDGET: "Waits because its budget is used up",
    HeldFor.VERDICT: "Waits for a person's verdict",
    HeldFor.OPERATOR: "Held until a person releases it",
}


@dataclass(frozen=True, kw_only=True)
class Label:
    """A label as it is made where it does not exist; ``color`` is six hex digits."""

    name: str
    color: str
    description: str


def wanted(view: ThreadView, settings: Settings) -> tuple[Label, ...]:
    """Return the labels that the sections of a thread should show together, each once, those of states first."""
    states = (label for work in view.sections for label in _state(work, settings))
    holds = (_hold(hold.kind, settings) for work in view.sections for hold in work.open_holds)
    return tuple({label.name.casefold(): label for label in [*states, *holds]}.values())


def owned(view: ThreadView, settings: Settings) -> frozenset[str]:
    """
    Return the names of labels that are ours to take off.

    The label that starts a playbook is among them only at the end of a run, and only until it was taken off: put on
    again, it is a wish for another run.
    """
    states = {label.name for work in view.sections for label in work.labels}
    ends = {f"{settings.state_prefix}{word}" for word, _ in _ENDS.values()}
    holds = {f"{settings.hold_prefix}{kind.value}" for kind in HeldFor}
    return frozenset({*states, *ends, *holds, *_used_triggers(view)})


def trigger_label(name: str, playbook: str) -> Label:
    """Return the label that starts a playbook, as it is made for a repository that has none."""
    return Label(name=name, color=BLUE, description=f"Starts {playbook}"[:100])


def _used_triggers(view: ThreadView) -> frozenset[str]:
    used = {work.trigger for work in view.sections if work.trigger and work.state.ended and not work.trigger_settled}
    live = {work.trigger for work in view.sections if not work.state.ended}
    return frozenset(used - live)


def _state(work: WorkView, settings: Settings) -> Iterator[Label]:
    chosen = _of_playbook(work)
    if chosen is not None:
        yield Label(
            name=chosen.name,
            color=chosen.color or _color(chosen.name),
            description=chosen.description or f"Status of {work.playbook}",
        )
    elif work.state in _ENDS:
        word, description = _ENDS[work.state]
        yield Label(name=f"{settings.state_prefix}{word}", color=_COLORS[word], description=description)


def _of_playbook(work: WorkView) -> LabelView | None:
    """Return the playbook's label for where the Work stands; a status of a live run does not outlast the run."""
    if work.state is ThreadState.COMPLETED:
        completing = [label for label in work.labels if label.completes]
        return next(_named(completing, work.status_label), None) or next(iter(completing), None)
    if work.state.ended or work.state in _ENDS:
        return None
    return next(_named(work.labels, work.status_label), None)


def _named(labels: Iterable[LabelView], name: str | None) -> Iterator[LabelView]:
    return (label for label in labels if label.name == name)


def _hold(kind: HeldFor, settings: Settings) -> Label:
    return Label(name=f"{settings.hold_prefix}{kind.value}", color=GREY, description=_HOLDS[kind])


def _color(name: str) -> str:
    return _COLORS.get(name.rpartition(":")[2], GREY)
