"""What a pull request's page shows of the checks of its head."""

from __future__ import annotations

from dataclasses import dataclass

from bot.trackers.embedded import check_runs, statuses
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.check_runs import Filter
from bot.trackers.embedded.values import EVERYTHING, Repository

_TONES = {"success": "open", "failure": "closed", "error": "closed", "timed out": "closed", "action required": "closed"}


@dataclass(frozen=True, kw_only=True)
class ShownCheck:
    """A check as a line: ``word`` is how it stands, ``tone`` the style of that, ``summary`` Markdown."""

    name: str
    word: str
    line: str
    address: str
    summary: str = ""

    @property
    def tone(self) -> str:
        """The style of how it stands."""
        return _TONES.get(self.word, "draft")


async def checks_of(act: Act, repository: Repository, sha: str) -> tuple[ShownCheck, ...]:
    """Return the latest check runs and statuses of a commit, by name."""
    runs = (await check_runs.of_commit(act, repository, sha, Filter(), EVERYTHING)).entries
    shown = [
        ShownCheck(
            name=run.name,
            word=(run.conclusion or run.status).replace("_", " "),
            line=run.output.title or "",
            address=_web(run.details_url),
            summary=run.output.summary or "",
        )
        for run in runs
    ]
    shown += [
        ShownCheck(
            name=each.claim.context,
            word=each.claim.state,
            line=each.claim.description or "",
            address=_web(each.claim.target_url),
        )
        for each in await statuses.latest(act, repository, sha)
    ]
    return tuple(sorted(shown, key=lambda each: each.name))


def _web(address: str | None) -> str:
    """Return an address that a page may lead to; what is no address of the web leads nowhere."""
    return address if address is not None and address.startswith(("http://", "https://")) else ""
