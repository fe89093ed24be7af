"""Statements as the driver wants them: ``:id`` becomes ``%(id)s``, and a percent sign is doubled."""

from __future__ import annotations

from bot.storage.statements import Statement, Statements, rewritten


class Texts:
    """The statements by name, each rewritten once. One belongs to each connection."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements
        self._known: dict[str, tuple[Statement, bytes]] = {}

    def get(self, name: str) -> tuple[Statement, bytes]:
        """Return a statement and its text with parameters. Raises ``StorageError`` when no file has it."""
        found = self._known.get(name)
        if found is None:
            statement = self._statements.get(name)
            found = self._known[name] = (statement, pyformat(statement.text).encode())
        return found

    def control(self, name: str) -> bytes:
        """Return the text of a statement without parameters, as it stands: it may be several in a row."""
        return self._statements.get(name).text.encode()


def pyformat(text: str) -> str:
    """Return a statement's text with parameters as the driver writes them."""
    return rewritten(text, parameter=lambda name: f"%({name})s", rest=lambda other: other.replace("%", "%%"))
