"""Whatever tells the bot of three hours, or does not, it ends where its twin is that heard of everything at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.clock import HOUR
from bot.publishing import publish
from bot.trackers.contract import Person, Verdict
from tests.simulation.workspaces import push_branch
from tests.webhooks.twins import ADA, MAX, OTHER_BOT, RITA, SWEEP, Twin, open_twin

SOME, MANY = 5, 300
"""Days: a second each."""
ACTS = 14
DURATION = 3 * HOUR
CHANGE, TALK, HELD, LOOSE = range(4)
"""What there is before: with a pull request, waiting for an answer, at its gate, and without Work."""

Act = Callable[[Twin], object]


def says(thread: int, by: Person, body: str) -> Act:
    return lambda twin: twin.desk.comment(twin.place, twin.threads[thread], by, body)


def says_on_change(by: Person, body: str) -> Act:
    return lambda twin: twin.desk.comment(twin.place, twin.change.item, by, body)


def reviews(by: Person, verdict: Verdict, body: str, *lines: str) -> Act:
    return lambda twin: twin.desk.review(twin.place, twin.change, by, verdict, body, lines)


def labels(thread: int, by: Person, name: str) -> Act:
    return lambda twin: twin.desk.label(twin.place, twin.threads[thread], by, name)


def unlabels(thread: int, by: Person, name: str) -> Act:
    return lambda twin: twin.desk.unlabel(twin.place, twin.threads[thread], by, name)


def closes(thread: int) -> Act:
    return lambda twin: twin.desk.set_open(twin.place, twin.threads[thread], ADA, is_open=False)


def edits(thread: int, body: str) -> Act:
    return lambda twin: twin.desk.edit(twin.place, twin.threads[thread], body=body)


def opens(title: str, *names: str) -> Act:
    def act(twin: Twin) -> None:
        twin.threads.append(twin.desk.open_issue(twin.place, ADA, title, "Say hello."))
        for name in names:
            twin.desk.label(twin.place, twin.threads[-1], ADA, name)

    return act


def merges(twin: Twin) -> None:
    twin.desk.merge(twin.place, twin.change, ADA)


OFTEN: Sequence[Callable[[Random], Act]] = (
    lambda dice: says(dice.choice([CHANGE, TALK]), dice.choice([ADA, MAX]), f"Word {dice.random()}"),
    lambda dice: says(dice.randrange(4), dice.choice([RITA, OTHER_BOT]), "Me too."),
    lambda dice: says_on_change(dice.choice([ADA, MAX, RITA]), f"Word {dice.random()}"),
    lambda dice: reviews(MAX, Verdict.CHANGES_REQUESTED, f"Word {dice.random()}", "Here.", "And here."),
    lambda dice: reviews(ADA, Verdict.COMMENTED, "", f"Line {dice.random()}"),
    lambda dice: reviews(RITA, Verdict.APPROVED, f"Word {dice.random()}"),
    lambda dice: labels(dice.randrange(4), ADA, dice.choice(["bug", "urgent"])),
    lambda dice: unlabels(dice.randrange(4), ADA, dice.choice(["bug", "urgent"])),
    lambda _: opens("New", "run:fix"),
    lambda _: opens("New and gated", "urgent", "run:work-issue"),
    lambda _: opens("Nothing for a bot", "urgent"),
    lambda _: says(TALK, MAX, "/hold until tomorrow"),
    lambda _: says(TALK, MAX, "/release"),
    lambda _: says(HELD, RITA, "/approve"),
)
"""What people do again and again."""
DECISION: Sequence[Act] = (says(HELD, MAX, "/approve"), edits(HELD, "Say hello twice."), says(HELD, MAX, "/refuse no"))
END: Sequence[Act] = (merges, closes(CHANGE))
"""Of each, one at most is done: who hears late finds only what is true then, as of one that was merged meanwhile."""
ONCE: Sequence[Sequence[Act]] = (
    (unlabels(TALK, ADA, "run:fix"),),
    (says(TALK, MAX, "/cancel enough"),),
    (labels(LOOSE, MAX, "run:fix"), says(LOOSE, ADA, "Soon, please.")),
)
"""What is done once at most, all of one entry in its order."""


def day(dice: Random) -> list[Act]:
    """Return what happens in the three hours."""
    may = ((dice.choice(END),), *ONCE)
    once = [(dice.choice(DECISION),), *(each for each in may if dice.random() < 0.5)]
    acts: list[Act] = [dice.choice(OFTEN)(dice) for _ in range(ACTS)]
    for entry in once:
        places = sorted(dice.randrange(len(acts) + 1) for _ in entry)
        for place, act in zip(reversed(places), reversed(entry), strict=True):
            acts.insert(place, act)
    return acts


async def begin(twin: Twin) -> None:
    """Bring about what there is before: all of it heard."""
    for act in (
        opens("Change", "run:work-issue"),
        opens("Talk", "run:fix"),
        opens("Held", "run:work-issue"),
        opens("Loose"),
    ):
        act(twin)
    await twin.settle()
    twin.desk.comment(twin.place, twin.threads[CHANGE], MAX, "/approve")
    await twin.settle()
    assert twin.change is not None


async def well(twin: Twin, act: Act, dice: Random) -> None:
    """Let it happen, and hear of everything at once."""
    del dice
    act(twin)
    await twin.settle()


async def badly(twin: Twin, act: Act, dice: Random) -> None:
    """Let it happen, and lose, delay, double and mix up what tells of it."""
    act(twin)
    for each in twin.sent():
        twin.under_way += [each] * dice.choice([0, 0, 1, 1, 2])
    dice.shuffle(twin.under_way)
    half = len(twin.under_way) // 2
    arrived, twin.under_way = twin.under_way[:half], twin.under_way[half:]
    await twin.hear(arrived)
    await twin.settle(heard=False)


async def silently(twin: Twin, act: Act, dice: Random) -> None:
    """Let it happen, and hear of nothing: all of it is asked for."""
    del dice
    act(twin)
    await twin.settle(heard=False)


async def end(directory: Path, seed: int, way: Callable[[Twin, Act, Random], Awaitable[None]]) -> dict[str, Any]:
    """Return where everything stands after a day that went in this way."""
    acts, dice = day(Random(seed)), Random(seed)  # noqa: S311 - the same for each seed
    async with open_twin(directory, polls=way is silently) as twin:
        await begin(twin)
        for act in acts:
            twin.later(DURATION // len(acts))
            await way(twin, act, dice)
        await twin.hear(twin.under_way)
        twin.later(SWEEP)
        await twin.settle(heard=way is not silently)
        return await twin.state()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(MANY if metafunc.config.getoption("--every-step") else SOME))


# gh-W-01, gh-W-03, gh-W-17, gh-O-01, ag-B04
async def test_three_bad_hours_and_three_of_polling_end_where_good_ones_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(publish, "push_branch", push_branch)
    ends = []
    for way in (well, badly, silently):
        (place := tmp_path / way.__name__).mkdir()
        ends.append(await end(place, seed, way))
    assert ends[1] == ends[0]
    assert ends[2] == ends[0]
