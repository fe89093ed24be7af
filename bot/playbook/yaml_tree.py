"""
Read YAML into plain values, and remember on which line each of them stands.

Only what JSON could say as well is accepted. Anchors and aliases are refused (a few lines of them can
unfold into gigabytes), as are tags and repeated keys, each with its line.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from bot.playbook.problem import Location, Problem, dotted

DEPTH_LIMIT = 12
LARGEST = 2**63
"""Numbers stay below this, where every reader of a stored playbook agrees on them; not-a-number never is."""

_TAG = "tag:yaml.org,2002:"
_PLAIN = {f"{_TAG}{name}" for name in ("int", "float", "bool", "null", "map", "seq")}
# A bare date is read as text: no key of a playbook holds a moment.
_TEXT = {f"{_TAG}{name}" for name in ("str", "timestamp", "merge", "value")}


@dataclass(kw_only=True)
class Tree:
    """What was read: ``value`` in plain Python, the line of each location, and the faults found."""

    path: str
    first_line: int
    value: object = None
    lines: dict[Location, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def line(self, location: Location) -> int:
        """Return the line of a location, or of the nearest one around it; the line before all for none."""
        while location:
            if location in self.lines:
                return self.lines[location]
            location = location[:-1]
        return self.first_line - 1

    def refuse(self, node: Node, location: Location, message: str) -> None:
        """Note a fault at a node."""
        line = node.start_mark.line + self.first_line
        self.problems.append(Problem(path=self.path, line=line, key=dotted(location), message=message))


def read(text: str, path: str, *, first_line: int) -> Tree:
    """Return the values of a YAML text whose first line is line ``first_line`` of the file. Never raises."""
    tree = Tree(path=path, first_line=first_line)
    yaml = YAML(typ="safe", pure=True)
    try:
        node = yaml.compose(text)
    except RecursionError:
        message = f"the settings are nested more than {DEPTH_LIMIT} deep"
        tree.problems.append(Problem(path=path, line=first_line, message=message))
    except MarkedYAMLError as error:
        tree.problems.append(_unreadable(error, text, tree))
    except (YAMLError, ValueError) as error:
        message = f"this is not YAML: {str(error).splitlines()[0]}"
        tree.problems.append(Problem(path=path, line=first_line, message=message))
    else:
        if node is not None:
            tree.value = _Reader(yaml, tree).value(node, ())
    return tree


def _unreadable(error: MarkedYAMLError, text: str, tree: Tree) -> Problem:
    mark = error.problem_mark or error.context_mark
    index = mark.line if mark else 0
    lines = text.split("\n")
    line = lines[index] if index < len(lines) else ""
    indent = line[: len(line) - len(line.lstrip())]
    message = (
        "this line is indented with a tab; use spaces"
        if "\t" in indent
        else f"this is not YAML: {error.problem or error.context}"
    )
    return Problem(path=tree.path, line=index + tree.first_line, message=message)


class _Reader:
    """Walks composed nodes, which still know their lines, and notes what it refuses."""

    def __init__(self, yaml: YAML, tree: Tree) -> None:
        self._yaml = yaml
        self._tree = tree

    def value(self, node: Node, location: Location) -> object:
        if refusal := _refusal(node, location):
            self._tree.refuse(node, location, refusal)
            return None
        if isinstance(node, MappingNode):
            return self._mapping(node, location)
        if isinstance(node, SequenceNode):
            return self._sequence(node, location)
        return self._scalar(node, location)

    def _mapping(self, node: MappingNode, location: Location) -> dict[str, object]:
        result: dict[str, object] = {}
        for key, value in node.value:
            if not isinstance(key, ScalarNode):
                self._tree.refuse(key, location, "a key is a word, not a list or a mapping")
                continue
            name = str(key.value)
            here = (*location, name)
            if name in result:
                first = self._tree.lines[here]
                self._tree.refuse(key, here, f"this key stands on line {first} already")
                continue
            self._tree.lines[here] = key.start_mark.line + self._tree.first_line
            result[name] = self.value(value, here)
        return result

    def _sequence(self, node: SequenceNode, location: Location) -> list[object]:
        result = []
        for index, item in enumerate(node.value):
            here = (*location, index)
            self._tree.lines[here] = item.start_mark.line + self._tree.first_line
            result.append(self.value(item, here))
        return result

    def _scalar(self, node: Node, location: Location) -> object:
        if node.tag in _TEXT:
            text = str(node.value)
            if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
                self._tree.refuse(node, location, "this text holds a character that cannot be used")
                return ""
            return text
        try:
            value: object = self._yaml.constructor.construct_object(node)
        except (ValueError, LookupError, YAMLError):
            self._tree.refuse(node, location, f"{str(node.value)[:40]!r} cannot be read; put it in quotes")
            return None
        if isinstance(value, int | float) and not abs(value) < LARGEST:
            self._tree.refuse(node, location, "this number is too large")
            return None
        return value


def _refusal(node: Node, location: Location) -> str:
    if node.anchor is not None:
        return "anchors and aliases are not used in playbooks; write the value out"
    if node.tag not in _PLAIN | _TEXT:
        return f"the tag {str(node.tag)[:40]!r} is not used in playbooks"
    if len(location) > DEPTH_LIMIT:
        return f"the settings are nested more than {DEPTH_LIMIT} deep"
    return ""
