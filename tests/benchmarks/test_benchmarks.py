"""The benchmarks run to their end, print every figure, and leave nothing behind. What the figures are is not asked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.domain.execution import Phase
from bot.domain.work import WorkState
from bot.storage.contract import Tx
from tests.benchmarks.claiming import age
from tests.benchmarks.deliveries import BYTES, payload
from tests.benchmarks.past import NUMBER
from tests.benchmarks.quantiles import percentile
from tests.benchmarks.report import Report, Section
from tests.clock import START
from tests.factories import put_event
from tests.scenarios import processes
from tests.storage.backend import INLINE

ROOT = Path(__file__).parents[2]
ROWS: Mapping[str, tuple[str, ...]] = {
    "webhooks": ("receiver", "bare route, one durable insert", "receiver / bare route"),
    "claims": tuple(
        f"{concurrency} at a time, {what}" for concurrency in (1, 16) for what in ("10 ended", "500 ended", "500 / 10")
    ),
    "latency": ("until the attempt is claimed", "until the process is started", "until a state: label is shown"),
}


def test_a_quick_run_prints_every_figure_and_leaves_nothing_behind(tmp_path: Path) -> None:
    place, written = tmp_path / "place", tmp_path / "figures.json"
    place.mkdir()
    command = [sys.executable, "-m", "tests.benchmarks", "--quick", "--json", str(written)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(place)},
        check=False,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(written.read_text())
    assert {key: tuple(rows) for key, rows in document["figures"].items()} == ROWS
    for rows in document["figures"].values():
        for name, figures in rows.items():
            assert name in done.stdout
            assert all(value > 0 for value in figures.values() if value is not None), (name, figures)
    for name, value in document["machine"].items():
        assert f"{name} {value}" in done.stdout
    assert list(processes.of(place)) == []
    assert list(place.iterdir()) == []


def test_a_payload_has_the_size_that_the_table_says() -> None:
    assert {len(payload(number)) for number in (1, 42, 999)} == {BYTES}


@pytest.mark.parametrize(("percent", "expected"), [(50, 20), (95, 40), (99, 40), (25, 10), (1, 10)])
def test_a_percentile_is_a_value_that_occurred(percent: float, expected: float) -> None:
    assert percentile([40, 10, 30, 20], percent) == expected


def test_a_percentile_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing was measured"):
        percentile([], 50)


def test_a_table_shows_counts_rates_and_gaps() -> None:
    section = Section(key="k", title="Title", columns=("a", "b"), rows={"row": (12_345, None), "other": (1234.5, 0.5)})
    assert [line.split() for line in section.text().splitlines()] == [
        ["Title"],
        ["a", "b"],
        ["row", "12,345"],
        ["other", "1,234", "0.50"],
    ]
    assert Report(scale="quick", sections=[section]).document()["figures"] == {
        "k": {"row": {"a": 12_345, "b": None}, "other": {"a": 1234.5, "b": 0.5}}
    }


async def test_a_past_is_of_whole_works_and_the_next_event_goes_on_counting(tmp_path: Path) -> None:
    path = tmp_path / "aged.db"
    await age(path, 5)
    store = await INLINE.open(str(path), bind=Tx)
    works = await store.read(lambda tx: tx.works.recent())
    assert {work.number for work in works} == {NUMBER + copy for copy in range(5)}
    for work in works:
        assert work.state is WorkState.COMPLETED
        (attempt,) = await store.read(lambda tx, w=work: tx.executions.of_work(w.id))  # type: ignore[misc] # a default pins the loop's value
        assert attempt.phase is Phase.FINISHED
        assert len(await store.read(lambda tx, a=attempt: tx.inputs.of_execution(a.work, a.id))) == 1  # type: ignore[misc] # as above
    assert (await store.write(lambda tx: put_event(tx, "next", now=START))).seq == 6
    assert await store.read(lambda tx: tx.threads.due(START)) == []
    await store.close()
