"""go build, go vet and go test, as text and with `-json`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pactkeeper.health.parsers.seen import (
    GAP,
    Found,
    Frame,
    Hint,
    Raw,
    ReadableOutput,
    clean,
    count,
    dedented,
    go_frames,
    json_value,
)

_PLACE: Final = re.compile(r"(?:vet: |# )?(\S.*?\.go):(\d+)(?::(\d+))?: (.*)$")
_RESULT: Final = re.compile(r"(\s*)--- (FAIL|PASS|SKIP): (.+?) \([\d.]+s\)$")
_RUN: Final = re.compile(r"=== (?:RUN|CONT|NAME|PAUSE) +(\S.*)$")
_PACKAGE: Final = re.compile(r"(FAIL|ok  |---|\?   )\t(\S+)\t")
_LOG: Final = re.compile(r"\s+(\S+\.go):(\d+): (.*)$")
_PANIC: Final = re.compile(r"(panic|fatal error): (.*?)(?: \[recovered\])?$")
_UNBUILT: Final = ("[build failed]", "[setup failed]")
_ENDING: Final = re.compile(r"FAIL\b|exit status \d+$|ok  \t")
PLACE_BEFORE: Final = re.compile(r"(?m)^[^\S\n]*+([^\s:]++)(?<=\.go):(\d++): ")
_STOPPED: Final = "too many errors"  # the compiler's last line, which is not an error itself
_NO_TESTS: Final = ("[no tests to run]", "[no test files]")


@dataclass(slots=True)
class _Package:
    """What one package printed, in its tests and outside them, and the results of its tests."""

    said: list[str] = field(default_factory=list)
    failed: bool = False
    outputs: dict[str, list[str]] = field(default_factory=dict)
    results: dict[str, str] = field(default_factory=dict)
    panic: list[str] = field(default_factory=list)


def read(view: ReadableOutput) -> Found:
    """Return compile and vet errors, failing tests and panics; a test is named `package.Test/sub`."""
    plain, packages = _parted(view.lines)
    raws = [*_compiled(plain)]
    for name, package in packages.items():
        raws += _failing(name, package)
    results = [result for package in packages.values() for result in package.results.values()]
    ran = len(results) - results.count("SKIP")
    said = [line for line in plain if line.startswith(("ok  \t", "?   \t", "FAIL\t"))]
    tested = sum(not line.endswith(_NO_TESTS) for line in said)  # packages, each with at least one test
    none = bool(said) and not tested
    hint = Hint("not applicable", "no tests ran") if none and not raws else None
    return Found(raws, ran if results else tested if said else None, hint)


def _parted(lines: Sequence[str]) -> tuple[list[str], dict[str, _Package]]:
    """Separate the lines of no package from those of each; text output names a package after its tests."""
    plain: list[str] = []
    packages: dict[str, _Package] = {}
    waiting = _Text()
    for line in lines:
        event = _event(line) if line.startswith("{") else None
        if event is not None:
            _take_event(event, packages.setdefault(str(event.get("Package", "")), _Package()), plain)
            continue
        hit = _PACKAGE.match(line)
        if hit:
            waiting.package.failed = hit[1] == "FAIL" and not line.endswith(_UNBUILT)
            packages[hit[2]] = waiting.package
            waiting = _Text()
        if hit:
            plain.append(line)
        elif not waiting.take(line):
            plain.append(line)
            waiting.package.said.append(line)
    if waiting.package.results or waiting.package.panic:
        packages[""] = waiting.package
    return plain, packages


def _event(line: str) -> dict[str, Any] | None:
    event = json_value(line)
    return event if isinstance(event, dict) and "Action" in event else None


def _take_event(event: dict[str, Any], package: _Package, plain: list[str]) -> None:
    test, action = str(event.get("Test", "")), str(event["Action"])
    output = clean(str(event.get("Output", ""))).rstrip("\n")
    if action in {"output", "build-output"}:
        if package.panic or _PANIC.match(output):
            package.panic.append(output)
            package.results.setdefault(test, "FAIL")
        elif test:
            package.outputs.setdefault(test, []).append(output)
        else:
            plain.append(output)
            package.said.append(output)
    elif action == "fail" and not test:
        package.failed = not any(line.endswith(_UNBUILT) for line in package.said)
    elif test and action in {"pass", "fail", "skip"}:
        package.results[test] = str(action).upper()


class _Text:
    """Reads the human-readable output of `go test` line by line until a line names the package."""

    def __init__(self) -> None:
        self.package = _Package()
        self._test = ""

    def take(self, line: str) -> bool:
        """Take a line and return whether it belongs to a test."""
        result = _RESULT.match(line) if "--- " in line else None
        run = _RUN.match(line) if line.startswith("=== ") else None
        if GAP in line:
            self._test = ""
        elif result:
            self._test = result[3]
            self.package.results[self._test] = result[2]
        elif run:
            self._test = run[1]
        elif self.package.panic or _PANIC.match(line):
            self.package.panic.append(line)
        elif self._test and line.startswith(" "):
            self.package.outputs.setdefault(self._test, []).append(line)
        else:
            return False
        return True


def _compiled(lines: Sequence[str]) -> Iterator[Raw]:
    raw: Raw | None = None
    for line in lines:
        hit = _PLACE.match(line) if ".go:" in line and not line.startswith(("\t", "    ")) else None
        if hit:
            if raw is not None:
                yield raw
            raw = (
                None
                if hit[4] == _STOPPED
                else Raw(hit[4], file=hit[1], line=count(hit[2]), column=count(hit[3] or ""), compiled=True)
            )
        elif raw is not None and line.startswith("\t"):
            raw.message = f"{raw.message}\n{line.rstrip()}"
        elif raw is not None:
            yield raw
            raw = None
    if raw is not None:
        yield raw


def _failing(name: str, package: _Package) -> Iterator[Raw]:
    """Yield the tests that failed, except those that only failed because of a subtest."""
    failed = [test for test, result in package.results.items() if result == "FAIL" and test]
    panicked = _panicked(package, failed)
    for test in failed:
        if any(other.startswith(f"{test}/") for other in failed):
            continue
        if package.panic and test == panicked:
            continue
        yield _test(name, test, package.outputs.get(test, []))
    if package.panic:
        yield _panic(name, panicked, package.panic)
    elif package.failed and not failed:
        yield from _outside(package)


def _outside(package: _Package) -> Iterator[Raw]:
    """Yield what a package printed when it failed outside its tests, as in TestMain, unless it has located errors."""
    said = [line for line in package.said if line.strip() and not _ENDING.match(line)]
    if said and not any(_PLACE.match(line) for line in said):
        yield Raw("\n".join(said))


def _panicked(package: _Package, failed: Sequence[str]) -> str:
    """Return the test that panicked: the one whose function is on the stack, else the last to fail."""
    stack = "\n".join(package.panic)
    return next((test for test in failed if f".{test.partition('/')[0]}(" in stack), failed[-1] if failed else "")


def _id(package: str, test: str) -> str:
    return f"{package}.{test}" if package else test


def _test(package: str, test: str, lines: Sequence[str]) -> Raw:
    """Return a failed test with its log, located at the last log line."""
    hits = [hit for line in lines if (hit := _LOG.match(line))]
    last = hits[-1] if hits else None
    folder = f"{package}/" if package else ""
    message = dedented([line for line in lines if not _RESULT.match(line) and not _RUN.match(line)])
    raw = Raw(PLACE_BEFORE.sub("", message) or "it failed", test=_id(package, test))
    if last:
        raw.file, raw.line = f"{folder}{last[1]}", count(last[2])
    return raw


def _panic(package: str, test: str, lines: Sequence[str]) -> Raw:
    hit = _PANIC.match(lines[0])
    frames: list[Frame] = go_frames(lines)
    text = f"{hit[1]}: {hit[2]}" if hit else lines[0]
    return Raw(text, rule="panic", test=_id(package, test) if test else "", frames=frames)
