"""The Test Anything Protocol as printed by Node.js, node-tap, tape and AVA, and Node's own `spec` report."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from pactkeeper.health.parsers.places import Places
from pactkeeper.health.parsers.scripts import rule_of, script_failure
from pactkeeper.health.parsers.seen import Found, Frame, Raw, ReadableOutput, count, dedented

JOIN: Final = " > "
_RESULT: Final = re.compile(r"( *)(not )?ok\b(?: \d+)?(?: -)?(?: (.*))?$")
_SUBTEST: Final = re.compile(r" *# Subtest: (.*)$")
_DIRECTIVE: Final = re.compile(r"(?:^| )# ?(?:SKIP|TODO|time=)", re.IGNORECASE)
_TOTALS: Final = re.compile(r"(?:#|ℹ) (tests|pass|fail|cancelled) +(\d+)$")
_KEY: Final = re.compile(r"([\w-]+):(?: (.*))?$")
_PLACE: Final = re.compile(r"(?:.*\()?(?:file://)?(\S.*?):(\d+):(\d+)\)?$")
_FAILING: Final = "✖ failing tests:"
_AT: Final = re.compile(r"test at (\S.*?):(\d+):(\d+)$")
_LEAF: Final = re.compile(r"( *)([✖▶✔﹣]) (.*?)(?: \([\d.]+m?s\))?(?: # (?:SKIP|TODO).*)?$")
_ERROR: Final = re.compile(r"\w*Error\b")
_NODE_WORDS: Final = frozenset({"subtestsFailed"})  # a suite failed because a test in it did
_CANCELLED: Final = "cancelledByParent"  # the enclosing suite says why
_CANCELLED_WORDS: Final = "'test did not finish before its parent and was cancelled'"  # the same in Node's own report


@dataclass(slots=True)
class _Result:
    """One result line: its depth, its names from the outermost suite inwards, and the lines around it."""

    depth: int
    failed: bool
    names: tuple[str, ...]
    before: Sequence[str]
    children: bool
    keys: Mapping[str, str] = field(default_factory=dict)
    said: str = ""


def read(view: ReadableOutput) -> Found:
    """Return every failing test with its suites, and files that fail as a whole; suites are left to their tests."""
    totals = {hit[1]: count(hit[2]) for line in view.lines if (hit := _TOTALS.match(line))}
    results = _explained(list(_results(view.lines)))
    if results or "TAP version" in view.text:
        raws = [_raw(one, view.places) for one in results if one.failed and not _is_suite(one)]
        leaves = [one for one in results if not one.children]
        empty = sum(1 for one in leaves if not one.failed and view.places.own(one.names[-1]))
        tests = totals.get("tests", len(leaves)) - empty
        failed = totals.get("fail", 0) + totals.get("cancelled", 0) if "fail" in totals else len(raws)
    else:
        raws = _told_why(list(_spec(view.lines, view.places)))
        empty = sum(1 for name in _passed(view.lines) if view.places.own(name))
        tests, failed = totals.get("tests", -1) - empty, totals.get("fail", 0) + totals.get("cancelled", 0)
    if tests < 0 and "tests" not in totals:
        return Found(raws)
    return Found(raws, max(tests, 0), failed=failed)


def _results(lines: Sequence[str]) -> Iterator[_Result]:
    """Yield every result in order; a suite's results are deeper than its own and precede it."""
    suites: dict[int, str] = {}
    before: list[str] = []
    deepest = -1  # depth of the previous result; if greater, that was a child
    at = 0
    while at < len(lines):
        line = lines[at]
        subtest = _SUBTEST.match(line)
        hit = _RESULT.match(line)
        if subtest:
            suites[_depth(line)] = subtest[1]
        elif hit:
            depth, children = len(hit[1]), deepest > len(hit[1])
            outer = tuple(suites[one] for one in sorted(suites) if one < depth)
            own = suites.get(depth, "" if outer else _name(hit[3] or ""))  # otherwise an assertion inside a test
            at, keys = _keys(lines, at + 1)
            failed = bool(hit[2]) and not _DIRECTIVE.search(hit[3] or "")
            yield _Result(depth, failed, (*outer, own), tuple(before), children, keys, hit[3] or "")
            suites = {one: name for one, name in suites.items() if one < depth}
            deepest, before = depth, []
            continue
        elif line.startswith("# "):
            before.append(line[2:].replace("\\#", "#"))
        at += 1


def _explained(results: list[_Result]) -> list[_Result]:
    """Return the results, copying the reason a suite ended to every test that was cancelled for it."""
    reasons: dict[tuple[str, ...], Mapping[str, str]] = {}
    for one in reversed(results):
        if one.failed and one.keys.get("failureType") == _CANCELLED:
            why = reasons.get(one.names[:-1], {})
            one.keys = {**one.keys, **{key: why[key] for key in ("error", "code", "name", "stack") if key in why}}
        if one.failed and one.children and one.keys.get("failureType") not in _NODE_WORDS:
            reasons[one.names] = one.keys
    return results


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _name(text: str) -> str:
    return _DIRECTIVE.split(text, maxsplit=1)[0].removesuffix(" {").strip().replace("\\#", "#")


def _is_suite(one: _Result) -> bool:
    return one.children or one.keys.get("failureType") in _NODE_WORDS


def _keys(lines: Sequence[str], at: int) -> tuple[int, dict[str, str]]:
    """Parse the block between `---` and `...` after a result into texts by key, and return where it ends."""
    if at >= len(lines) or lines[at].strip() != "---":
        return at, {}
    margin = _depth(lines[at])
    inside = _depth(lines[at + 1]) if at + 1 < len(lines) else margin
    end = next((one for one in range(at, len(lines)) if lines[one] == " " * margin + "..."), len(lines) - 1)
    found: dict[str, list[str]] = {}
    known: list[str] = []
    for line in lines[at + 1 : end]:
        hit = _KEY.match(line[inside:])
        if hit:
            known = found.setdefault(hit[1], [])
            known.append("" if (hit[2] or "") in {"|-", "|", ">-", ">"} else (hit[2] or "").strip("'\""))
        else:
            known.append(line)
    return end + 1, {key: dedented(value) for key, value in found.items()}


def _raw(one: _Result, places: Places) -> Raw:
    place = next((hit for hit in map(_PLACE.match, _places(one.keys)) if hit and places.own(hit[1])), None)
    names = [name for name in one.names if name]
    file = place[1] if place else ""
    if names and places.own(names[0]):
        file = file or names[0]
        names = names[1:]
    if not names:
        return script_failure(_thrown(one.before) or [f"{places.file(file)} failed"], file)
    said = one.keys.get("error") or one.keys.get("message") or _difference(one)
    code = one.keys.get("code", "")
    if code and not code.startswith("ERR_") and code not in said:  # a system error such as ECONNREFUSED
        said = f"{said} ({code})"
    stack = [f"at {line.strip().removeprefix('at ')}" for line in one.keys.get("stack", "").split("\n") if line.strip()]
    raw = script_failure([*said.split("\n"), *stack], file)
    raw.rule = one.keys.get("name") or one.keys.get("type") or rule_of(raw.message)
    if not raw.frames and place:
        raw.frames = [Frame(place[1], count(place[2]), count(place[3]))]
    raw.test = JOIN.join([*([places.file(file)] if file else []), *names])
    return raw


def _difference(one: _Result) -> str:
    said = one.keys.get("diff") or one.keys.get("details") or ""
    return "\n".join(part for part in (_name(one.said), said) if part) or "it failed"


def _places(keys: Mapping[str, str]) -> list[str]:
    return [line.strip() for name in ("location", "stack", "at") for line in keys.get(name, "").split("\n")]


def _passed(lines: Sequence[str]) -> Iterator[str]:
    return (hit[3] for line in lines if line.startswith("✔") and (hit := _LEAF.match(line)))


def _spec(lines: Sequence[str], places: Places) -> Iterator[Raw]:
    """Yield the failures that Node's `spec` report repeats at its end, each below the place of its test."""
    begin = next((at for at, line in enumerate(lines) if line.strip() == _FAILING), len(lines))
    chains = _chains(lines[:begin])
    rest = lines[begin:]
    starts = [at for at, line in enumerate(rest) if _AT.match(line)]
    for at, end in pairwise([*starts, len(rest)]):
        place = _AT.match(rest[at])
        title = rest[at + 1] if at + 1 < end else ""
        leaf = _LEAF.match(title)
        if place is None or leaf is None:
            continue
        names = chains.get(title.strip(), [leaf[3]])
        body = dedented(list(rest[at + 2 : end])).split("\n")
        if places.own(names[-1]):
            yield script_failure(_loading(lines[:begin]) or body, place[1])
            continue
        body[0] = re.sub(r"^(\w+) \[Error\]: ", r"\1: ", body[0])
        raw = script_failure(body, place[1])
        raw.frames = raw.frames or [Frame(place[1], count(place[2]), count(place[3]))]
        raw.test = JOIN.join([places.file(place[1]), *names])
        yield raw


def _told_why(raws: list[Raw]) -> list[Raw]:
    """Give cancelled tests the error that ended their suite."""
    suites = {raw.test: raw for raw in raws}
    for raw in raws:
        suite = suites.get(raw.test.rpartition(JOIN)[0])
        if raw.message == _CANCELLED_WORDS and suite is not None:
            raw.message, raw.rule = suite.message, suite.rule
    return raws


def _chains(lines: Sequence[str]) -> dict[str, list[str]]:
    """Map the stripped line of each failing test to its names from the outermost suite inwards."""
    suites: dict[int, str] = {}
    found: dict[str, list[str]] = {}
    for line in lines:
        hit = _LEAF.match(line)
        if hit is None:
            continue
        depth = len(hit[1])
        suites = {one: name for one, name in suites.items() if one < depth}
        if hit[2] == "▶":
            suites[depth] = hit[3]
        elif hit[2] == "✖":
            found.setdefault(line.strip(), [*suites.values(), hit[3]])
    return found


def _loading(lines: Sequence[str]) -> list[str]:
    """Return what precedes the first result: why a file failed to load."""
    first = next((at for at, line in enumerate(lines) if _LEAF.match(line)), 0)
    return _thrown(lines[:first])


def _thrown(lines: Sequence[str]) -> list[str]:
    """Return what Node printed about an error that ended a process, from the line with its class on."""
    begin = next((at for at, line in enumerate(lines) if _ERROR.match(line)), 0)
    return list(lines[begin:])
