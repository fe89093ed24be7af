"""
A receiver with its database in a process of its own: ``python -m tests.scenarios.acceptor DATA SOCKET``.

It takes deliveries from the listening socket with that number, signed with the secret on its standard input, and
does nothing else: what it has answered is all that can be there when it is killed.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import uvicorn
from pydantic import SecretStr

from bot.demo.world import REPOSITORY
from bot.host.config import Config
from bot.host.store import open_store
from bot.storage.runner import ThreadRunner
from tests.clock import FakeClock
from webhooks.intake import Intake
from webhooks.receiver import Receiver
from webhooks.secret import Secret


async def accept(data: Path, socket: int, secret: str) -> None:
    """Take deliveries until killed."""
    config = Config(data=data, repositories=(REPOSITORY,), token=SecretStr("none"))
    store = await open_store(config, ThreadRunner())
    receiver = Receiver(secrets=[Secret(secret.encode())], accept=Intake(store, FakeClock(), lambda: None).accept)
    await uvicorn.Server(uvicorn.Config(receiver, fd=socket, loop="asyncio", lifespan="off")).serve()


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    asyncio.run(accept(Path(sys.argv[1]), int(sys.argv[2]), sys.stdin.read().strip()))
