"""Facts as JSON documents: how an accepted event stores what it says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from webhooks.access_facts import AccessFact
from webhooks.code_facts import ChecksFact, PushFact
from webhooks.fact_parts import FactKind
from webhooks.facts import CommentFact, Fact, Ping, PullRequestFact, ReviewFact, Wake
from webhooks.reach import ReachFact
from webhooks.repository_facts import LabelFact, MovedFact, WorkflowFact
from webhooks.vote_facts import CommentDeletedFact

VERSION = 1
"""
The version of the documents written. A new optional field does not change it; anything else does, and the
versions before stay readable as long as a database may hold them.
"""

_ADAPTERS: dict[FactKind, TypeAdapter[Any]] = {
    fact.kind: TypeAdapter(fact)
    for fact in (
        Wake,
        CommentFact,
        CommentDeletedFact,
        ReviewFact,
        PullRequestFact,
        Ping,
        ChecksFact,
        PushFact,
        AccessFact,
        ReachFact,
        MovedFact,
        LabelFact,
        WorkflowFact,
    )
}


def to_document(fact: Fact) -> dict[str, object]:
    """Return the fact as a JSON document."""
    body = _ADAPTERS[fact.kind].dump_python(fact, mode="json")
    return {"version": VERSION, "kind": fact.kind.value, "fact": body}


def from_document(document: Mapping[str, object]) -> Fact:
    """
    Return the fact that ``to_document`` wrote.

    Raises ``ValueError`` for a document of another version or shape: a row that makes no sense is not
    worked on by guessing.
    """
    if document.get("version") != VERSION:
        raise ValueError(f"a fact of version {document.get('version')!r} is not known here")
    kind = FactKind(document.get("kind"))
    try:
        fact: Fact = _ADAPTERS[kind].validate_python(document.get("fact"))
    except ValidationError as error:
        raise ValueError(f"not a document of a {kind.value} fact") from error
    return fact
