"""Say in plain words what a validator found wrong, at the line where it stands."""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Iterator, Mapping

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from bot.playbook.cross import Fault, nearest, suggestion
from bot.playbook.problem import Location
from bot.playbook.schema import FrontMatter

_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "model_type": "a mapping of keys",
    "model_attributes_type": "a mapping of keys",
    "mapping_type": "a mapping of keys",
    "dict_type": "a mapping of keys",
}
_LIMITS = {
    "greater_than": "must be more than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than": "must be less than {lt:g}",
    "less_than_equal": "must be at most {le:g}",
    "string_too_long": "has more than {max_length} characters",
    "too_long": "has more than {max_length} entries",
    "too_short": "needs at least {min_length} entry",
}


def complaints(error: ValidationError) -> Iterator[Fault]:
    """Yield each fault that pydantic found, with its location in the front matter."""
    errors = error.errors(include_url=False)
    # A key that was meant is not missing: its slip is said already.
    meant = {_meant(_location(each)) for each in errors if each["type"] == "extra_forbidden"}
    for details in errors:
        location = _location(details)
        if details["type"] != "missing" or location not in meant:
            yield location, _say(details, location)


def _location(details: ErrorDetails) -> Location:
    # The mark at the end of a location says that the key itself is meant, not its value.
    return tuple(part for part in details["loc"] if part != "[key]")


def _meant(location: Location) -> Location:
    return (*location[:-1], nearest(str(location[-1]), known_keys(location[:-1])))


def _say(details: ErrorDetails, location: Location) -> str:
    kind, context = details["type"], details.get("ctx", {})
    if kind in _EXPECTED:
        return f"expected {_EXPECTED[kind]}, not {_shown(details['input'])}"
    if kind in _LIMITS:
        return _LIMITS[kind].format(**context)
    match kind:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return f"unknown key{suggestion(str(location[-1]), known_keys(location[:-1]))}"
        case "enum":
            return _choice(context["expected"], details["input"])
    return str(context.get("error", details["msg"]))


def _choice(expected: str, value: object) -> str:
    choices = re.findall(r"'([^']*)'", expected)
    meant = suggestion(value, choices) if isinstance(value, str) else ""
    return f"expected {_listed(choices)}, not {_shown(value)}{meant}"


def known_keys(location: Location) -> list[str]:
    """Return the keys that the section at a location has, as they are written in a playbook."""
    annotation: object = FrontMatter
    for part in location:
        annotation = _inside(annotation, part)
    if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
        return []
    return [field.alias or name for name, field in annotation.model_fields.items()]


def _inside(annotation: object, part: str | int) -> object:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields = {field.alias or name: field for name, field in annotation.model_fields.items()}
        return _bare(fields[str(part)].annotation) if part in fields else None
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is tuple:
        return _bare(arguments[0])
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return _bare(arguments[1])
    return None


def _bare(annotation: object) -> object:
    """Take off what stands around the type itself: ``| None`` and metadata."""
    if typing.get_origin(annotation) in {typing.Union, types.UnionType}:
        choices = [each for each in typing.get_args(annotation) if each is not type(None)]
        return _bare(choices[0])
    if typing.get_origin(annotation) is typing.Annotated:
        return _bare(typing.get_args(annotation)[0])
    return annotation


def _listed(choices: list[str]) -> str:
    return choices[0] if len(choices) == 1 else f"{', '.join(choices[:-1])} or {choices[-1]}"


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value)[:60]
