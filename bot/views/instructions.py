"""The text that a Work is about, with the revision that decisions are bound to."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import replace

from bot.domain.work import Instructions
from bot.trackers.contract import Issue, PullRequest

_LENGTH = 40
"""Hex digits of a digest: so many that nobody can make two texts, or two commits, that share one."""
_BINARY = (b"Binary files ", b"GIT binary patch")
_INDEX = re.compile(rb"^index [0-9a-f]+\.\.[0-9a-f]+")


def instructions_of(issue: Issue, pull: PullRequest | None = None, diff: bytes | None = None) -> Instructions:
    """
    Return an item's text as it is now; of a pull request with its head.

    The revision changes with title or body, of a pull request also with its head and the name of its base, and with
    nothing else: a base that goes on by itself changes nothing that anybody has looked at. ``diff`` is what the pull
    request changes at that very head, None when that is not known.
    """
    about = [issue.title, issue.body]
    text = Instructions(
        title=issue.title,
        body=issue.body,
        author=issue.author.login,
        author_id=issue.author.id,
        revision=_digest(about),
    )
    if pull is None:
        return text
    revision, patch = _digest([*about, pull.base_ref, pull.head_sha]), _patch(pull, diff)
    return replace(text, revision=revision, head=pull.head_sha, patch=patch)


def _patch(pull: PullRequest, diff: bytes | None) -> str:
    """
    Return a digest of a change: every line that goes or comes, and where, with the modes and names of the files.

    Line numbers count: the same lines at another place of a file can mean something else. What the rest of a file is
    does not. A change of which a diff shows only the beginning of a hash, as of a picture, is not known.
    """
    if not diff:
        return ""
    lines = diff.split(b"\n")
    # Every line of a text stands behind a sign, so that no file can hold a line that begins so.
    if any(line.startswith(_BINARY) for line in lines):
        return ""
    known = b"\n".join(_INDEX.sub(b"index", line) for line in lines)
    return _digest([pull.base_ref, hashlib.sha256(known).hexdigest()])


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:_LENGTH]
