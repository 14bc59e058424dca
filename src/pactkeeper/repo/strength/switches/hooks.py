"""Hooks by which tests take hold of the runner: what new or changed ones may do to the outcome of a run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Final

from pactkeeper.intent.strength.change import Change, Severity
from pactkeeper.repo.test_side import is_test_side

_HOOK: Final = re.compile(
    r"^(?:async[ \t]++)?def (pytest_(?:collection_modifyitems|ignore_collect|collect_file|pycollect_makeitem|"
    r"runtest_makereport|runtest_protocol|runtest_setup|runtest_call|pyfunc_call|sessionfinish|collection_finish|"
    r"assertrepr_compare|generate_tests)|load_tests)\b",
    re.MULTILINE,
)
_ACTS: Final = re.compile(
    r"items\[:\]|items\.(?:remove|clear|pop)|del items|pytest_deselected|\bskip\b|\bxfail\b|exitstatus|"
    r"\boutcome\s*+=\s*+(?!=|\(?yield)|\[.outcome.\]\s*+=|setattr\(\s*+\w++ .outcome.|"
    r"\.excinfo\s*+=|force_result|return (?:True\b|None\b|\[\])|\bexcept\b|wasxfail|testsfailed"
)
_HARMLESS: Final = frozenset({"pytest_runtest_setup", "pytest_generate_tests", "pytest_assertrepr_compare",
                              "pytest_collect_file", "pytest_pycollect_makeitem", "pytest_runtest_call"})  # fmt: skip
_SHOWN: Final = 160
_DEEP: Final = 10_000
_LEAVING_OUT: Final = frozenset({"load_tests", "pytest_ignore_collect"})
_MAKES_REPORT: Final = "pytest_runtest_makereport"
_PARTS: Final = frozenset({"passed", "failed", "skipped", "outcome", "when", "longrepr", "duration", "nodeid"})
_ASKS: Final = frozenset({"getattr", "hasattr", "isinstance", "str"})


def hook_changes(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    """Hooks of the runner that are new or read differently, wherever they stood before."""
    earlier = [(text, *hook) for path, text in old.items() if path.endswith(".py") for hook in _hooks_of(text)]
    known = {(name, body) for _, name, body, _ in earlier}
    names = {name for text, name, _, line in earlier if not _only_stores(text, name, line)}
    for path, text in new.items():
        for name, body, line in _hooks_of(text) if path.endswith(".py") else ():
            acts = name in _LEAVING_OUT or _ACTS.search(body) is not None
            if (name, body) in known or (name in _HARMLESS and re.search(r"\bskip\b|\bxfail\b", body) is None):
                continue
            if _only_stores(text, name, line):
                continue
            if not (is_test_side(path) or (acts and name not in names)):
                continue  # a product that is a plugin itself
            message = "a hook of the test runner changed" if name in names else "a new hook of the test runner"
            severity: Severity = "error" if acts and name not in names and is_test_side(path) else "warning"
            shown = text.splitlines()[line - 1].strip()[:_SHOWN]
            yield Change("switched_off", f"{path} {name}", message, "", shown, line, severity, path)


def _hooks_of(text: str) -> Iterator[tuple[str, str, int]]:
    """Every hook of a module: its name, its code without comments and line breaks, its line."""
    if _HOOK.search(text) is None:
        return
    lines = text.splitlines()
    for at, line in enumerate(lines):
        match = _HOOK.match(line)
        if match is not None:
            inner = (below for below, after in enumerate(lines[at + 1 :], at + 1) if _indent(after) <= _indent(line))
            code = " ".join(_uncommented(part) for part in lines[at : next(inner, len(lines))])
            yield match[1], " ".join(code.replace("'", '"').replace(",", " ").split()), at + 1


def _indent(line: str) -> int:
    """How far a line is indented; blank lines, comments and what closes a bracket belong to whatever is open."""
    bare = line.lstrip()
    return _DEEP if not bare or bare[0] in "#)" else len(line) - len(bare)


def _uncommented(line: str) -> str:
    return "" if line.lstrip().startswith("#") else line.partition("  #")[0]


def _only_stores(text: str, name: str, line: int) -> bool:
    """Whether the hook that is defined on a line only keeps the report that the runner made, or parts of it."""
    if name != _MAKES_REPORT:
        return False
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    hook = next((node for node in tree.body if isinstance(node, ast.FunctionDef) and node.lineno == line), None)
    given: set[str] = set()
    return hook is not None and all(_stores(one, given) for one in hook.body)


def _stores(one: ast.stmt, given: set[str]) -> bool:
    """Whether a statement leaves the report as it is; `given` are the names of what the runner gave, so far."""
    match one:
        case ast.Pass() | ast.Expr(value=ast.Constant() | ast.Yield(value=None)):
            return True
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
        ):
            return _names(name, value, given)
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="item"))], value=value):
            return _is_report(value, given)
        case ast.Assign(targets=[ast.Subscript(value=kept, slice=key)], value=value):
            return _is_kept(kept) and _only_reads(key) and _is_report(value, given)
        case ast.Expr(value=ast.Call(ast.Name(id="setattr"), [ast.Name(id="item"), name, value], [])):
            return _only_reads(name) and _is_report(value, given)
        case ast.If(test=test, body=body, orelse=orelse):
            return _only_reads(test) and all(_stores(inner, given) for inner in (*body, *orelse))
        case ast.Return(value=ast.Name(id=name)):
            return name in given
    return False


def _names(name: str, value: ast.expr, given: set[str]) -> bool:
    """Whether a new name stands for what the runner gave: `yield`, or `outcome.get_result()`."""
    match value:
        case ast.Yield(value=None):
            from_runner = True
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="get_result"), args=[], keywords=[]):
            from_runner = owner in given
        case _:
            from_runner = False
    fresh = from_runner and name not in given | {"item", "call"}
    given.add(name)
    return fresh


def _is_report(value: ast.expr, given: set[str]) -> bool:
    if isinstance(value, ast.Attribute) and value.attr in _PARTS:
        value = value.value
    return isinstance(value, ast.Name) and value.id in given


def _is_kept(one: ast.expr) -> bool:
    """Whether it is a mapping of the item: `item.stash.setdefault(key, {})`."""
    if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr == "setdefault":
        return _is_kept(one.func.value) and all(map(_only_reads, one.args))
    return isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == "item"


def _only_reads(one: ast.expr) -> bool:
    """Whether an expression changes nothing: it calls nothing but what asks for a type or an attribute."""
    parts = list(ast.walk(one))
    calls = (part.func for part in parts if isinstance(part, ast.Call))
    changes = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await, ast.Lambda)
    asked = all(isinstance(call, ast.Name) and call.id in _ASKS for call in calls)
    return asked and not any(isinstance(part, changes) for part in parts)
