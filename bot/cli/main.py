"""``trackside``: the command line. Each command imports what it needs when it runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.setup import app as setup_app
from bot.cli.turn import app as turn_app
from bot.errors import ConfigError, TracksideError

FAILED = 1
UNUSABLE = 2

app = typer.Typer(
    name="trackside",
    help="A bot beside an issue tracker: label an issue, an agent takes a turn, people stay in control.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
playbooks = typer.Typer(help="Look at playbooks.", no_args_is_help=True)
app.add_typer(playbooks, name="playbook")
app.add_typer(turn_app)
app.add_typer(setup_app)

ConfigPath = Annotated[Path, typer.Option("--config", "-c", help="The configuration file.")]
DEFAULT_CONFIG = Path("trackside.toml")


@app.command()
def serve(config: ConfigPath = DEFAULT_CONFIG) -> None:
    """Serve the repositories of a configuration until SIGTERM."""
    import asyncio

    from bot.host.config import load_config
    from bot.log import configure_logging

    configure_logging()
    settings = load_config(config)
    # What serves takes a second to import, and a slip in the configuration is said without it.
    from bot.host.serve import serve as run

    asyncio.run(run(settings, load=lambda: load_config(config)))


@app.command()
def demo(
    *,
    once: Annotated[bool, typer.Option("--once", help="Play the whole story, then end.")] = False,
    port: Annotated[
        int, typer.Option(envvar="DEMO_PORT", min=1, max=65535, help="The port of the tracker's pages.")
    ] = 8421,
    directory: Annotated[Path, typer.Option(file_okay=False, help="Where the demo keeps its files.")] = Path(".demo"),
) -> None:
    """Start a tracker with a sample repository, and the bot beside it."""
    import asyncio

    from bot.demo.run import run_demo

    raise typer.Exit(asyncio.run(run_demo(directory, port=port, once=once)))


@app.command(name="demo-agent", hidden=True)
def demo_agent() -> None:
    """Take one turn as the demo's agent, in the current directory."""
    from bot.demo.agent import main as take_turn

    raise typer.Exit(take_turn())


@playbooks.command()
def check(paths: Annotated[list[Path], typer.Argument(help="Playbooks, or directories of them.")]) -> None:
    """Check playbooks: every fault with its file, line and key."""
    from bot.host.executors import executors
    from bot.host.playbooks import misfits
    from bot.host.sections import Settings
    from bot.playbook.advice import advice
    from bot.playbook.find import load_all

    loaded = load_all(paths)
    known = executors(Path(), grace=Settings().grace)
    unfit = {playbook.name: list(misfits(playbook, known)) for playbook in loaded.playbooks}
    problems = [*loaded.problems, *(problem for each in unfit.values() for problem in each)]
    for problem in problems:
        typer.echo(str(problem), err=True)
    for playbook in loaded.playbooks:
        for line in advice(playbook):
            typer.echo(line, err=True)
        if not unfit[playbook.name]:
            typer.echo(f"{playbook.path}: {playbook.name} is fine")
    if not problems and not loaded.playbooks:
        typer.echo(f"there is no playbook in {', '.join(map(str, paths))}", err=True)
        raise typer.Exit(FAILED)
    raise typer.Exit(FAILED if problems else 0)


def main() -> None:
    """
    Run the command line. What a person can mend ends with a message, never with a traceback.

    The exit code is then 2 when something that was written has to be changed first, and 1 when trying again may
    help.
    """
    try:
        app()
    except TracksideError as error:
        typer.echo(f"trackside: {error}", err=True)
        sys.exit(UNUSABLE if isinstance(error, ConfigError) else FAILED)
