"""The graph behind questions about reports: one fast path, configured with which files to find and how to read them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from pactkeeper.chat.answers import (
    Answer,
    Fact,
    Finding,
    answer_document,
    compact,
    count,
    facts_of,
    lines_at,
    summary_of,
)
from pactkeeper.chat.commits import say_main
from pactkeeper.chat.here import Here, Writing
from pactkeeper.chat.history import changed_here
from pactkeeper.chat.subjects import runs_known, say_failures
from pactkeeper.errors import PactkeeperError
from pactkeeper.flows.driving import State
from pactkeeper.flows.graphs import Graph, PlanExecute, plan_execute
from pactkeeper.operators.observe import TestRow
from pactkeeper.published.plain import told

if TYPE_CHECKING:
    from pactkeeper.intent.pact import Settings
    from pactkeeper.repo.git import Repository
    from pactkeeper.repo.reports import Report

MOST: Final = 40  # reports read per question
LONGEST: Final = 2_000  # characters of a quoted line
DEEPEST: Final = 4  # folder depth
BIGGEST: Final = 32 << 20  # total bytes of all reports
FAILED: Final = "failed: "  # prefix of the fact that a case failed
BEGAN: Final = "began"  # the fact that says when a run of tests began
BUILT: Final = frozenset({"read_build_report", "read_test_results"})  # what is asked about the newest commit
_HASH: Final = re.compile(r"[0-9a-f]{7,40}")
_SKIPPED: Final = frozenset({"node_modules", ".git", ".venv", "venv", "site-packages", ".tox", "__pycache__"})


@dataclass(frozen=True, slots=True)
class ReportKind:
    """One instance of the fast path: the verb it answers, where its files are, and what reads them.

    `read` returns facts by name; `about` narrows them to a file. `make` says how to produce such a report, and
    `declared` returns additional files named in `pact.toml`.
    """

    verb: str
    noun: str
    patterns: str
    read: Callable[[Report, str], Mapping[str, Fact]]
    make: str
    declared: Callable[[Settings], tuple[str, ...]]


def _coverage(report: Report, about: str) -> Mapping[str, Fact]:
    from pactkeeper.intent.coverage import percent  # noqa: PLC0415 - only to read a report
    from pactkeeper.repo.reports import read_coverage  # noqa: PLC0415 - only to read a report

    found = read_coverage(report)
    files = {
        path: one for path, one in found.files.items() if not about or path.endswith(about) or about.endswith(path)
    }
    hit, lines = sum(one.hit for one in files.values()), sum(one.total for one in files.values())
    if about and not files:
        return {}
    least = sorted(files.items(), key=lambda item: (item[1].hit - item[1].total, item[0]))[:3]
    low = {f"not run in {path}": f"{one.total - one.hit} of {one.total}" for path, one in least if not about}
    return {"lines that ran": hit, "lines of code": lines, "line coverage": f"{percent(hit, lines)} %", **low}


def _results(report: Report, _: str) -> Mapping[str, Fact]:
    from pactkeeper.repo.reports import read_results  # noqa: PLC0415 - only to read a report

    found = read_results(report)
    failed = [str(one.case) for one in found.results if one.outcome in {"failed", "error"}]
    began = {} if found.began is None else {BEGAN: found.began.isoformat(timespec="seconds")}
    return {**found.counts, **began, **{f"{FAILED}{name}": True for name in failed}}


def _quality(report: Report, _: str) -> Mapping[str, Fact]:
    from pactkeeper.repo.reports import read_quality  # noqa: PLC0415 - only to read a report

    flaws = [one for one in read_quality(report).flaws if not one.suppressed]
    levels = {level: sum(one.level == level for one in flaws) for level in ("error", "warning", "note")}
    return {"flaws": len(flaws), **levels}


def _build(report: Report, _: str) -> Mapping[str, Fact]:
    value = json.loads(report.data, parse_float=str)
    facts = facts_of(value, most=8, depth=1)
    return {name.removeprefix("/"): one for name, one in facts.items()} or {"it is": summary_of(value)}


KINDS: Final[Mapping[str, ReportKind]] = {
    one.verb: one
    for one in (
        ReportKind(
            "read_coverage_report",
            "coverage report",
            "coverage.xml coverage.json coverage-summary.json coverage-final.json lcov.info cobertura*.xml",
            _coverage,
            "pytest --cov --cov-report=json, or jest --coverage",
            lambda settings: settings.coverage_reports,
        ),
        ReportKind(
            "read_test_results",
            "test report",
            "junit*.xml TEST-*.xml *test-results*.xml *test-results*.json test-report*.xml vitest*.json jest*.json",
            _results,
            "pytest --junitxml=junit.xml, or vitest --reporter=junit",
            lambda settings: settings.results_reports,
        ),
        ReportKind(
            "read_quality_report",
            "quality report",
            "*.sarif *.sarif.json",
            _quality,
            "ruff check --output-format=sarif",
            lambda settings: settings.quality_reports,
        ),
        ReportKind(
            "read_build_report",
            "sweep or build report",
            "build-report*.json build-info*.json",
            _build,
            "pk health sweep",
            lambda settings: settings.build_reports,
        ),
    )
}


def graph(here: Here) -> Graph:
    """Plan (which files) → execute (read them) → validate (unreadable, outdated, contradictory) → report."""
    steps = _Reporting(here)
    nodes = PlanExecute(steps.plan, steps.execute, steps.report, validate=steps.validate)
    return plan_execute("report", nodes)


@dataclass
class _Reporting:
    here: Here
    found: list[Finding] = field(default_factory=list)

    async def plan(self, state: State) -> dict[str, Any]:
        """Find candidate files, in the folders where tools write them and where the pact says."""
        kind = KINDS[state["verb"]]
        declared = kind.declared(self.here.pact.settings)
        paths = sorted(set(_files(self.here.workspace.repository.root, (*kind.patterns.split(), *declared))))
        about = state["arguments"].get("file", "")
        return {"plan": {"files": paths[:MOST], "left": max(0, len(paths) - MOST), "about": about}}

    async def execute(self, state: State) -> dict[str, Any]:
        """Read each file; an unreadable one becomes a finding that says why, never a figure."""
        kind, root, left = KINDS[state["verb"]], self.here.workspace.repository.root, BIGGEST
        found: list[Finding] = []
        with self.here.tool(kind.verb):
            for path in state["plan"]["files"]:
                left -= (root / path).stat().st_size
                found.append(_read(kind, root, path, about=state["plan"]["about"]) if left > 0 else _too_much(path))
        return {"findings": [asdict(compact(one)) for one in found]}

    async def validate(self, state: State) -> dict[str, Any]:
        """Determine the age of each report relative to the last commit, and whether reports disagree."""
        readable = [one for one in state["findings"] if one["computed"]]
        figures = [{name: value for name, value in one["computed"].items() if name != BEGAN} for one in readable]
        said = {json.dumps(one, sort_keys=True) for one in figures}
        ages = {one["source"]: asdict(self._age(one["source"], one["computed"])) for one in readable}
        return {"checked": {"disagree": len(said) > 1, "ages": ages}}

    async def report(self, state: State) -> dict[str, Any]:
        """Report every readable file with its figures, age and place, followed by the unreadable ones."""
        answer = _told(self.here, state)
        return {"answer": answer_document(answer, question=state["question"])}

    def _age(self, path: str, facts: Mapping[str, Fact]) -> _Age:
        """Determine what a report is about: the commit that it names, else the newest one at its time."""
        from pactkeeper.health.sweeping import main_branch, tips_of_main  # noqa: PLC0415 - only to read a report

        repository = self.here.workspace.repository
        if repository.head() is None:
            return _Age("there is no commit yet", current=False)
        newest = ("HEAD", *tips_of_main(repository))
        commit = _commit_in(repository, facts)
        written = datetime.fromtimestamp((repository.root / path).stat().st_mtime, UTC)
        when, told = (moment, "of") if (moment := _moment_in(facts)) else (written, "written")
        if commit:
            named, later = f"of commit {commit[:10]}", self._later(f"^{commit}", newest)
        else:
            before = repository.run("log", "-1", "--format=%h", f"--before={when.isoformat()}", "HEAD").decode().strip()
            later = self._later(f"--after={int(when.timestamp()) + 1}", newest)  # git counts whole seconds, inclusively
            named = f"{told} {when.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
            named += f"; {before or 'no commit'} was the last commit then" if later else ""
        branch, main = facts.get("branch", ""), main_branch(repository)
        aside = f", on branch {branch}" if branch and main and branch != main else ""
        newer = f"{count(later, 'newer commit')}" if later else "no commit is newer"
        edited = self._edited(path, when)
        return _Age(f"{named}{aside}; {newer}{edited}", current=not (later or aside or edited))

    def _later(self, bound: str, newest: Sequence[str]) -> int:
        """Count the commits up to the newest ones beyond a bound."""
        return int(self.here.workspace.repository.run("rev-list", "--count", bound, *newest, "--"))

    def _edited(self, report: str, since: datetime) -> str:
        """Describe whether files that git sees as changed were modified after the report."""
        root = self.here.workspace.repository.root
        changed = [root / path for path in changed_here(self.here) if path != report]
        later = [path for path in changed if path.is_file() and path.stat().st_mtime > since.timestamp()]
        return f", {count(len(later), 'file')} changed after it" if later else ""


@dataclass(frozen=True, slots=True)
class _Age:
    """What a report is about, in words, and whether that is the newest state."""

    told: str
    current: bool


def _commit_in(repository: Repository, facts: Mapping[str, Fact]) -> str:
    """Return the commit of this repository that a report names; empty if it names none."""
    names = [one for one in facts.values() if isinstance(one, str) and _HASH.fullmatch(one)]
    return next(iter(repository.commits_named(names).values()), "")


def _moment_in(facts: Mapping[str, Fact]) -> datetime | None:
    """Return the latest moment that a report names; one without a zone, which tools mean in either way, is none."""
    found: list[datetime] = []
    for one in facts.values():
        with suppress(ValueError):
            found += [datetime.fromisoformat(one)] if isinstance(one, str) else []
    return max((one for one in found if one.tzinfo is not None), default=None)


def _told(here: Here, state: State) -> Answer:
    kind, plan, said = KINDS[state["verb"]], state["plan"], here.writing()
    current = kind.verb in BUILT and _say_known(here, said, past=kind.verb == "read_build_report")
    for one in state["findings"]:
        if one["computed"]:
            age = _Age(**state["checked"]["ages"][one["source"]])
            current |= age.current
            _say_report(here, said, one, age=age.told, about=plan["about"])
        said.limits += [f"{one['source']}: {limit}" for limit in one["limits"]]
    if state["checked"]["disagree"]:
        said.limits.append("the reports disagree; each is shown as it is")
    if plan["left"]:
        said.limits.append(f"{plan['left']} more reports were not read")
    if not said.says:
        about = f" that names {plan['about']}" if plan["about"] else ""
        said.say(f"No {kind.noun}{about} can be read here, so nothing is known; one comes from: {kind.make}", "missing")
    searched = (f"files like {', '.join(kind.patterns.split())}",)
    command = {"read_coverage_report": "pk gaps --coverage {}", "read_test_results": "pk evidence import {}"}
    then = tuple(command[kind.verb].format(path) for path in plan["files"][:1] if kind.verb in command)
    then = ("pk health timeline",) if kind.verb == "read_build_report" and said.borne else then
    if current or not said.borne or kind.verb != "read_build_report":
        return said.answer(kind.verb, searched=searched, next=then)
    if plan["files"]:
        said.say("No report is about the newest commit, so none says whether main is green now.", "missing")
    return said.answer(kind.verb, kind="closest", searched=searched, next=then)


def _say_report(here: Here, said: Writing, found: Mapping[str, Any], *, age: str, about: str) -> None:
    """Report the figures, then each failure, each with the line of the report that states it."""
    source, facts = found["source"], found["computed"]
    text = (here.workspace.repository.root / source).read_bytes().decode("utf-8", "replace")
    figures = ", ".join(f"{name}: {value}" for name, value in facts.items() if not name.startswith(FAILED))
    figures = figures.replace(f"{here.workspace.repository.root}/", "")
    base = about.rpartition("/")[2]
    whole = _line_with(source, text, *([about, f'"{base}', f"/{base}"] if about else ["<testsuite", "<coverage"]))
    said.say(f"{source} ({age}): {figures}.", "computed", *whole)
    failed = [name.removeprefix(FAILED) for name in facts if name.startswith(FAILED)]
    for name in said.first(failed, f"pk evidence import {source}"):
        test, last = _test_of(here, name), name.rpartition("::")[2]
        case = _line_with(source, text, f'"{last}"', last)
        said.say(f"{source}: {name} failed.", "computed", *case, *([] if test is None else [here.test(test)]))


def _line_with(source: str, text: str, *names: str) -> Iterator[Finding]:
    """Yield the first line that contains the first of the texts found at all; overlong lines are skipped."""
    lines = text.splitlines()
    has = ((at, line) for name in names for at, line in enumerate(lines, 1) if name in line)
    at, line = next(has, (0, ""))
    if at and len(line) <= LONGEST:
        yield lines_at(source, text, at)


def _test_of(here: Here, case: str) -> TestRow | None:
    """Return the test a reported case refers to: the only one with its name, or the one its class leads to."""
    group, _, name = case.rpartition("::")
    rows = [row for row in here.scan.tests if row.name == name]
    placed = [row for row in rows if ".".join((*PurePosixPath(row.file).with_suffix("").parts, *row.suite)) == group]
    return placed[0] if len(placed) == 1 else rows[0] if len(rows) == 1 else None


def _say_known(here: Here, said: Writing, *, past: bool) -> bool:
    """Report what is known without a report, from sweeps and imports; return whether main's newest commit was swept."""
    current = False
    try:
        current = say_main(here, said, past=past)
    except PactkeeperError as reason:
        said.limits.append(told(reason.message))
    tests = here.scan.tests
    known = runs_known(here, tests)
    if known and not say_failures(here, said, tests):
        said.say(f"No failure is known here: a run of {known:,} of {len(tests):,} tests is known.", "verified")
    return current


def _files(root: Path, patterns: tuple[str, ...]) -> Iterator[str]:
    """Find the files below the root that match a pattern by name or path, including those git ignores."""
    for folder, folders, names in os.walk(root):
        inside = Path(folder).relative_to(root)
        deep = len(inside.parts) >= DEEPEST
        folders[:] = [] if deep else sorted(one for one in folders if one not in _SKIPPED)
        for name in names:
            path = (inside / name).as_posix()
            if any(fnmatch(name, one) or fnmatch(path, one) for one in patterns) and (Path(folder) / name).is_file():
                yield path


def _read(kind: ReportKind, root: Path, path: str, *, about: str) -> Finding:
    if (root / path).is_symlink() and not (root / path).resolve().is_relative_to(root.resolve()):
        return Finding(path, limits=("it is outside the repository",))
    from pactkeeper.repo.reports.reading import load  # noqa: PLC0415 - only to read a report

    try:
        facts = kind.read(load(root / path, path), about)
    except (PactkeeperError, ValueError, RecursionError) as reason:
        return Finding(path, limits=(f"it cannot be read as a {kind.noun}: {str(reason).splitlines()[0]}",))
    if not facts:
        return Finding(path, limits=(f"it says nothing about {about}",))
    return Finding(path, computed=facts)


def _too_much(path: str) -> Finding:
    return Finding(path, limits=(f"the reports together have more than {BIGGEST >> 20} MiB",))
