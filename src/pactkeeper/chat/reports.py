"""Reports in files: where each kind is found, how it is read, and which commit it is about."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pactkeeper.chat.answers import Fact, Finding, count, facts_of, lines_at, summary_of
from pactkeeper.chat.here import Here
from pactkeeper.errors import PactkeeperError
from pactkeeper.ledger.canonical import counted
from pactkeeper.repo.git import uncommitted

if TYPE_CHECKING:
    from pactkeeper.intent.pact import Settings
    from pactkeeper.repo.git import Repository
    from pactkeeper.repo.reports import Report

LONGEST: Final = 300  # characters of a quoted line
DEEPEST: Final = 4  # folder depth
BIGGEST: Final = 32 << 20  # total bytes of all reports
MOST_NAMED: Final = 8  # facts of a build report that are named besides those that say what it is about
FAILED: Final = "failed: "  # prefix of the fact that a case failed
BEGAN: Final = "began"  # the fact that says when a run of tests began
# What CI calls the outcome of a build, how it writes that it passed and failed, and the one state that is no outcome.
OUTCOMES: Final = frozenset({"status", "conclusion", "result", "outcome", "state", "passed", "success"})
PASSES: Final = frozenset({"success", "successful", "succeeded", "passed", "pass", "ok", "green", "true"})
FAILS: Final = frozenset({"failure", "failed", "fail", "error", "errored", "broken", "red", "false"})
OVER: Final = "completed"
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
    return {"flaws": len(flaws), **counted((one.level for one in flaws), ("error", "warning", "note"))}


def _build(report: Report, _: str) -> Mapping[str, Fact]:
    value = json.loads(report.data, parse_float=str)
    facts = {name.removeprefix("/"): one for name, one in facts_of(value, depth=1).items()}
    first = list(facts)[:MOST_NAMED]
    telling = {name: one for name, one in facts.items() if name in first or _is_outcome(name, one) or _says_when(one)}
    return telling or {"it is": summary_of(value)}


def _says_when(fact: Fact) -> bool:
    """Whether a fact may name a commit or a moment."""
    return isinstance(fact, str) and (_HASH.fullmatch(fact) is not None or _moment_in({"": fact}) is not None)


BUILD: Final = "read_build_report"
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
            BUILD,
            "sweep or build report",
            "build-report*.json build-info*.json",
            _build,
            "pk health sweep",
            lambda settings: settings.build_reports,
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Age:
    """What a report is about, in words; whether that is the newest commit, and whether nothing changed after it."""

    told: str
    newest: bool
    current: bool


def age_of(here: Here, kind: ReportKind, path: str, facts: Mapping[str, Fact]) -> Age:
    """Determine what a report is about: the commit that it names, else the newest one at its time.

    A build report is about the main branch, whatever is checked out.
    """
    from pactkeeper.health.sweeping import main_branch, tips_of_main  # noqa: PLC0415 - only to read a report

    repository = here.workspace.repository
    if repository.head() is None:
        return Age("there is no commit yet", newest=False, current=False)
    tips = tips_of_main(repository)
    newest = tips if kind.verb == BUILD else ("HEAD", *tips)
    commit = _commit_in(repository, facts)
    written = datetime.fromtimestamp((repository.root / path).stat().st_mtime, UTC)
    when, told = (moment, "of") if (moment := _moment_in(facts)) else (written, "written")
    if commit:
        named, later = f"of commit {commit[:10]}", _later(repository, f"^{commit}", newest)
    else:
        before = repository.run("log", "-1", "--format=%h", f"--before={when.isoformat()}", "HEAD").decode().strip()
        after = f"--after={int(when.timestamp()) + 1}"  # git counts whole seconds, inclusively
        later = _later(repository, after, newest)
        named = f"{told} {when.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        named += f"; {before or 'no commit'} was the last commit then" if later else ""
    branch, main = facts.get("branch", ""), main_branch(repository)
    aside = f", on branch {branch}" if branch and main and branch != main else ""
    newer = f"{count(later, 'newer commit')}" if later else "no commit is newer"
    edited = "" if commit and kind.verb == BUILD else _edited(here, path, when)
    is_newest = not (later or aside)
    return Age(f"{named}{aside}; {newer}{edited}", newest=is_newest, current=is_newest and not edited)


def _later(repository: Repository, bound: str, newest: Sequence[str]) -> int:
    """Count the commits up to the newest ones beyond a bound."""
    return int(repository.run("rev-list", "--count", bound, *newest, "--"))


def _edited(here: Here, report: str, since: datetime) -> str:
    """Describe whether files that git sees as changed were modified after the report."""
    root = here.workspace.repository.root
    changed = [root / path for path in uncommitted(here.workspace.repository) if path != report]
    later = [path for path in changed if path.is_file() and path.stat().st_mtime > since.timestamp()]
    return f", {count(len(later), 'file')} changed after it" if later else ""


@dataclass(frozen=True, slots=True)
class Built:
    """The outcome that a build report gives main's newest commit, as written, and the lines that say so.

    `passed` is None if the outcome is written in no known way.
    """

    path: str
    outcome: str
    passed: bool | None
    lines: tuple[Finding, ...]


def built_reports(here: Here) -> list[Built]:
    """Return the build reports about main's newest commit that give an outcome.

    One that passed only counts if nothing was edited after it.
    """
    kind, root = KINDS[BUILD], here.workspace.repository.root
    found: list[Built] = []
    for path in paths_of(here, kind):
        facts = read_report(kind, root, path, about="").computed
        outcomes = outcomes_of(facts)
        passed = has_passed(outcomes)
        age = age_of(here, kind, path, facts) if outcomes else None
        if age is not None and (age.current if passed else age.newest):
            words = ", ".join(f"{name}: {value}" for name, value in outcomes.items())
            text = (root / path).read_bytes().decode("utf-8", "replace")
            names = [f'"{name.rpartition("/")[2]}"' for name in outcomes]
            found.append(Built(path, words, passed, tuple(line_with(path, text, *names))))
    return found


def outcomes_of(facts: Mapping[str, Fact]) -> dict[str, Fact]:
    """Return the facts of a build report that give its outcome."""
    return {name: value for name, value in facts.items() if _is_outcome(name, value)}


def _is_outcome(name: str, value: Fact) -> bool:
    """Whether a fact is an outcome; a number under such a name counts something."""
    return isinstance(value, str | bool) and name.rpartition("/")[2].lower() in OUTCOMES


def has_passed(outcomes: Mapping[str, Fact]) -> bool | None:
    """Whether a build passed; None if an outcome is written in another way."""
    said = {str(one).lower() for one in outcomes.values()} - {OVER}
    if said & FAILS:
        return False
    return True if said and said <= PASSES else None


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


def paths_of(here: Here, kind: ReportKind) -> list[str]:
    """Return the files of a kind, in the folders where tools write them and where the pact says."""
    patterns = (*kind.patterns.split(), *kind.declared(here.pact.settings))
    return sorted(set(_files(here.workspace.repository.root, patterns)))


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


def read_report(kind: ReportKind, root: Path, path: str, *, about: str) -> Finding:
    """Read a report; an unreadable one becomes a finding that says why, never a figure."""
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


def line_with(source: str, text: str, *names: str) -> Iterator[Finding]:
    """Yield the first line that contains the first of the texts found at all; overlong lines are skipped."""
    lines = text.splitlines()
    has = ((at, line) for name in names for at, line in enumerate(lines, 1) if name in line)
    at, line = next(has, (0, ""))
    if at and len(line) <= LONGEST:
        yield lines_at(source, text, at)
