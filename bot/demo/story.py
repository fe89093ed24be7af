"""
The story: people and the bot on one repository, from the label to the end.

It is told against the tracker's REST API alone, as the people in it would act. How to wait is handed in: the
demo looks again after a moment, the tests step the host. So both tell the same story.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx

Check = Callable[[], Awaitable[bool]]
WaitFor = Callable[[str, Check], Awaitable[None]]
"""Wait until a check holds; raises with the description when it does not come true."""

LABEL = "run:work-issue"


@dataclass(frozen=True)
class Person:
    """Somebody who acts on the tracker with their own token."""

    login: str
    client: httpx.AsyncClient

    async def call(self, method: str, path: str, body: object | None = None) -> Any:  # noqa: ANN401 - JSON
        """Call the API and return what it answers. Raises ``httpx.HTTPStatusError``."""
        answer = await self.client.request(method, path, json=body)
        answer.raise_for_status()
        return answer.json() if answer.content else None


@dataclass(frozen=True, kw_only=True)
class Cast:
    """Who plays: ``developer`` may write, ``maintainer`` too, ``reader`` may only read."""

    repository: str
    developer: Person
    maintainer: Person
    reader: Person


@dataclass(frozen=True)
class Thread:
    """An issue or pull request, as a person sees it."""

    person: Person
    repository: str
    number: int

    @property
    def path(self) -> str:
        """The path of the issue in the API."""
        return f"/repos/{self.repository}/issues/{self.number}"

    async def labels(self) -> set[str]:
        """Return the labels on it."""
        return {label["name"] for label in (await self.person.call("GET", self.path))["labels"]}

    async def comments(self) -> list[dict[str, Any]]:
        """Return its comments."""
        found: list[dict[str, Any]] = await self.person.call("GET", f"{self.path}/comments?per_page=100")
        return found

    async def reactions(self, comment: int | None = None) -> set[str]:
        """Return the reactions to it, or to a comment in it."""
        path = self.path if comment is None else f"/repos/{self.repository}/issues/comments/{comment}"
        return {reaction["content"] for reaction in await self.person.call("GET", f"{path}/reactions")}

    async def says(self, text: str) -> bool:
        """Whether a comment in it contains the text."""
        return any(text in comment["body"] for comment in await self.comments())

    async def comment(self, person: Person, body: str) -> int:
        """Write a comment as a person; returns its id."""
        written = await person.call("POST", f"{self.path}/comments", {"body": body})
        return int(written["id"])


async def open_issue(cast: Cast, title: str, body: str) -> Thread:
    """Open an issue as the developer."""
    issue = await cast.developer.call("POST", f"/repos/{cast.repository}/issues", {"title": title, "body": body})
    return Thread(cast.developer, cast.repository, int(issue["number"]))


async def label(cast: Cast, thread: Thread) -> None:
    """Put the trigger label on as the developer."""
    await cast.developer.call("POST", f"{thread.path}/labels", {"labels": [LABEL]})


async def work_is_approved_and_done(cast: Cast, wait: WaitFor) -> Thread:
    """First part: held for a second person, let through, reviewed, done."""
    thread = await open_issue(cast, "Fix the greeting", "It says “wrold” where it should say “world”.")
    await label(cast, thread)
    await wait("the issue is held and says who may approve", lambda: held(thread))
    refused = await thread.comment(cast.reader, "/approve")
    await wait("a reader's /approve is answered, and nothing else", lambda: _confused(thread, refused))
    await thread.comment(cast.maintainer, "> /approve\n\nLet me think about this first.")
    approved = await thread.comment(cast.maintainer, "/approve")
    await wait("the maintainer's /approve counts", lambda: _thumbs(thread, approved))
    await wait("the change waits for a review", lambda: _has(thread, "state:review"))
    pull = await _pull_request(cast)
    await cast.maintainer.call(
        "POST",
        f"/repos/{cast.repository}/pulls/{pull}/reviews",
        {"event": "APPROVE", "body": "Looks right."},
    )
    await wait("the approved work is done", lambda: _has(thread, "state:done"))
    await wait("the trigger label is off again", lambda: _without(thread, LABEL))
    return thread


async def work_is_refused(cast: Cast, wait: WaitFor) -> Thread:
    """Second part: a maintainer refuses, with a reason."""
    thread = await open_issue(cast, "Rewrite everything", "In another language, please.")
    await label(cast, thread)
    await wait("the second issue is held", lambda: held(thread))
    await thread.comment(cast.maintainer, "/refuse this needs a plan first")
    await wait("the thread says that it was refused, and why", lambda: thread.says("this needs a plan first"))
    await wait("its labels are clean", lambda: _clean(thread))
    return thread


async def work_is_stopped(cast: Cast, wait: WaitFor) -> Thread:
    """Third part: the label is taken off while the agent runs."""
    thread = await open_issue(cast, "Look at the greeting again", "Take your time.")
    await label(cast, thread)
    await wait("the third issue is held", lambda: held(thread))
    await thread.comment(cast.maintainer, "/approve")
    await wait("the agent is at work", lambda: _has(thread, "state:building"))
    await cast.developer.call("DELETE", f"{thread.path}/labels/{LABEL}")
    await wait("the thread says that it was stopped", lambda: thread.says("Cancelled"))
    await wait("its labels are clean", lambda: _clean(thread))
    return thread


async def _pull_request(cast: Cast) -> int:
    pulls = await cast.maintainer.call("GET", f"/repos/{cast.repository}/pulls?state=open")
    return int(pulls[0]["number"])


async def held(thread: Thread) -> bool:
    """Whether the issue is held, says so, asks for an approval, and was seen."""
    asked = [comment for comment in await thread.comments() if "/approve" in comment["body"]]
    return "hold:gate" in await thread.labels() and bool(asked) and "eyes" in await thread.reactions()


async def _confused(thread: Thread, comment: int) -> bool:
    answered = "confused" in await thread.reactions(comment) and await thread.says("write access")
    return answered and "hold:gate" in await thread.labels()


async def _thumbs(thread: Thread, comment: int) -> bool:
    return "+1" in await thread.reactions(comment) and await _without(thread, "hold:gate")


async def _has(thread: Thread, name: str) -> bool:
    return name in await thread.labels()


async def _without(thread: Thread, name: str) -> bool:
    return name not in await thread.labels()


async def _clean(thread: Thread) -> bool:
    owned = ("state:", "hold:", "run:")
    return not any(name.startswith(owned) for name in await thread.labels())
