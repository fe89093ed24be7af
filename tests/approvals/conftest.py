from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.storage.contract import Tx
from tests.storage.backend import STEPPED
from tests.storage.twice import Twice, Writable


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Writable[Tx]]:
    """Open a database without threads whose every change is run twice; the one that is fast is enough here."""
    backend = STEPPED[0]
    opened = await backend.open(backend.place(tmp_path), bind=Tx)
    yield Twice(opened)
    await opened.close()
