"""A server that knows nothing but the examples which GitHub publishes with its operations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import httpx

from tests.published.cut import GITHUB, Json, published
from tests.published.description import Operation, description


@dataclass
class Examples(httpx.AsyncBaseTransport):
    """
    Answers every request that is as published with the example of its operation.

    What is ``missing`` is answered with 404 as often as is said. Further pages are empty. ``differing`` has fields that
    take the place of an example's. ``sent`` has the requests.
    """

    missing: Counter[Operation] = field(default_factory=Counter)
    sent: list[httpx.Request] = field(default_factory=list)
    differing: Mapping[Operation, Json] = field(default_factory=dict)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Judge a request and answer it."""
        await request.aread()
        operation = description().check_request(request)
        self.sent.append(request)
        if self.missing[operation]:
            self.missing[operation] -= 1
            return httpx.Response(HTTPStatus.NOT_FOUND, json={"message": "Not Found"}, request=request)
        status, document = example(operation)
        if isinstance(document, list) and request.url.params.get("page", "1") != "1":
            document = []
        if operation in self.differing:
            document = {**document, **self.differing[operation]}
        if document is None:
            return httpx.Response(status, request=request)
        return httpx.Response(status, json=document, request=request)


def example(operation: Operation) -> tuple[int, Any]:
    """Return the status and the first example of success; None when there is nothing to show."""
    document = published(GITHUB)
    answers: Mapping[str, Json] = document["paths"][operation.path][operation.method.lower()]["responses"]
    status = min(code for code in answers if code.startswith("2"))
    content = answers[status].get("content", {}).get("application/json")
    if content is None:
        return int(status), None
    return int(status), _value(document, next(iter(content["examples"].values())))


def _value(document: Json, shown: Json) -> Any:
    """Return what an example shows; a few have another one for their value."""
    while "$ref" in shown:
        shown = document["components"]["examples"][shown["$ref"].rpartition("/")[2]]
    value = shown["value"]
    return _value(document, value) if isinstance(value, dict) and value.keys() == {"$ref"} else value
