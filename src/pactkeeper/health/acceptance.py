"""Whether to accept a fix: the failing check passes, and no test linked to a committed atom was weakened."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pactkeeper.health.weakening import CommitState, Refusal, weakenings
from pactkeeper.intent.health import CheckResult, FixTask

_NAME: Final = re.compile(r"[\w./-]++")
_MAKES: Final = (("make",), ("gmake",))
_MAKEFILES: Final = ("GNUmakefile", "makefile", "Makefile")
_SHELL: Final = (".sh", ".bash")
_SCRIPTS: Final = (*_SHELL, ".mjs", ".cjs", ".js", ".ts", ".py", ".rb", ".pl")


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The verdict on a fix: its commits, every reason to refuse it, and the results of the checks."""

    task: str
    base: str
    commit: str
    refusals: tuple[Refusal, ...] = ()
    results: tuple[CheckResult, ...] = ()

    @property
    def accepted(self) -> bool:
        """Whether nothing was refused and at least one check ran."""
        return not self.refusals and bool(self.results)


def weakened(before: CommitState, after: CommitState, *, failing: frozenset[str] = frozenset()) -> tuple[Refusal, ...]:
    """Return every reason to refuse a fix over tests and settings; `failing` are files the fix may change."""
    return weakenings(replace(before, programs=_programs(before) - failing), after)


def failing_still(
    task: FixTask, results: Sequence[CheckResult], *, others: Collection[str] = ()
) -> tuple[Refusal, ...]:
    """Return why the task's checks reject the fix; `others` are the fingerprints that other open tasks cover.

    A failing check is forgiven if everything it reports belongs to other tasks and its output was not truncated.
    """
    by_name = {result.check: result for result in results}
    refusals = []
    for check in task.checks:
        result = by_name.get(check)
        if result is None:
            refusals.append(Refusal(check, "it was not run at the fix"))
        elif result.verdict != "pass" and not _only_others(result, task, others):
            refusals.append(Refusal(check, _says(result)))
    return tuple(refusals)


def _only_others(result: CheckResult, task: FixTask, others: Collection[str]) -> bool:
    errors = [one.fingerprint for one in result.diagnostics if one.severity == "error"]
    foreign = set(others) - set(task.fingerprints)
    return result.verdict == "fail" and bool(errors) and not result.output.omitted and foreign.issuperset(errors)


def _says(result: CheckResult) -> str:
    if result.verdict == "fail":
        first = next((one for one in result.diagnostics if one.severity == "error"), None)
        return f"it still fails (exit code {result.code})" + (f": {first.message.splitlines()[0]}" if first else "")
    return f"{result.verdict}: {result.reason or 'no reason given'}"


def _programs(seen: CommitState) -> frozenset[str]:
    """Return the repository's files that checks run: named in a command, package.json, a shell script or a makefile."""
    checks = seen.pact.settings.health.checks
    words = [word for one in checks for word in (*one.argv, *one.prepare)]
    words.append(_source(seen, "package.json"))
    made = any(one.argv[:1] in _MAKES for one in checks)
    found = {one for one in _MAKEFILES if made and one in seen.snapshot}
    words += [_source(seen, one) for one in found]
    while words:
        named = (posixpath.normpath(name.rstrip(".")) for name in _NAME.findall(words.pop()))
        new = {name for name in named if name.endswith(_SCRIPTS) and name in seen.snapshot} - found
        words += [_source(seen, one) for one in new if one.endswith(_SHELL)]
        found |= new
    return frozenset(found)


def _source(seen: CommitState, path: str) -> str:
    return (seen.snapshot.read(path) or b"").decode("utf-8", "replace") if path in seen.snapshot else ""
