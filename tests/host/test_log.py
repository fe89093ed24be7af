"""What the process says on standard error, each time in a process of its own: the set-up is global."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys

import pytest

PROGRAM = """\
import logging
import sys
import structlog
from bot.log import configure_logging

configure_logging(readable=sys.argv[1] == "readable", level=sys.argv[2])
log = structlog.get_logger()

def fail(token):
    raise RuntimeError("it broke")

log.debug("looked")
log.bind(work="wrk-1").info("claimed", path=sys.path[:0])
try:
    fail(sys.argv[3])
except RuntimeError as error:
    log.warning("failed", exc_info=error)
logging.getLogger("httpx").info("a request")
try:
    fail(sys.argv[3])
except RuntimeError:
    logging.getLogger("uvicorn.error").exception("an %s fault", "ASGI")
"""


def logged(form: str, secret: str, level: str = "info") -> str:
    command = [sys.executable, "-c", PROGRAM, form, level, secret]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout == ""
    return found.stderr


def test_a_service_logs_one_object_a_line() -> None:
    entries = [json.loads(line) for line in logged("json", "").splitlines()]
    assert [entry["event"] for entry in entries] == ["claimed", "failed", "an ASGI fault"]
    claimed, failed, _ = entries
    assert (claimed["work"], claimed["level"]) == ("wrk-1", "info")
    assert claimed["timestamp"].endswith("Z")
    assert "RuntimeError: it broke" in failed["exception"]


def test_what_libraries_log_has_the_same_form() -> None:
    *_, entry = [json.loads(line) for line in logged("json", "").splitlines()]
    assert (entry["logger"], entry["level"]) == ("uvicorn.error", "error")
    assert "RuntimeError: it broke" in entry["exception"]


def test_a_level_hides_what_is_below_it() -> None:
    assert '"looked"' in logged("json", "", "debug")
    assert '"claimed"' not in logged("json", "", "warning")


@pytest.mark.parametrize("form", ["json", "readable"])
def test_a_traceback_shows_no_values(form: str) -> None:
    # gh-S-04
    secret = secrets.token_hex()
    text = logged(form, secret)
    assert text.count("RuntimeError") >= 2
    assert secret not in text


def test_a_terminal_gets_plain_text() -> None:
    lines = logged("readable", "").splitlines()
    assert "claimed" in lines[0]
    assert not lines[0].startswith("{")
