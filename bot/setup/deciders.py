"""Whether the people and teams that gates name are there: a hold that nobody can decide waits for ever."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from bot.errors import TrackerError
from bot.playbook.playbook import Playbook
from bot.setup.finding import Finding, error, fine
from bot.trackers.inspection import Directory


async def deciders(directory: Directory, playbooks: Sequence[Playbook]) -> AsyncIterator[Finding]:
    """Look for every account and team that a gate names; nothing is told where none is named."""
    seen, wrong = 0, 0
    for playbook in playbooks:
        for gate in playbook.gates:
            for key, name in [*(("users", user) for user in gate.users), *(("teams", team) for team in gate.teams)]:
                seen += 1
                finding = await _missing(directory, f"gates.{gate.name}.{key} of {playbook.name}", name)
                if finding is not None:
                    wrong += 1
                    yield finding
    if seen and not wrong:
        yield fine("gates", "every account and team that a gate names is there")


async def _missing(directory: Directory, where: str, name: str) -> Finding | None:
    try:
        if await directory.exists(name):
            return None
    except TrackerError as fault:
        return error("gates", f"{where}: {name} could not be looked for: {fault}", "run the doctor again")
    if "/" in name:
        cure = "correct the name, or let the bot read members of the organisation (members: read)"
        return error("gates", f"{where}: there is no team {name} that the bot may see", cure)
    return error("gates", f"{where}: nobody is called {name}", "name who may decide by the login of now")
