"""A thread that does what it is told, and counts the writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.storage.threads import ThreadComment
from projectors.desired import Projection
from projectors.diff import Actual, AddLabels, CreateComment, EditComment, Operation, RemoveLabel, diff
from projectors.digest import digest


@dataclass
class ModelThread:
    """Labels by their folded names, bodies by comment id, ids by key."""

    labels: dict[str, str] = field(default_factory=dict)
    bodies: dict[int, str] = field(default_factory=dict)
    ids: dict[str, int] = field(default_factory=dict)
    writes: int = 0
    lowest: int = 99

    def put(self, *names: str) -> None:
        self.labels |= {name.casefold(): name for name in names}

    def actual(self) -> Actual:
        comments = {
            key: ThreadComment(key=key, comment=number, digest=digest(self.bodies[number]))
            for key, number in self.ids.items()
        }
        return Actual(labels=frozenset(self.labels.values()), comments=comments)

    def delete(self, key: str) -> None:
        del self.bodies[self.ids.pop(key)]

    def show(self, projection: Projection) -> Sequence[Operation]:
        operations = diff(projection, self.actual())
        for operation in operations:
            self._apply(operation)
        return operations

    def _apply(self, operation: Operation) -> None:
        self.writes += 1
        match operation:
            case AddLabels(labels=labels):
                for label in labels:
                    self.labels.setdefault(label.name.casefold(), label.name)
                assert len(self.labels) <= 100
            case RemoveLabel(name=name):
                del self.labels[name.casefold()]
            case CreateComment(key=key, body=body):
                assert key not in self.ids
                number = len(self.bodies) + 1000
                self.ids[key], self.bodies[number] = number, body
            case EditComment(comment=comment, body=body):
                assert self.bodies[comment.comment] != body
                self.bodies[comment.comment] = body
        self.lowest = min(self.lowest, sum(name.startswith("state:") for name in self.labels))
