"""AVA's own report, `bun test` and `deno test`; with `--tap`, AVA prints the Test Anything Protocol."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from pactkeeper.health.parsers.scripts import rule_of, script_failure
from pactkeeper.health.parsers.seen import Found, Frame, Places, Raw, ReadableOutput, blocks, count, dedented

_TITLED: Final = re.compile(r" *(✘|✖|✔) (?:\[\w+\]: )?(.*?)(?: \([\d.]+m?s\))?$")
_PLACE: Final = re.compile(r"  (\S.*?\.[cm]?[jt]sx?):(\d+)$")
_SHOWN: Final = re.compile(r" *\d+: ")
_LINK: Final = re.compile(r" *› (?:.* \()?(?:file://)?/?(\S+?):(\d+):(\d+)\)?$")
_RULER: Final = "  ─"
_NONE: Final = "Couldn’t find any files to test"


def read_ava(view: ReadableOutput) -> Found:
    """Return every failing test; its file is taken from the code excerpt in the report, or from the stack."""
    if "TAP version" in view.text:
        return read(view)
    first = next((at for at, line in enumerate(view.lines) if line == _RULER), len(view.lines))
    results = [hit for line in view.lines[:first] if (hit := _TITLED.match(line))]
    failed = [hit[2] for hit in results if hit[1] != "✔"]
    raws = list(_ava_failures(view.lines[first + 1 :], failed))
    if not results:
        return Found(raws, 0 if _NONE in view.text else None)
    return Found(raws, len(results), failed=len(failed))


def _ava_failures(lines: Sequence[str], failed: Sequence[str]) -> Iterator[Raw]:
    """Yield a failure per block that begins with a failed test's title; a result line may add the reason to it."""
    titles = [line.strip() for line in lines]
    starts = [at for at, title in enumerate(titles) if title and any(one.startswith(title) for one in failed)]
    for at, end in pairwise([*starts, len(lines)]):
        yield _ava_failure(titles[at], [line for line in lines[at + 1 : end] if line != _RULER])


def _ava_failure(title: str, lines: Sequence[str]) -> Raw:
    place = next((hit for line in lines if (hit := _PLACE.match(line))), None)
    link = next((hit for line in lines if (hit := _LINK.match(line))), None)
    said = [line for line in lines if not (_PLACE.match(line) or _SHOWN.match(line) or _LINK.match(line))]
    raw = script_failure(dedented(said).split("\n"), place[1] if place else "")
    if link:
        raw.frames = [Frame(link[1], count(link[2]), count(link[3]))]
    raw.test = title
    return raw


JOIN: Final = " > "
_FILE: Final = re.compile(r"(\S.*\.[cm]?[jt]sx?):$")
_RESULT: Final = re.compile(r"\((pass|fail|skip|todo)\) (.*?)(?: \[[\d.]+m?s\])?$")
_CODE: Final = re.compile(r" *\d+ \| | *\^$")
_COUNTS: Final = re.compile(r" *(\d+) (pass|fail|error)s?$")
_RAN: Final = re.compile(r"Ran \d+ tests? across ")
_LOADING: Final = re.compile(r"# Unhandled error|error: ")


def read_bun(view: ReadableOutput) -> Found:
    """Return every failing test; its error precedes its name. A file that fails to load has no test."""
    raws: list[Raw] = []
    file, body = "", list[str]()
    for line in view.lines:
        start, result = _FILE.match(line), _RESULT.match(line)
        if result:
            if result[1] == "fail":
                raws.append(_bun_failure(body, file, result[2], view))
            body = []
        elif start or _COUNTS.match(line):
            raws += _loading(body, file)
            file, body = (start[1] if start else ""), []
        elif not _CODE.match(line):
            body.append(line)
    counts = Counter[str]()
    for hit in filter(None, map(_COUNTS.match, view.lines)):
        counts[hit[2]] += count(hit[1])
    if not any(map(_RAN.match, view.lines)):
        return Found(raws)
    return Found(raws, counts["pass"] + counts["fail"], failed=counts["fail"] + counts["error"])


def _bun_failure(body: list[str], file: str, name: str, view: ReadableOutput) -> Raw:
    raw = script_failure([line.removeprefix("error: ") for line in body if line.strip()], file)
    raw.test = JOIN.join([view.places.file(file), name])
    return raw


def _loading(body: list[str], file: str) -> list[Raw]:
    begin = next((at for at, line in enumerate(body) if file and _LOADING.match(line)), None)
    if begin is None:
        return []
    return [script_failure([line.removeprefix("error: ") for line in body[begin:] if line.strip("-# ")], file)]


_TITLE: Final = re.compile(r"(\S.*) => (\S+?):(\d+):(\d+)$")
_SUMS: Final = re.compile(r"(?:ok|FAILED) \| (\d+) passed.*? \| (\d+) failed")
_STEP: Final = re.compile(r" \.\.\. ")
_UNCAUGHT: Final = re.compile(r"^(\S+) \(uncaught error\)$")
_ENDS: Final = (" FAILURES ", "FAILED |")


def read_deno(view: ReadableOutput) -> Found:
    """Return every failing test and step with its file, and modules that fail to load."""
    begin = next((at for at, line in enumerate(view.lines) if line.strip() == "ERRORS"), len(view.lines))
    end = next((at for at in range(begin, len(view.lines)) if view.lines[at].startswith(_ENDS)), len(view.lines))
    raws = list(_deno_failures(view.lines[begin + 1 : end], view))
    hits = [hit for line in view.lines if (hit := _SUMS.match(line))]
    tests = sum(count(hit[1]) + count(hit[2]) for hit in hits) if hits else None
    none = "error: No test modules found" in view.text
    return Found(raws, 0 if none else tests, failed=sum(count(hit[2]) for hit in hits) if hits else None)


def _deno_failures(lines: Sequence[str], view: ReadableOutput) -> Iterator[Raw]:
    for head, lines_below in blocks(lines, lambda line: _TITLE.match(line) or _UNCAUGHT.match(line)):
        body = [line.removeprefix("error: ") for line in lines_below]
        if head.re is _UNCAUGHT:
            yield script_failure(body, head[1])
        else:
            raw = script_failure(body, head[2])
            raw.frames = raw.frames or [Frame(head[2], count(head[3]), count(head[4]))]
            raw.test = JOIN.join([view.places.file(head[2]), *_STEP.split(head[1])])
            yield raw


_TAP_RESULT: Final = re.compile(r"( *)(not )?ok\b(?: \d+)?(?: -)?(?: (.*))?$")
_SUBTEST: Final = re.compile(r" *# Subtest: (.*)$")
_DIRECTIVE: Final = re.compile(r"(?:^| )# ?(?:SKIP|TODO|time=)", re.IGNORECASE)
_SKIPPED: Final = re.compile(r"(?:^| )# ?SKIP", re.IGNORECASE)
_TOTALS: Final = re.compile(r"(?:#|ℹ) (tests|pass|fail|cancelled) +(\d+)$")
_KEY: Final = re.compile(r"([\w-]+):(?: (.*))?$")
_TAP_PLACE: Final = re.compile(r"(?:.*\()?(?:file://)?(\S.*?):(\d+):(\d+)\)?$")
_FAILING: Final = "✖ failing tests:"
_AT: Final = re.compile(r"test at (\S.*?):(\d+):(\d+)$")
_LEAF: Final = re.compile(r"( *)([✖▶✔﹣]) (.*?)(?: \([\d.]+m?s\))?(?: # (?:SKIP|TODO).*)?$")
_ERROR: Final = re.compile(r"\w*Error\b")
_NODE_WORDS: Final = frozenset({"subtestsFailed"})  # a suite failed because a test in it did
_CANCELLED: Final = "cancelledByParent"  # the enclosing suite says why
_CANCELLED_WORDS: Final = "'test did not finish before its parent and was cancelled'"  # the same in Node's own report


@dataclass(slots=True)
class _Result:
    """One result line: its names from the outermost suite inwards, and the lines around it."""

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
        leaves = [one for one in results if not one.children and not _SKIPPED.search(one.said)]
        empty = sum(1 for one in leaves if not one.failed and view.places.own(one.names[-1]))
        tests = _ran(totals, len(leaves)) - empty
        failed = totals.get("fail", 0) + totals.get("cancelled", 0) if "fail" in totals else len(raws)
    else:
        raws = _told_why(list(_spec(view.lines, view.places)))
        empty = sum(1 for name in _passed(view.lines) if view.places.own(name))
        tests, failed = _ran(totals, -1) - empty, totals.get("fail", 0) + totals.get("cancelled", 0)
    if tests < 0 and "pass" not in totals:
        return Found(raws)
    return Found(raws, max(tests, 0), failed=failed)


def _ran(totals: Mapping[str, int], otherwise: int) -> int:
    """Count the tests that ran by a runner's own totals, if it prints any."""
    return sum(totals.get(name, 0) for name in ("pass", "fail", "cancelled")) if "pass" in totals else otherwise


def _results(lines: Sequence[str]) -> Iterator[_Result]:
    """Yield every result in order; a suite's results are deeper than its own and precede it."""
    suites: dict[int, str] = {}
    before: list[str] = []
    deepest = -1  # depth of the previous result; if greater, that was a child
    at = 0
    while at < len(lines):
        line = lines[at]
        subtest = _SUBTEST.match(line)
        hit = _TAP_RESULT.match(line)
        if subtest:
            suites[_depth(line)] = subtest[1]
        elif hit:
            depth, children = len(hit[1]), deepest > len(hit[1])
            outer = tuple(suites[one] for one in sorted(suites) if one < depth)
            own = suites.get(depth, "" if outer else _name(hit[3] or ""))  # otherwise an assertion inside a test
            at, keys = _keys(lines, at + 1)
            failed = bool(hit[2]) and not _DIRECTIVE.search(hit[3] or "")
            yield _Result(failed, (*outer, own), tuple(before), children, keys, hit[3] or "")
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
    place = next((hit for hit in map(_TAP_PLACE.match, _places(one.keys)) if hit and places.own(hit[1])), None)
    names = [name for name in one.names if name]
    file = place[1] if place else ""
    if names and places.own(names[0]):
        file = file or names[0]
        names = names[1:]
    if not names:
        return script_failure(_thrown(one.before) or [f"{places.file(file)} failed"], file)
    stack = [line.strip().removeprefix("at ") for line in one.keys.get("stack", "").split("\n") if line.strip()]
    raw = script_failure([*_message(one).split("\n"), *(f"at {line}" for line in stack)], file)
    raw.rule = one.keys.get("name") or one.keys.get("type") or rule_of(raw.message)
    if not raw.frames and place:
        raw.frames = [Frame(place[1], count(place[2]), count(place[3]))]
    raw.test = JOIN.join([*([places.file(file)] if file else []), *names])
    return raw


def _message(one: _Result) -> str:
    said = one.keys.get("error") or one.keys.get("message") or _difference(one)
    code = one.keys.get("code", "")
    is_of_system = code and not code.startswith("ERR_")  # such as ECONNREFUSED
    return f"{said} ({code})" if is_of_system and code not in said else said


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
            yield script_failure(_load_failure(lines[:begin]) or body, place[1])
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


def _load_failure(lines: Sequence[str]) -> list[str]:
    """Return what precedes the first result: why a file failed to load."""
    first = next((at for at, line in enumerate(lines) if _LEAF.match(line)), 0)
    return _thrown(lines[:first])


def _thrown(lines: Sequence[str]) -> list[str]:
    """Return what Node printed about an error that ended a process, from the line with its class on."""
    begin = next((at for at, line in enumerate(lines) if _ERROR.match(line)), 0)
    return list(lines[begin:])
