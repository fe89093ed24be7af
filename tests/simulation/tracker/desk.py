"""What can be done at the tracker, by people and by the bot; each change is told to whoever listens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.domain.permission import Permission
from bot.trackers.contract import Comment, IssueEvent, LineComment, Person, PullRequest, Review, Verdict
from tests.simulation.times import TrueTime
from tests.simulation.tracker import payloads
from tests.simulation.tracker.payloads import Delivery
from tests.simulation.tracker.state import BOT, PEOPLE, Item, Place, Pull, places


@dataclass(kw_only=True)
class TrackerDesk:
    """
    The tracker. ``outbox`` are the deliveries that nobody has sent or lost yet; ``writes`` counts those of the bot.

    ``meddled`` are the threads, by repository and number, in which people changed labels, and ``erased`` the comments
    that people deleted.
    """

    time: TrueTime
    places: list[Place] = field(default_factory=places)
    outbox: list[Delivery] = field(default_factory=list)
    writes: int = 0
    meddled: dict[tuple[int, int], None] = field(default_factory=dict)
    erased: dict[int, None] = field(default_factory=dict)
    _ids: int = 100
    _numbers: int = 0

    def place(self, full_name: str) -> Place | None:
        """Return a repository by its name."""
        return next((place for place in self.places if place.full_name == full_name), None)

    def permission(self, login: str) -> Permission:
        """Return what an account may do."""
        if login == BOT.login:
            return Permission.WRITE
        return next((each.permission for each in PEOPLE if each.person.login == login), Permission.NONE)

    def open_issue(self, place: Place, by: Person, title: str, body: str) -> Item:
        """Open an issue."""
        item = self._item(place, by, title, body, is_pull_request=False)
        self._issues(place, item, "opened")
        return item

    def label(self, place: Place, item: Item, by: Person, name: str) -> None:
        """Put a label on."""
        if name in item.labels:
            return
        item.labels.append(name)
        self._event(item, "labeled", by, label=name)
        self._issues(place, item, "labeled")

    def unlabel(self, place: Place, item: Item, by: Person, name: str) -> None:
        """Take a label off."""
        if name not in item.labels:
            return
        item.labels.remove(name)
        if by != BOT:
            self.meddled[place.id, item.number] = None
        self._event(item, "unlabeled", by, label=name)
        self._issues(place, item, "unlabeled")

    def edit(self, place: Place, item: Item, *, title: str | None = None, body: str | None = None) -> None:
        """Rewrite title or body."""
        item.title = item.title if title is None else title
        item.body = item.body if body is None else body
        item.updated_at = self.time.whole
        self._issues(place, item, "edited")

    def set_open(self, place: Place, item: Item, by: Person | None, *, is_open: bool) -> None:
        """Close or reopen an issue or a pull request."""
        if item.open is is_open:
            return
        item.open = is_open
        word = "reopened" if is_open else "closed"
        self._event(item, word, by)
        self._issues(place, item, word)

    def merge(self, place: Place, pull: Pull, by: Person) -> None:
        """Merge a pull request."""
        pull.merged = True
        self._event(pull.item, "merged", by)
        self.set_open(place, pull.item, by, is_open=False)

    def delete(self, place: Place, item: Item) -> None:
        """Let an issue be gone."""
        item.gone = True
        self._issues(place, item, "deleted")

    def comment(self, place: Place, item: Item, by: Person, body: str) -> Comment:
        """Write a comment."""
        now = self.time.whole
        comment = Comment(id=self.identity(), number=item.number, body=body, author=by, created_at=now, updated_at=now)
        item.comments.append(comment)
        self.outbox.append(payloads.comment(place, item, comment, "created", self.identity()))
        return comment

    def rewrite(self, place: Place, comment: Comment, body: str) -> None:
        """Rewrite a comment."""
        item = place.items[comment.number]
        changed = replace(comment, body=body, updated_at=self.time.whole)
        item.comments = [changed if each.id == comment.id else each for each in item.comments]
        self.outbox.append(payloads.comment(place, item, changed, "edited", self.identity(), before=comment.body))

    def erase(self, item: Item, comment: Comment) -> None:
        """Delete a comment; nothing that the bot listens to is said of that."""
        item.comments = [each for each in item.comments if each.id != comment.id]
        self.erased[comment.id] = None

    def review(
        self, place: Place, pull: Pull, by: Person, verdict: Verdict, body: str, lines: Sequence[str] = ()
    ) -> Review:
        """Review a pull request at its head; ``lines`` are said of its first lines, one of each."""
        review = Review(
            id=self.identity(),
            number=pull.item.number,
            body=body,
            author=by,
            verdict=verdict,
            commit=pull.head_sha,
            submitted_at=self.time.whole,
        )
        pull.reviews.append(review)
        pull.item.updated_at = self.time.whole
        pull.lines[review.id] = [
            LineComment(id=self.identity(), path="README.md", line=number, body=said, author=by)
            for number, said in enumerate(lines, start=1)
        ]
        self.outbox.append(payloads.review(place, pull, review, "submitted", self.identity()))
        for line in pull.lines[review.id]:
            self.outbox.append(payloads.line(place, pull, line, review, self.identity()))
        return review

    def rewrite_review(self, place: Place, pull: Pull, review: Review, body: str) -> None:
        """Rewrite the text of a review."""
        changed = replace(review, body=body)
        pull.reviews = [changed if each.id == review.id else each for each in pull.reviews]
        pull.item.updated_at = self.time.whole
        self.outbox.append(payloads.review(place, pull, changed, "edited", self.identity()))

    def dismiss(self, place: Place, pull: Pull, review: Review) -> None:
        """Dismiss a review."""
        dismissed = replace(review, verdict=Verdict.DISMISSED)
        pull.reviews = [dismissed if each.id == review.id else each for each in pull.reviews]
        pull.item.updated_at = self.time.whole
        self.outbox.append(payloads.review(place, pull, dismissed, "dismissed", self.identity()))

    def push(self, place: Place, branch: str) -> str:
        """Push a commit to a branch, and return it."""
        sha = f"{self.identity():040x}"
        place.branches[branch] = sha
        for pull in place.pulls.values():
            if pull.head_ref == branch and pull.item.open:
                pull.head_sha = sha
                self._pulls(place, pull, "synchronize", BOT)
        return sha

    def open_pull(self, place: Place, by: Person, head_ref: str, title: str, body: str) -> PullRequest:
        """Open a pull request."""
        item = self._item(place, by, title, body, is_pull_request=True)
        pull = Pull(item=item, head_ref=head_ref, head_sha=place.branches[head_ref])
        place.pulls[item.number] = pull
        self._pulls(place, pull, "opened", by)
        return pull.pull_request(place.full_name)

    def identity(self) -> int:
        """Return an id that nothing had before."""
        self._ids += 1
        return self._ids

    def entries(self) -> Sequence[tuple[Place, Item]]:
        """Return every thread that is there, oldest first in each repository."""
        return [(place, item) for place in self.places for item in place.threads()]

    def _item(self, place: Place, by: Person, title: str, body: str, *, is_pull_request: bool) -> Item:
        self._numbers += 1
        item = Item(
            number=self._numbers,
            title=title,
            body=body,
            author=by,
            updated_at=self.time.whole,
            is_pull_request=is_pull_request,
        )
        place.items[item.number] = item
        return item

    def _event(self, item: Item, kind: str, by: Person | None, label: str | None = None) -> None:
        item.updated_at = self.time.whole
        item.events.append(
            IssueEvent(
                id=self.identity(),
                number=item.number,
                kind=kind,
                actor=by,
                label=label,
                created_at=self.time.whole,
            )
        )

    def _issues(self, place: Place, item: Item, action: str) -> None:
        pull = place.pulls.get(item.number)
        if pull is not None:
            self._pulls(place, pull, action, BOT)
        else:
            self.outbox.append(payloads.issue(place, item, action, self.identity()))

    def _pulls(self, place: Place, pull: Pull, action: str, sender: Person) -> None:
        self.outbox.append(payloads.pull(place, pull, action, sender, self.identity()))


def shown(place: Place) -> Mapping[int, tuple[str, ...]]:
    """Return the labels of every issue that is there, by number."""
    return {item.number: tuple(sorted(item.labels)) for item in place.issues()}
