"""One exchange of a client and a server, judged by what is published: by openapi-core, and what it lets pass, here."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, unquote

import httpx
from openapi_core import Config, OpenAPI
from openapi_core.datatypes import RequestParameters
from openapi_core.exceptions import OpenAPIError
from openapi_core.validation.schemas.exceptions import InvalidSchemaValue
from werkzeug.datastructures import Headers, ImmutableMultiDict

from tests.published.cut import GITHUB, Json, cut, published

_ORIGIN = "https://api.github.com"
_DIGIT = re.compile(r"\d")
_BY_ID = re.compile(r"/repositories/\d+(?=/|$)")
"""Where GitHub sends who asks for a renamed repository. It is documented as a redirect only."""
_ENTERPRISE = "/api/v3"
_ANYWHERE = frozenset({301, 302, 304, 307, 308, 400, 401, 403, 404, 422, 429, 500, 502, 503})
"""Statuses that any operation may answer with, documented or not."""
_DIFF = "diff"
"""In the name of a media type that the description tells of in its text only."""
_METHODS = frozenset({"get", "post", "put", "patch", "delete"})


class NotAsPublishedError(AssertionError):
    """A request or an answer that the published description does not have."""


@dataclass(frozen=True, order=True)
class Operation:
    """A method and a path with the names of its parts, such as ``GET /repos/{owner}/{repo}``."""

    path: str
    method: str

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@dataclass
class _Asked:
    """A request in the form that openapi-core reads."""

    method: str
    path: str
    path_pattern: str
    parameters: RequestParameters
    body: bytes | None
    content_type: str
    host_url: str = _ORIGIN


@dataclass(frozen=True)
class _Answered:
    """An answer in the form that openapi-core reads."""

    status_code: int
    data: bytes
    headers: Mapping[str, str]
    content_type: str


@dataclass
class _Delivered:
    """A webhook in the form that openapi-core reads."""

    name: str
    body: bytes
    parameters: RequestParameters
    method: str = "post"
    content_type: str = "application/json"


class Description:
    """What one host has published."""

    def __init__(self, host: str) -> None:
        self.host = host
        self._document = cut(host)
        self._parts: dict[Operation, OpenAPI] = {}
        self._passed: set[tuple[Operation, object, bytes]] = set()
        self._found: dict[tuple[str, int], list[tuple[list[str], str]]] = {}
        for path, item in self._document["paths"].items():
            names = path.split("/")
            for method in _METHODS & item.keys():
                self._found.setdefault((method, len(names)), []).append((names, path))

    def operation(self, method: str, path: str) -> Operation:
        """Return the operation that a request calls. ``path`` is escaped. Raises ``NotAsPublishedError``."""
        names = _BY_ID.sub("/repos/by/id", path.removeprefix(_ENTERPRISE)).split("/")
        fitting = [
            (sum(name == mine for name, mine in zip(theirs, names, strict=True)), template)
            for theirs, template in self._found.get((method.lower(), len(names)), [])
            if all(name == mine or (name.startswith("{") and mine) for name, mine in zip(theirs, names, strict=True))
        ]
        if not fitting:
            raise NotAsPublishedError(f"{self.host} has no {method} {path}")
        return Operation(max(fitting)[1], method.upper())

    def details(self, operation: Operation) -> Json:
        """Return what the description says of an operation. Raises ``NotAsPublishedError`` where it has none."""
        found: Json | None = self._document["paths"].get(operation.path, {}).get(operation.method.lower())
        if found is None:
            raise NotAsPublishedError(f"{self.host} has no {operation}")
        return found

    def texts(self, event: str) -> list[str]:
        """Return what the description says, for people, of the webhooks of an event."""
        items = published(self.host)["x-webhooks"].values()
        return [
            each["post"]["summary"]
            for each in items
            if each["post"]["x-github"]["subcategory"].replace("-", "_") == event
        ]

    def check_request(self, request: httpx.Request) -> Operation:
        """Return the operation of a request that is as published. Raises ``NotAsPublishedError``."""
        path = request.url.raw_path.decode().partition("?")[0]
        operation = self.operation(request.method, path)
        # Another number is no other request; each takes milliseconds, and a bot asks the same again and again.
        same = (operation, _DIGIT.sub("0", f"{path}?{request.url.query.decode()}"), request.content)
        if same in self._passed:
            return operation
        asked = _asked(request, operation, path)
        known = {each["name"] for each in self._parameters(operation) if each["in"] == "query"}
        if unknown := asked.parameters.query.keys() - known:
            raise NotAsPublishedError(f"{operation} has no parameters {sorted(unknown)} in its query")
        if asked.body and "requestBody" not in self.details(operation):
            raise NotAsPublishedError(f"{operation} has no body")
        try:
            self._part(operation).validate_request(asked)
        except OpenAPIError as error:
            raise NotAsPublishedError(f"{request.method} {request.url}: {_why(error)}") from error
        self._passed.add(same)
        return operation

    def check_answer(self, request: httpx.Request, answer: httpx.Response) -> Operation | None:
        """
        Judge an answer that has been read, and return the operation that it belongs to.

        None is what belongs to none and is not found, and what is not JSON because the caller asked for something
        else. Raises ``NotAsPublishedError``.
        """
        path = request.url.raw_path.decode().partition("?")[0]
        try:
            operation = self.operation(request.method, path)
        except NotAsPublishedError:
            if answer.status_code == HTTPStatus.NOT_FOUND:
                return None
            raise
        if answer.status_code == HTTPStatus.NOT_MODIFIED:
            return operation
        if answer.is_success and _DIFF in request.headers.get("accept", ""):
            return None
        same = (operation, answer.status_code, answer.content)
        if same in self._passed:
            return operation
        part = self._part(operation)
        if str(answer.status_code) not in self.details(operation)["responses"]:
            if answer.status_code not in _ANYWHERE:
                raise NotAsPublishedError(f"{operation} does not answer {answer.status_code}")
            _refusal(operation, answer)
            return operation
        answered = _Answered(
            answer.status_code, answer.content, dict(answer.headers), answer.headers.get("content-type", "")
        )
        try:
            part.validate_response(_asked(request, operation, path), answered)
        except OpenAPIError as error:
            raise NotAsPublishedError(f"{operation} answers {answer.status_code}: {_why(error)}") from error
        self._passed.add(same)
        return operation

    def check_webhook(self, event: str, action: str | None, body: bytes) -> str:
        """Return the published name of a webhook that is as published. Raises ``NotAsPublishedError``."""
        words = (event, action) if action else (event,)
        name = "-".join(words).replace("_", "-")
        item = self._document["x-webhooks"].get(name)
        if item is None:
            raise NotAsPublishedError(f"{self.host} sends no {name}")
        whole = self._whole({"webhooks": {name: {"post": {**item["post"], "parameters": []}}}})
        try:
            whole.validate_webhook_request(_Delivered(name, body, RequestParameters()))
        except OpenAPIError as error:
            raise NotAsPublishedError(f"{name}: {_why(error)}") from error
        return name

    def _parameters(self, operation: Operation) -> Iterator[Json]:
        for each in self.details(operation).get("parameters", []):
            yield self._target(each) if "$ref" in each else each

    def _target(self, part: Json) -> Json:
        _, _, kind, name = part["$ref"].split("/")
        target: Json = self._document["components"][kind][name]
        return target

    def _part(self, operation: Operation) -> OpenAPI:
        """Return what openapi-core makes of this operation alone: among all of them it takes ten times as long."""
        if operation not in self._parts:
            details = dict(self.details(operation))
            if "requestBody" in details:
                details["requestBody"] = self._strict(details["requestBody"])
            paths = {operation.path: {operation.method.lower(): details}}
            self._parts[operation] = self._whole({"paths": paths, "servers": [{"url": _ORIGIN}]})
        return self._parts[operation]

    def _whole(self, content: Json) -> OpenAPI:
        components: Json = {}
        self._collect(content, components)
        document = {"openapi": "3.1.0", "info": self._document["info"], "paths": {}, **content}
        # The description is taken as it is: whether it is well written is not the question here.
        return OpenAPI.from_dict({**document, "components": components}, config=Config(spec_validator_cls=None))

    def _collect(self, part: Any, components: Json) -> None:
        if isinstance(part, list):
            for each in part:
                self._collect(each, components)
        elif isinstance(part, dict):
            if isinstance(part.get("$ref"), str):
                _, _, kind, name = part["$ref"].split("/")
                if name not in components.setdefault(kind, {}):
                    components[kind][name] = self._target(part)
                    self._collect(components[kind][name], components)
            for each in part.values():
                self._collect(each, components)

    def _strict(self, part: Any) -> Any:
        """Return a body's schema that lets no key pass which it does not name, as GitHub's server does."""
        if isinstance(part, list):
            return [self._strict(each) for each in part]
        if not isinstance(part, dict):
            return part
        if isinstance(part.get("$ref"), str):
            return self._strict(self._target(part))
        strict = {key: value if key == "allOf" else self._strict(value) for key, value in part.items()}
        if isinstance(part.get("properties"), dict) and isinstance(part.get("type"), str | list):
            strict.setdefault("additionalProperties", False)
        return strict


@functools.cache
def description(host: str = GITHUB) -> Description:
    """Return the description of a host, read once in a process."""
    return Description(host)


def _asked(request: httpx.Request, operation: Operation, path: str) -> _Asked:
    names = _BY_ID.sub("/repos/by/id", path.removeprefix(_ENTERPRISE)).split("/")
    within = {
        name[1:-1]: unquote(mine)
        for name, mine in zip(operation.path.split("/"), names, strict=True)
        if name.startswith("{")
    }
    query = parse_qsl(request.url.query.decode(), keep_blank_values=True)
    return _Asked(
        method=request.method.lower(),
        path=path,
        path_pattern=operation.path,
        parameters=RequestParameters(
            path=within, query=ImmutableMultiDict(query), header=Headers(list(request.headers.items()))
        ),
        body=request.content or None,
        content_type=request.headers.get("content-type", ""),
    )


def _refusal(operation: Operation, answer: httpx.Response) -> None:
    """Judge an answer that is not documented with its operation: it says why, and where to read on."""
    if answer.is_redirect:
        return
    document = answer.json()
    if not (isinstance(document.get("message"), str) and isinstance(document.get("documentation_url"), str)):
        raise NotAsPublishedError(f"{operation} answers {answer.status_code} without saying why: {document}")


def _why(error: BaseException) -> str:
    """Return the innermost reason, with where in the document it stands."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, InvalidSchemaValue):
            return "; ".join(map(_where, cause.schema_errors))
        if cause.__cause__ is None:
            return f"{type(cause).__name__}: {cause}"[:500]
        cause = cause.__cause__
    return str(error)[:500]


def _where(error: Any) -> str:
    # Of the ways to be valid, the one that failed deepest is the one that was meant.
    inner = error
    while inner.context:
        inner = max(inner.context, key=lambda each: len(each.absolute_path))
    return f"{'/'.join(map(str, inner.absolute_path)) or 'the whole'}: {inner.message[:300]}"
