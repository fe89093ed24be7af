"""Addresses of things: the API's, the pages' and git's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from bot.trackers.embedded.values import Repository


@dataclass(frozen=True, kw_only=True)
class Links:
    """
    Makes addresses below ``base``, which has no slash at its end; ``git_root`` is where repositories lie.

    ``git_over_http`` says that git is to reach them as programs reach REST, not by their directories.
    """

    base: str
    git_root: Path
    git_over_http: bool = False

    def user(self, login: str) -> str:
        """Return the API's address of an account."""
        return f"{self.base}/users/{quote(login)}"

    def person_page(self, login: str) -> str:
        """Return where a person's page would be."""
        return f"{self.base}/{quote(login)}"

    def api(self, repository: Repository, *path: str | int) -> str:
        """Return the API's address of a repository or of something in it."""
        return "/".join([f"{self.base}/repos/{repository.full_name}", *(quote(str(part)) for part in path)])

    def page(self, repository: Repository, *path: str | int) -> str:
        """Return the address of a page for people."""
        return "/".join([f"{self.base}/{repository.full_name}", *(str(part) for part in path)])

    def thread_page(self, repository: Repository, number: int, *, pull: bool, anchor: str = "") -> str:
        """Return the page of a thread, or of something in it."""
        return self.page(repository, "pull" if pull else "issues", number) + (f"#{anchor}" if anchor else "")

    def git_path(self, repository: Repository) -> Path:
        """Return the directory of the bare repository."""
        return self.git_root / repository.owner.login / f"{repository.name}.git"

    def clone(self, repository: Repository) -> str:
        """Return the address that git clones from and pushes to."""
        if self.git_over_http:
            return f"{self.page(repository)}.git"
        return self.git_path(repository).resolve().as_uri()
