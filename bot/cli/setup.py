"""``trackside init`` and ``trackside doctor``: setting a bot up, and looking for what keeps it from working."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from bot.setup.finding import Finding

app = typer.Typer(add_completion=False)

ConfigPath = Annotated[Path, typer.Option("--config", "-c", help="The configuration file.")]
_DEFAULT = Path("trackside.toml")
_MARKS = ("✓", "!", "✗")
_STOPPED = 130
"""The exit code after Ctrl-C, as shells have it."""


@app.command()
def init(
    config: ConfigPath = _DEFAULT,
    *,
    token: Annotated[bool, typer.Option("--token", help="Set up with a token: TRACKSIDE_TOKEN, or asked for.")] = False,
    repository: Annotated[str | None, typer.Option(help="With --token: the repository to serve, owner/name.")] = None,
    tracker: Annotated[
        str, typer.Option(help="With --token: the address of the tracker's API.")
    ] = "https://api.github.com",
    force: Annotated[bool, typer.Option("--force", help="Write over a configuration that is there.")] = False,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port of the page; 0 takes a free one.")] = 0,
) -> None:
    """Set the bot up: as a GitHub App, by a page in your browser, or with a token. Then check it."""
    from bot.setup.token import set_up

    if not token:
        raise typer.Exit(_register(config, force=force, browser=browser, port=port))
    name = repository or typer.prompt("Repository (owner/name)")
    value = os.environ.get("TRACKSIDE_TOKEN", "").strip() or typer.prompt("Token", hide_input=True)
    set_up(config, token=value, repository=name, tracker=tracker, force=force, environment=os.environ)
    typer.echo(f"{config} is written. Start the bot with trackside serve, then label an issue.")
    raise typer.Exit(_examine(config, as_json=False))


def _register(config: Path, *, force: bool, browser: bool, port: int) -> int:
    import asyncio

    from bot.clock import SystemClock
    from bot.setup.doctor import examine
    from bot.setup.github_app import GithubApps
    from bot.setup.run import in_browser, run
    from bot.setup.wizard import Wizard

    async def look(path: Path, hook: str) -> list[Finding]:
        found = [finding async for finding in examine(path, SystemClock(), url=hook)]
        for finding in found:
            _tell(finding)
        return found

    wizard = Wizard(path=config, apps=GithubApps(), examiner=look, environment=os.environ, replace=force)
    try:
        asyncio.run(run(wizard, port=port, browse=in_browser if browser else None, say=typer.echo))
    except KeyboardInterrupt:
        if not wizard.written:
            left = "the App's key is kept; trackside init goes on from there" if wizard.app else "nothing was written"
            typer.echo(f"Stopped: {left}.", err=True)
            return _STOPPED
    else:
        typer.echo(f"{config} is written. Start the bot with trackside serve, then label an issue.")
    return wizard.severity.value


@app.command()
def doctor(
    config: ConfigPath = _DEFAULT,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    url: Annotated[str, typer.Option(help="The public address of the bot, to know its webhook by.")] = "",
) -> None:
    """Look for what keeps the bot from working, and name the cure of each finding."""
    raise typer.Exit(_examine(config, as_json=as_json, url=url))


def _examine(config: Path, *, as_json: bool, url: str = "") -> int:
    import asyncio
    import json

    from bot.clock import SystemClock
    from bot.setup.doctor import examine
    from bot.setup.finding import worst

    async def tell() -> int:
        found = []
        async for finding in examine(config, SystemClock(), url=url):
            found.append(finding)
            if as_json:
                typer.echo(json.dumps(finding.document))
                continue
            _tell(finding)
        return worst(found).value

    return asyncio.run(tell())


def _tell(finding: Finding) -> None:
    typer.echo(f"{_MARKS[finding.severity]} {finding.check}: {finding.text}")
    if finding.cure:
        typer.echo(f"    → {finding.cure}")
