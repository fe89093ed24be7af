"""What a form of a page says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qs

from starlette.requests import Request


@dataclass(frozen=True)
class Form:
    """The fields of a form, each with all of its values."""

    fields: Mapping[str, Sequence[str]]

    def one(self, name: str) -> str:
        """Return the first value of a field, the empty text without one."""
        return self.all(name)[0] if self.all(name) else ""

    def all(self, name: str) -> Sequence[str]:
        """Return all values of a field."""
        return self.fields.get(name, ())


async def read_form(request: Request) -> Form:
    """Read a form."""
    raw = (await request.body()).decode(errors="replace")
    # Browsers end lines of a text area with CRLF.
    return Form({name: [value.replace("\r\n", "\n") for value in found] for name, found in parse_qs(raw).items()})
