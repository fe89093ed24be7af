"""What people do at the tracker, at any moment, also those without permission, and another bot."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from bot.trackers.contract import Comment, Person, Verdict
from bot.views.instructions import instructions_of
from tests.simulation.choices import Choices
from tests.simulation.facts import Facts, Seen
from tests.simulation.playbooks import TRIGGERS
from tests.simulation.tracker.desk import TrackerDesk
from tests.simulation.tracker.state import BOT, PEOPLE, Item, Place, Pull

MOST_ISSUES = 5
OFTEN = (5, 5, 1, 1, 1)
"""How often each of the people does something."""
HELD = ("hold:",)
BUSY = ("state:building", "fix:running")
"""How labels begin by which people see that something is held, or at work."""
CLOSES = re.compile(r"Closes #([0-9]+)")
VERDICTS = (Verdict.CHANGES_REQUESTED, Verdict.APPROVED, Verdict.COMMENTED)


@dataclass(frozen=True, kw_only=True)
class Crowd:
    """The people. Each method is something that one of them does; it returns what, None when there is no occasion."""

    desk: TrackerDesk
    choices: Choices
    facts: Facts

    def act(self) -> tuple[str, str] | None:
        """Let someone do something: returns who and what."""
        deed = self.choices.weighted(DEEDS)
        person = self.choices.weighted(tuple(zip(OFTEN, PEOPLE, strict=True))).person
        done = deed(self, person)
        return None if done is None else (person.login, done)

    def begins(self, number: int) -> None:
        """Let the first of them ask for something, so that there is something to do from the beginning."""
        place, trigger = self.desk.places[number % 2], tuple(TRIGGERS)[number % 2]
        item = self.desk.open_issue(place, PEOPLE[0].person, "The first things first", "It is broken.")
        self.desk.label(place, item, PEOPLE[0].person, trigger)

    def starts(self, person: Person) -> str | None:
        """Open an issue and label it at once, as most people do."""
        place = self.choices.of(self.desk.places)
        if len(place.items) >= MOST_ISSUES:
            return self.labels(person)
        item = self.desk.open_issue(place, person, f"Issue {self.desk.identity()}", "It is broken.")
        trigger = self.choices.of(tuple(TRIGGERS))
        self.desk.label(place, item, person, trigger)
        return f"opens {_name(place, item)} with {trigger}"

    def labels(self, person: Person) -> str | None:
        """Put a trigger label on."""
        place, item = self._issue()
        trigger = self.choices.of(tuple(TRIGGERS))
        if item is None or trigger in item.labels:
            return None
        self.desk.label(place, item, person, trigger)
        return f"labels {_name(place, item)} {trigger}"

    def unlabels(self, person: Person) -> str | None:
        """Take a label off, also one of the bot's."""
        place, item = self._issue()
        if item is None or not item.labels:
            return None
        name = self.choices.of(item.labels)
        self.desk.unlabel(place, item, person, name)
        return f"takes {name} off {_name(place, item)}"

    def approves(self, person: Person) -> str | None:
        return self._commands(person, "/approve", prefer=HELD)

    def refuses(self, person: Person) -> str | None:
        return self._commands(person, "/refuse not now", prefer=HELD)

    def cancels(self, person: Person) -> str | None:
        return self._commands(person, "/cancel")

    def stops(self, person: Person) -> str | None:
        return self._commands(person, self.choices.of(("/stop", "/hold wait for me", "/stop it loops")), prefer=BUSY)

    def releases(self, person: Person) -> str | None:
        return self._commands(person, "/release", prefer=HELD)

    def retries(self, person: Person) -> str | None:
        return self._commands(person, "/retry")

    def raises(self, person: Person) -> str | None:
        return self._commands(person, self.choices.of(("/budget +5 usd", "/budget +1 turns", "/budget +50 usd")))

    def asks(self, person: Person) -> str | None:
        return self._commands(person, self.choices.of(("/status", "/help", "/aprove", "/refuse")))

    def says(self, person: Person) -> str | None:
        """Comment in the thread of an issue or a pull request."""
        return self._commands(person, "Please look again.", threads=True, prefer=BUSY)

    def rewrites(self, person: Person) -> str | None:
        """Rewrite a comment of a person, perhaps into a command."""
        found = [(place, each) for place, item in self.desk.entries() for each in item.comments if _is_ours(each)]
        if not found:
            return None
        place, comment = self.choices.of(found)
        body = self.choices.of(("Never mind.", "/approve"))
        self.desk.rewrite(place, comment, body)
        return f"rewrites comment {comment.id} of {comment.author.login} to {body!r} as {person.login}"

    def erases(self, person: Person) -> str | None:
        """Delete any comment, also one of the bot's."""
        found = [(item, each) for _, item in self.desk.entries() for each in item.comments]
        if not found:
            return None
        item, comment = self.choices.of(found)
        self.desk.erase(item, comment)
        return f"deletes comment {comment.id} of {comment.author.login} in #{item.number} as {person.login}"

    def edits(self, person: Person) -> str | None:
        """Change the text of an issue."""
        place, item = self._issue()
        if item is None:
            return None
        body = self.choices.of(("It is broken.", "It is broken in another way.", ""))
        self.desk.edit(place, item, body=body)
        return f"edits {_name(place, item)} to {body!r} as {person.login}"

    def closes(self, person: Person) -> str | None:
        """Close or reopen an issue or a pull request."""
        found = self.desk.entries()
        if not found:
            return None
        place, item = self.choices.of(found)
        pull = place.pulls.get(item.number)
        if pull is not None and pull.merged:
            return None
        self.desk.set_open(place, item, person, is_open=not item.open)
        return f"{'reopens' if item.open else 'closes'} {_name(place, item)}"

    def deletes(self, person: Person) -> str | None:
        """Delete an issue, or move it elsewhere."""
        place, item = self._issue()
        if item is None:
            return None
        self.desk.delete(place, item)
        return f"deletes {_name(place, item)} as {person.login}"

    def reviews(self, person: Person) -> str | None:
        """Review a pull request."""
        place, pull = self._pull()
        if pull is None:
            return None
        verdict = self.choices.of(VERDICTS)
        self.desk.review(place, pull, person, verdict, "Nearly.")
        return f"reviews {_name(place, pull.item)}: {verdict.value}"

    def merges(self, person: Person) -> str | None:
        """Merge a pull request, which closes its issue."""
        place, pull = self._pull()
        if pull is None:
            return None
        self.desk.merge(place, pull, person)
        closed = CLOSES.search(pull.item.body)
        if closed is not None and int(closed[1]) in place.items:
            self.desk.set_open(place, place.items[int(closed[1])], person, is_open=False)
        return f"merges {_name(place, pull.item)}"

    def pushes(self, person: Person) -> str | None:
        """Push to the branch of a pull request."""
        place, pull = self._pull()
        if pull is None:
            return None
        self.desk.push(place, pull.head_ref)
        return f"pushes to {pull.head_ref} as {person.login}"

    def _commands(
        self, person: Person, body: str, *, threads: bool = False, prefer: tuple[str, ...] = ()
    ) -> str | None:
        found = list(self.desk.entries()) if threads else self._issues()
        if prefer and not self.choices.one_in(4):
            # As people do who have seen what the labels say.
            seen = [(place, item) for place, item in found if any(name.startswith(prefer) for name in item.labels)]
            found = seen or found
        place, item = self.choices.of(found) if found else (self.desk.places[0], None)
        if item is None:
            return None
        comment = self.desk.comment(place, item, person, body)
        revision = instructions_of(item.issue(place.full_name)).revision
        self.facts.decided[f"comment:{place.id}/{comment.id}"] = Seen(revision=revision, at=comment.created_at)
        return f"writes {body!r} in {_name(place, item)}"

    def _issues(self) -> list[tuple[Place, Item]]:
        return [(place, item) for place in self.desk.places for item in place.issues()]

    def _issue(self) -> tuple[Place, Item | None]:
        found = self._issues()
        return self.choices.of(found) if found else (self.desk.places[0], None)

    def _pull(self) -> tuple[Place, Pull | None]:
        found = [(place, pull) for place in self.desk.places for pull in place.pulls.values() if pull.item.open]
        return self.choices.of(found) if found else (self.desk.places[0], None)


Deed = Callable[[Crowd, Person], str | None]

DEEDS: tuple[tuple[int, Deed], ...] = (
    (16, Crowd.starts),
    (26, Crowd.approves),
    (4, Crowd.labels),
    (4, Crowd.unlabels),
    (3, Crowd.refuses),
    (2, Crowd.cancels),
    (9, Crowd.stops),
    (8, Crowd.releases),
    (4, Crowd.retries),
    (3, Crowd.raises),
    (3, Crowd.asks),
    (26, Crowd.says),
    (2, Crowd.rewrites),
    (1, Crowd.erases),
    (6, Crowd.edits),
    (3, Crowd.closes),
    (1, Crowd.deletes),
    (6, Crowd.reviews),
    (3, Crowd.merges),
    (2, Crowd.pushes),
)


def _name(place: Place, item: Item) -> str:
    return f"{place.name}#{item.number}"


def _is_ours(comment: Comment) -> bool:
    return comment.author.id != BOT.id
