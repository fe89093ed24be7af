"""What a pull request changes, over GitHub's REST API."""

from __future__ import annotations

from bot.errors import RateLimitedError, TrackerError, TrackerMissingError
from bot.trackers.github.client import Client, path_of

DIFF = "application/vnd.github.diff"


class GithubChanges:
    """See ``bot.trackers.changes`` for what it promises."""

    client: Client

    async def diff(self, repository: str, number: int) -> bytes | None:
        """Return git's diff of a pull request. The list of its files would not tell their modes."""
        try:
            answer = await self.client.answer("GET", path_of(repository, "pulls", number), accept=DIFF)
        except (RateLimitedError, TrackerMissingError):
            raise
        except TrackerError as error:
            # 406 for one that is too large, 500 and 503 for one that cannot be made.
            if error.status is None:
                raise
            return None
        # Whoever does not know the word answers with JSON, which is no diff.
        return answer.content if answer.headers.get("content-type", "").startswith(DIFF) else None
