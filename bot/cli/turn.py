"""``trackside turn``: a running attempt says how its turn ended."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from bot.domain.turn import Turn
from bot.executors.toolbelt.send import NotRecordedError, declare

RECORDED = 0
NOT_RECORDED = 1
USAGE = 2

app = typer.Typer(add_completion=False)


def turn(
    status: str,
    *,
    comment: str | None = None,
    comment_file: str | None = None,
    used: Sequence[str] = (),
    environment: Mapping[str, str] = os.environ,
) -> int:
    """
    Declare a turn for the run whose environment this is, and say so in one line.

    ``comment_file`` may be ``-`` for standard input; ``used`` holds amounts such as ``usd=0.12``.
    Returns the exit code: 0 when it is recorded, 1 when it could not be, 2 when it is no turn.
    """
    if comment is not None and comment_file is not None:
        return _say("give a comment or a file with one, not both", USAGE)
    try:
        declared = Turn(status=status, comment=_text(comment, comment_file), used=_amounts(used))
    except OSError as error:
        return _say(f"the comment cannot be read: {error.strerror}: {comment_file}", USAGE)
    except ValueError as error:
        return _say(str(error), USAGE)
    try:
        declare(declared, environment)
    except NotRecordedError as error:
        return _say(f"turn not recorded: {error}", NOT_RECORDED)
    sys.stdout.write(f"turn recorded: {declared.status}\n")
    return RECORDED


@app.command("turn")
def _command(
    status: Annotated[str, typer.Argument(help="A status word of the playbook, such as review or done.")],
    comment: Annotated[str | None, typer.Option(help="What to say about it, as Markdown.")] = None,
    comment_file: Annotated[str | None, typer.Option(help="A file with what to say; - reads standard input.")] = None,
    used: Annotated[
        list[str] | None, typer.Option(help="What the run used, such as usd=0.12; may be repeated.")
    ] = None,
) -> None:
    """Declare how this attempt's turn ended; the last declaration wins."""
    raise typer.Exit(turn(status, comment=comment, comment_file=comment_file, used=used or ()))


def _text(comment: str | None, comment_file: str | None) -> str:
    if comment_file is None:
        # an argument of other bytes than UTF-8 arrives as lone surrogates
        return (comment or "").encode(errors="surrogateescape").decode(errors="replace")
    content = sys.stdin.buffer.read() if comment_file == "-" else Path(comment_file).read_bytes()
    return content.decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")


def _say(message: str, code: int) -> int:
    sys.stderr.write(message + "\n")
    return code


def _amounts(entries: Sequence[str]) -> dict[str, float]:
    amounts: dict[str, float] = {}
    for entry in entries:
        unit, _, amount = entry.partition("=")
        try:
            amounts[unit] = float(amount)
        except ValueError:
            raise ValueError(f"--used takes a unit and an amount, such as usd=0.12, not {entry[:40]!r}") from None
    return amounts


if __name__ == "__main__":
    app()
