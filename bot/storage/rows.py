"""Between rows and JSON: the one place that knows how a document is written in a column."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def dump(value: object) -> str:
    """Return the text of a document: compact, keys sorted, so that equal documents are equal texts."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def load(text: str) -> Any:  # noqa: ANN401 - a document is arbitrary JSON until its codec has read it
    """Return the document in a column."""
    return json.loads(text)


def load_mapping(text: str) -> Mapping[str, Any]:
    """Return the object in a column. Raises ``ValueError`` when it is something else."""
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError("a JSON object was expected")  # noqa: TRY004 - what is wrong is the stored value
    return value
