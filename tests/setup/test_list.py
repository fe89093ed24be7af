"""The list of the doctor's findings in the documents."""

from __future__ import annotations

import re

from tests.documents import ROOT, names


def test_every_finding_is_listed_and_no_other() -> None:
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "bot/setup").glob("*.py"))
    found = set(re.findall(r"\b(?:fine|warning|error)\(\s*\"([a-z ]+)\"", sources))
    assert set(names(ROOT / "docs/setup.md", "finding")) == found
