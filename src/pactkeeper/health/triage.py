"""Identifies failures not caused by the commit: flaky tests, and an environment in which nothing works."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any, Final

from pactkeeper.health.absence import JUDGED, NO_RESULT, UNPREPARED, telling
from pactkeeper.health.causes import is_missing, misses_foreign, missing_package, own_names
from pactkeeper.health.changes import Changed, run_of, words_of
from pactkeeper.health.parsers.surroundings import surroundings
from pactkeeper.health.tree import is_lock
from pactkeeper.intent.health import UNREAD, CheckResult, Diagnostic, HealthFinding
from pactkeeper.ledger.documents import read_toml

# Where a message names the unreachable endpoint: an address with its port, a host, a quoted name.
_ENDPOINT: Final = re.compile(
    r"['\"`]([\w.:/@-]{2,200})['\"`]|\b([\w.-]{1,200}:\d{2,5})\b|\b((?:[\w-]{1,63}\.){1,8}[A-Za-z]\w{1,62})\b|"
    r"\b(?:port|lookup|ENOTFOUND|EAI_AGAIN|host) (\S{2,200})|', (\d{2,5})\)|:::(\d{2,5})\b"
)
_HERE: Final = frozenset({"127", "localhost"})
_TAIL: Final = 20  # lines
_MOST_LINES: Final = 200  # searched for an endpoint that could not be reached
_UNSTARTED: Final = 126


@dataclass(frozen=True, slots=True)
class Scene:
    """What is known about the swept commit besides its results.

    `paths` are its files, `declared` the packages its manifests name (None without a manifest), `submodules` the paths
    of submodules not checked out, and `changes` the differences from the last green commit. `green_at` is when this
    same commit was green, empty if never. `searched` is a submodule on the project's module search path, empty if none,
    and `passed` names the checks that passed at the last green commit.
    """

    paths: frozenset[str] = frozenset()
    declared: frozenset[str] | None = None
    submodules: tuple[str, ...] = ()
    changes: Mapping[str, Changed] = field(default_factory=dict)
    green_at: str = ""
    searched: str = ""
    passed: frozenset[str] = frozenset()


def blamed(results: Iterable[CheckResult], scene: Scene, flaky: frozenset[str] = frozenset()) -> dict[str, str]:
    """Return the environmental reason for each failure, by fingerprint; the others are caused by the commit."""
    own = own_names(scene.paths)
    found = {}
    for one in _errors(results):
        reason = _reason(one, scene, own)
        if not reason and scene.green_at and one.fingerprint not in flaky:
            reason = f"the same commit was green at {scene.green_at}"
        if reason:
            found[one.fingerprint] = reason
    return found


def fault(results: Sequence[CheckResult], blame: Mapping[str, str]) -> str:
    """Return what is wrong with the environment as a whole; empty if nothing is.

    Either most checks could not run, or every failure is environmental.
    """
    asked = [one for one in results if one.category not in {"conflict", "lint"} and one.verdict != "not applicable"]
    unable = [one for one in asked if one.verdict == "could not run"]
    if len(unable) * 2 > len(asked):
        reasons = Counter(one.reason or "no reason given" for one in unable)
        reason, _ = reasons.most_common(1)[0]
        return f"{len(unable)} of {len(asked)} checks could not run: {reason}"
    failed = [one for one in asked if one.verdict in {"fail", "timed out"}]
    errors = list(_errors(failed))
    silent = [one for one in failed if one.verdict == "timed out" or not any(_errors([one]))]
    if not errors or silent or any(one.fingerprint not in blame for one in errors):
        return ""
    reason, count = Counter(blame[one.fingerprint] for one in errors).most_common(1)[0]
    return f"{reason}; {count} {'failure' if count == 1 else 'failures'}"


def _errors(results: Iterable[CheckResult]) -> Iterable[Diagnostic]:
    return (
        one
        for result in results
        if result.verdict == "fail" and result.category not in {"conflict", "lint"}
        for one in result.diagnostics
        if one.severity == "error"
    )


def _reason(one: Diagnostic, scene: Scene, own: frozenset[str]) -> str:
    submodule = next((path for path in scene.submodules if _speaks_of(one, path)), "")
    if submodule:
        return _unfetched(submodule)
    if misses_foreign(one, own):
        brought = any(missing_package(one) in each.new for each in run_of(scene.changes).values())
        elsewhere = scene.searched and not brought
        return _uninstalled(one, scene, own) or (_unfetched(scene.searched) if elsewhere else "")
    hint = None if is_missing(one) else surroundings(_thrown(one))
    return "" if hint is None or _is_source(one, scene.changes) else hint.reason


def _uninstalled(one: Diagnostic, scene: Scene, own: frozenset[str]) -> str:
    """Return a sentence about the declared package that a failure misses; empty for any other failure."""
    package = missing_package(one) if misses_foreign(one, own) else ""
    known = scene.declared is not None and package and is_declared(package, scene.declared)
    return f"the package {package!r} is declared but not installed" if known else ""


def _unfetched(submodule: str) -> str:
    return f"the submodule {submodule!r} is not checked out; prepare it: git submodule update --init"


def _thrown(one: Diagnostic) -> str:
    """Return the program's own words; for an assertion only its message, since the compared values may be anything.

    pytest prints that message before the expression.
    """
    if one.rule != "AssertionError":
        return one.message
    said, compared, _ = one.message.partition("\nassert ")
    return said if compared and said.startswith("AssertionError: ") else ""


def _speaks_of(one: Diagnostic, path: str) -> bool:
    """Whether a failure refers to a submodule: its path, or a module named like its folder."""
    told = (one.message, one.symbol, one.file, *one.related)
    name = path.rpartition("/")[2]
    return any(path in each for each in told) or name in re.split(r"[./:]+", one.symbol)


def _is_source(one: Diagnostic, changes: Mapping[str, Changed]) -> bool:
    """Whether a change since the last green commit introduced the endpoint that could not be reached.

    If the message names no endpoint: whether it introduced a port, a numeric argument in a file on the way to the
    error, or new code in the very statement that raised it.
    """
    run = run_of(changes)
    sources = _sources(one.message, run)
    if sources is not None:
        return bool(sources)
    on_the_way = [run[path] for path in (one.file, *one.related) if path in run]
    raised = one.line in run.get(one.file, Changed()).lines
    return raised or any(each.ports for each in run.values()) or any(each.passed for each in on_the_way)


def _sources(message: str, run: Mapping[str, Changed]) -> list[str] | None:
    """Return the files whose change introduced an endpoint that the message names; None if it names none."""
    ends = [part for hit in _ENDPOINT.finditer(message) for part in hit.groups() if part]
    places = [(end, words_of(end) - _HERE) for end in ends if words_of(end) - _HERE]
    return [path for path, one in run.items() if any(_brings(one, *each) for each in places)] if places else None


def _brings(one: Changed, end: str, words: frozenset[str]) -> bool:
    """Whether a change introduced an endpoint: any part of a host name suffices, a path needs all of its parts."""
    return words <= one.told if end[0] in "/.~" else not words.isdisjoint(one.told)


def owned(results: Sequence[CheckResult], scene: Scene) -> tuple[CheckResult, ...]:
    """Attribute to the commit what it did to its own checks.

    A check that could not run fails if a change introduced what is missing or unreachable, or changed the manifests
    from which it could not be prepared. One that passed at the last green commit and now reports no result becomes
    "could not tell", with an error. One whose failures are all about declared packages that aren't installed becomes
    "could not run".
    """
    own = own_names(scene.paths)
    return tuple(_unequipped(_owned(_silenced(one, scene.passed), scene.changes), scene, own) for one in results)


def _unequipped(result: CheckResult, scene: Scene, own: frozenset[str]) -> CheckResult:
    reasons = [_uninstalled(one, scene, own) for one in _errors([result])]
    return (
        replace(result, verdict="could not run", reason=reasons[0], diagnostics=())
        if all(reasons) and reasons
        else result
    )


def _silenced(result: CheckResult, passed: Collection[str]) -> CheckResult:
    ran = result.verdict == "could not tell" or (result.verdict == "not applicable" and result.code is not None)
    if not ran or result.check not in passed:
        return result
    message = f"{result.reason}, but this check passed at the last green commit"
    wrong = Diagnostic(result.check, result.category, "error", message, NO_RESULT)
    return replace(result, verdict="could not tell", diagnostics=(wrong,))


def _owned(result: CheckResult, changes: Mapping[str, Changed]) -> CheckResult:
    lines = [line for line in result.output.text.splitlines() if line.strip()]
    told = frozenset(words_of(" ".join(re.findall(r"'([^']+)'", result.reason))))
    if result.verdict != "could not run":
        return result
    run = run_of(changes)
    away = "\n".join(line for line in lines[-_MOST_LINES:] if surroundings(line))
    brought = [path for path, one in run.items() if told & one.new] or _sources(away, run) or []
    unprepared = [] if brought else _unprepared(result, changes)
    if not (brought or unprepared):
        return result
    shown = telling(result.output.text, _TAIL) if unprepared else lines[-_TAIL:]
    first, *others = brought or unprepared
    message = "\n".join([result.reason, *shown])
    told_of = Diagnostic(result.check, result.category, "error", message, UNREAD, file=first, related=tuple(others))
    return replace(result, verdict="fail", reason="", diagnostics=(told_of,))


def _unprepared(result: CheckResult, changes: Mapping[str, Changed]) -> list[str]:
    """Return the changed manifests and lock files if the preparation failed over them rather than over the system.

    Exit codes from 126 on mean that a shell could not start a program, or a signal.
    """
    ran = result.reason.startswith(UNPREPARED) and 0 < (result.code or 0) < _UNSTARTED
    return [] if not ran or surroundings(result.output.text) else [path for path in changes if is_lock(path)]


def suspicious(
    results: Iterable[CheckResult], known: Mapping[str, HealthFinding], *, most: int
) -> dict[str, tuple[str, ...]]:
    """Return the failing tests worth rerunning, by check: new or previously flaky ones, at most `most`."""
    found: dict[str, list[str]] = {}
    left = most
    for result in results:
        for one in result.diagnostics if result.verdict == "fail" and result.category == "test" else ():
            again = _is_undecided(known.get(one.fingerprint)) and one.test and one.severity == "error"
            if again and left and one.test not in found.get(result.check, []):
                found.setdefault(result.check, []).append(one.test)
                left -= 1
    return {check: tuple(tests) for check, tests in found.items()}


def _is_undecided(finding: HealthFinding | None) -> bool:
    return finding is None or finding.flaky or finding.state == "resolved"


def flaky(
    first: Iterable[CheckResult], again: Iterable[CheckResult], asked: Mapping[str, Sequence[str]]
) -> frozenset[str]:
    """Return the fingerprints of failures that did not recur in a rerun of their tests at the same commit."""
    second = {result.check: result for result in again if _ran(result)}
    return frozenset(
        one.fingerprint
        for result in first
        if result.check in second
        for one in result.diagnostics
        if one.test in asked.get(result.check, ())
        and not any(other.test == one.test for other in second[result.check].diagnostics if other.severity == "error")
    )


def _ran(result: CheckResult) -> bool:
    """Whether a run got as far as its tests: nothing failed outside them."""
    outside = any(one.severity == "error" and not one.test for one in result.diagnostics)
    silent = result.verdict == "fail" and not result.diagnostics
    return result.verdict in JUDGED and not outside and not silent and not result.output.omitted


_MOST_FILES: Final = 50
_REQUIREMENT: Final = re.compile(r"\s*([A-Za-z0-9][\w.-]*)")
_QUOTED: Final = re.compile(r"['\"]([A-Za-z0-9][\w.-]*)[^'\"\n]{0,80}['\"]")
_NODE_TABLES: Final = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
# Packages whose import name differs from their distribution name and follows no rule below.
_CALLED: Final[Mapping[str, str]] = {
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "crypto": "pycryptodome",
    "cv2": "opencv-python",
    "docx": "python-docx",
    "git": "gitpython",
    "mysqldb": "mysqlclient",
    "pil": "pillow",
    "psycopg2": "psycopg2-binary",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}


def declared(paths: Iterable[str], read: Callable[[str], bytes | None]) -> frozenset[str] | None:
    """Return the names of all packages in the commit's manifests, or None if it has no supported manifest."""
    manifests = [path for path in paths if _reader(path) is not None][:_MOST_FILES]
    if not manifests:
        return None
    return frozenset(
        _normal(name) for path in manifests for name in _names(path, (read(path) or b"").decode(errors="replace"))
    )


def is_declared(module: str, names: frozenset[str]) -> bool:
    """Whether a declared package provides this module."""
    name = _normal(module)
    return not names.isdisjoint({name, f"python-{name}", f"py{name}", f"{name}-python", _CALLED.get(name, name)})


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _reader(path: str) -> Callable[[str], Iterator[str]] | None:
    name = PurePosixPath(path).name
    if name.startswith("requirements") and name.endswith((".txt", ".in")):
        return _requirements
    return {"pyproject.toml": _pyproject, "Pipfile": _pipfile, "package.json": _package, **_BY_QUOTES}.get(name)


def _names(path: str, text: str) -> Iterator[str]:
    reader = _reader(path)
    try:
        yield from reader(text) if reader else ()
    except (ValueError, AttributeError, TypeError, RecursionError):  # the tools report a broken manifest
        return


def _requirements(text: str) -> Iterator[str]:
    return (hit[1] for line in text.splitlines() if (hit := _REQUIREMENT.match(line)))


def _pyproject(text: str) -> Iterator[str]:
    found: dict[str, Any] = read_toml(text)
    project = found.get("project", {})
    groups = [*project.get("optional-dependencies", {}).values(), *found.get("dependency-groups", {}).values()]
    lists = [project.get("dependencies", []), *groups]
    yield from (hit[1] for each in lists for one in each if isinstance(one, str) and (hit := _REQUIREMENT.match(one)))
    poetry = found.get("tool", {}).get("poetry", {})
    tables = [poetry, *poetry.get("group", {}).values()]
    for each in tables:
        yield from (*each.get("dependencies", {}), *each.get("dev-dependencies", {}))


def _pipfile(text: str) -> Iterator[str]:
    found: dict[str, Any] = read_toml(text)
    yield from (*found.get("packages", {}), *found.get("dev-packages", {}))


def _package(text: str) -> Iterator[str]:
    found: dict[str, Any] = json.loads(text)
    return (name for table in _NODE_TABLES for name in found.get(table, {}))


def _quoted(text: str) -> Iterator[str]:
    return (hit[1] for hit in _QUOTED.finditer(text))


_BY_QUOTES: Final[Mapping[str, Callable[[str], Iterator[str]]]] = {"setup.py": _quoted, "setup.cfg": _requirements}
