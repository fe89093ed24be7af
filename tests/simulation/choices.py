"""Everything that a seed decides: small numbers, drawn step by step, so that a run can be repeated and cut down."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

Script = tuple[tuple[int, ...], ...]
"""What was drawn, by step. 0 is always the dullest choice, and stands for everything that is left out."""


class Choices:
    """
    Draws numbers and remembers them by step.

    With a ``script`` nothing is left to chance: its numbers are drawn again, and zeros when a step has no more.
    """

    def __init__(self, seed: int, script: Script | None = None) -> None:
        self._random = random.Random(seed)  # noqa: S311 - nothing secret is drawn here
        self._script = script
        self._steps: list[list[int]] = []
        self._dull = False

    @property
    def drawn(self) -> Script:
        """What was drawn so far; trailing zeros are left out, since they are drawn anyhow."""
        return tuple(_stripped(step) for step in self._steps)

    def next_step(self) -> None:
        """Begin a step: what is drawn from now on belongs to it."""
        self._steps.append([])

    def rest(self) -> None:
        """Draw only what is dullest from now on, and remember none of it."""
        self._dull = True

    def below(self, limit: int) -> int:
        """Draw one of ``limit`` numbers from 0 on."""
        if self._dull:
            return 0
        step = self._steps[-1]
        if self._script is None:
            number = self._random.randrange(limit)
        else:
            place = len(self._steps) - 1
            given = self._script[place] if place < len(self._script) else ()
            number = given[len(step)] % limit if len(step) < len(given) else 0
        step.append(number)
        return number

    def one_in(self, odds: int) -> bool:
        """Draw whether something rare happens."""
        return self.below(odds) == odds - 1

    def of(self, options: Sequence[T]) -> T:
        """Draw one of several, the first being the dullest."""
        return options[self.below(len(options))]

    def weighted(self, options: Sequence[tuple[int, T]]) -> T:
        """Draw one of several by weight, the first being the dullest."""
        number = self.below(sum(weight for weight, _ in options))
        for weight, option in options:
            number -= weight
            if number < 0:
                return option
        raise AssertionError("a weight is negative")


def _stripped(step: Sequence[int]) -> tuple[int, ...]:
    end = len(step)
    while end and step[end - 1] == 0:
        end -= 1
    return tuple(step[:end])


def to_text(script: Script) -> str:
    """Write a script in one line."""
    return ";".join(",".join(map(str, step)) for step in script)


def from_text(text: str) -> Script:
    """Read a script. Raises ``ValueError``."""
    return tuple(tuple(int(number) for number in step.split(",") if number) for step in text.split(";"))
