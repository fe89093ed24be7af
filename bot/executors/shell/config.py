"""
What a binding may say about a command.

``command`` is an argument list, handed to the kernel as it stands. ``script`` is the operator's own text
for ``/bin/sh``. Neither is a template: there is no place where a value could be put into it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from bot.errors import ConfigError

RESERVED_PREFIX = "TRACKSIDE_"
DEFAULT_INHERIT = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _text(value: str) -> str:
    if "\0" in value:
        raise ValueError("a null byte cannot be passed to a program")
    return value


def _name(value: str) -> str:
    if not _NAME.fullmatch(value):
        raise ValueError("a variable's name has letters, digits and '_' and does not start with a digit")
    if value.startswith(RESERVED_PREFIX):
        raise ValueError(f"names that start with {RESERVED_PREFIX} are set by Trackside itself")
    return value


Text = Annotated[str, AfterValidator(_text)]
Name = Annotated[str, AfterValidator(_name)]


class ShellConfig(BaseModel):
    """
    The config of one ``shell`` binding.

    ``env`` sets variables; ``inherit`` names those passed on from the host, and replaces the default list.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    command: list[Text] | None = Field(default=None, min_length=1)
    script: Annotated[Text, Field(min_length=1)] | None = None
    env: dict[Name, Text] = Field(default_factory=dict)
    inherit: list[Name] = Field(default_factory=lambda: list(DEFAULT_INHERIT))

    @model_validator(mode="after")
    def _one_program(self) -> Self:
        if (self.command is None) == (self.script is None):
            raise ValueError("give either 'command' (a list of arguments) or 'script' (text for /bin/sh)")
        if self.command is not None and not self.command[0]:
            raise ValueError("the first entry of 'command' names a program")
        return self

    @property
    def argv(self) -> list[str]:
        """The arguments to start, program first."""
        return self.command or ["/bin/sh", "-eu", "-c", self.script or ""]


def parse(config: Mapping[str, object]) -> ShellConfig:
    """Return a binding's config. Raises ``ConfigError`` that names each wrong key by its path."""
    try:
        return ShellConfig.model_validate(dict(config))
    except ValidationError as error:
        # the values stay out of the message: they may be secrets
        found = error.errors(include_url=False, include_input=False, include_context=False)
        problems = (f"{'.'.join(str(step) for step in each['loc']) or 'config'}: {each['msg']}" for each in found)
        raise ConfigError("; ".join(problems)) from None
