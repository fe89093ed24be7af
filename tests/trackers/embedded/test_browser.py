"""The pages of the tracker in a real browser: a person labels, comments, and sees what others do."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import uvicorn
from playwright.async_api import Page, async_playwright

from bot.clock import SystemClock
from bot.trackers.embedded.tracker import EmbeddedTracker

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
REPOSITORY = "acme/greeter"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None and not os.environ.get("CI"), reason="no Chromium on this machine"),
]


@pytest.fixture
async def tracker(tmp_path: Path) -> AsyncIterator[tuple[EmbeddedTracker, str]]:
    """Serve a tracker with two people over a real socket."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        async with (
            httpx.AsyncClient() as client,
            EmbeddedTracker.open(
                tmp_path / "tracker.db", tmp_path / "git", clock=SystemClock(), client=client, base_url=address
            ) as opened,
        ):
            for login in ("dana", "mika"):
                await opened.add_user(login)
            await opened.create_repository("acme", "greeter", {"README.md": "# Greeter\n"})
            await opened.grant(REPOSITORY, "dana", "write")
            config = uvicorn.Config(opened.app, log_config=None, lifespan="off", loop="asyncio")
            server = uvicorn.Server(config)
            serving = asyncio.create_task(server.serve(sockets=[listening]))
            yield opened, address
            server.should_exit = True
            server.force_exit = True
            await serving


@pytest.fixture
async def page() -> AsyncIterator[Page]:
    """Give an empty page of a real browser."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield await browser.new_page()
        await browser.close()


async def test_a_person_opens_labels_and_sees_what_others_write(
    tracker: tuple[EmbeddedTracker, str], page: Page
) -> None:
    opened, address = tracker
    await page.goto(f"{address}/{REPOSITORY}/issues")
    await page.select_option("select[name=login]", "dana")
    await page.click("text=Switch")
    await page.goto(f"{address}/{REPOSITORY}/issues/new")
    await page.fill("input[name=title]", "<script>document.title = 'taken'</script>")
    await page.fill("textarea[name=body]", "It says **wrold**. <img src=x onerror=alert(1)>")
    await page.click("button:has-text('Open issue')")
    await page.wait_for_url("**/issues/1")
    assert await page.title() != "taken"
    assert await page.locator("img").count() == 0
    await page.fill("input[name=name]", "run:work-issue")
    await page.click("button:has-text('Add')")
    await page.wait_for_selector("text=dana added")
    assert "run:work-issue" in (await opened.thread(REPOSITORY, 1)).label_names
    await opened.comment(REPOSITORY, 1, "I see it too.", by="mika")
    # No click and no reload: the page finds out by itself.
    await page.wait_for_selector("text=I see it too.")
