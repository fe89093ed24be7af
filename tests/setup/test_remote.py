"""What the doctor finds at the tracker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.clock import MINUTE, SECOND, Millis
from bot.host.config import load_config
from bot.host.executors import executors
from bot.host.playbooks import load_playbooks
from bot.setup import local, remote
from bot.setup.finding import Finding, Severity
from bot.trackers.inspection import Account, Attempt, Hook, Lacking
from tests.documents import ROOT

BOT = Account(login="bot")
NOW = Millis(1_700_000_000_000)
EVENTS = tuple(sorted(remote.EVENTS))


@dataclass(frozen=True)
class Clock:
    """A clock that stands."""

    moment: Millis = NOW

    def now(self) -> Millis:
        return self.moment


@dataclass(frozen=True)
class Tracker:
    """A tracker as the doctor sees it."""

    owner: Account = BOT
    webhooks: Sequence[Hook] | None = ()

    async def account(self) -> Account:
        return self.owner

    async def may_push(self, repository: str) -> bool:
        return bool(repository)

    async def lacking(self, repository: str) -> Sequence[Lacking]:
        return [] if repository else [Lacking(permission="issues", level="write")]

    async def hooks(self, repository: str) -> Sequence[Hook] | None:
        return self.webhooks if repository else None

    async def attempts(self, repository: str, hook: int) -> Sequence[Attempt]:
        return [Attempt(status=202)] if repository and hook else []

    async def labels(self, repository: str) -> Sequence[str]:
        return [repository]


def hook(number: int, url: str, *, active: bool = True) -> Hook:
    return Hook(id=number, url=url, active=active, events=EVENTS)


async def at(webhooks: Sequence[Hook], url: str = "") -> list[Finding]:
    found = [each async for each in remote.repository(Tracker(webhooks=webhooks), "o/n", (), url)]
    return [each for each in found if each.check == "webhook"]


async def of(account: Account) -> dict[str, Finding]:
    return {each.check: each async for each in remote.credentials(Tracker(account), Clock())}


# gh-K-03
@pytest.mark.parametrize(
    ("ahead", "severity"),
    [
        (MINUTE, Severity.FINE),
        (MINUTE + SECOND, Severity.ERROR),
        (-MINUTE - SECOND, Severity.FINE),
        (-MINUTE - 2 * SECOND, Severity.ERROR),
    ],
)
async def test_a_clock_that_is_off_by_more_than_a_minute_is_an_error(ahead: int, severity: Severity) -> None:
    found = await of(Account(login="bot", tracker_time=Millis(NOW + ahead)))
    assert found["clock"].severity is severity


async def test_the_version_of_a_server_of_ones_own_is_said() -> None:
    assert "3.14.2" in (await of(Account(login="bot", version="3.14.2")))["tracker"].text
    assert "tracker" not in await of(Account(login="bot"))


# gh-C-05
async def test_that_an_app_notifies_no_team_is_said() -> None:
    assert "no team" in (await of(Account(login="trackside[bot]")))["mentions"].text
    assert "mentions" not in await of(Account(login="bot"))


# gh-D-01
async def test_two_webhooks_of_the_bot_are_a_warning() -> None:
    twice = [hook(1, "https://a.example/webhooks/github"), hook(2, "https://a.example/webhooks/github/")]
    assert Severity.WARNING in {each.severity for each in await at(twice)}
    assert Severity.WARNING in {each.severity for each in await at(twice, "https://a.example/")}
    one = [twice[0], hook(2, twice[1].url, active=False)]
    assert Severity.WARNING not in {each.severity for each in await at(one)}


async def test_a_webhook_is_known_by_the_whole_address_where_that_is_told_else_by_its_path() -> None:
    both = [hook(1, "https://a.example/webhooks/github"), hook(2, "https://b.example/webhooks/github")]
    assert any("known by" in each.text for each in await at(both[:1]))
    told = await at(both, "https://a.example")
    assert [each.severity for each in told] == [Severity.FINE]
    assert "another address" in told[0].text
    assert any("none" in each.text for each in await at(both[:1], "https://c.example"))


def playbook(directory: Path, label: str) -> Path:
    text = (ROOT / "playbooks/work-issue.md").read_text(encoding="utf-8").replace("run:work-issue", label)
    path = directory / "work-issue.md"
    path.write_text(text, encoding="utf-8")
    return path


# gh-L-13
def test_a_label_that_differs_in_case_only_is_a_warning(tmp_path: Path) -> None:
    known = executors(tmp_path, grace=1)
    found = tuple(load_playbooks((playbook(tmp_path, "run:it"),), known, ()).values())
    (clash,) = remote.labels("o/n", ["Run:It", "state:review"], found)
    assert clash.severity is Severity.WARNING
    assert "Run:It" in clash.text
    assert [each.severity for each in remote.labels("o/n", ["run:it"], found)] == [Severity.FINE]


# gh-L-07
def test_a_label_that_is_too_long_is_refused_with_its_playbook(tmp_path: Path) -> None:
    playbook(tmp_path, "l" * 51)
    (tmp_path / "t.toml").write_text('data = "d"\nrepositories = ["o/n"]\nplaybooks = ["work-issue.md"]\n')
    config = load_config(tmp_path / "t.toml", {"TRACKSIDE_TOKEN": "t"})
    found, _ = local.playbooks(config)
    assert found.severity is Severity.ERROR
    assert "1 to 50 characters" in found.text


# gh-A-12
def test_what_is_in_force_is_said_for_each_key_with_whether_it_is_set(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text('data = "d"\nrepositories = ["o/n"]\n[settings]\nconcurrency = 4\n')
    found = [each.text for each in local.effective(load_config(file, {"TRACKSIDE_TOKEN": "t"}))]
    assert "settings.concurrency = 4 (set)" in found
    assert "settings.job_concurrency = 4 (not set, the default)" in found
