"""``trackside init`` as it is typed, with a real browser, from its first page to a bot that can be started."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn
from playwright.async_api import Browser, Page, async_playwright

from bot.clock import SystemClock
from bot.host.config import load_config
from bot.host.quiet import QuietServer
from bot.trackers.embedded.tracker import EmbeddedTracker
from tests.trackers.embedded.test_browser import CHROMIUM, FLAGS

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None and not os.environ.get("CI"), reason="no Chromium on this machine"),
]


PLAYBOOK = """---
name: work-issue
on: {label: "run:work-issue"}
running: building
default: help
binding:
  executor: shell
  script: |
    echo changed > work.txt
    git add --all
    git commit --quiet --message Work
    trackside turn review
statuses:
  building: {label: "state:building"}
  review: {label: "state:review", publish: pull-request, wait: [review, comment]}
  help: {label: "state:help", wait: [comment]}
---
{{ item.title }}
"""


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[str]:
    """Serve a tracker with one person and one repository over a real socket; yield its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        async with (
            httpx.AsyncClient() as client,
            EmbeddedTracker.open(
                tmp_path / "tracker.db",
                tmp_path / "git",
                clock=SystemClock(),
                client=client,
                base_url=address,
                git_over_http=True,
            ) as tracker,
        ):
            await tracker.add_user("dana")
            await tracker.create_repository("dana", "shop", {"README.md": "# Shop\n"}, private=True)
            server = QuietServer(uvicorn.Config(tracker.app, log_config=None, lifespan="off", loop="asyncio"))
            serving = asyncio.create_task(server.serve(sockets=[listening]))
            yield address
            server.should_exit = server.force_exit = True
            await serving


@asynccontextmanager
async def typed(place: Path, *arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start ``trackside`` with a configuration in a directory."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TRACKSIDE_")}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = (sys.executable, "-m", "bot.cli", *arguments, "-c", str(place / "trackside.toml"))
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, env=environment
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
            await process.communicate()


async def address_of(process: asyncio.subprocess.Process) -> str:
    """Return the address that ``trackside init`` prints."""
    assert process.stdout is not None
    said = await process.stdout.readuntil(b"\n\n    ")
    said += await process.stdout.readline()
    found = re.search(rb"http://\S+", said)
    assert found is not None, said
    return found[0].decode()


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """Give a real browser."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        await browser.close()


async def make_an_app(page: Page, site: str) -> None:
    """Click through the pages, from the first to the last, at both sites."""
    await page.click("summary")
    await page.fill("input[name=tracker]", site)
    await page.fill("input[name=name]", "Trackside of dana")
    await page.click("text=Go on")
    await page.click("button:has-text('Go on at')")
    await page.click("text=Create GitHub App for dana")
    async with page.context.expect_page() as opened:
        await page.click("text=Install trackside-of-dana")
    beside = await opened.value
    await beside.click("text=Install for dana")
    # No click: the page goes on by itself.
    await page.wait_for_selector("text=Where does the bot work?")
    await page.click("button:has-text('Write')")
    await page.wait_for_selector("text=The bot is ready")


async def test_four_steps_lead_from_nothing_to_the_first_labelled_issue_that_is_answered(
    tmp_path: Path, site: str, browser: Browser
) -> None:
    """Installed is it; then init without any script on its pages, serve, and a label."""
    async with typed(tmp_path, "init", "--no-browser") as process:
        page = await (await browser.new_context(java_script_enabled=False)).new_page()
        await page.goto(await address_of(process))
        await make_an_app(page, site)
        assert process.stdout is not None
        said = (await process.stdout.read()).decode()
        assert await process.wait() == 0, said
    assert "✓ permission: dana/shop: all that the App asks for is accepted" in said, said
    assert "PRIVATE KEY" not in said
    configuration = tmp_path / "trackside.toml"
    assert load_config(configuration, {}).repositories == ("dana/shop",)

    # An agent that needs no key, and a pace for a test: what init wrote stays as it is.
    written = configuration.read_text()
    quick = 'pace = "none"\n\n[settings]\npoll = "1s"\n\n[server]\nport = 0\n'
    configuration.write_text(f'playbooks = ["work-issue.md"]\n{written}{quick}')
    (tmp_path / "work-issue.md").write_text(PLAYBOOK)
    async with typed(tmp_path, "serve"):
        thread = await browser.new_page()
        await thread.goto(f"{site}/dana/shop/issues/new")
        await thread.fill("input[name=title]", "It says wrold")
        await thread.click("button:has-text('Open issue')")
        await thread.fill("input[name=name]", "run:work-issue")
        await thread.click("button:has-text('Add')")
        await thread.wait_for_selector("text=state:review", timeout=90_000)
        await thread.goto(f"{site}/dana/shop/pull/2")
        assert "trackside-of-dana[bot]" in await thread.content()


async def test_ctrl_c_leaves_nothing_half_written(tmp_path: Path) -> None:
    async with typed(tmp_path, "init", "--no-browser") as process:
        await address_of(process)
        process.send_signal(2)
        assert process.stdout is not None
        said = (await process.stdout.read()).decode()
        assert await process.wait() == 130, said
    assert "Stopped: nothing was written." in said
    assert not os.listdir(tmp_path)  # noqa: PTH208 - an empty directory is the whole question
