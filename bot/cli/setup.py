"""``trackside init`` and ``trackside doctor``: setting a bot up, and looking for what keeps it from working."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False)

ConfigPath = Annotated[Path, typer.Option("--config", "-c", help="The configuration file.")]
_DEFAULT = Path("trackside.toml")
_MARKS = ("✓", "!", "✗")


@app.command()
def init(
    config: ConfigPath = _DEFAULT,
    *,
    token: Annotated[bool, typer.Option("--token", help="Set up with a token: TRACKSIDE_TOKEN, or asked for.")] = False,
    repository: Annotated[str | None, typer.Option(help="The repository to serve, owner/name.")] = None,
    tracker: Annotated[str, typer.Option(help="The address of the tracker's API.")] = "https://api.github.com",
    force: Annotated[bool, typer.Option("--force", help="Write over a configuration that is there.")] = False,
) -> None:
    """Set the bot up: store its token encrypted, write its configuration, and check both."""
    from bot.setup.token import set_up

    if not token:
        raise typer.BadParameter("set up with a token: --token")
    name = repository or typer.prompt("Repository (owner/name)")
    value = os.environ.get("TRACKSIDE_TOKEN", "").strip() or typer.prompt("Token", hide_input=True)
    set_up(config, token=value, repository=name, tracker=tracker, force=force, environment=os.environ)
    typer.echo(f"{config} is written. Start the bot with trackside serve, then label an issue.")
    raise typer.Exit(_examine(config, as_json=False))


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
            typer.echo(f"{_MARKS[finding.severity]} {finding.check}: {finding.text}")
            if finding.cure:
                typer.echo(f"    → {finding.cure}")
        return worst(found).value

    return asyncio.run(tell())
