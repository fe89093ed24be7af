"""Write the tables of docs/permissions.md anew: ``python -m tests.published``."""

from __future__ import annotations

import re
from pathlib import Path

from tests.published.operations import event_rows, operation_rows, table

PAGE = Path(__file__).parents[2] / "docs/permissions.md"
HEADINGS = {
    "operation": ("operation", "permission", "level", "for what"),
    "event": ("event", "permission"),
}


def rendered(page: str) -> str:
    """Return the page with both tables as they have to be."""
    for name, rows in (("operation", operation_rows()), ("event", event_rows())):
        made = table(HEADINGS[name], rows)
        before, _, after = re.split(rf"(^\| {name} \|.*\n(?:\|.*\n)+)", page, maxsplit=1, flags=re.MULTILINE)
        page = before + made + after
    return page


if __name__ == "__main__":
    PAGE.write_text(rendered(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
