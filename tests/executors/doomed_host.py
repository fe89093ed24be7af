"""A host in a process of its own, made to be killed: starts one run, says so, and lives on until it dies."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from bot.executors.shell.executor import ShellExecutor
from tests.executors.orders import Host, order


async def main() -> None:
    state, work, config = sys.argv[1:]
    host = Host()
    await ShellExecutor(Path(state)).run(order(Path(work), json.loads(config)), host.context)
    sys.stdout.write(json.dumps(host.persisted[0]) + "\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
