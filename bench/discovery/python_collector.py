"""A pytest plugin that writes down what pytest collects: one JSON line for every place that defines a test.

    PYTHONPATH=bench/discovery python -m pytest --collect-only -q -p python_collector --collected OUT.jsonl

A line is `{"file", "line", "name_line", "name", "nodeid"}` with the file relative to `--collected-root` (pytest's
root folder where it is not given), the first line of the function, decorators included, and the line of its name.
Deselected items say `"deselected": true`, items whose function lies outside, or has another name because a decorator
or a call made it, `"outside": true`, with the `"id"` under which a class or module of the project holds it, items
without a function (doctests) `"kind": "other"`. Modules that could not be imported, or skipped themselves, are
`{"file", "unseen": reason}`. Nothing is downloaded.
"""

from __future__ import annotations

import functools
import inspect
import json
import linecache
import re
import sys
from pathlib import Path
from types import CodeType

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--collected", help="file to write JSON lines to", default=None)
    parser.addoption("--collected-root", help="folder that files are relative to", default=None)


def pytest_configure(config: pytest.Config) -> None:
    target = config.getoption("--collected")
    if target:
        root = Path(config.getoption("--collected-root") or config.rootpath).resolve()
        config.pluginmanager.register(_Writer(Path(target).resolve(), root), "pactkeeper-collected")


class _Writer:
    """Gathers items while pytest collects and writes them when it is done."""

    def __init__(self, target: Path, root: Path) -> None:
        self._target = target
        self._root = root
        self._items: dict[str, pytest.Item] = {}
        self._deselected: set[str] = set()
        self._unseen: list[dict[str, object]] = []

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        self._items[item.nodeid] = item

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self._deselected.update(item.nodeid for item in items)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.outcome != "passed":
            reason = f"{report.outcome}: {str(report.longrepr).strip().splitlines()[-1][:200]}"
            self._unseen.append({"file": report.nodeid.split("::")[0], "unseen": reason})

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        lines = [self._line(item) for item in self._items.values()] + self._unseen
        self._target.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    def _line(self, item: pytest.Item) -> dict[str, object]:
        line: dict[str, object] = {"nodeid": item.nodeid}
        if item.nodeid in self._deselected:
            line["deselected"] = True
        code = _code(getattr(item, "obj", None))
        if code is None:
            return line | {"kind": "other", "file": item.nodeid.split("::")[0]}
        file = Path(code.co_filename).resolve()
        inside = file.is_relative_to(self._root) and file.is_file() and "site-packages" not in file.parts
        shown = file.relative_to(self._root).as_posix() if inside else str(file)
        held = self._held(item)
        if held and (not inside or code.co_name not in {held.rpartition("::")[2], "<lambda>"}):
            line["outside"], line["id"] = True, held
        elif not inside:
            line["outside"], line["id"] = True, ""
        first = code.co_firstlineno
        return line | {
            "file": shown,
            "line": first,
            "name_line": _name_line(file, first, code.co_name),
            "name": code.co_name,
        }

    def _held(self, item: pytest.Item) -> str:
        """`file::Class::name` of the module or class below the root that holds the item's function; empty for none."""
        name = str(getattr(item, "originalname", None) or getattr(getattr(item, "obj", None), "__name__", ""))
        for owner in inspect.getmro(getattr(item, "cls", None) or object):
            place = getattr(sys.modules.get(owner.__module__), "__file__", None)
            if name in vars(owner) and place and Path(place).resolve().is_relative_to(self._root):
                file = Path(place).resolve().relative_to(self._root).as_posix()
                return "::".join((file, *owner.__qualname__.split("."), name))
        module = getattr(item, "module", None)
        alone = getattr(item, "cls", None) is None and name in vars(module or object)
        return f"{item.path.relative_to(self._root).as_posix()}::{name}" if alone else ""


def _name_line(file: Path, first: int, name: str) -> int:
    """The line of the `def` behind the decorators; the first line where there is none, as for a lambda."""
    definition = re.compile(rf"\s*(?:async\s+)?def\s+{re.escape(name)}\b")
    lines = linecache.getlines(str(file))[first - 1 : first + 5000]
    return next((first + offset for offset, text in enumerate(lines) if definition.match(text)), first)


def _code(function: object) -> CodeType | None:
    """The code of the function that somebody wrote, behind whatever decorators put around it."""
    for _ in range(50):
        inner = getattr(getattr(function, "hypothesis", None), "inner_test", None)
        if isinstance(function, functools.partial | functools.partialmethod):
            inner = function.func
        inner = inner or getattr(function, "__wrapped__", None) or getattr(function, "__func__", None)
        if inner is None:
            break
        function = inner
    function = inspect.unwrap(function) if callable(function) else function
    code = getattr(function, "__code__", None)
    return code if isinstance(code, CodeType) else None
