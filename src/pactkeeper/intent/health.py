"""The health of a commit as values: which checks ran, their results, the failures, and the tasks that fix them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from pactkeeper.ledger.canonical import digest
from pactkeeper.ledger.finding import Severity

# In repair order: a category is judged only if every earlier one passes. `lint` never creates tasks.
CheckCategory = Literal["conflict", "build", "compile", "test", "lint"]
CHECK_CATEGORIES: Final[tuple[CheckCategory, ...]] = get_args(CheckCategory)
# `could not run` never looked at the commit; `could not tell` ran, but its output contains no result. The kind decides
# who fixes a failure; `environment` is up to the machine and `flaky` not assigned to anyone yet.
FailureKind = Literal[
    "conflict", "syntax", "settings", "dependency", "build", "types", "test", "timeout", "lint", "flaky", "environment"
]
Verdict = Literal["pass", "fail", "not applicable", "could not run", "could not tell", "timed out"]
FAILED: Final[frozenset[Verdict]] = frozenset({"fail", "timed out"})


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """One of the project's own checks: an argument list, never a shell, run in `directory` below the root.

    `timeout` is in seconds. `parser` names a row in the table of parsers: `auto` is the one for the tool that `argv`
    runs, `regex` looks for `pattern`. `prepare` is an argument list that builds what the check needs in a fresh
    worktree. `environment` is added to the inherited variables.
    """

    name: str
    argv: tuple[str, ...]
    category: CheckCategory
    parser: str = "auto"
    directory: str = "."
    environment: Mapping[str, str] = field(default_factory=dict)
    timeout: int = 900
    prepare: tuple[str, ...] = ()
    pattern: str = ""


AfterFailure = Literal["run", "skip"]
Sandbox = Literal["none", "bubblewrap"]
SANDBOXES: Final[tuple[Sandbox, ...]] = get_args(Sandbox)
AFTER_FAILURE: Final[tuple[AfterFailure, ...]] = get_args(AfterFailure)


@dataclass(frozen=True, slots=True)
class HealthSettings:
    """The `[health]` section of `pact.toml`, with a default for every missing key.

    `interval` and `fastest` are in seconds. `inherit` names variables that checks get beside those of the allow list,
    `readable` the folders (absolute, or below `~/`) that they may read inside the sandbox beside the system's programs.
    Without `checks`, the checks found in the project's own files run.
    """

    interval: int = 300
    fastest: int = 60
    greens: int = 3
    max_tasks: int = 25
    max_files: int = 3
    attempts: int = 3
    rerun: int = 5
    after_failure: AfterFailure = "run"
    inherit: tuple[str, ...] = ()
    sandbox: Sandbox = "none"
    readable: tuple[str, ...] = ()
    checks: tuple[HealthCheck, ...] = ()


UNREAD: Final = "output"  # the rule of a failure known only by the last lines of its output


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing a tool reports: `rule` is its code or error class, `test` the runner's name for the test.

    `file` is a POSIX path below the root, empty if none is named; `line` and `column` count from 1, 0 for none.
    `symbol` is the name the message is about, if any; `message` is the tool's exact text. `related` are other files
    that the message names, such as the module that lacks an export.
    """

    check: str
    category: CheckCategory
    severity: Severity
    message: str
    rule: str = ""
    test: str = ""
    file: str = ""
    line: int = 0
    column: int = 0
    symbol: str = ""
    related: tuple[str, ...] = ()

    @property
    def fingerprint(self) -> str:
        """The digest of the failure, independent of line numbers and of anything that changes from run to run.

        A failing test is identified by its name, whatever its message; output that no parser understands by its check;
        everything else by check, rule, file and the normalised message.
        """
        parts = [self.check, self.test or self.rule]
        if not self.test and self.rule != UNREAD:
            parts += [self.file, normalised(self.message)]
        return "fp-" + digest([*parts])[3:19]


_ACCIDENTS: Final = (
    (re.compile(r"\x1b\[[0-9;]*[A-Za-z]"), ""),
    (re.compile(r"0x[0-9a-fA-F]+"), "0x…"),
    (re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"), "…"),
    (re.compile(r"(?:/[\w.+-]++){0,40}/(?:tmp|private/tmp|var/folders)/[^\s'\",:)]+"), "…"),
    (re.compile(r"\b[A-Za-z]:\\[^\s'\",:)]*\\Temp\\[^\s'\",:)]+", re.IGNORECASE), "…"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*(?:Z|[+-]\d\d:?\d\d)?"), "…"),
    (re.compile(r"\b1[5-9]\d{8}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?\b"), "…"),  # seconds to nanoseconds since 1970
    (re.compile(r"\b\d+(?:\.\d+)?\s?(?:ns|ms|µs|s|secs?|seconds?|minutes?|milliseconds?)\b"), "…"),
    (
        re.compile(
            r"\b(duration(?:_ms)?|elapsed|took|seed|attempt|run|pid|port)(\W{1,3})\d+(?:\.\d+)?\b", re.IGNORECASE
        ),
        r"\1\2…",
    ),
    (re.compile(r"\b(pid |process |goroutine |thread '[^'\n]*' \()\d+"), r"\1…"),
    (re.compile(r"(\blocalhost|\b\d+\.\d+\.\d+\.\d+|\[::1?\]):\d+\b"), r"\1:…"),
    # Not a number after any colon: `map[a:1]` and `map[a:2]` are two different failures.
    (re.compile(r"(\bline |\.[A-Za-z]{1,5}:)\d+(?::\d+)?\b"), r"\1…"),
    (re.compile(r"(\.[A-Za-z]{1,5})\(\d+,\d+\)"), r"\1(…)"),
)


def normalised(message: str) -> str:
    """Strip everything that varies between runs: addresses, ports, scratch paths, times, ids, line numbers."""
    text = message
    for pattern, stand_in in _ACCIDENTS:
        text = pattern.sub(stand_in, text)
    return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class Output:
    """The interleaved output of a process: its beginning, its end, and the number of bytes omitted in between."""

    head: str = ""
    tail: str = ""
    omitted: int = 0

    @property
    def text(self) -> str:
        """Both ends, with a line between them that says how much is missing."""
        gap = f"\n… {self.omitted} bytes left out …\n" if self.omitted else ""
        return self.head + gap + self.tail


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check; `reason` explains a verdict other than pass, `code` is the exit code.

    `notes` are side effects: files it changed, processes it left running, a HEAD it moved. `report` is what a test
    check wrote; it is neither stored nor shown.
    """

    check: str
    category: CheckCategory
    verdict: Verdict
    reason: str = ""
    code: int | None = None
    milliseconds: int = 0
    output: Output = Output()
    diagnostics: tuple[Diagnostic, ...] = ()
    notes: tuple[str, ...] = ()
    report: bytes = field(default=b"", repr=False, compare=False)


FixStatus = Literal["pending", "assigned", "done", "failed", "escalated", "obsolete"]
FIX_STATUSES: Final[tuple[FixStatus, ...]] = get_args(FixStatus)
CLAIMABLE: Final[frozenset[FixStatus]] = frozenset({"pending", "failed"})


@dataclass(frozen=True, slots=True)
class FixTask:
    """One thing to fix, with the fields of seed 003 and what makes its acceptance checkable.

    `scope` holds at most three files. `acceptance` is for people; what is checked is that `checks` return 0 and every
    test in `protected` (tests linked to committed atoms) exists, is not skipped and asserts at least what it asserted
    at `commit`. `fingerprints` are the failures it fixes, `attempts` counts failed tries, `depth` is 1 for a failure
    and 2 for one that a fix caused. `cause` is the root cause its failures share. `fix` is the commit that was
    accepted, `whole` whether all checks that can turn main red passed there, `note` the latest remark on it: why a try
    was refused, who gave it back, or why a person is asked.
    """

    id: str
    description: str
    scope: tuple[str, ...]
    acceptance: str
    branch: str
    created_at: str
    commit: str
    category: CheckCategory
    checks: tuple[str, ...]
    fingerprints: tuple[str, ...]
    status: FixStatus = "pending"
    priority: int = 1
    protected: tuple[str, ...] = ()
    atoms: tuple[str, ...] = ()
    attempts: int = 0
    depth: int = 1
    claimed_by: str = ""
    claimed_at: str = ""
    cause: str = ""
    fix: str = ""
    whole: bool = False
    finished_at: str = ""
    note: str = ""
    kind: FailureKind = "test"


HealthState = Literal["open", "assigned", "failed", "resolved"]


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """A diagnostic over time; `failures` counts fixes that did not work, `task` is the one meant to fix it.

    `flaky` means that a rerun of the same commit passed, `surroundings` why the machine is to blame. `atoms` are what
    the failing test proves; if a committed one is among them, the severity is raised to error and `broken` names it.
    """

    diagnostic: Diagnostic
    state: HealthState
    first_sweep: str
    last_sweep: str
    failures: int = 0
    task: str = ""
    flaky: bool = False
    atoms: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    surroundings: str = ""
    kind: FailureKind = "test"


@dataclass(frozen=True, slots=True)
class Sweep:
    """All checks run once at one commit; a sweep is `stale` if HEAD had moved when it ended, and then creates nothing.

    `infrastructure` says what is wrong with the environment rather than with the commit, empty for nothing. Times are
    ISO 8601 with offset. `branch` is empty for a detached HEAD. `only` names the requested checks, empty for all.
    """

    id: str
    commit: str
    branch: str
    started_at: str
    ended_at: str
    results: tuple[CheckResult, ...]
    stale: bool = False
    infrastructure: str = ""
    tasks: tuple[str, ...] = ()
    only: tuple[str, ...] = ()

    @property
    def green(self) -> bool:
        """Whether a full sweep passed: every applicable check but lint, including a build, compiler or test check."""
        verdicts = [one.verdict for one in self.results if one.category != "lint" and one.verdict != "not applicable"]
        return not self.unjudged and all(verdict == "pass" for verdict in verdicts)

    @property
    def unjudged(self) -> str:
        """Why the sweep cannot judge the project (not all checks were requested, or none was conclusive), or ""."""
        if self.only:
            return f"only {', '.join(self.only)} ran"
        telling = [one for one in self.results if one.category in {"build", "compile", "test"}]
        if not telling:
            return "no check is known of what this project builds, compiles or tests"
        applies = any(one.verdict != "not applicable" for one in telling)
        return "" if applies else "no check of what this project builds, compiles or tests applies to it"
