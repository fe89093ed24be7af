"""Copying the objects that a run made, and nothing else, out of its repository."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from bot.executors.workspace.beneath import folder, names, plain_file, subfolder

_FAN = re.compile(r"[0-9a-f]{2}")
_LOOSE = re.compile(r"[0-9a-f]{38}")
_PACKED = re.compile(r"pack-[0-9a-f]{40}\.(pack|idx)")


def copy_objects(workspace: Path, target: Path) -> None:
    """
    Copy loose objects and packs from a workspace to a directory of objects.

    What has another name stays behind, the list of borrowed objects above all: a run that named another mirror
    there could publish another repository's commits. Raises ``OSError``, also for a symlink in the place of any.
    """
    with folder(workspace, ".git", "objects") as objects:
        for name in names(objects):
            if _FAN.fullmatch(name):
                _copy(objects, name, target, _LOOSE)
            elif name == "pack":
                _copy(objects, name, target, _PACKED)


def _copy(objects: int, name: str, target: Path, wanted: re.Pattern[str]) -> None:
    with subfolder(objects, name) as source:
        for entry in names(source):
            if wanted.fullmatch(entry):
                place = target / name / entry
                place.parent.mkdir(exist_ok=True)
                with plain_file(source, entry) as opened, place.open("wb") as copy:
                    shutil.copyfileobj(opened, copy)
