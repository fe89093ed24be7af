"""
The language of a prompt's template: Jinja, cut down to what a prompt needs.

A repository's own playbook is text from strangers to this machine, so a template can only show values, ask
conditions and go through lists. Calls, arithmetic, macros and includes are refused when the file is loaded:
with them a few characters could fill the memory or never end.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError, Undefined, meta, nodes, pass_context
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from bot.playbook.problem import Problem
from bot.playbook.prompt import ATTRIBUTES, LISTS
from bot.playbook.untrusted import Untrusted

FILTERS = ("default", "first", "join", "last", "length", "lower", "trim", "untrusted", "upper")
LOOP_DEPTH = 2
NONCE = "_nonce"

_ALLOWED = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.Getattr, nodes.Filter,
    nodes.Test, nodes.If, nodes.For, nodes.CondExpr, nodes.Compare, nodes.Operand, nodes.And, nodes.Or,
    nodes.Not, nodes.Concat, nodes.List, nodes.Tuple, nodes.Keyword,
)  # fmt: skip
_JINJAS_OWN = frozenset({"self", "super"})
_COMPILE_FAULTS = (TemplateError, SyntaxError, RecursionError, MemoryError, ValueError, OverflowError)


def compiled(body: str, *, first_line: int) -> Template:
    """
    Return the template of a body that begins on line ``first_line`` of its file.

    Empty lines stand in for what is before it, so that Jinja's line numbers are those of the file.
    """
    return _environment().from_string("\n" * (first_line - 1) + body)


def faults(body: str, path: str, *, first_line: int) -> list[Problem]:
    """Return what is wrong with a body, without rendering it. Never raises."""
    try:
        tree = _environment().parse("\n" * (first_line - 1) + body)
        refused = list(_refused(tree))
        if not refused:
            compiled(body, first_line=first_line)
            refused = list(_unknown(tree))
    except _COMPILE_FAULTS as error:
        refused = [(first_line, "it cannot be compiled")]
        if isinstance(error, TemplateSyntaxError):
            refused = [(error.lineno, str(error.message))]
    return [Problem(path=path, line=line, key="prompt", message=message) for line, message in refused]


def _refused(tree: nodes.Template) -> Iterator[tuple[int, str]]:
    for node in _walk(tree):
        if not isinstance(node, _ALLOWED):
            yield node.lineno, f"a prompt cannot use {type(node).__name__.lower()} expressions or statements"
        elif isinstance(node, nodes.Getattr) and node.attr.startswith("_"):
            yield node.lineno, f"there is no {node.attr[:40]!r}"
        elif isinstance(node, nodes.For) and (node.recursive or not _goes_through_list(node)):
            yield node.lineno, f"a loop goes through one of {', '.join(LISTS)}, or a list in their entries"
        elif isinstance(node, nodes.For) and _depth(node) > LOOP_DEPTH:
            yield node.lineno, f"loops stand at most {LOOP_DEPTH} deep in each other"


def _walk(tree: nodes.Node) -> Iterator[nodes.Node]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.iter_child_nodes())


def _goes_through_list(loop: nodes.For) -> bool:
    over = loop.iter
    if isinstance(over, nodes.Getattr):
        over = over.node
        return isinstance(over, nodes.Name) and over.name not in ATTRIBUTES
    return isinstance(over, nodes.Name) and over.name in LISTS and isinstance(loop.target, nodes.Name)


def _depth(loop: nodes.For) -> int:
    inner = [_depth(node) for child in (*loop.body, *loop.else_) for node in _loops(child)]
    return 1 + max(inner, default=0)


def _loops(node: nodes.Node) -> Iterator[nodes.For]:
    if isinstance(node, nodes.For):
        yield node
    else:
        yield from node.find_all(nodes.For)


def _unknown(tree: nodes.Template) -> Iterator[tuple[int, str]]:
    """Yield uses of names that a prompt does not have, and of attributes that they do not have."""
    undeclared = meta.find_undeclared_variables(tree) | _JINJAS_OWN
    assigned = {name.name: name for name in tree.find_all(nodes.Name) if name.ctx == "store"}
    for name in tree.find_all(nodes.Name):
        if name.name in undeclared - ATTRIBUTES.keys() and name.ctx == "load":
            yield name.lineno, f"there is no {name.name[:40]!r}{_near(name.name, ATTRIBUTES)}"
    entries: dict[str, tuple[str, ...]] = {}
    for loop in tree.find_all(nodes.For):
        if isinstance(loop.iter, nodes.Name) and isinstance(loop.target, nodes.Name):
            # A name that serves two loops can be asked for what the entries of either have.
            entries[loop.target.name] = (*entries.get(loop.target.name, ()), *LISTS[loop.iter.name])
    known = {name: attributes for name, attributes in ATTRIBUTES.items() if name not in assigned} | entries
    for use in tree.find_all(nodes.Getattr):
        if isinstance(use.node, nodes.Name) and use.node.name in known:
            attributes = known[use.node.name]
            if use.attr not in attributes:
                near = _near(use.attr, attributes)
                yield use.lineno, f"{use.node.name[:40]!r} has no {use.attr[:40]!r}{near}"


def _near(word: str, known: dict[str, tuple[str, ...]] | tuple[str, ...]) -> str:
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else f" (there are: {', '.join(known) or 'none'})"


@pass_context
def _shown(context: Context, value: object) -> object:
    """Say how a value stands in a prompt; what is neither text nor a number is a slip of the author's."""
    if isinstance(value, Untrusted):
        return value.marked(str(context[NONCE]))
    if isinstance(value, Undefined | str | int | float) and not isinstance(value, bool):
        return value
    raise TypeError(f"only text and numbers can be shown, not {'nothing' if value is None else type(value)}")


def _block(value: object) -> object:
    """Show a text of people in lines of its own."""
    return value.as_block() if isinstance(value, Untrusted) else Untrusted(str(value), kind="text")


def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined,
        finalize=_shown,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.clear()
    environment.filters = {name: environment.filters.get(name, _block) for name in FILTERS}
    return environment
