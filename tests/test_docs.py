"""What the documents list is what the code has: no more, no less, and with the same values."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
import typer
from pydantic import BaseModel, BeforeValidator, SecretStr
from ruamel.yaml import YAML
from starlette.routing import Route
from typer.core import TyperCommand, TyperGroup

from bot.cli.main import app
from bot.clock import HOUR, MINUTE, Millis
from bot.domain.admission import Reason, Refused
from bot.domain.turn import Turn
from bot.domain.work import WorkState
from bot.executors.shell.config import DEFAULT_INHERIT, ShellConfig
from bot.executors.toolbelt.routes import router as toolbelt_routes
from bot.host.config import SECRETS, Config, load_config
from bot.host.health import Health
from bot.host.http import http_app
from bot.host.sections import TOKEN
from bot.metrics import REGISTRY
from bot.playbook.duration import format_duration
from bot.playbook.find import builtin
from bot.playbook.load import check
from bot.playbook.support import unsupported
from bot.storage.contract import Tx
from bot.views.standing import sentence
from bot.views.thread import HeldFor, ThreadState
from projectors.labels import owned
from projectors.moments import Words, moment
from projectors.settings import Settings
from tests.documents import (
    AGENTS,
    ERRORS,
    EXAMPLE,
    FORMS,
    HOW,
    LINKING,
    OPERATING,
    OURS,
    README,
    ROOT,
    USING,
    anchors,
    blocks,
    links,
    names,
    prose,
    rows,
    spans,
    text,
    title,
)
from tests.factories import make_work
from tests.projectors import samples
from tests.storage.twice import Writable
from webhooks.delivery import Accepted, Delivery
from webhooks.receiver import Receiver
from webhooks.verbs import VERBS, Verb

MOST_LINES_OF_README = 120
HELD_FOR = frozenset({HeldFor.GATE, HeldFor.BUDGET, HeldFor.OPERATOR})
NEVER_REACHED = frozenset({WorkState.FAILED})
"""What has used up its tries waits for a person in this version, and does not end as failed."""


def commands(command: object, above: tuple[str, ...] = ("trackside",)) -> Iterator[tuple[str, TyperCommand]]:
    if isinstance(command, TyperCommand):
        yield " ".join(above), command
    elif isinstance(command, TyperGroup):
        for name, child in command.commands.items():
            if not child.hidden:
                yield from commands(child, (*above, name))


COMMANDS = dict(commands(typer.main.get_command(app)))


def calls(document: str) -> Iterator[list[str]]:
    """Yield the words of everything that is written as a call of the command line."""
    for code in [*spans(document), *blocks(document)]:
        for line in code.replace("`", "\n").splitlines():
            yield from (found.split() for found in re.findall(r"(?:^|[ /])(trackside [a-z][^|#,]*)", line))


def fault(words: list[str]) -> str | None:
    """Return what is wrong with a call, or None."""
    name = next((" ".join(words[:length]) for length in (3, 2) if " ".join(words[:length]) in COMMANDS), None)
    if name is None:
        return f"there is no {' '.join(words)}"
    options = {option for parameter in COMMANDS[name].params for option in parameter.opts} | {"--help"}
    unknown = [word for word in words if word.startswith("--") and word not in options]
    return f"{name} has no {unknown[0]}" if unknown else None


def test_every_command_is_listed_and_no_other() -> None:
    assert sorted(names(OPERATING, "command")) == sorted(COMMANDS)


def test_the_exit_codes_of_every_command_are_listed() -> None:
    assert sorted(names(ERRORS, "command")) == sorted(COMMANDS)


@pytest.mark.parametrize("path", LINKING, ids=title)
def test_a_call_that_a_document_shows_can_be_made(path: Path) -> None:
    assert [found for words in calls(text(path)) if (found := fault(words))] == []


def test_a_call_that_cannot_be_made_would_be_found() -> None:
    """The negative control of the test above."""
    document = "`trackside fly`\n\n```sh\n.venv/bin/trackside demo --twice\n```\n"
    assert [fault(words) for words in calls(document)] == ["there is no trackside fly", "trackside demo has no --twice"]


@pytest.mark.parametrize("path", LINKING, ids=title)
def test_a_make_target_that_a_document_names_exists(path: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", text(ROOT / "Makefile"), re.MULTILINE))
    assert set(re.findall(r"(?:`|^)make ([a-z]+)", text(path), re.MULTILINE)) <= targets


def settings(model: type[BaseModel], above: str = "") -> Iterator[tuple[str, str]]:
    """Yield each key that a file may have, with its default as it is written there."""
    for name, field in model.model_fields.items():
        if name in {"token", "app_key", "secrets"}:
            continue
        if isinstance(field.default, BaseModel):
            yield from settings(type(field.default), f"{above}{name}.")
        elif field.is_required():
            yield f"{above}{name}", "required"
        else:
            is_duration = any(isinstance(entry, BeforeValidator) for entry in field.metadata)
            yield f"{above}{name}", f"`{_written(format_duration(field.default) if is_duration else field.default)}`"


def _written(value: object) -> str:
    if value == ():
        return "[]"
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def keys(document: Mapping[str, object], above: str = "") -> Iterator[str]:
    for name, value in document.items():
        yield from keys(value, f"{above}{name}.") if value and isinstance(value, dict) else [f"{above}{name}"]


@pytest.fixture
def environment() -> dict[str, str]:
    return {TOKEN: "not a token"}


def test_every_key_is_listed_with_its_default_and_no_other() -> None:
    assert {row[0].strip("`"): row[1] for row in rows(OPERATING, "key")} == dict(settings(Config))


def test_every_duration_is_marked_as_one() -> None:
    marked = {row[0] for row in rows(OPERATING, "key") if row[2].startswith("duration:")}
    assert marked == {row[0] for row in rows(OPERATING, "key") if re.fullmatch(r'`"\d+[dhms]"`', row[1])}


def test_the_example_has_every_key_with_its_default(environment: dict[str, str]) -> None:
    example = load_config(EXAMPLE, environment)
    assert sorted(keys(tomllib.loads(text(EXAMPLE)))) == sorted(dict(settings(Config)))
    assert example == Config(data=example.data, repositories=("owner/name",), token=example.token)


@pytest.mark.parametrize("path", [README, AGENTS], ids=title)
def test_a_configuration_that_is_shown_can_be_used(path: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    required = 'data = "data"\nrepositories = ["owner/name"]\n'
    shown = blocks(text(path), "toml")
    assert shown
    for block in shown:
        lines = "\n".join(line.strip() for line in block.splitlines())
        file = tmp_path / "trackside.toml"
        file.write_text(lines if lines.startswith("data") else required + lines, encoding="utf-8")
        assert load_config(file, environment).repositories == ("owner/name",)


@pytest.mark.parametrize("path", [README, OPERATING, EXAMPLE], ids=title)
def test_both_secrets_are_named_where_a_bot_is_set_up(path: Path) -> None:
    assert TOKEN in text(path)
    assert SECRETS in text(path)


async def test_every_address_is_listed_and_no_other_is_named(store: Writable[Tx]) -> None:
    async def accept(_delivery: Delivery) -> Accepted:
        return Accepted.NEW

    async def record(_token: str, _turn: Turn) -> bool:
        return False

    toolbelt = toolbelt_routes(record)
    health = Health(loops=(), now=Millis(0))
    served = http_app(store, Receiver(secrets=(), accept=accept), toolbelt, lambda: health).router.routes
    paths = {route.path for route in [*served, *toolbelt.routes] if isinstance(route, Route)}
    assert set(names(OPERATING, "address")) == paths
    known = paths | {f"/{verb.value}" for verb in Verb} | {"/bin/sh", "/proc"}
    for path in OURS:
        assert {span.split()[0] for span in spans(text(path)) if span.startswith("/")} <= known, title(path)


def test_every_metric_is_listed_and_no_other() -> None:
    import_module("bot.host.app")
    counted = {family.name.removesuffix("_total") for family in REGISTRY.collect()}
    assert {name.removesuffix("_total") for name in names(OPERATING, "metric")} == counted


def test_every_verb_is_listed_with_what_it_does_and_no_other() -> None:
    listed = {row[0].strip("`"): row[1] for row in rows(USING, "command")}
    assert listed == {usage.form: usage.description for usage in VERBS.values()}


def test_the_permission_for_each_verb_is_the_one_that_is_asked_for() -> None:
    who = {row[0].strip("`").split()[0].removeprefix("/"): row[2] for row in rows(USING, "command")}
    for verb in (Verb.CANCEL, Verb.STOP, Verb.RELEASE, Verb.BUDGET):
        assert who[verb.value] == f"{VERBS[verb].permission.word} access"
    assert {who[verb.value] for verb in (Verb.APPROVE, Verb.REFUSE)} == {"as the hold says"}
    assert {who[verb.value] for verb in (Verb.HOLD, Verb.STATUS, Verb.HELP)} == {"everyone"}


def test_every_label_is_listed_and_no_other() -> None:
    triggers = {playbook.on.label for playbook in builtin() if playbook.on is not None}
    statuses = {status.label for playbook in builtin() for status in playbook.statuses.values()}
    # Holds of other kinds cannot come about in this version.
    others = {f"{Settings().hold_prefix}{kind.value}" for kind in HeldFor if kind not in HELD_FOR}
    ours = owned(samples.thread(samples.WORK), Settings()) - others
    assert set(names(USING, "label")) == statuses | ours | triggers


@pytest.mark.parametrize("prefix", [Settings().state_prefix, Settings().hold_prefix, "run:"])
def test_every_prefix_of_a_label_is_explained(prefix: str) -> None:
    assert f"`{prefix}`" in text(USING)


def test_every_state_that_a_thread_shows_is_listed_in_its_own_words() -> None:
    shown = [
        samples.WORK,
        samples.held(samples.GATE),
        samples.held(samples.BUDGET),
        samples.held(samples.OPERATOR),
        samples.RUNNING,
        samples.REVIEW,
        samples.HELP,
        replace(samples.WORK, state=ThreadState.RETRYING, attempt=1, failed=1),
        replace(samples.WORK, state=ThreadState.PAUSED),
        replace(samples.WORK, state=ThreadState.EXHAUSTED, attempt=3, failed=3),
        replace(samples.WORK, state=ThreadState.COMPLETED),
        replace(samples.WORK, state=ThreadState.CANCELLED),
    ]
    words = Words(settings=samples.SETTINGS, now=samples.NOW)
    titles = [re.sub(r"(\*\*.+?\*\*).*", r"\1", moment(view, words).title) for view in shown]
    assert [row[0] for row in rows(USING, "the status comment says")] == titles


def test_every_reason_is_listed_with_what_status_says() -> None:
    tried = {Reason.RUNNING: 2, Reason.RETRY_DUE: 2}
    details = {
        Reason.HELD: "start: 1 person with write access",
        Reason.POOL_FULL: "4 of 4 jobs busy",
        Reason.SCOPE_FULL: "2 of 2 in owner/name",
        Reason.PAUSED_ACCOUNT: "the usage limit of the account is reached",
        Reason.BRAKE: "5 starts without progress in 24 h",
        Reason.OVER_BUDGET: "5.00 of 5.00 usd used by this issue",
        Reason.RESERVED: "4.00 usd of this issue are reserved by runs under way",
    }
    expected = {}
    for reason in Reason:
        work = make_work(attempts=tried.get(reason, 3), reason="exit code 1", waits=("review", "comment"))
        refused = Refused(reason=reason, detail=details.get(reason, ""), until=Millis(14 * HOUR + 5 * MINUTE))
        expected[reason.value] = sentence(refused, work)
    assert {row[0]: row[1] for row in rows(ERRORS, "reason")} == expected


def test_the_drawing_has_the_states_that_work_reaches() -> None:
    (drawing,) = blocks(text(HOW), "mermaid")
    drawn = set(re.findall(r"\b[a-z]+\b", re.sub(r":.*|stateDiagram-v2", "", drawing)))
    assert drawn == {state.value for state in WorkState if state not in NEVER_REACHED}


def test_every_key_of_the_shell_executor_is_listed_and_no_other() -> None:
    assert names(AGENTS, "key") == list(ShellConfig.model_fields)
    inherit = next(row for row in rows(AGENTS, "key") if row[0] == "`inherit`")
    assert tuple(inherit[2].replace("`", "").split(", ")) == DEFAULT_INHERIT


def test_every_variable_of_a_run_is_listed_and_no_other() -> None:
    source = text(ROOT / "bot/executors/shell/environment.py")
    assert set(names(AGENTS, "variable")) == set(re.findall(r'"(TRACKSIDE_[A-Z_]+)":', source))


def test_a_playbook_that_is_shown_can_be_used() -> None:
    shown = [block for path in OURS for block in blocks(text(path), "markdown")]
    assert shown
    for block in shown:
        checked = check(block, "shown.md")
        assert checked.problems == ()
        assert checked.playbook is not None
        assert unsupported(checked.playbook) == ()
        ShellConfig.model_validate(dict(checked.playbook.binding.config))


def test_the_events_that_are_worth_an_alert_are_logged() -> None:
    sources = "\n".join(text(file) for top in ("bot", "webhooks", "projectors") for file in (ROOT / top).rglob("*.py"))
    logged = set(re.findall(r"\.(?:warning|error|exception|info)\(\s*\"([a-z_]+)\"", sources))
    assert set(names(OPERATING, "event")) <= logged


@pytest.mark.parametrize("path", LINKING, ids=title)
def test_links_within_the_project_lead_somewhere(path: Path) -> None:
    for link in links(text(path)):
        place, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link) is None:
            target = (path.parent / place).resolve() if place else path
            assert target.exists(), link
            assert not anchor or anchor in anchors(target), link


def test_a_link_that_leads_nowhere_would_be_found() -> None:
    """The negative control of the test above."""
    assert links('[a](b.md#c) <img src="d.png">') == ["b.md#c", "d.png"]
    assert "security-model" in anchors(OPERATING)
    assert "no-such-place" not in anchors(OPERATING)


def test_every_document_is_reached_from_the_readme() -> None:
    linked = {link.partition("#")[0] for link in links(text(README))}
    assert {title(path) for path in OURS if path != README} <= linked


def test_the_readme_is_short_and_its_first_command_stands_near_its_top() -> None:
    lines = text(README).splitlines()
    assert len(lines) <= MOST_LINES_OF_README
    assert next(number for number, line in enumerate(lines) if line.startswith("make demo")) < 15


@pytest.mark.parametrize("path", [*LINKING, EXAMPLE, *FORMS], ids=title)
def test_no_document_names_this_machine_or_a_package_registry(path: Path) -> None:
    document = text(path)
    assert f"{ROOT}/" not in document
    assert f"{Path.home()}/" == "//" or f"{Path.home()}/" not in document
    assert re.findall(r"(?i)index-url|pypi|\bregistry\b|/simple\b", prose(document)) == []


@pytest.mark.parametrize("path", [path for path in FORMS if path.name != "config.yml"], ids=title)
def test_a_form_for_issues_asks_for_something(path: Path) -> None:
    form = YAML(typ="safe").load(text(path))
    assert form["name"]
    assert form["description"]
    identities = [part["id"] for part in form["body"]]
    assert len(identities) == len(set(identities)) > 0
