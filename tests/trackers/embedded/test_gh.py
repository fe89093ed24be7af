"""GitHub's own command line works on this tracker as on an Enterprise Server."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.trackers.embedded.conftest import REPO, World
from tests.trackers.embedded.tls import served

GH = Path(sys.executable).parent / "gh"


@dataclass(frozen=True)
class Gh:
    environment: dict[str, str]

    async def api(self, *words: str) -> Any:
        """Run ``gh api`` and return what it prints."""
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            str(GH), "api", *words, env=self.environment, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe
        )
        out, err = await process.communicate()
        assert process.returncode == 0, err.decode()
        return json.loads(out)


@pytest.fixture
async def gh(world: World, tmp_path: Path) -> AsyncIterator[Gh]:
    home = tmp_path / "home"
    home.mkdir()
    async with served(world.tracker.app, tmp_path) as (port, certificate):
        yield Gh(
            {
                "HOME": str(home),
                "GH_CONFIG_DIR": str(home / "gh"),
                "GH_HOST": f"127.0.0.1:{port}",
                "GH_ENTERPRISE_TOKEN": world.tokens["trackside[bot]"],
                "GH_NO_UPDATE_NOTIFIER": "1",
                "SSL_CERT_FILE": str(certificate),
            }
        )


async def test_gh_lists_labels_and_comments_on_issues(gh: Gh, ada: httpx.AsyncClient) -> None:
    await ada.post(f"/repos/{REPO}/labels", json={"name": "agent"})
    await ada.post(f"/repos/{REPO}/issues", json={"title": "The total is wrong"})

    listed = await gh.api(f"repos/{REPO}/issues")
    labelled = await gh.api(f"repos/{REPO}/issues/1/labels", "-f", "labels[]=agent")
    comment = await gh.api(f"repos/{REPO}/issues/1/comments", "-f", "body=From the command line")

    assert [each["title"] for each in listed] == ["The total is wrong"]
    assert [each["name"] for each in labelled] == ["agent"]
    assert (comment["body"], comment["user"]["login"]) == ("From the command line", "trackside[bot]")
    kept = (await ada.get(f"/repos/{REPO}/issues/1")).json()
    assert ([each["name"] for each in kept["labels"]], kept["comments"]) == (["agent"], 1)
