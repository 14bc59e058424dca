"""`os._exit` in Python's tests: it ends the run, unless it stands in a forked child or a helper that no run reaches."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.intent.strength.change import Change
from pactkeeper.repo.test_side import is_test_side

ENDS: Final = "it ends the run, whatever the tests said"
_EXIT: Final = re.compile(r"\bos\._exit\(")
_RUNS_TEXT: Final = re.compile(r"(?<![\w.])(?:exec|eval)\(")
_RUN_BY_NAME: Final = re.compile(r"(?:pytest_|test|set_?up|tear_?down|async(?:setup|teardown)|load_tests|__)\w*+",
                                 re.IGNORECASE)  # fmt: skip
_SHOWN: Final = 160
_MODULE: Final = ""


def exit_changes(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    """The first exit more than before over all changed files of tests: an error where the run itself may reach it."""
    before, after = ([(path, *one) for path, text in sorted(side.items()) if path.endswith(".py") and is_test_side(path)
                      for one in _exits(text)] for side in (old, new))  # fmt: skip
    known = [line for *_, line in before]
    for ends in (True, False):
        one, two = ([found for found in side if found[2] or not ends] for side in (before, after))
        if len(two) > len(one):
            fresh = [found for found in two if found[3] not in known] or two
            path, number, _, line = fresh[0]
            yield Change("switched_off", path, ENDS if ends else "it ends a process of the tests", "", line[:_SHOWN],
                         number, "error" if ends else "warning", path)  # fmt: skip
            return


def _exits(text: str) -> list[tuple[int, bool, str]]:
    """The line of every call, whether the run may reach it, and what stands there; unread code may reach all."""
    if _EXIT.search(text) is None:
        return []
    lines = text.splitlines()
    try:
        found = _read(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        found = [(text.count("\n", 0, hit.start()) + 1, True) for hit in _EXIT.finditer(text)]
    return [(at, ends, lines[at - 1].strip()) for at, ends in found]


def _read(text: str) -> list[tuple[int, bool]]:
    """The line of every call and whether the run may reach it; raises what `ast.parse` raises."""
    if _RUNS_TEXT.search(text) is not None:
        raise ValueError("text in it may be run")
    tree = ast.parse(text)
    walk = _Walk(_forks(tree))
    walk.read(tree.body, _MODULE, forked=False)
    reached = walk.reached()
    return [(at, owner in reached and not forked) for at, owner, forked in walk.exits]


def _forks(tree: ast.Module) -> frozenset[str]:
    """The names that hold what a fork gave."""
    assigned = (one for one in ast.walk(tree) if isinstance(one, ast.Assign | ast.NamedExpr) and _is_fork(one.value))
    targets = (target for one in assigned for target in (one.targets if isinstance(one, ast.Assign) else [one.target]))
    return frozenset(name.id for target in targets for name in _first_names(target))


def _first_names(target: ast.expr) -> Iterable[ast.Name]:
    first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else target  # pid, fd = pty.fork()
    return (first,) if isinstance(first, ast.Name) else ()


def _is_fork(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and "fork" in _name(value.func).lower()


def _name(one: ast.expr) -> str:
    return one.id if isinstance(one, ast.Name) else one.attr if isinstance(one, ast.Attribute) else ""


@dataclass(slots=True)
class _Walk:
    """The exits of a file as line, function and whether in a forked child; and what each function calls."""

    forks: frozenset[str]
    exits: list[tuple[int, str, bool]] = field(default_factory=list)
    calls: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    roots: set[str] = field(default_factory=lambda: {_MODULE})

    def read(self, nodes: Iterable[ast.AST], owner: str, *, forked: bool) -> None:
        """Read what one function runs; functions inside of it are functions of their own."""
        waiting = [(node, owner, forked) for node in nodes]
        while waiting:
            node, owner, forked = waiting.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                waiting += [(one, owner, forked) for one in (*node.decorator_list, node.args)]
                self._enter(node)
                waiting += [(one, node.name, forked) for one in node.body]
            elif isinstance(node, ast.If):
                child = self._child_branch(node.test)
                waiting += [(node.test, owner, forked)]
                waiting += [(one, owner, forked or child == "body") for one in node.body]
                waiting += [(one, owner, forked or child == "orelse") for one in node.orelse]
            else:
                self._note(node, owner, forked=forked)
                waiting += [(one, owner, forked) for one in ast.iter_child_nodes(node)]

    def _enter(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        if node.decorator_list or _RUN_BY_NAME.fullmatch(node.name):
            self.roots.add(node.name)

    def _child_branch(self, test: ast.expr) -> str:
        """The branch of an `if` that only a forked child takes."""
        match test:
            case ast.BoolOp(op=ast.And(), values=values):
                return "body" if any(self._child_branch(one) == "body" for one in values) else ""
            case ast.UnaryOp(op=ast.Not(), operand=one):
                return "body" if self._child_branch(one) == "orelse" else ""
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=0)]):
                return "body" if self._gave(left) else ""
            case ast.Compare(left=left, ops=[ast.NotEq() | ast.Gt()], comparators=[ast.Constant(value=0)]):
                return "orelse" if self._gave(left) else ""
        return "orelse" if self._gave(test) else ""

    def _gave(self, one: ast.expr) -> bool:
        return _is_fork(one) or any(name.id in self.forks for name in _first_names(one))

    def _note(self, node: ast.AST, owner: str, *, forked: bool) -> None:
        if isinstance(node, ast.Name | ast.Attribute) and owner == _MODULE and not forked:
            self.calls[owner].add(_name(node))  # what a module hands on may be run at any time
        if not isinstance(node, ast.Call):
            return
        if _name(node.func) == "_exit" and isinstance(node.func, ast.Attribute) and _name(node.func.value) == "os":
            self.exits.append((node.lineno, owner, forked))
        elif not forked:
            registered = node.args if _name(node.func) in {"register", "addfinalizer", "callback"} else ()
            self.calls[owner] |= {_name(one) for one in (node.func, *registered)}

    def reached(self) -> set[str]:
        """The functions that a run of the tests may come to in its own process."""
        found: set[str] = set()
        waiting = list(self.roots)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.calls.get(name, ())
        return found
