"""Reconcile, apply everything, run the project's own tests, undo: the table in `roundtrip.md`.

    python bench/roundtrip.py CHECKOUT [--carrier auto comment …] [--tests "COMMAND … {report}"] [--pk PROGRAM]

CHECKOUT is a clean clone in which COMMAND works; COMMAND runs the project's tests and writes a JUnit XML report to
`{report}`. The pact is committed on a detached HEAD, and CHECKOUT is restored at the end. Downloads nothing.

What must hold:

- outside `pact/` every changed line is an added comment line with `@atom` and nothing else;
- each test keeps its id and its body hash, and is linked to exactly the atoms that the patch gave it; a comment is
  directly above the first line of its test;
- a second `pk reconcile --all` proposes nothing; `pk check` has no new finding and counts every linked test;
- the project's runner collects the same tests with the same results;
- after `pk undo` every file is byte-identical, git finds no changes, and the same patch is proposed again.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

COMMENT_LINE = re.compile(r"\s*(#|//) @atom [A-Z]+-[0-9A-Z-]+(, [A-Z]+-[0-9A-Z-]+)*\s*")
BLOCK_OF_COMMENTS = re.compile(r"\s*(#|//|/?\*)")


@dataclass
class Trip:
    """One project with one carrier: the figures of its row, and the broken promises."""

    checkout: Path
    pk: str
    carrier: str
    tests: str | None
    figures: dict[str, object] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def hold(self, promise: str, problems: Sequence[str]) -> None:
        """Record each way in which a promise is broken."""
        self.broken += [f"{promise}: {problem}" for problem in problems]

    def git(self, *arguments: str) -> str:
        """Run git and return its output."""
        return run(["git", "-c", "core.quotePath=false", "-C", str(self.checkout), *arguments])

    def ask(self, *arguments: str) -> Any:  # noqa: ANN401 - its shape depends on the command
        """Run pk and return the JSON document it prints."""
        command = [self.pk, "-C", str(self.checkout), *arguments, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in {0, 1}:
            raise SystemExit(f"{shlex.join(command)} ended with {done.returncode}\n{done.stderr}")
        return json.loads(done.stdout)

    def tell(self, *arguments: str) -> str:
        """Run pk and return its output."""
        return run([self.pk, "-C", str(self.checkout), *arguments])


def main() -> int:
    options = arguments().parse_args()
    checkout = Path(options.checkout).resolve()
    before = outcomes(checkout, options.tests)
    verdicts = []
    for carrier in options.carrier:
        trip = Trip(checkout, options.pk, carrier=carrier, tests=options.tests)
        with scratch(trip):
            begin(trip)
            travel(trip, before)
        for problem in trip.broken[: options.show]:
            print(problem)
        verdicts.append("kept" if not trip.broken else f"{len(trip.broken)} broken")
        row(trip, options.name or checkout.name, verdicts[-1], header=options.header and len(verdicts) == 1)
    return 0 if set(verdicts) == {"kept"} else 1


def row(trip: Trip, name: str, verdict: str, *, header: bool) -> None:
    """Print the table row, with the header if wanted."""
    if header:
        print("| " + " | ".join(["project", "write", *trip.figures, "promises"]) + " |")
        print("|---|---|" + "---:|" * len(trip.figures) + "---|")
    print("| " + " | ".join(map(str, [name, trip.carrier, *trip.figures.values(), verdict])) + " |", flush=True)


def arguments() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("checkout")
    options.add_argument("--carrier", nargs="+", choices=["auto", "comment", "sidecar"], default=["auto", "comment"])
    options.add_argument("--tests", help="command that runs the tests and writes JUnit XML to {report}")
    options.add_argument("--pk", default=str(Path(sys.executable).with_name("pk")))
    options.add_argument("--name", help="what the row is called")
    options.add_argument("--header", action="store_true", help="print the head of the table as well")
    options.add_argument("--show", type=int, default=40, help="how many broken promises to print")
    return options


def run(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{shlex.join(command)} ended with {done.returncode}\n{done.stderr.decode()}")
    return done.stdout.decode("utf-8", "surrogateescape")


@contextmanager
def scratch(trip: Trip) -> Iterator[None]:
    """Detach HEAD, and afterwards restore it and remove everything written in between."""
    state = Path(trip.git("rev-parse", "--path-format=absolute", "--git-common-dir").strip()) / "pact"
    if trip.git("status", "--porcelain").strip() or (trip.checkout / "pact").exists() or state.exists():
        raise SystemExit(f"{trip.checkout} has to be a clean clone without a pact")
    home = trip.git("rev-parse", "--abbrev-ref", "HEAD").strip()
    if home == "HEAD":
        home = trip.git("rev-parse", "HEAD").strip()
    trip.git("checkout", "-q", "--detach")
    try:
        yield
    finally:
        trip.git("checkout", "-q", "--force", home)
        trip.git("clean", "-qfd", "--", "pact")
        shutil.rmtree(state, ignore_errors=True)


def begin(trip: Trip) -> None:
    """Commit a pact with the trip's link carrier."""
    trip.tell("init")
    settings = trip.checkout / "pact" / "pact.toml"
    settings.write_text(settings.read_text() + f'\n[links]\nwrite = "{trip.carrier}"\n')
    trip.git("add", "--force", "pact")
    person = ["-c", "user.name=round trip", "-c", "user.email=round@trip.invalid", "-c", "commit.gpgSign=false"]
    trip.git(*person, "commit", "-q", "--no-verify", "-m", "Start a pact")


def travel(trip: Trip, ran_before: Counter[tuple[str, str]]) -> None:
    """Take every step and check what must hold after it."""
    known, _ = findings(trip)
    before, bytes_before = trip.ask("scan"), fingerprints(trip)
    started = time.monotonic()
    patch = trip.ask("reconcile", "--all")
    seconds = time.monotonic() - started
    trip.ask("apply", "--all")
    linked = links_of(patch["ops"])
    comments = only_comments(trip)
    after = trip.ask("scan")
    same_tests(trip, before, after)
    right_links(trip, after, linked, comment=trip.carrier == "comment")
    again = trip.ask("reconcile", "--all")
    trip.hold("a second run is empty", [f"{op['verb']} {op['target']}" for op in again["ops"]])
    agreement(trip, known, len(linked))
    ran_after = outcomes(trip.checkout, trip.tests)
    trip.hold("the runner sees the same", differences(ran_before, ran_after))
    trip.tell("undo")
    trip.hold("undo is the identity", [*changed(bytes_before, fingerprints(trip)), *status(trip)])
    trip.hold("the same is proposed again", proposed_otherwise(patch, trip.ask("reconcile", "--all")))
    trip.figures |= {
        "tests": len(before["tests"]),
        "linked": len(linked),
        "need words": patch["summary"].get("needs_words", 0),
        "comment lines": comments,
        "collected and run": sum(ran_after.values()) if trip.tests else "–",
        "not passing before = after": sum(n for (_, how), n in ran_after.items() if how != "passed")
        if trip.tests
        else "–",
        "reconcile, s": f"{seconds:.1f}",
    }


def links_of(ops: Sequence[Mapping[str, Any]]) -> dict[str, set[str]]:
    """The atoms to which a patch links each test."""
    linked: dict[str, set[str]] = {}
    for op in ops:
        if op["verb"] == "attachTestToAtom":
            linked.setdefault(op["payload"]["testId"], set()).add(op["payload"]["atomId"])
    return linked


def only_comments(trip: Trip) -> int:
    """The number of comment lines added outside `pact/`, after checking that nothing else changed there."""
    lines = trip.git("diff", "--no-ext-diff", "--no-color", "--unified=0", "--", ".", ":!pact").splitlines()
    changes = [line for line in lines if line.startswith(("+", "-")) and not line.startswith(("+++ ", "--- "))]
    wrong = [line for line in changes if not (line[0] == "+" and COMMENT_LINE.fullmatch(line[1:]))]
    untracked = trip.git("ls-files", "--others", "--exclude-standard", "--", ".", ":!pact").splitlines()
    trip.hold("only comments change outside pact/", [*wrong, *(f"new file {name}" for name in untracked)])
    return len(changes)


def same_tests(trip: Trip, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """Check that ids, their order, body hashes, cases and gaps are unchanged."""
    keys = ("id", "body_hash", "cases", "dynamic", "suite", "name", "framework")
    one, two = ([tuple(map(str, map(test.get, keys))) for test in scan["tests"]] for scan in (before, after))
    lost, new = set(one) - set(two), set(two) - set(one)
    problems = [f"lost {test}" for test in sorted(lost)] + [f"new {test}" for test in sorted(new)]
    if not problems and one != two:
        problems.append("the order of tests is another")
    gaps = [Counter((gap["file"], gap["reason"]) for gap in scan["gaps"]) for scan in (before, after)]
    problems += [f"new gap {gap}" for gap in gaps[1] - gaps[0]] + [f"lost gap {gap}" for gap in gaps[0] - gaps[1]]
    trip.hold("tests keep their ids and bodies", problems)


def right_links(trip: Trip, scan: Mapping[str, Any], linked: Mapping[str, set[str]], *, comment: bool) -> None:
    """Check that each test has the links from the patch, with a comment directly above it."""
    problems = []
    sources: dict[str, Source] = {}
    for test in scan["tests"]:
        found, expected = {link["atom"] for link in test["links"]}, linked.get(test["id"], set())
        if found != expected:
            problems.append(f"{test['id']} has {sorted(found)}, not {sorted(expected)}")
        if not comment or not expected:
            continue
        if any(link["carrier"] != "comment" for link in test["links"]):
            problems.append(f"{test['id']} is not linked by a comment")
        source = sources.setdefault(test["file"], read(trip.checkout / test["file"]))
        above = source.atoms_above(test["line"]) or source.atoms_above(source.table_above(test["line"]))
        if not expected <= above:
            problems.append(f"{test['id']}: no comment right above {test['file']}:{test['line']}")
    trip.hold("links are where the patch says", problems)


@dataclass(frozen=True, slots=True)
class Source:
    """The lines of a file, and the line of the first decorator for each decorated function's line."""

    lines: tuple[str, ...]
    first: Mapping[int, int]

    def atoms_above(self, line: int) -> set[str]:
        """The atoms named in the comments directly above the declaration whose name is on `line`."""
        start = end = self.first.get(line, line) - 1
        while start and BLOCK_OF_COMMENTS.match(self.lines[start - 1]):
            start -= 1
        return set(re.findall(r"[A-Z]+-[0-9A-Z]+", "\n".join(self.lines[start:end])))

    def table_above(self, line: int) -> int:
        """The line that opens a table such as `test.each([` whose end, with the test's name, is on `line`."""
        last = self.lines[line - 1]
        if not last.lstrip().startswith(("]", "`", ")")):
            return line
        margin = last[: len(last) - len(last.lstrip())]
        for number in range(line - 1, 0, -1):
            text = self.lines[number - 1]
            if text.strip() and not text.startswith((f"{margin} ", f"{margin}\t")):
                return number if re.search(r"\.(each|for)\b", text) else line
        return line


def read(path: Path) -> Source:
    text = path.read_bytes().decode("utf-8", "replace")
    first = {}
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.decorator_list:
                first[node.lineno] = min(decorator.lineno for decorator in node.decorator_list)
    return Source(tuple(text.split("\n")), first)


def findings(trip: Trip) -> tuple[list[str], Mapping[str, int]]:
    """The findings of `pk check`, waived or not, and the number of tests in each state."""
    verdict = trip.ask("check")
    found = [f"{one['code']} {one['subject']}" for one in (*verdict["findings"], *verdict["waived"])]
    return found if verdict["agrees"] else [*found, "does not agree"], verdict["summary"]["tests"]


def agreement(trip: Trip, known: Sequence[str], linked: int) -> None:
    """Check that `pk check` agrees, has no new findings, and counts every linked test as unratified."""
    found, states = findings(trip)
    problems = [finding for finding in found if finding not in known]
    if states.get("unratified", 0) != linked:
        problems.append(f"{states} with {linked} linked tests")
    trip.hold("check agrees", problems)


def outcomes(checkout: Path, tests: str | None) -> Counter[tuple[str, str]]:
    """How often the project's runner reports each test with each result."""
    if tests is None:
        return Counter()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [word.replace("{report}", str(report)) for word in shlex.split(tests)]
        done = subprocess.run(command, cwd=checkout, capture_output=True, check=False)
        if not report.exists():
            raise SystemExit(f"{shlex.join(command)} left no report\n{done.stdout.decode()[-2000:]}")
        # the report is written by a program that the caller chose to run
        cases = list(ET.parse(report).getroot().iter("testcase"))  # noqa: S314
    return Counter((f"{case.get('classname', '')}::{case.get('name', '')}", outcome(case)) for case in cases)


def outcome(case: ET.Element) -> str:
    return next((kind for kind in ("error", "failure", "skipped") if case.find(kind) is not None), "passed")


def differences(before: Counter[tuple[str, str]], after: Counter[tuple[str, str]]) -> list[str]:
    gone, new = before - after, after - before
    lines = [f"{how} before only: {name}" for name, how in sorted(gone)]
    return lines + [f"{how} after only: {name}" for name, how in sorted(new)]


def fingerprints(trip: Trip) -> dict[str, tuple[int, str]]:
    """Mode and content of every file not ignored by git."""
    names = trip.git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    paths = {name: trip.checkout / name for name in names if name}
    return {name: (path.lstat().st_mode, digest(path)) for name, path in paths.items() if path.is_file()}


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def changed(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    return [f"{name} differs" for name in sorted({*before, *after}) if before.get(name) != after.get(name)]


def status(trip: Trip) -> list[str]:
    return trip.git("status", "--porcelain").splitlines()


def proposed_otherwise(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    one, two = ({op["id"] for op in patch["ops"]} for patch in (first, second))
    return sorted(one ^ two)


if __name__ == "__main__":
    sys.exit(main())
