"""The documents for users, and what stands in their tables and blocks of code."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
USING, OPERATING, AGENTS = ROOT / "docs/using.md", ROOT / "docs/operating.md", ROOT / "docs/agents.md"
ERRORS, HOW = ROOT / "docs/errors.md", ROOT / "docs/how-it-works.md"
EXAMPLE = ROOT / "trackside.example.toml"
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))
OURS = (README, ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md")))
LINKING = (*OURS, ROOT / "playbooks/README.md", *sorted((ROOT / ".github").glob("*.md")))

_CODE = re.compile(r"`([^`\n]+)`")
_FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)|\bsrc=\"([^\"]+)\"")


def title(path: Path) -> str:
    """Return how a document is named in the id of a test: there is more than one README."""
    return str(path.relative_to(ROOT))


def text(path: Path) -> str:
    """Return a document."""
    return path.read_text(encoding="utf-8")


def prose(document: str) -> str:
    """Return a document without its blocks of code."""
    return _FENCE.sub("", document)


def blocks(document: str, language: str | None = None) -> list[str]:
    """Return the blocks of code of a document, all or those of one language."""
    return [content for _, kind, content in _FENCE.findall(document) if language in {None, kind}]


def spans(document: str) -> list[str]:
    """Return everything that stands as code within a line."""
    return _CODE.findall(prose(document))


def rows(path: Path, first: str) -> list[list[str]]:
    """Return the rows of the table whose first column has this heading; exactly one table has it."""
    tables = re.findall(rf"^\| {re.escape(first)} \|.*\n\|[-|]+\n((?:\|.*\n?)+)", text(path), re.MULTILINE)
    assert len(tables) == 1, f"{path.name} has {len(tables)} tables with {first!r}"
    return [
        [cell.strip() for cell in re.split(r" \|(?: |$)", line.removeprefix("|"))] for line in tables[0].splitlines()
    ]


def names(path: Path, first: str) -> list[str]:
    """Return everything in code in the first column of a table."""
    return [name for row in rows(path, first) for name in _CODE.findall(row[0])]


def links(document: str) -> list[str]:
    """Return where the links and pictures of a document lead."""
    return [link or source for link, source in _LINK.findall(prose(document))]


def anchors(path: Path) -> set[str]:
    """Return the anchors of a document's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose(text(path)), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
