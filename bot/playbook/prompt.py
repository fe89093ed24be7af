"""
What a prompt can speak of.

The host fills these values; ``render`` hands them to the template under the names of the fields of
``PromptContext``, with ``statuses`` (from the playbook) beside them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Item:
    """
    The issue or pull request, as it was when the work was started.

    ``kind`` is ``issue`` or ``pull request``. ``author`` wrote title and body; ``trusted`` says whether
    that person may direct the work. A pull request is looked at at ``commit``, goes to the branch ``base``, and comes
    from another repository when ``fork`` says so; for an issue these say nothing.
    """

    number: int
    title: str
    body: str
    url: str
    kind: str
    author: str = ""
    trusted: bool = False
    commit: str = ""
    base: str = ""
    fork: bool = False


@dataclass(frozen=True, kw_only=True)
class Repository:
    """Where the item stands."""

    full_name: str
    default_branch: str


@dataclass(frozen=True, kw_only=True)
class PromptInput:
    """A comment, a review or another input for this attempt; ``kind`` is a word such as ``comment``."""

    kind: str
    author: str
    trusted: bool
    body: str


@dataclass(frozen=True, kw_only=True)
class Previous:
    """How the attempt before this one ended."""

    status: str
    comment: str


@dataclass(frozen=True, kw_only=True)
class OpenPullRequest:
    """The pull request of this work."""

    number: int
    url: str


@dataclass(frozen=True, kw_only=True)
class PromptContext:
    """
    Everything that one prompt is made from.

    ``run`` counts the Works of this item and playbook, ``attempt`` the tries of this one, both from 1.
    ``starter`` is the account that started it.
    """

    item: Item
    repository: Repository
    branch: str
    attempt: int
    run: int
    starter: str
    inputs: tuple[PromptInput, ...] = ()
    previous: Previous | None = None
    pull_request: OpenPullRequest | None = None


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A status that a run may end with; ``wait`` names what wakes the work after it."""

    word: str
    description: str
    complete: bool
    wait: tuple[str, ...]
    publish: bool


ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "item": tuple(Item.__dataclass_fields__),
    "repository": tuple(Repository.__dataclass_fields__),
    "branch": (),
    "attempt": (),
    "run": (),
    "starter": (),
    "inputs": (),
    "previous": tuple(Previous.__dataclass_fields__),
    "pull_request": tuple(OpenPullRequest.__dataclass_fields__),
    "statuses": (),
}
"""The variables of a template, with what can be asked of each."""
LISTS: dict[str, tuple[str, ...]] = {
    "inputs": tuple(PromptInput.__dataclass_fields__),
    "statuses": tuple(Choice.__dataclass_fields__),
}
"""The variables that can be gone through, with what can be asked of each entry."""
