"""Load one playbook: every fault is found and said, with its line, before anything is refused."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from pydantic import ValidationError

from bot.playbook import cross, source, template, trial, yaml_tree
from bot.playbook.complaints import complaints
from bot.playbook.playbook import Playbook
from bot.playbook.problem import Problem, dotted, failure
from bot.playbook.schema import FrontMatter


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What became of a file: a playbook, or what is wrong with it."""

    playbook: Playbook | None
    problems: tuple[Problem, ...] = ()


def load(data: bytes | str, path: str) -> Playbook:
    """
    Return the playbook in a file's content; ``path`` is how messages name the file.

    Raises ``PlaybookError`` with one line for each fault.
    """
    checked = check(data, path)
    if checked.playbook is None:
        raise failure(checked.problems)
    return checked.playbook


def check(data: bytes | str, path: str) -> Checked:
    """Return the playbook in a file's content, or all of its faults. Never raises."""
    content = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    parts = source.cut(content, path)
    if isinstance(parts, Problem):
        return Checked(playbook=None, problems=(parts,))
    tree = yaml_tree.read(parts.front, path, first_line=2)
    front = _validated(tree)
    problems = [*tree.problems, *template.faults(parts.body, path, first_line=parts.body_line)]
    if front is None or problems:
        return Checked(playbook=None, problems=tuple(problems))
    playbook = Playbook.model_validate_json(
        json.dumps(
            {
                **front.model_dump(mode="json", by_alias=True),
                "body": parts.body,
                "body_line": parts.body_line,
                "digest": hashlib.sha256(content).hexdigest(),
                "path": path,
            }
        )
    )
    misfit = trial.fault(playbook)
    return Checked(playbook=None, problems=(misfit,)) if misfit else Checked(playbook=playbook)


def _validated(tree: yaml_tree.Tree) -> FrontMatter | None:
    """Return the settings in a tree, or None after adding to the tree's problems."""
    if not isinstance(tree.value, dict):
        if not tree.problems:
            message = "the settings are keys with values, such as 'name: work-issue'"
            tree.problems.append(Problem(path=tree.path, line=tree.first_line, message=message))
        return None
    front = None
    found: list[cross.Fault] = []
    try:
        # Through JSON, where lists stand for tuples and words for enums also in strict mode.
        front = FrontMatter.model_validate_json(json.dumps(tree.value))
    except ValidationError as error:
        found.extend(complaints(error))
    found.extend(cross.faults(tree.value))
    # A value that could not be read is empty now; complaining of that too would only mislead.
    unread = {problem.key for problem in tree.problems}
    for location, message in found:
        key = dotted(location)
        if key not in unread:
            tree.problems.append(Problem(path=tree.path, line=tree.line(location), key=key, message=message))
    return front
