from __future__ import annotations

import pytest

from tests.simulation.choices import Choices, Script, from_text, to_text
from tests.simulation.shrink import shrink


def drawn(choices: Choices, steps: int) -> list[list[int]]:
    found = []
    for _ in range(steps):
        choices.next_step()
        found.append([choices.below(10) for _ in range(3)])
    return found


def test_a_seed_draws_the_same_numbers_again() -> None:
    assert drawn(Choices(1), 5) == drawn(Choices(1), 5)
    assert drawn(Choices(1), 5) != drawn(Choices(2), 5)


def test_a_script_is_drawn_in_place_of_chance() -> None:
    first = Choices(1)
    numbers = drawn(first, 5)
    assert drawn(Choices(2, first.drawn), 5) == numbers


def test_what_a_script_leaves_out_is_the_dullest_choice() -> None:
    assert drawn(Choices(1, ((4,), (), (1, 2, 3, 4))), 4) == [[4, 0, 0], [0, 0, 0], [1, 2, 3], [0, 0, 0]]


def test_a_number_that_is_too_large_still_chooses_something() -> None:
    choices = Choices(1, ((25,),))
    choices.next_step()
    assert choices.of("abcd") == "b"


def test_at_rest_only_the_dullest_is_drawn_and_nothing_is_remembered() -> None:
    choices = Choices(1)
    choices.next_step()
    choices.rest()
    assert [choices.below(10) for _ in range(20)] == [0] * 20
    assert choices.drawn == ((),)


@pytest.mark.parametrize(("number", "name"), [(0, "often"), (8, "often"), (9, "seldom")])
def test_weights_share_out_the_numbers_in_their_order(number: int, name: str) -> None:
    choices = Choices(1, ((number,),))
    choices.next_step()
    assert choices.weighted([(9, "often"), (1, "seldom")]) == name


@pytest.mark.parametrize("script", [((1, 2), (), (3,)), ((0, 4),), ((), (), ())])
def test_a_script_is_written_and_read(script: Script) -> None:
    assert from_text(to_text(script)) == script


def test_a_history_is_cut_down_to_what_makes_it_fail() -> None:
    """What fails here is any script with a 7 somewhere before a step that begins with 5."""

    def fails(script: Script) -> Script | None:
        sevens = [place for place, step in enumerate(script) if 7 in step]
        fives = [place for place, step in enumerate(script) if step[:1] == (5,)]
        return script if sevens and fives and min(sevens) < max(fives) else None

    long = tuple((number % 9, number % 5, 3) for number in range(60))
    assert fails(long) == long
    short = shrink(long, fails)
    assert len(short) == 3, "the first step makes the world, and is never left out"
    assert sum(map(sum, short)) == 7 + 5


def test_a_history_is_cut_down_by_no_more_tries_than_allowed() -> None:
    tried: list[Script] = []

    def fails(script: Script) -> None:
        tried.append(script)

    shrink(tuple((number,) for number in range(1, 60)), fails, tries=7)
    assert len(tried) == 7
