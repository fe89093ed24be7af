"""
A playbook as a value: its settings and its prompt, frozen.

It becomes a JSON document and comes back unchanged, so that it can be pinned with an attempt: what a running
attempt's words mean is not changed by an edit of the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Self

from pydantic import JsonValue, ValidationError

from bot.errors import PlaybookError
from bot.playbook.schema import FrontMatter
from bot.playbook.words import Kind

DOCUMENT_VERSION = 1


class Playbook(FrontMatter):
    """
    A loaded playbook.

    ``body`` is the prompt's template, which begins on line ``body_line`` of ``path``. ``digest`` is the
    SHA-256 of the file, in hex: two playbooks with the same digest are the same text.
    """

    body: str
    body_line: int
    digest: str
    path: str

    @property
    def reviews(self) -> bool:
        """Whether it is about pull requests; any other one is about issues."""
        return self.kind is Kind.REVIEW_PR

    def starts_on(self, label: str | None) -> bool:
        """Whether a label starts it; trackers compare labels without case, and so does this (ag-F10)."""
        trigger = self.on and self.on.label
        return bool(trigger) and label is not None and str(trigger).casefold() == label.casefold()

    def asked_for(self, labels: Iterable[str]) -> bool:
        """Whether an item with these labels asks for it. One that no label starts is not given up by a label."""
        return self.on is None or self.on.label is None or any(map(self.starts_on, labels))

    def to_document(self) -> dict[str, JsonValue]:
        """Return a JSON document that ``from_document`` reads back as an equal playbook."""
        return {"version": DOCUMENT_VERSION, "playbook": self.model_dump(mode="json", by_alias=True)}

    @classmethod
    def from_document(cls, document: Mapping[str, JsonValue]) -> Self:
        """
        Return the playbook that a document holds.

        Raises ``PlaybookError`` for a document of another version or one that was not made by
        ``to_document``.
        """
        version = document.get("version")
        if version != DOCUMENT_VERSION:
            raise PlaybookError(f"a stored playbook has version {version}; this one reads {DOCUMENT_VERSION}")
        try:
            return cls.model_validate_json(json.dumps(document.get("playbook")))
        except (ValidationError, TypeError, ValueError) as error:
            raise PlaybookError(f"a stored playbook cannot be read: {error}") from error
