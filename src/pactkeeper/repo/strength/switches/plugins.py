"""Code that decides about a run of Python tests itself: hooks of pytest and unittest, and what ends the run.

That is `os._exit`, called or handed on, and a clean `sys.exit` in a hook.

`os._exit` in a forked child, or in a helper that no run reaches, ends no run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.intent.strength.change import Change, Severity
from pactkeeper.repo.languages.python.syntax import in_text
from pactkeeper.repo.test_side import is_test_side

ENDS: Final = "it ends the run, whatever the tests said"
_EXIT: Final = re.compile(r"\bos\._exit\(")
_NAMED: Final = re.compile(r"\b_exit\b|\bsys\.exit\b|\bSystemExit\b")
_WORDS: Final = ("_exit", "sys.exit", "SystemExit")  # without one of them, there is no need to search
_RUN_BY_NAME: Final = re.compile(r"(?:pytest_|test|set_?up|tear_?down|async(?:setup|teardown)|load_tests|__)\w*+",
                                 re.IGNORECASE)  # fmt: skip
_HANDING: Final = frozenset(
    {"register", "addfinalizer", "callback", "finalize", "partial"}
)  # they run their arguments later
_FUNCTION: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_SHOWN: Final = 160


def exit_changes(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    """Report the first exit beyond the earlier count in changed test files: an error if the run itself may reach it."""
    before, after = ([(path, *one) for path, text in sorted(side.items()) if path.endswith(".py") and is_test_side(path)
                      for one in _exits(text)] for side in (old, new))  # fmt: skip
    known = [line for *_, line in before]
    for ends in (True, False):
        one, two = ([found for found in side if found[2] or not ends] for side in (before, after))
        if len(two) > len(one):
            path, number, _, line = next((found for found in two if found[3] not in known), two[0])
            yield Change("switched_off", path, ENDS if ends else "it ends a process of the tests", "", line[:_SHOWN],
                         number, "error" if ends else "warning", path)  # fmt: skip
            return


def _exits(text: str) -> list[tuple[int, bool, str]]:
    """Return each call's line number, whether the run may reach it, and its text; unparsable code may reach all."""
    if not any(word in text for word in _WORDS) or _NAMED.search(text) is None:
        return []
    lines = text.splitlines()
    try:
        tree = ast.parse(text)
        calls = [one for one in ast.walk(tree) if isinstance(one, ast.Call)]
        reached, clean, bare = set(_reached(tree)), set(_clean_exits(tree)), set(_bare_names(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        calls, reached, clean, bare = None, set(), set(), set()
    found = [(one.lineno, one in reached) for one in calls or () if _is_exit(one, bare)]
    found += [(one.lineno, True) for one in clean]
    if calls is None or any(isinstance(one.func, ast.Name) and one.func.id in {"exec", "eval"} for one in calls):
        found = [(text.count("\n", 0, hit.start()) + 1, True) for hit in _EXIT.finditer(text)]
    return [(at, ends, lines[at - 1].strip()) for at, ends in sorted(found)]


def _is_exit(call: ast.Call, bare: set[str]) -> bool:
    """Whether it calls `os._exit`, perhaps imported under a bare name, or hands it to something that will."""
    for one in (call.func, *(call.args if _name(call.func) in _HANDING else ())):
        if isinstance(one, ast.Attribute) and one.attr == "_exit" and _name(one.value) == "os":
            return True
        if isinstance(one, ast.Name) and one.id in bare:
            return True
    return False


def _bare_names(tree: ast.Module) -> Iterator[str]:
    """Yield the names under which a file imports `os._exit` itself."""
    sources = (one for one in ast.walk(tree) if isinstance(one, ast.ImportFrom) and one.module == "os")
    yield from (each.asname or each.name for one in sources for each in one.names if each.name == "_exit")


def _clean_exits(tree: ast.Module) -> Iterator[ast.Call | ast.Raise]:
    """Yield what ends the process without an error in a hook of pytest: `sys.exit()`, `raise SystemExit(0)`."""
    hooks = (one for one in ast.walk(tree) if isinstance(one, _FUNCTION) and one.name.startswith("pytest_"))
    for one in (part for hook in hooks for part in ast.walk(hook)):
        if isinstance(one, ast.Raise) and one.exc is not None and _name(one.exc) == "SystemExit":
            yield one
        if isinstance(one, ast.Call) and (_name(one.func) == "SystemExit" or ast.unparse(one.func) == "sys.exit"):
            given = one.args[0] if one.args else ast.Constant(None)
            if isinstance(given, ast.Constant) and not given.value:
                yield one


def _name(one: ast.AST) -> str:
    return one.id if isinstance(one, ast.Name) else one.attr if isinstance(one, ast.Attribute) else ""


def _reached(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield everything that a test run may reach in its own process."""
    functions = [one for one in ast.walk(tree) if isinstance(one, _FUNCTION)]
    assigned = [one for one in ast.walk(tree) if isinstance(one, ast.Assign | ast.NamedExpr) and _is_fork(one.value)]
    forks = {name for one in assigned for name in map(_first, getattr(one, "targets", [getattr(one, "target", None)]))}
    waiting = [tree, *(one for one in functions if one.decorator_list or _RUN_BY_NAME.fullmatch(one.name))]
    entered: set[ast.AST] = set()
    while waiting:
        owner = waiting.pop()
        parts = [] if owner in entered else list(_parts(owner, forks))
        entered.add(owner)
        yield from parts
        names = {name for part in parts for name in _runs(part, handed_on=owner is tree)}
        waiting += [one for one in functions if one.name in names]


def _parts(owner: ast.AST, forks: set[str]) -> Iterator[ast.AST]:
    """Yield the nodes of a function or module, without nested functions and what only a forked child executes."""
    waiting: list[ast.AST] = list(getattr(owner, "body", ()))
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, _FUNCTION):
            waiting += [*node.decorator_list, node.args]
        elif isinstance(node, ast.If):
            child = _child_branch(node.test, forks)
            waiting += [node.test, *(node.body if child != "body" else ()), *(node.orelse if child != "orelse" else ())]
        else:
            waiting += ast.iter_child_nodes(node)


def _runs(node: ast.AST, *, handed_on: bool) -> Iterator[str]:
    """Yield the names that a node calls; anything a module passes on may run at any time."""
    if handed_on:
        yield _name(node)
    if isinstance(node, ast.Call):
        yield from map(_name, (node.func, *(node.args if _name(node.func) in _HANDING else ())))


def _child_branch(test: ast.expr, forks: set[str]) -> str:
    """Return which branch of an `if` only a forked child takes; "" for neither."""
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            return "body" if any(_child_branch(one, forks) == "body" for one in values) else ""
        case ast.UnaryOp(op=ast.Not(), operand=one):
            return "body" if _child_branch(one, forks) == "orelse" else ""
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=0)]):
            return "body" if _gave(left, forks) else ""
        case ast.Compare(left=left, ops=[ast.NotEq() | ast.Gt()], comparators=[ast.Constant(value=0)]):
            return "orelse" if _gave(left, forks) else ""
    return "orelse" if _gave(test, forks) else ""


def _gave(one: ast.expr, forks: set[str]) -> bool:
    """Whether an expression is a fork's return value."""
    return _is_fork(one) or _first(one) in forks - {""}


def _first(one: ast.AST | None) -> str:
    """Return the name that receives the first part of an assignment: `pid, fd = pty.fork()`."""
    first = one.elts[0] if isinstance(one, ast.Tuple) and one.elts else one
    return first.id if isinstance(first, ast.Name) else ""


def _is_fork(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and "fork" in _name(value.func).lower()


_HOOK: Final = re.compile(
    r"^(?:async[ \t]++)?def (pytest_(?:collection_modifyitems|ignore_collect|collect_file|pycollect_makeitem|"
    r"itemcollected|runtest_makereport|runtest_protocol|runtest_setup|runtest_call|pyfunc_call|sessionfinish|collection_finish|"
    r"assertrepr_compare|generate_tests)|load_tests)\b",
    re.MULTILINE,
)
_HOOKS: Final = ("def pytest_", "def load_tests")  # without one of them, there is no need to search
_ACTS: Final = re.compile(
    r"items\[:\]|items\.(?:remove|clear|pop)|del items|pytest_deselected|\bskip\b|\bxfail\b|exitstatus|"
    r"\boutcome\s*+=\s*+(?!=|\(?yield)|\[.outcome.\]\s*+=|setattr\(\s*+\w++ .outcome.|"
    r"\.excinfo\s*+=|force_result|return (?:True\b|None\b|\[\])|\bexcept\b|wasxfail|testsfailed"
)
_HARMLESS: Final = frozenset({"pytest_runtest_setup", "pytest_generate_tests", "pytest_assertrepr_compare",
                              "pytest_collect_file", "pytest_pycollect_makeitem", "pytest_runtest_call",
                              "pytest_itemcollected"})  # fmt: skip
_LETS_OFF: Final = re.compile(r"\bskip\b|\bxfail\b|\bdef pytest_runtest_call\b.*\bexcept\b")
_DEEP: Final = 10_000
_LEAVING_OUT: Final = frozenset({"load_tests", "pytest_ignore_collect"})
_PER_FILE: Final = "pytest_generate_tests"  # in a file of tests, pytest calls it for these only
_OF_TESTS: Final = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py\Z")
_MAKES_REPORT: Final = "pytest_runtest_makereport"
_PARTS: Final = frozenset({"passed", "failed", "skipped", "outcome", "when", "longrepr", "duration", "nodeid"})
_ASKS: Final = frozenset({"getattr", "hasattr", "isinstance", "str"})


def hook_changes(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    """Yield runner hooks that are new or whose code changed, wherever they were before."""
    earlier = [(text, *hook) for path, text in old.items() if path.endswith(".py") for hook in _hooks_of(text)]
    known = {(name, body) for _, name, body, _ in earlier}
    names = {
        name for text, name, _, line in earlier if not (_only_stores(text, name, line) or _marks(text, name, line))
    }
    moved_none = old.keys() <= new.keys()
    for path, text in new.items():
        for name, body, line in _hooks_of(text) if path.endswith(".py") else ():
            acts = name in _LEAVING_OUT or _ACTS.search(body) is not None
            if (name, body) in known or (name in _HARMLESS and _LETS_OFF.search(body) is None):
                continue
            if _only_stores(text, name, line) or (name == _PER_FILE and moved_none and _is_new_test_file(path, old)):
                continue
            if not (is_test_side(path) or (acts and name not in names)) or in_text(text, line - 1, 0):
                continue  # a product that is itself a plugin, or a text
            marks = _marks(text, name, line)
            message = "a hook of the test runner changed" if name in names else "a new hook of the test runner"
            message = "a hook skips tests under a condition" if marks else message
            severity: Severity = (
                "error" if acts and name not in names and is_test_side(path) and not marks else "warning"
            )
            shown = text.splitlines()[line - 1].strip()[:_SHOWN]
            yield Change("switched_off", f"{path} {name}", message, "", shown, line, severity, path)


def _is_new_test_file(path: str, old: Mapping[str, str]) -> bool:
    """Whether it is a file of tests, not of hooks for others, and all of its tests are new."""
    return path not in old and _OF_TESTS.search(path) is not None


def _marks(text: str, name: str, line: int) -> bool:
    """Whether the hook defined on a line only adds marks, under a condition that isn't about the tests."""
    hook = _function_on(text, line) if name == _MARKING else None
    return hook is not None and _Reading().block(hook.body, under=False) is not None


def _function_on(text: str, line: int) -> ast.FunctionDef | None:
    """Return the function that a module defines on a line; None also if it doesn't parse."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return next((node for node in tree.body if isinstance(node, ast.FunctionDef) and node.lineno == line), None)


def _hooks_of(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield every hook of a module: its name, its code without comments and line breaks, and its line."""
    if not any(word in text for word in _HOOKS) or _HOOK.search(text) is None:
        return
    lines = text.splitlines()
    for at, line in enumerate(lines):
        match = _HOOK.match(line)
        if match is not None:
            inner = (below for below, after in enumerate(lines[at + 1 :], at + 1) if _indent(after) <= _indent(line))
            code = " ".join(_uncommented(part) for part in lines[at : next(inner, len(lines))])
            yield match[1], " ".join(code.replace("'", '"').replace(",", " ").split()), at + 1


def _indent(line: str) -> int:
    """Return a line's indentation; blank lines, comments and closing brackets belong to whatever is open."""
    bare = line.lstrip()
    return _DEEP if not bare or bare[0] in "#)" else len(line) - len(bare)


def _uncommented(line: str) -> str:
    return "" if line.lstrip().startswith("#") else line.partition("  #")[0]


def _only_stores(text: str, name: str, line: int) -> bool:
    """Whether the hook defined on a line only stores the runner's report, or parts of it."""
    hook = _function_on(text, line) if name == _MAKES_REPORT else None
    given: set[str] = set()
    return hook is not None and all(_stores(one, given) for one in hook.body)


def _stores(one: ast.stmt, given: set[str]) -> bool:
    """Whether a statement leaves the report unchanged; `given` are the names bound so far to what the runner passed."""
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
    """Whether a new name is bound to what the runner passed: `yield`, or `outcome.get_result()`."""
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
    """Whether this is a mapping on the item: `item.stash.setdefault(key, {})`."""
    if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr == "setdefault":
        return _is_kept(one.func.value) and all(map(_only_reads, one.args))
    return isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == "item"


def _only_reads(one: ast.expr) -> bool:
    """Whether an expression changes nothing: it only calls functions that query a type or an attribute."""
    parts = list(ast.walk(one))
    calls = (part.func for part in parts if isinstance(part, ast.Call))
    asked = all(isinstance(call, ast.Name) and call.id in _ASKS for call in calls)
    return asked and not any(isinstance(part, _CHANGES) for part in parts)


_MARKING: Final = "pytest_collection_modifyitems"
_ASKED_OF_ITEMS: Final = frozenset(
    {"get_closest_marker", "iter_markers", "startswith", "endswith", "any", "all", "isinstance", "hasattr", "getattr"}
)
_CHANGES: Final = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await, ast.Lambda)


@dataclass(slots=True)
class _Reading:
    """The names of marks and of single tests that a hook has defined so far."""

    marks: set[str] = field(default_factory=set)
    each: set[str] = field(default_factory=set)

    def block(self, body: Sequence[ast.stmt], *, under: bool) -> bool | None:
        """Whether the following statements are under a condition; None if a statement does more than mark."""
        for one in body:
            after = self._statement(one, under=under)
            if after is None:
                return None
            under = after
        return under

    def _statement(self, one: ast.stmt, *, under: bool) -> bool | None:
        match one:
            case ast.Pass() | ast.Continue() | ast.Return(value=None) | ast.Expr(value=ast.Constant()):
                return under
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if self._is_mark(value):
                self.marks.add(name)
                return under
            case ast.For(target=ast.Name(id=name), iter=ast.Name(id="items"), body=body, orelse=[]):
                self.each.add(name)
                return None if self.block(body, under=under) is None else under
            case ast.If(test=test, body=body, orelse=orelse) if self._asks(test):
                inside = under or self._of_surroundings(test)
                parts = [self.block(part, under=inside) for part in (body, orelse)]
                return None if None in parts else under or (inside and isinstance(body[-1], ast.Return | ast.Continue))
            case ast.Expr(value=ast.Call(ast.Attribute(ast.Name(id=item), "add_marker"), [mark], [])):
                return under if under and item in self.each and self._is_mark(mark) else None
        return None

    def _is_mark(self, value: ast.expr) -> bool:
        """Whether this is `pytest.mark.skip(reason="…")` or a name for it; `xfail` does more than skip."""
        if isinstance(value, ast.Name):
            return value.id in self.marks
        called = value.func if isinstance(value, ast.Call) else value
        given = [*value.args, *(one.value for one in value.keywords)] if isinstance(value, ast.Call) else []
        match called:
            case ast.Attribute(ast.Attribute(ast.Name(id="pytest"), "mark"), name):
                return name != "xfail" and not any(isinstance(part, ast.Call) for part in _pieces(given))
        return False

    def _asks(self, test: ast.expr) -> bool:
        """Whether a condition leaves the tests unchanged."""
        parts = _pieces([test])
        names = {part.id for part in parts if isinstance(part, ast.Name)}
        calls = [part.func for part in parts if isinstance(part, ast.Call)]
        known = all(getattr(call, "attr", getattr(call, "id", "")) in _ASKED_OF_ITEMS for call in calls)
        mild = known or not names & {*self.each, "items", "session"}
        return mild and not any(isinstance(part, _CHANGES) for part in parts)

    def _of_surroundings(self, test: ast.expr) -> bool:
        """Whether a condition depends on where the tests run: it uses names, but no test."""
        names = {part.id for part in _pieces([test]) if isinstance(part, ast.Name)}
        return bool(names) and not names & {*self.each, "items", "session"}


def _pieces(nodes: Iterable[ast.AST]) -> list[ast.AST]:
    return [part for node in nodes for part in ast.walk(node)]
