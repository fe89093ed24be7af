"""A configuration that is changed while the bot runs: taken up whole, or not at all."""

from __future__ import annotations

import asyncio
import secrets
import signal
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import SecretStr

from bot.clock import HOUR, MINUTE
from bot.demo.world import BOT, DEVELOPER, FILES, REPOSITORY
from bot.errors import ConfigError
from bot.host.config import Config
from bot.host.in_force import bound
from bot.host.parts import Parts
from bot.host.reload import RELOADED, reload, usable
from bot.host.sections import Server, Settings
from bot.trackers.contract import Person, Tracker
from tests.factories import make_work
from tests.host.service import Desk, Service, service, write_config
from tests.host.test_starting import never
from tests.scheduler.bench import Bench
from webhooks.desk import Desk as Handlers

PLAYBOOK = """\
---
name: tidy
on: {label: "run:tidy"}
kind: work-issue
running: tidying
default: help
binding: {executor: shell, script: trackside turn %s}
statuses:
  tidying: {label: "state:tidying"}
  help: {label: "state:help", wait: [comment]}
  done: {label: "state:done", complete: true}
  finished: {label: "state:finished", complete: true}
---
Tidy up.
"""


@pytest.fixture
def config(tmp_path: Path) -> Config:
    (tmp_path / "tidy.md").write_text(PLAYBOOK % "done")
    return Config(
        data=tmp_path / "bot",
        repositories=(REPOSITORY,),
        playbooks=(tmp_path / "tidy.md",),
        token=SecretStr(secrets.token_hex()),
    )


@pytest.fixture
def parts(bench: Bench, config: Config) -> Parts:
    executors, playbooks = usable(config)
    return Parts(
        config=config,
        clock=bench.clock,
        api="",
        after=lambda _: None,
        ticks=lambda _: never(),
        store=bench.store,
        tracker=cast("Tracker", None),
        me=cast("Person", None),
        executors=executors,
        playbooks=playbooks,
        owner="host-a",
        mark="host-a",
    )


def changed(config: Config, **changes: Any) -> Config:
    return config.model_copy(update=changes)


# C-07
def test_what_bindings_were_given_is_copied(config: Config) -> None:
    given, named = usable(config)
    executors, playbooks = dict(given), dict(named)
    bindings = bound(config, executors, playbooks)
    executors.clear()
    playbooks.clear()
    assert (list(bindings.executors), list(bindings.playbooks)) == (["shell"], ["tidy"])


# C-23
async def test_what_decides_about_new_attempts_is_taken_up_by_all_who_look(parts: Parts, config: Config) -> None:
    desk: Handlers = parts.desk
    before, generation = parts.bindings, parts.registry.current
    work = make_work(playbook="tidy")
    config.playbooks[0].write_text(PLAYBOOK % "finished")
    parts.woken.clear()
    reload(parts, changed(config, settings=Settings(concurrency=9, job_concurrency=7, timeout=2 * HOUR, grace=5)))

    after = parts.bindings
    assert (before.of(work).timeout, after.of(work).timeout) == (HOUR, 2 * HOUR)
    assert (before.terms("tidy").limits.pool("jobs"), after.terms("tidy").limits.pool("jobs")) == (4, 7)
    assert desk.playbooks["tidy"] == after.playbooks["tidy"] != before.playbooks["tidy"]
    assert desk.explain.known("tidy")
    assert desk.explain.terms("tidy") == after.terms("tidy")
    assert parts.registry.current.digest == after.generation != before.generation
    assert parts.registry.of(before.generation, "shell") is generation.executors["shell"]
    assert parts.registry.of(after.generation, "shell") is not generation.executors["shell"]
    assert parts.woken.is_set(), "what could not start before may start now"


async def test_a_playbook_that_is_taken_away_is_not_known_any_more(parts: Parts, config: Config) -> None:
    other = config.playbooks[0].with_name("mow.md")
    other.write_text((PLAYBOOK % "done").replace("tidy", "mow"))
    reload(parts, changed(config, playbooks=(other,)))
    assert list(parts.desk.playbooks) == ["mow"]
    assert not parts.explain.known("tidy")
    with pytest.raises(ConfigError, match="no playbook is named 'tidy' any more"):
        parts.bindings.of(make_work(playbook="tidy"))


async def test_one_that_cannot_be_used_changes_nothing(parts: Parts, config: Config) -> None:
    before, generation = parts.bindings, parts.registry.current
    config.playbooks[0].write_text((PLAYBOOK % "done").replace("default: help", "default: nothing"))
    with pytest.raises(ConfigError, match=r"tidy\.md:6"):
        reload(parts, changed(config, settings=Settings(concurrency=9)))
    assert parts.bindings is before
    assert parts.registry.current is generation


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"data": Path("elsewhere")}, "data"),
        ({"repositories": ("acme/other",)}, "repositories"),
        ({"server": Server(port=1)}, "server.port"),
        ({"settings": Settings(lease=MINUTE // 2, concurrency=9)}, "settings.lease"),
        ({"settings": Settings(sweep=1, lease=2)}, "settings.lease, settings.sweep"),
        ({"environment": {"*": ("PATH",)}}, "environment"),
        ({"token": SecretStr("another")}, "token"),
    ],
)
async def test_what_holds_until_a_restart_is_refused_by_its_key(
    parts: Parts, config: Config, changes: dict[str, Any], named: str
) -> None:
    before = parts.bindings
    with pytest.raises(ConfigError) as caught:
        reload(parts, changed(config, **changes))
    assert str(caught.value) == f"{named}: a change needs a restart"
    assert parts.bindings is before


def test_every_key_that_is_taken_up_is_one_of_the_configuration() -> None:
    known = {*Config.model_fields, *(f"settings.{name}" for name in Settings.model_fields)}
    assert known >= RELOADED


async def issue(desk: Desk) -> None:
    """Let the developer ask for a run."""
    opened = await desk.tracker.open_issue(REPOSITORY, by=DEVELOPER, title="Tidy up")
    await desk.tracker.label(REPOSITORY, opened.number, "run:tidy", by=DEVELOPER)


async def status(desk: Desk, started: Service) -> str:
    """Ask for a run, and return the word by which it ends."""
    await issue(desk)
    return str((await started.event("finished"))["status"])


async def test_a_process_takes_up_a_changed_playbook_and_refuses_a_broken_one(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # C-23, C-25
    monkeypatch.setenv("WORD", "done")
    owner, _, name = REPOSITORY.partition("/")
    await desk.tracker.add_user(DEVELOPER)
    await desk.tracker.create_repository(owner, name, FILES)
    for login in (BOT, DEVELOPER):
        await desk.tracker.grant(REPOSITORY, login, "write")
    playbook = tmp_path / "tidy.md"
    playbook.write_text(PLAYBOOK % "$WORD")
    config = write_config(
        tmp_path,
        url=desk.url,
        playbooks='["tidy.md"]',
        settings='{sweep = "1s"}',
        environment='{"*" = ["WORD"]}',
    )
    async with service(config, desk.token) as started:
        await started.event("serving")
        assert await status(desk, started) == "done"

        await asyncio.to_thread(playbook.write_text, PLAYBOOK % "finished")
        started.send(signal.SIGHUP)
        assert (await started.event("reloaded"))["playbooks"] == ["tidy"]
        assert await status(desk, started) == "finished"

        await asyncio.to_thread(playbook.write_text, "---\nname: tidy\n")
        started.send(signal.SIGHUP)
        refused = await started.event("reload_refused")
        assert str(playbook) in refused["reason"]
        assert refused["level"] == "error"
        assert await status(desk, started) == "finished"

        await asyncio.to_thread(config.write_text, "data = 1")
        started.send(signal.SIGHUP)
        assert "repositories: is missing" in (await started.event("reload_refused"))["reason"]

        started.send(signal.SIGTERM)
        assert await started.ended() == 0
    assert "Traceback" not in "\n".join(started.lines)
