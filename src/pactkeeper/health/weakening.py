"""Whether a fix makes passing easier: the guard's findings, and changes to the pact and to its own checks.

A fix may change the product, add tests and strengthen them. A proven weakening is refused for every test, and so is
removing an assertion while the code it covers changed; anything rules can't call neutral is refused for every linked
test and left to a person.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pactkeeper.health.unread_tests import is_unread_test, language_of, only_adds_tests
from pactkeeper.intent.folder import APPROVALS, POINTER, Folder
from pactkeeper.intent.health import CheckResult, FixTask
from pactkeeper.intent.links import LIVE_LINKS, link_tests
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.strength.change import Change, beside
from pactkeeper.intent.tests import Scan
from pactkeeper.repo.delta import changed_paths
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.judging import judge
from pactkeeper.repo.strength.support import TestState
from pactkeeper.repo.test_side import is_test_side

_PERSON: Final = "a person must decide whether that is intended"
_PACT_OPEN: Final = ("pact/atoms/", "pact/links/", "pact/molecules.toml")


@dataclass(frozen=True, slots=True)
class CommitState:
    """A commit with its tests and pact; `programs` are scripts of the repository that its checks run."""

    snapshot: Snapshot
    scan: Scan
    pact: Pact
    programs: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, order=True)
class FixRefusal:
    """One reason to refuse a fix; `subject` is a test id, a path or a check."""

    subject: str
    reason: str

    @property
    def doubtful(self) -> bool:
        """Whether rules can neither call it neutral nor prove it a weakening."""
        return self.reason.endswith(_PERSON)

    def doubted(self, why: str) -> FixRefusal:
        """Return this refusal as one for a person to judge, with what speaks for the fix."""
        reason = ", ".join(part for part in (self.reason, why) if part)
        return self if self.doubtful else FixRefusal(self.subject, f"{reason}; {_PERSON}")

    def __str__(self) -> str:
        """Render as one line."""
        return f"{self.subject}: {self.reason}"


def weakenings(before: CommitState, after: CommitState) -> tuple[FixRefusal, ...]:
    """Return every way in which `after` may be less strict than `before`, sorted."""
    linked = linked_atoms(before)
    found = set(_of_tests(before, after, linked))
    present = {test.id for test in after.scan.tests}
    found.update(_unlinked(linked, linked_atoms(after), present))
    for path in changed_paths(before.snapshot, after.snapshot):
        found.update(FixRefusal(path, reason) for reason in _of_file(path, before, after, protected=bool(linked)))
        texts = _text(before, path), _text(after, path)
        found.update(
            FixRefusal(path, reason) for reason in (*_of_text(path, *texts), *_of_unread(path, *texts, before))
        )
    return tuple(sorted(found))


def linked_atoms(seen: CommitState) -> Mapping[str, frozenset[str]]:
    """Map each linked test's id to the atoms it realises."""
    found = {}
    for entry in link_tests(seen.scan.tests, seen.pact):
        atoms = frozenset(entry.atoms(LIVE_LINKS))
        if atoms:
            found[entry.test.id] = atoms
    return found


def _of_tests(before: CommitState, after: CommitState, linked: Mapping[str, frozenset[str]]) -> Iterator[FixRefusal]:
    known = {test.id for test in before.scan.tests}
    judgement = judge(TestState(before.snapshot, before.scan), TestState(after.snapshot, after.scan))
    for change in judgement.changes:
        protected = change.before not in known or change.before in linked or change.kind in {"deleted", "removed"}
        if change.severity == "error" or (change.severity == "warning" and protected):
            yield FixRefusal(change.test, _reason(change))


def _reason(change: Change) -> str:
    facets = " → ".join(facet for facet in beside(change.old, change.new) if facet)
    doubt = f"; {_PERSON}" if change.severity == "warning" else ""
    return f"{change.message}{f' ({facets})' if facets else ''}{doubt}"


def _unlinked(
    before: Mapping[str, frozenset[str]], after: Mapping[str, frozenset[str]], present: Container[str]
) -> Iterator[FixRefusal]:
    for name, atoms in before.items():
        lost = sorted(atoms - after.get(name, frozenset()))
        if lost and name in present:
            yield FixRefusal(name, f"it is no longer linked to {', '.join(lost)}")


def _of_file(path: str, before: CommitState, after: CommitState, *, protected: bool) -> Iterator[str]:
    if any(_declares(path, one.snapshot.folder) for one in (before, after)):
        yield f"a fix must not change what was declared or how it is judged; {_PERSON}"
    if path in before.scan.by_file:
        if path in before.programs and path not in after.snapshot:
            yield "a check runs it, and it is gone"
        return
    if path in before.programs:
        yield f"a check runs it; {_PERSON}"
    elif path not in before.snapshot and (_hides_library(path) or "__mocks__/" in path):
        yield "it would be loaded instead of the real one with that name"
    elif protected and path in before.snapshot and is_test_side(path):
        yield f"linked tests may depend on it; {_PERSON}"


def _declares(path: str, folder: Folder) -> bool:
    """Whether a file holds declarations, the pact's location, or approvals."""
    return path in {POINTER, APPROVALS} or (folder.holds(path) and not folder.name(path).startswith(_PACT_OPEN))


def _of_text(path: str, old: str, new: str) -> Iterator[str]:
    for sign, files, reason in _JUDGES:
        if files.search(path) and len(sign.findall(new)) > len(sign.findall(old)):
            yield f"{reason}; {_PERSON}"


def _of_unread(path: str, old: str, new: str, before: CommitState) -> Iterator[str]:
    """Yield refusals for tests in unread languages: any change but an addition, and files that would shadow them."""
    if not only_adds_tests(path, old, new):
        yield f"Pactkeeper can't read tests in {language_of(path)}, and one changed; {_PERSON}"
    elif not old and is_unread_test(path) and _names(path) in {_names(each) for each in before.snapshot.paths}:
        yield "it would be loaded instead of the real one with that name"


def _names(path: str) -> str:
    return path.rpartition("/")[2]


def _text(seen: CommitState, path: str) -> str:
    return (seen.snapshot.read(path) or b"").decode("utf-8", "replace")


_JUDGES: Final = (
    (re.compile(r"\bpytest11\b"), re.compile(r"\.(?:toml|cfg|py)\Z"), "the project customises how its tests run"),
    (
        re.compile(
            r'"(?:[^"\n]{0,80}/)?(?:jest|vitest|mocha|chai|expect|ava|tap)[\w-]*+"\s*+:\s*+"(?:file|link|git|\.|http)'
        ),
        re.compile(r"package\.json\Z"),
        "a different program runs the tests",
    ),
    (
        re.compile(r"\bcast\(\s*['\"]?(?:\w+\.)?Any\b|\bno_type_check\b|\bif not (?:\w+\.)?TYPE_CHECKING\b|\bas any\b"),
        re.compile(r"\.(?:py|[cm]?tsx?)\Z"),
        "the type checker is bypassed",
    ),
    (
        re.compile(r"\b(?:jest|vi)\.(?:mock|doMock|setMock)\("),
        re.compile(r"[._](?:test|spec)\.\w+\Z|__tests__/"),
        "it mocks a module for every test in the file",
    ),
)


def _hides_library(path: str) -> bool:
    folder, _, name = path.removesuffix(".py").removesuffix("/__init__").rpartition("/")
    return path.endswith(".py") and folder in {"", "src", "tests", "test"} and name in _LIBRARIES


_LIBRARIES: Final = frozenset({*sys.stdlib_module_names, "pytest", "_pytest", "hypothesis", "mock", "nose"})


_NAME: Final = re.compile(r"[\w./-]++")
_MAKES: Final = (("make",), ("gmake",))
_MAKEFILES: Final = ("GNUmakefile", "makefile", "Makefile")
_SHELL: Final = (".sh", ".bash")
_SCRIPTS: Final = (*_SHELL, ".mjs", ".cjs", ".js", ".ts", ".py", ".rb", ".pl")


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The verdict on a fix: its commits, every reason to refuse it, and the results of the checks.

    `whole` means that these were all checks of the commit that can turn main red, and that each passed.
    """

    task: str
    base: str
    commit: str
    refusals: tuple[FixRefusal, ...] = ()
    results: tuple[CheckResult, ...] = ()
    whole: bool = False

    @property
    def accepted(self) -> bool:
        """Whether nothing was refused and at least one check ran."""
        return not self.refusals and bool(self.results)


def weakened(
    before: CommitState, after: CommitState, *, failing: frozenset[str] = frozenset()
) -> tuple[FixRefusal, ...]:
    """Return every reason to refuse a fix over tests and settings; `failing` are files the fix may change."""
    return weakenings(replace(before, programs=_programs(before) - failing), after)


def failing_still(
    task: FixTask, results: Sequence[CheckResult], *, others: Collection[str] = ()
) -> tuple[FixRefusal, ...]:
    """Return why the task's checks reject the fix; `others` are the fingerprints that other open tasks cover.

    A failing check is forgiven if everything it reports belongs to other tasks and its output was not truncated.
    """
    by_name = {result.check: result for result in results}
    refusals = []
    for check in task.checks:
        result = by_name.get(check)
        if result is None:
            refusals.append(FixRefusal(check, "it was not run on the fix"))
        elif result.verdict != "pass" and not _only_others(result, task, others):
            refusals.append(FixRefusal(check, _says(result)))
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
    words.append(_text(seen, "package.json"))
    made = any(one.argv[:1] in _MAKES for one in checks)
    found = {one for one in _MAKEFILES if made and one in seen.snapshot}
    words += [_text(seen, one) for one in found]
    while words:
        named = (posixpath.normpath(name.rstrip(".")) for name in _NAME.findall(words.pop()))
        new = {name for name in named if name.endswith(_SCRIPTS) and name in seen.snapshot} - found
        words += [_text(seen, one) for one in new if one.endswith(_SHELL)]
        found |= new
    return frozenset(found)
