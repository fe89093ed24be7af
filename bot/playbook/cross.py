"""
Rules between the sections of a playbook.

They work on the plain values, before those are known to be of the right types, so that an author sees all
faults of a file at once instead of a second list after the first is mended. Whatever has a wrong type is
passed over here: the schema has said so already.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import TypeGuard

from bot.playbook.problem import Location, dotted
from bot.playbook.schema import Binding
from bot.playbook.words import Kind, Publish

Fault = tuple[Location, str]

_STARTED_BY_OTHERS = frozenset({Kind.JOB.value, Kind.EPIC.value})
# Close enough to a known key that a slip is likelier than an executor's own key.
_NEAR = 0.8


def faults(data: dict[str, object]) -> Iterator[Fault]:
    """Yield every rule that the settings break, with the location that breaks it."""
    yield from _undeclared_words(data)
    yield from _no_trigger(data)
    yield from _near_misses(data)
    yield from _shared_labels(data)
    yield from _repeated_gates(data)
    yield from _repeated_budgets(data)
    yield from _estimates(data)
    yield from _published_reviews(data)
    yield from _started_by_pull_requests(data)


def _undeclared_words(data: dict[str, object]) -> Iterator[Fault]:
    words = list(_mapping(data.get("statuses")))
    for key in ("running", "default"):
        word = data.get(key)
        if words and isinstance(word, str) and word not in words:
            meant = suggestion(word, words)
            yield (key,), f"{word[:40]!r} is not one of the statuses ({', '.join(words)}){meant}"


def _no_trigger(data: dict[str, object]) -> Iterator[Fault]:
    kind = data.get("kind", Kind.WORK_ISSUE.value)
    if data.get("on") is None and isinstance(kind, str) and kind not in _STARTED_BY_OTHERS:
        yield ("on",), f"is missing; a playbook of kind {kind} needs something that starts it, such as a label"


def _near_misses(data: dict[str, object]) -> Iterator[Fault]:
    known = list(Binding.model_fields)
    for key in _mapping(data.get("binding")):
        if key not in known and difflib.get_close_matches(key, known, n=1, cutoff=_NEAR):
            meant = suggestion(key, known)
            yield ("binding", key), f"unknown key{meant} (a key of the executor's own goes under config)"


def _shared_labels(data: dict[str, object]) -> Iterator[Fault]:
    places: list[tuple[Location, object]] = [(("on", "label"), _mapping(data.get("on")).get("label"))]
    for word, status in _mapping(data.get("statuses")).items():
        places.append((("statuses", word, "label"), _mapping(status).get("label")))
    taken: dict[str, Location] = {}
    for location, label in places:
        if not isinstance(label, str):
            continue
        # Trackers compare labels without case.
        first = taken.setdefault(label.lower(), location)
        if first != location:
            yield location, f"the label {label[:50]!r} is {dotted(first)} already"


def _repeated_gates(data: dict[str, object]) -> Iterator[Fault]:
    seen = set()
    for index, gate in enumerate(_sequence(data.get("gates"))):
        name = _mapping(gate).get("name")
        if isinstance(name, str) and name in seen:
            yield ("gates", index, "name"), f"there is a gate {name[:40]!r} already"
        seen.add(name if isinstance(name, str) else None)


def _repeated_budgets(data: dict[str, object]) -> Iterator[Fault]:
    seen = set()
    for index, entry in enumerate(_sequence(data.get("budgets"))):
        budget = _mapping(entry)
        key = (str(budget.get("unit")), str(budget.get("per", "work")), str(budget.get("period", "life")))
        if "unit" in budget and key in seen:
            unit, per, period = key
            yield ("budgets", index), f"there is a budget of {unit[:40]} per {per} and {period} already"
        seen.add(key)


def _estimates(data: dict[str, object]) -> Iterator[Fault]:
    for unit, amount in _mapping(_mapping(data.get("binding")).get("estimate")).items():
        for index, entry in enumerate(_sequence(data.get("budgets"))):
            budget = _mapping(entry)
            limit = budget.get("max")
            if budget.get("unit") == unit and _number(amount) and _number(limit) and 0 < limit < amount:
                where = dotted(("budgets", index, "max"))
                yield ("binding", "estimate", unit), f"{amount} is more than {where} ({limit}): never starts"


def _published_reviews(data: dict[str, object]) -> Iterator[Fault]:
    if data.get("kind") != Kind.REVIEW_PR.value:
        return
    for word, status in _mapping(data.get("statuses")).items():
        if _mapping(status).get("publish", Publish.NONE.value) != Publish.NONE.value:
            yield ("statuses", word, "publish"), f"a playbook of kind {Kind.REVIEW_PR.value} only looks; take this out"


def _started_by_pull_requests(data: dict[str, object]) -> Iterator[Fault]:
    kind = data.get("kind", Kind.WORK_ISSUE.value)
    if _mapping(data.get("on")).get("pull_request") is not None and kind != Kind.REVIEW_PR.value:
        yield ("on", "pull_request"), f"starts a playbook of kind {Kind.REVIEW_PR.value}, and of no other"


def nearest(word: str, known: list[str]) -> str:
    """Return the known word that a word is nearest to, or nothing when none is near."""
    return next(iter(difflib.get_close_matches(word, known, n=1)), "")


def suggestion(word: str, known: list[str]) -> str:
    """Return ``; did you mean 'x'?`` for the nearest known word, or nothing when none is near."""
    near = nearest(word, known)
    return f"; did you mean {near!r}?" if near else ""


def _mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _sequence(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
