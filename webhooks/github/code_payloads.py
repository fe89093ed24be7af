"""The fields in use of payloads about commits, branches and what the bot may reach."""

from __future__ import annotations

from webhooks.github.payloads import Account, Id, Name, Narrow, RepositoryPart


class Identified(Narrow):
    """A thing of which only the id is used."""

    id: Id


class Suite(Narrow):
    """The checks that one app made for a commit. Its branch is null for the commit of a fork."""

    head_sha: Name
    head_branch: str | None
    app: Identified | None = None


class SuiteOfRun(Narrow):
    """The suite of a single check."""

    head_branch: str | None


class Run(Narrow):
    """A single check of a commit."""

    head_sha: Name
    check_suite: SuiteOfRun
    app: Identified | None = None


class CheckRunPayload(Narrow):
    """``check_run``."""

    repository: RepositoryPart
    check_run: Run


class CheckSuitePayload(Narrow):
    """``check_suite``."""

    repository: RepositoryPart
    check_suite: Suite


class Branch(Narrow):
    """A branch that holds a commit; of a status, not always as its head."""

    name: Name


class StatusPayload(Narrow):
    """``status``."""

    repository: RepositoryPart
    sha: Name
    branches: list[Branch]
    context: str = ""
    sender: Account | None = None


class PushPayload(Narrow):
    """``push``."""

    repository: RepositoryPart
    ref: Name
    before: Name
    after: Name
    forced: bool
    deleted: bool
    sender: Account


class Installation(Narrow):
    """An app as installed for one account."""

    account: Identified


class InstallationPayload(Narrow):
    """``installation``."""

    installation: Installation


class RemovedPayload(InstallationPayload):
    """``installation_repositories``, when some were taken away."""

    repositories_removed: list[Identified]


class AddedPayload(InstallationPayload):
    """``installation_repositories``, when some were added."""

    repositories_added: list[Identified]


class RepositoryPayload(Narrow):
    """``repository``."""

    repository: RepositoryPart
