"""
``make bench``: everything that is measured, in one run, on this machine.

``python -m tests.benchmarks [--quick] [--json FILE]``. The figures of one run may be compared with each other; those
of different machines, or of different loads on one, may not.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from pathlib import Path

from bot.log import configure_logging
from tests.benchmarks import accepting, claiming, starting
from tests.benchmarks.report import Report
from tests.benchmarks.scale import FULL, QUICK, Scale


async def run(scale: Scale) -> Report:
    """Measure everything, one thing after the other."""
    with tempfile.TemporaryDirectory(prefix="trackside-bench-") as place:
        accepted, claimed, started = (Path(place) / name for name in ("accepted", "claimed", "started"))
        for directory in (accepted / "receiver", accepted / "bare", claimed, started):
            directory.mkdir(parents=True)
        sections = [
            await accepting.measure(accepted, scale),
            await claiming.measure(claimed, scale),
            await starting.measure(started, scale),
        ]
    return Report(scale=scale.name, sections=sections)


def main(arguments: list[str] | None = None) -> None:
    """Run, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description="Measure Trackside.")
    parser.add_argument("--quick", action="store_true", help="a small slice, to see that everything works")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file, too")
    options = parser.parse_args(arguments)
    configure_logging(level="warning", readable=False)
    report = asyncio.run(run(QUICK if options.quick else FULL))
    sys.stdout.write(f"{report.text()}\n")
    if options.json is not None:
        options.json.write_text(f"{json.dumps(report.document(), indent=2)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
