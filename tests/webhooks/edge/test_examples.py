"""Every example of a delivery that GitHub's own package has."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pydantic
import pytest
from githubkit.utils import UNSET
from githubkit.webhooks import parse_obj
from starlette.applications import Starlette
from starlette.routing import Route

from tests.npm import EXAMPLES, package
from webhooks.delivery import Accepted, Delivery
from webhooks.github import code_payloads, payloads, repository_payloads
from webhooks.github.normalise import EVENTS
from webhooks.receiver import Receiver
from webhooks.secret import Secret
from webhooks.signature import sign

HOSTS = ("api.github.com", "ghes-31", "ghes-32", "ghes-33", "ghes-34", "ghes-35")
FEWEST = 300
"""Examples for github.com: fewer would mean that they are not read."""

MODELS: Mapping[str, type[payloads.Narrow]] = {
    "issues": payloads.IssuesPayload,
    "issue_comment": payloads.CommentPayload,
    "pull_request": payloads.PullPayload,
    "pull_request_review": payloads.ReviewPayload,
    "pull_request_review_comment": payloads.LinePayload,
    "pull_request_review_thread": payloads.PullWakePayload,
    "check_run": code_payloads.CheckRunPayload,
    "check_suite": code_payloads.CheckSuitePayload,
    "status": code_payloads.StatusPayload,
    "push": code_payloads.PushPayload,
    "installation": code_payloads.InstallationPayload,
    "installation_repositories": code_payloads.RemovedPayload,
    "repository": code_payloads.RepositoryPayload,
    "label": repository_payloads.LabelPayload,
    "sub_issues": repository_payloads.SubIssuePayload,
    "issue_dependencies": repository_payloads.DependencyPayload,
    "workflow_run": repository_payloads.WorkflowRunPayload,
    "workflow_job": repository_payloads.WorkflowJobPayload,
    "ping": payloads.PingPayload,
}


_BEFORE = payloads.TextBefore | repository_payloads.NameBefore


def examples(host: str) -> Iterator[tuple[str, dict[str, Any]]]:
    file: Path = package(EXAMPLES) / host / "index.json"
    for event in json.loads(file.read_text()):
        for payload in event["examples"]:
            yield event["name"], payload


@pytest.mark.parametrize("host", HOSTS)
async def test_every_example_is_accepted_and_none_in_use_is_malformed(host: str) -> None:
    secret = secrets.token_hex(16).encode()
    seen: list[Delivery] = []

    async def accept(delivery: Delivery) -> Accepted:
        seen.append(delivery)
        return Accepted.NEW

    app = Starlette(routes=[Route("/hook", Receiver(secrets=[Secret(secret)], accept=accept))])
    answers: list[int] = []
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://bot.test") as client:
        for number, (event, payload) in enumerate(examples(host)):
            body = json.dumps(payload).encode()
            headers = {
                "content-type": "application/json",
                "x-github-event": event,
                "x-github-delivery": f"example-{number}",
                "x-hub-signature-256": sign(body, secret).decode(),
            }
            answers.append((await client.post("/hook", content=body, headers=headers)).status_code)
    assert set(answers) == {202}
    assert len(seen) == len(answers)
    assert [(each.event, each.action, each.note) for each in seen if each.note.startswith("malformed")] == []
    used = sum(bool(each.facts) for each in seen)
    events = len({each.event for each in seen})
    print(f"{host}: {len(seen)} payloads of {events} events, {used} give facts")  # noqa: T201 - counts to report
    assert used > 0


def test_what_is_read_is_what_the_typed_models_read() -> None:
    accepted = compared = total = 0
    for event, payload in examples("api.github.com"):
        total += 1
        if event not in MODELS:
            continue
        try:
            typed = parse_obj(event, payload)
        except pydantic.ValidationError:
            continue
        accepted += 1
        narrow = MODELS[event].model_validate(payload) if _complete(MODELS[event], payload) else None
        if narrow is not None:
            compared += 1
            _same(narrow, typed, event)
    print(f"{total} payloads, {accepted} in use typed, {compared} compared")  # noqa: T201 - counts to report
    assert total >= FEWEST
    assert compared > accepted // 2
    assert MODELS.keys() == EVENTS.keys()


def _complete(model: type[payloads.Narrow], payload: dict[str, Any]) -> bool:
    try:
        model.model_validate(payload)
    except pydantic.ValidationError:
        return False
    return True


def _same(narrow: object, typed: object, place: str) -> None:
    if isinstance(narrow, payloads.Narrow):
        for name in type(narrow).model_fields:
            other = getattr(typed, "from_" if isinstance(narrow, _BEFORE) else name, UNSET)
            if other is UNSET:
                # What a payload leaves out has the default of the narrow model.
                assert name not in narrow.model_fields_set, f"{place}.{name}"
            else:
                _same(getattr(narrow, name), other, f"{place}.{name}")
    elif isinstance(narrow, list):
        assert isinstance(typed, list)
        assert len(narrow) == len(typed), place
        for one, other in zip(narrow, typed, strict=True):
            _same(one, other, place)
    elif isinstance(typed, datetime):
        assert narrow == round(typed.timestamp() * 1000), place
    elif not isinstance(narrow, dict):
        # A dict is a part of which only the presence is used.
        assert narrow == typed, place
