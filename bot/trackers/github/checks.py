"""Checks of commits, over GitHub's REST API: check runs, and commit statuses beside them."""

from __future__ import annotations

from collections.abc import Sequence

from bot.trackers.checks import Check, Conclusion, Maker, MakerKind, Shown
from bot.trackers.github.client import PAGE, Client, path_of
from bot.trackers.github.credentials import BotCredentials
from bot.trackers.github.fields import Fields

MAX_DESCRIPTION = 140
"""Characters that the description of a commit status may have."""

_STATES = {"success": Conclusion.SUCCESS, "pending": None}


class GithubChecks:
    """See ``bot.trackers.checks`` for what each method promises."""

    client: Client
    credentials: BotCredentials

    @property
    def app(self) -> int | None:
        """The App's id; None with a token."""
        return self.credentials.app

    async def checks(self, repository: str, sha: str) -> Sequence[Check]:
        """Return the latest check runs and commit statuses of a commit."""
        commit = path_of(repository, "commits", sha)
        runs = [_run(entry) for entry in await self._runs(f"{commit}/check-runs")]
        latest: dict[str, Check] = {}
        for entry in await self.client.pages(f"{commit}/statuses"):
            status = _status(entry)
            latest.setdefault(status.name, status)  # the newest comes first
        return [*runs, *latest.values()]

    async def create_check(self, repository: str, sha: str, shown: Shown, *, external: str) -> int:
        """Make a check run, once."""
        document = {"head_sha": sha, "external_id": external, **_document(shown)}
        return (await self.client.send("POST", path_of(repository, "check-runs"), document)).number("id")

    async def update_check(self, repository: str, check: int, shown: Shown) -> None:
        """Rewrite a check run."""
        await self.client.tell("PATCH", path_of(repository, "check-runs", check), _document(shown))

    async def set_status(self, repository: str, sha: str, shown: Shown) -> None:
        """Set a commit status; a title that is too long for one is cut."""
        document: dict[str, object] = {"context": shown.name, "description": shown.title[:MAX_DESCRIPTION]}
        document["state"] = (
            "pending" if shown.conclusion is None else "success" if shown.conclusion.green else "failure"
        )
        if shown.url:
            document["target_url"] = shown.url
        await self.client.tell("POST", path_of(repository, "statuses", sha), document)

    async def _runs(self, path: str) -> list[Fields]:
        """Return the entries of every page. This list comes inside an object, with how many there are in all."""
        found: list[Fields] = []
        page = 1
        while True:
            answer = await self.client.get(f"{path}?filter=latest&per_page={PAGE}&page={page}")
            entries = answer.items("check_runs")
            found += map(Fields.of, entries)
            if not entries or len(found) >= answer.number("total_count"):
                return found
            page += 1


def _document(shown: Shown) -> dict[str, object]:
    document: dict[str, object] = {"name": shown.name, "output": {"title": shown.title, "summary": shown.summary}}
    if shown.conclusion is None:
        document["status"] = "in_progress"
    else:
        document |= {"status": "completed", "conclusion": shown.conclusion.value}
    return document | ({"details_url": shown.url} if shown.url else {})


def _run(entry: Fields) -> Check:
    app = entry.child_or_none("app")
    return Check(
        id=entry.number("id"),
        name=entry.text("name"),
        conclusion=_conclusion(entry.text_or_none("conclusion")) if entry.text("status") == "completed" else None,
        maker=None if app is None else Maker(MakerKind.APP, app.number("id")),
        external=entry.text_or_none("external_id") or "",
        url=entry.text_or_none("html_url") or "",
    )


def _conclusion(word: str | None) -> Conclusion:
    # A word that is not known yet lets nobody merge.
    return next((each for each in Conclusion if each.value == word), Conclusion.FAILURE)


def _status(entry: Fields) -> Check:
    creator = entry.child_or_none("creator")
    return Check(
        id=entry.number("id"),
        name=entry.text("context"),
        conclusion=_STATES.get(entry.text("state"), Conclusion.FAILURE),
        maker=None if creator is None else Maker(MakerKind.ACCOUNT, creator.number("id")),
        url=entry.text_or_none("target_url") or "",
    )
