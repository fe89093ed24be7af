"""GitHub's adapter keeps the tracker contract, spoken to the embedded tracker."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.trackers.github.contract import Stage, TrackerContract
from tests.trackers.github.stage import embedded_stage


class TestGithubToEmbedded(TrackerContract):
    @pytest.fixture
    async def stage(self, tmp_path: Path) -> AsyncIterator[Stage]:
        async with embedded_stage(tmp_path) as stage:
            yield stage
