"""
Named SQL statements, read from the ``.sql`` files of a package.

A statement begins with a line ``-- name: works_by_id`` and reaches to the next such line. Its parameters are
written ``:id``. Directories are layered: a statement of a later layer (a dialect) takes the place of one with
the same name in an earlier layer, while a name used twice within one layer is a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable

from bot.errors import StorageError

_HEADER = re.compile(r"^--[ \t]*name:[ \t]*(?P<name>\S*)[ \t]*$", re.MULTILINE)
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_COMMENT = r"--[^\n]*|/\*.*?\*/"
_TOKEN = re.compile(rf"""'(?:[^']|'')*'|"(?:[^"]|"")*"|{_COMMENT}|::|:(?P<name>[A-Za-z_][A-Za-z0-9_]*)""", re.DOTALL)
_BLANK = re.compile(rf"(?:\s|;|{_COMMENT})*", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Layer:
    """A directory of ``.sql`` files: its package and its path below that package."""

    package: str
    directory: str

    def files(self) -> list[Traversable]:
        """Return its ``.sql`` files by name. Raises ``StorageError`` when the directory is missing."""
        folder = resources.files(self.package).joinpath(*self.directory.split("/"))
        if not folder.is_dir():
            raise StorageError(f"{self.package} has no directory {self.directory}")
        return sorted((entry for entry in folder.iterdir() if entry.name.endswith(".sql")), key=_by_name)


def _by_name(entry: Traversable) -> str:
    return entry.name


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One statement and the names of its parameters."""

    name: str
    text: str
    parameters: frozenset[str]

    def check(self, values: Mapping[str, object]) -> None:
        """Raise ``StorageError`` unless ``values`` has exactly the statement's parameters."""
        if values.keys() == self.parameters:
            return
        unknown = ", ".join(sorted(values.keys() - self.parameters)) or "none"
        missing = ", ".join(sorted(self.parameters - values.keys())) or "none"
        raise StorageError(f"{self.name}: unknown parameters: {unknown}; missing parameters: {missing}")


class Statements:
    """A closed set of statements by name."""

    def __init__(self, *layers: Layer) -> None:
        self._by_name: dict[str, Statement] = {}
        for layer in layers:
            self._by_name |= _layer(layer)

    def get(self, name: str) -> Statement:
        """Return the statement of this name. Raises ``StorageError`` when no file has it."""
        try:
            return self._by_name[name]
        except KeyError:
            raise StorageError(f"no statement is named {name}") from None


def for_dialect(dialect: str, *more: Layer) -> Statements:
    """Return the statements as a dialect such as ``sqlite`` has them, with ``more`` layers on top."""
    common = Layer(package="bot.storage", directory="sql/common")
    own = Layer(package="bot.storage", directory=f"sql/{dialect}")
    return Statements(common, own, *more)


def _layer(layer: Layer) -> dict[str, Statement]:
    found: dict[str, Statement] = {}
    for file in layer.files():
        for statement in parse(file.read_text(encoding="utf-8"), file.name):
            if statement.name in found:
                raise StorageError(f"{file.name}: a second statement is named {statement.name}")
            found[statement.name] = statement
    return found


def parse(text: str, file: str) -> Iterator[Statement]:
    """Yield the statements of one file's text. Raises ``StorageError``, naming ``file``, when it has none."""
    headers = list(_HEADER.finditer(text))
    preface = text[: headers[0].start()] if headers else text
    if not _BLANK.fullmatch(preface):
        raise StorageError(f"{file}: there is SQL before the first name")
    for header, following in zip(headers, [*headers[1:], None], strict=True):
        name = header["name"]
        if not _NAME.fullmatch(name):
            raise StorageError(f"{file}: {name!r} is not a name for a statement")
        body = text[header.end() : following.start() if following else None].strip()
        if _BLANK.fullmatch(body):
            raise StorageError(f"{file}: {name} is empty")
        yield Statement(name=name, text=body, parameters=frozenset(_parameters(body)))


def _parameters(text: str) -> Iterator[str]:
    return (token["name"] for token in _TOKEN.finditer(text) if token["name"])


def rewritten(text: str, *, parameter: Callable[[str], str], rest: Callable[[str], str]) -> str:
    """Return a statement with its parameters written another way; ``rest`` writes all that is none."""
    written, end = [], 0
    for token in _TOKEN.finditer(text):
        if token["name"]:
            written += [rest(text[end : token.start()]), parameter(token["name"])]
            end = token.end()
    return "".join((*written, rest(text[end:])))
