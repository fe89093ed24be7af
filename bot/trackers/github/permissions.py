"""What a token must be allowed in a repository: the words are those of an App's manifest and of fine-grained tokens."""

from __future__ import annotations

from collections.abc import Mapping

PERMISSIONS: Mapping[str, str] = {
    "contents": "write",  # publishing pushes branches
    "issues": "write",  # labels, comments and reactions, in pull requests too
    "metadata": "read",  # the repository itself, and what people may do in it
    "pull_requests": "write",  # opening and rewriting the one of a Work
}
"""By its name: the level that the bot needs."""
