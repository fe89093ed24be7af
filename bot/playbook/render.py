"""Make the prompt of one attempt."""

from __future__ import annotations

import traceback
from types import SimpleNamespace

from jinja2 import TemplateError

from bot.playbook.playbook import Playbook
from bot.playbook.problem import Problem, failure
from bot.playbook.prompt import Choice, Item, PromptContext, PromptInput
from bot.playbook.template import NONCE, compiled
from bot.playbook.untrusted import NONCE_PATTERN, Untrusted, preamble
from bot.playbook.visible import one_line
from bot.playbook.words import Publish

PROMPT_LIMIT = 2_000_000
"""Characters of a whole prompt."""

_RENDER_FAULTS = (TemplateError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError)


def render(playbook: Playbook, context: PromptContext, *, nonce: str) -> str:
    """
    Return the prompt for one attempt.

    ``nonce`` is 16 to 64 digits and lower-case letters that nobody could know beforehand; a new one each
    time. Texts of people stand between marks that carry it, explained at the top of the prompt.

    Raises ``PlaybookError`` with file and line where the template cannot be rendered, and ``ValueError``
    for a nonce of another shape.
    """
    text = filled(playbook, context, nonce=nonce)
    if isinstance(text, Problem):
        raise failure([text])
    return text


def filled(playbook: Playbook, context: PromptContext, *, nonce: str) -> str | Problem:
    """Return the prompt, or why the template cannot be rendered with these values."""
    if not NONCE_PATTERN.fullmatch(nonce):
        raise ValueError("a nonce is 16 to 64 digits and lower-case letters")
    template = compiled(playbook.body, first_line=playbook.body_line)
    pieces = []
    length = 0
    try:
        for piece in template.generate(variables(playbook, context), **{NONCE: nonce}):
            pieces.append(piece)
            length += len(piece)
            if length > PROMPT_LIMIT:
                break
    except _RENDER_FAULTS as error:
        line = _line(error, playbook.body_line)
        return Problem(path=playbook.path, line=line, key="prompt", message=str(error))
    if length > PROMPT_LIMIT:
        message = f"it becomes longer than {PROMPT_LIMIT} characters"
        return Problem(path=playbook.path, line=playbook.body_line, key="prompt", message=message)
    text = "".join(pieces).strip()
    return f"{preamble(nonce)}\n{text}\n" if nonce in text else f"{text}\n"


def variables(playbook: Playbook, context: PromptContext) -> dict[str, object]:
    """Return the values of the template's variables; texts of people are wrapped, all else is one line."""
    previous, pull_request = context.previous, context.pull_request
    return {
        "item": _item(context.item),
        "repository": SimpleNamespace(
            full_name=one_line(context.repository.full_name),
            default_branch=one_line(context.repository.default_branch),
        ),
        "branch": one_line(context.branch),
        "attempt": context.attempt,
        "run": context.run,
        "starter": one_line(context.starter),
        "inputs": [_input(each) for each in context.inputs],
        "previous": previous
        and SimpleNamespace(status=one_line(previous.status), comment=Untrusted(previous.comment, kind="attempt")),
        "pull_request": pull_request and SimpleNamespace(number=pull_request.number, url=one_line(pull_request.url)),
        "statuses": choices(playbook),
    }


def choices(playbook: Playbook) -> list[Choice]:
    """Return the statuses that a run may end with: all but the one that is shown while it runs."""
    return [
        Choice(
            word=word,
            description=one_line(status.description),
            complete=status.complete,
            wait=tuple(each.value for each in status.wait),
            publish=status.publish is not Publish.NONE,
        )
        for word, status in playbook.statuses.items()
        if word != playbook.running
    ]


def _item(item: Item) -> SimpleNamespace:
    author, trusted = item.author, item.trusted
    return SimpleNamespace(
        number=item.number,
        title=Untrusted(item.title, kind="title", author=author, trusted=trusted, inline=True),
        body=Untrusted(item.body, kind="body", author=author, trusted=trusted),
        url=one_line(item.url),
        kind=one_line(item.kind),
        author=one_line(author),
        trusted=trusted,
        commit=one_line(item.commit),
        base=one_line(item.base),
        fork=item.fork,
    )


def _input(entry: PromptInput) -> SimpleNamespace:
    return SimpleNamespace(
        kind=one_line(entry.kind),
        author=one_line(entry.author),
        trusted=entry.trusted,
        body=Untrusted(entry.body, kind=entry.kind, author=entry.author, trusted=entry.trusted),
    )


def _line(error: Exception, default: int) -> int:
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == "<template>" and frame.lineno]
    return lines[-1] if lines else default
