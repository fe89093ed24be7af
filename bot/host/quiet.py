"""A uvicorn server inside a program that handles signals itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn


class QuietServer(uvicorn.Server):
    """Leaves the signals alone; ``should_exit`` ends it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle no signal."""
        yield
