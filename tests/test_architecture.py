"""Rules that hold for every file."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from functools import cache
from pathlib import Path

import pytest

from bot.trackers.contract import WritePullRequests, WriteThreads

ROOT = Path(__file__).parents[1]
CODE = ("bot", "projectors", "webhooks", "playbooks")
PLACES = (*CODE, "tests", "docs", ".github", ".ci")
BINARY = {".pyc", ".db", ".png"}
MOST_LINES = 400

CLOCKS = re.compile(
    r"(time|loop)\.(time|time_ns|monotonic|monotonic_ns|perf_counter|perf_counter_ns|localtime|gmtime)"
    r"|(datetime\.)*(datetime\.(now|utcnow|today)|date\.today)"
)
SQL = re.compile(
    r"\s*(select\b.+\bfrom\b|insert\s+(or\s+\w+\s+)?into\b|update\s+\w+\s+set\b|delete\s+from\b|pragma\s+\w+"
    r"|(create|drop|alter)\s+(unique\s+)?(table|index|view|trigger)\b)",
    re.IGNORECASE | re.DOTALL,
)
ROW = re.compile(r"\b(?:[CM]|ag|gh)-[\w-]+")
ROWS = re.compile(r"C-(?P<c>\d{2,3})|M-(?P<m>\d{2})|ag-[A-Z]\d{2}|gh-[A-Z]-\d{2}")
LAST_ROWS = {"c": 197, "m": 72}
SOMEBODYS_PLACE = re.compile(r"(?<![\w.:/-])/(?:home|Users|root|work|mnt)/\w")
PACKAGE_INDEX = re.compile(r"pythonhosted\.org|pypi\.org|registry\.npmjs|index-url", re.IGNORECASE)


def python(*places: str) -> list[Path]:
    return sorted(path for place in places for path in (ROOT / place).rglob("*.py"))


def texts() -> list[Path]:
    """Return every file that is kept, but for those that are no text."""
    below = (path for place in PLACES for path in (ROOT / place).rglob("*"))
    files = [path for path in (*ROOT.iterdir(), *below) if path.is_file() and path.suffix not in BINARY]
    return sorted(path for path in files if path.name != ".coverage")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def clocks(module: ast.AST) -> list[str]:
    """Return what in a module reads a clock of the machine."""
    found = [text for node in ast.walk(module) if CLOCKS.fullmatch(text := dotted(node))]
    imports = (node for node in ast.walk(module) if isinstance(node, ast.ImportFrom))
    return found + [ast.unparse(node) for node in imports if node.module == "time"]


def dotted(node: ast.AST) -> str:
    """Return an expression such as ``time.time`` as it is written, and nothing for any other."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def statements(module: ast.AST) -> list[str]:
    """Return the texts in a module that are SQL; what stands alone is a docstring."""
    alone = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
    strings = (node for node in ast.walk(module) if isinstance(node, ast.Constant) and id(node) not in alone)
    return [node.value for node in strings if isinstance(node.value, str) and SQL.match(node.value)]


def patience(module: ast.AST) -> list[str]:
    """Return what in a test replaces behaviour by a mock, or waits for a duration."""
    found = []
    for node in ast.walk(module):
        match node:
            case ast.Import(names=names) if any(each.name.startswith("unittest") for each in names):
                found.append(ast.unparse(node))
            case ast.ImportFrom(module=str(source)) if source.startswith("unittest"):
                found.append(ast.unparse(node))
            case ast.Call(func=function, args=arguments) if dotted(function) in {"time.sleep", "asyncio.sleep"}:
                if not (arguments and ast.unparse(arguments[0]) == "0"):
                    found.append(ast.unparse(node))
    return found


def called(module: ast.AST, methods: frozenset[str]) -> list[str]:
    """Return which methods of these names a module calls on something, or hands on to be called."""
    return [node.attr for node in ast.walk(module) if isinstance(node, ast.Attribute) and node.attr in methods]


def methods(protocol: type) -> frozenset[str]:
    return frozenset(each for each in vars(protocol) if not each.startswith("_"))


def wrong_rows(source: str) -> list[str]:
    """Return what looks like the name of a row in a comment, and cannot be one."""
    comments = (
        token.string
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    )
    return [row for comment in comments for row in ROW.findall(comment) if not _is_row(row)]


def _is_row(row: str) -> bool:
    match = ROWS.fullmatch(row)
    numbers = {} if match is None else match.groupdict()
    return match is not None and all(
        number is None or 1 <= int(number) <= LAST_ROWS[kind] for kind, number in numbers.items()
    )


def test_files_are_short() -> None:
    lengths = {name(path): len(path.read_text().splitlines()) for path in python(*CODE, "tests")}
    assert len(lengths) > 300
    assert {path: length for path, length in lengths.items() if length > MOST_LINES} == {}


def test_only_the_clock_reads_a_clock() -> None:
    readers = {name(path): found for path in python(*CODE) if (found := clocks(tree(path)))}
    assert list(readers) == ["bot/clock.py"]


@pytest.mark.parametrize(
    "line",
    [
        "time.time()",
        "wait(time.monotonic)",
        "from time import time_ns",
        "datetime.now(tz=UTC)",
        "datetime.datetime.utcnow()",
        "date.today()",
        "loop.time()",
    ],
)
def test_a_line_that_reads_a_clock_would_be_found(line: str) -> None:
    assert clocks(ast.parse(line))
    assert not clocks(ast.parse("clock.now(); datetime.fromtimestamp(now); timer.time"))


def test_sql_stands_in_its_own_files() -> None:
    assert {name(path): found for path in python(*CODE) if (found := statements(tree(path)))} == {}


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id\\nFROM works",
        "  insert into works values (1)",
        "UPDATE works SET state = 1",
        "delete from works",
        "CREATE UNIQUE INDEX one ON works (item)",
        "PRAGMA journal_mode",
    ],
)
def test_a_statement_in_the_code_would_be_found(text: str) -> None:
    assert statements(ast.parse(f'run("{text}")'))
    assert statements(ast.parse(f'run(f"{text} {{more}}")'))
    assert not statements(ast.parse(f'"""{text}"""'))
    assert not statements(ast.parse("say('Select a row', 'Update it', 'Create a label', 'Delete it')"))


def test_tests_use_no_mocks_and_wait_for_no_duration() -> None:
    assert {name(path): found for path in python("tests") if (found := patience(tree(path)))} == {}


@pytest.mark.parametrize(
    "line", ["import unittest.mock", "from unittest import mock", "time.sleep(1)", "asyncio.sleep(0.1)"]
)
def test_a_mock_or_a_pause_would_be_found(line: str) -> None:
    assert patience(ast.parse(line))
    assert not patience(ast.parse("asyncio.sleep(0)"))


@pytest.mark.parametrize(("protocol", "place"), [(WriteThreads, "projectors/"), (WritePullRequests, "bot/publishing/")])
def test_what_people_see_is_written_in_one_place(protocol: type, place: str) -> None:
    """Adapters define these methods and may call one from another; all else goes through the one place."""
    callers = {
        name(path): found
        for path in python(*CODE)
        if not name(path).startswith("bot/trackers/") and (found := called(tree(path), methods(protocol)))
    }
    assert callers, "nobody writes at all: the names are wrong"
    assert {path: found for path, found in callers.items() if not path.startswith(place)} == {}


def test_a_row_in_a_comment_can_exist() -> None:
    wrong = {name(path): found for path in python("tests") if (found := wrong_rows(path.read_text()))}
    assert wrong == {}


def test_a_row_that_cannot_exist_would_be_found() -> None:
    right = "# C-02, C-197 and M-72, ag-A05; gh-H-03"
    assert wrong_rows(right) == []
    wrong = ["C-0", "C-198", "M-73", "C-1141", "ag-5", "gh-H03"]
    assert wrong_rows(f"# {', '.join(wrong)}") == wrong


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    assert [name(path) for path in texts() if SOMEBODYS_PLACE.search(path.read_text())] == []
    assert SOMEBODYS_PLACE.search("cd /{}/ada/trackside".format("home"))
    assert not SOMEBODYS_PLACE.search("https://bot.example/work/1 and refs/trackside/work/1")


def test_packages_come_from_wherever_pip_is_told_to_look() -> None:
    shipped = [path for path in texts() if not name(path).startswith("tests/")]
    assert [name(path) for path in shipped if PACKAGE_INDEX.search(path.read_text())] == []


def test_every_package_has_its_layer() -> None:
    """One without would be free to import, and be imported from, anywhere."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = next(contract for contract in settings["contracts"] if contract["type"] == "layers")["layers"]
    placed = {each.strip() for layer in layers for each in layer.split("|")}
    found = {
        f"bot.{path.stem}"
        for path in (ROOT / "bot").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert found - placed == {"bot.__init__"}


def test_imports_go_one_way() -> None:
    # C-02
    program = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    found = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout
