"""Whether to accept a fix: what it does to the tests that judge it, and whether the failed checks pass.

Also re-runs checks without the fix's changes to test data: files that tests name and the product does not.
"""

from __future__ import annotations

import os
from ast import PyCF_ONLY_AST
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final

from pactkeeper.errors import CatalogError, MissingBaseline, UnknownRevision, UsageError
from pactkeeper.health.conflicts import conflicts
from pactkeeper.health.sweeping import SweepScope, Swept, Watching
from pactkeeper.health.sweeping import sweep as run_sweep
from pactkeeper.health.tasking import OPEN
from pactkeeper.health.trust import Trust
from pactkeeper.health.weakening import Acceptance, CommitState, FixRefusal, failing_still, weakened
from pactkeeper.intent.health import FixTask
from pactkeeper.operators.concluded import is_part_of
from pactkeeper.operators.sweep import trust_of
from pactkeeper.repo.delta import changed_paths
from pactkeeper.repo.git import Repository
from pactkeeper.repo.languages.javascript.settings.values import SettingsFiles
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.switches.reading import read_data
from pactkeeper.repo.test_side import is_test_side
from pactkeeper.workspace import Workspace

_REMOTE: Final = ("origin/", "refs/remotes/")


@dataclass(frozen=True, slots=True)
class Fix:
    """A commit meant to fix a task.

    `good` is the last commit without the task's failures, empty if unknown; `failing` are the files in which they
    occur.
    """

    task: FixTask
    commit: str
    good: str = ""
    failing: frozenset[str] = frozenset()


def judge_fix(workspace: Workspace, fix: Fix, *, despite: bool, trust: str) -> Acceptance:
    """Judge a fix by its changes to tests, unless a person accepts those, and then by the checks.

    Raises UntrustedError if nobody trusts what would run.
    """
    task, commit = fix.task, fix.commit
    if commit == task.commit or not is_part_of(workspace, task.commit, commit):
        reason = f"the fix must be a commit on top of {task.commit[:12]}, where the failure was seen"
        return Acceptance(task.id, task.commit, commit, (FixRefusal(commit[:12], reason),))
    if fix.good and not is_part_of(workspace, fix.good, task.commit):
        fix = replace(fix, good="")
    refusals = () if despite else _against(workspace, fix)
    if refusals:
        return Acceptance(task.id, task.commit, commit, refusals)
    trusted = trust_of(workspace, trust)
    ran = _run(workspace, task, commit, trusted)
    failing = _failing(workspace, task, ran)
    if not failing and not despite:
        failing = _only_by_what_judges(workspace, fix, trusted)
    if ran is None:
        return Acceptance(task.id, task.commit, commit, failing)
    whole = _is_whole(ran) and conflicts(workspace.repository, commit).verdict == "pass"
    return Acceptance(task.id, task.commit, commit, failing, ran.sweep.results, whole)


def _only_by_what_judges(workspace: Workspace, fix: Fix, trust: Trust) -> tuple[FixRefusal, ...]:
    """Return doubts if the checks only pass because of the fix's changes to test data or tests.

    No rule can tell whether the product was right all along and its test wrong. If a supporting file, such as a
    fixture, was broken after the last good commit, it is enough that the checks pass with its good version.
    """
    task = fix.task
    before, after = workspace.snapshot(task.commit), workspace.snapshot(fix.commit)
    changed = changed_paths(before, after)
    paths = set(judging_data(before, after, changed))
    if task.kind == "test":
        paths |= {path for path in changed if is_test_side(path) and path in before and path in after}
    if not paths:
        return ()
    alone = fix_without(workspace.repository, fix.commit, paths, base=task.commit)
    broken = _broken_support(workspace, fix, paths)
    as_they_were = [alone, *([fix_without(workspace.repository, alone, broken, base=fix.good)] if broken else [])]
    if any(not _failing(workspace, task, _run(workspace, task, each, trust)) for each in as_they_were):
        return ()
    return tuple(
        FixRefusal(path, "").doubted("it judges the product, and the checks pass only with its current version")
        for path in sorted(paths)
    )


def _broken_support(workspace: Workspace, fix: Fix, paths: Collection[str]) -> frozenset[str]:
    """Return the files in `paths` without tests that changed since the last good commit."""
    if not fix.good:
        return frozenset()
    before, good = workspace.snapshot(fix.task.commit), workspace.snapshot(fix.good)
    tested = workspace.scan(before, workspace.pact(before)).by_file
    changed = changed_paths(good, before)
    return frozenset(path for path in paths if path in changed and path in good and path not in tested)


def _against(workspace: Workspace, fix: Fix) -> tuple[FixRefusal, ...]:
    """Return where the fix asks less than the task's commit; as a doubt if the main branch brought the change.

    Anyone working here can move this clone's view of the remote, so it cannot remove a refusal.
    """
    task = fix.task
    found = _weakened(workspace, fix, _read_again(workspace, fix))
    base = _parted(workspace, task, fix.commit) if found else task.commit
    if base == task.commit:
        return found
    own = _weakened(workspace, fix, base)
    others = (one.doubted(f"which {base[:12]} of the remote's main branch brought") for one in {*found} - {*own})
    return tuple(sorted({*own, *others}))


def _read_again(workspace: Workspace, fix: Fix) -> str:
    """Return the task's commit, with files that do not parse there restored to their last good version."""
    base, good = fix.task.commit, fix.good
    if not good:
        return base
    torn, well = workspace.snapshot(base), workspace.snapshot(good)
    scripts = SettingsFiles(torn)
    both = (path for path in changed_paths(well, torn) if path in well and path in torn)
    broken = [path for path in both if _is_broken(torn, path, scripts)]
    return fix_without(workspace.repository, base, broken, base=good) if broken else base


def _is_broken(snapshot: Snapshot, path: str, scripts: SettingsFiles) -> bool:
    """Whether a settings or Python file fails to parse."""
    source = snapshot.read(path) or b""
    try:
        if path.endswith(_SETTINGS):
            read_data(path, source, scripts)
        elif path.endswith(".py"):
            compile(source, path, "exec", dont_inherit=True, flags=PyCF_ONLY_AST)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    return False


def _parted(workspace: Workspace, task: FixTask, commit: str) -> str:
    """Return where the fix left the remote's main branch, as far as this clone knows; else the task's own commit."""
    try:
        trunk = workspace.repository.trunk()
        base = workspace.repository.merge_base(trunk, commit) if trunk.startswith(_REMOTE) else ""
    except (MissingBaseline, UnknownRevision):
        base = ""
    later = base not in {"", commit} and is_part_of(workspace, task.commit, base)
    return base if later else task.commit


def _weakened(workspace: Workspace, fix: Fix, base: str) -> tuple[FixRefusal, ...]:
    """Compare both commits; the fix's tests are found by the base's settings."""
    before, after = workspace.snapshot(base), workspace.snapshot(fix.commit)
    pact = workspace.pact(before)
    try:
        later = workspace.pact(after)
    except CatalogError as error:
        return tuple(FixRefusal(one.path, one.message) for one in error.problems)
    sides = (
        CommitState(before, workspace.scan(before, pact), pact),
        CommitState(after, workspace.scan(after, pact), later),
    )
    # A program that fails a test is judging it; one that does not compile is itself what fails.
    return weakened(*sides, failing=frozenset() if fix.task.kind == "test" else fix.failing)


def _run(workspace: Workspace, task: FixTask, commit: str, trust: Trust) -> Swept | None:
    """Run the task's checks; returns None if the fix removed one, which its verdict reports as not run."""
    watching = Watching(workspace.now, lambda check, *_: workspace.notice(f"{check.category}: {check.name}"))
    wanted = SweepScope(at=commit, only=task.checks, trust=trust)
    try:
        return run_sweep(workspace.repository, workspace.sweep_places, wanted, watching)
    except UsageError:
        return None


def _failing(workspace: Workspace, task: FixTask, ran: Swept | None) -> tuple[FixRefusal, ...]:
    return failing_still(task, () if ran is None else ran.sweep.results, others=_others(workspace, task))


def _is_whole(ran: Swept) -> bool:
    """Whether all checks passed that a sweep of the commit would judge it by, beside the one for conflict markers."""
    judging = {one.check.name for one in ran.plan.checks if one.check.category != "lint" and not one.unfit}
    return bool(judging) and judging <= {one.check for one in ran.sweep.results if one.verdict == "pass"}


def _others(workspace: Workspace, task: FixTask) -> frozenset[str]:
    """Return the fingerprints that other open tasks are meant to fix."""
    from pactkeeper.store.health import fix_tasks  # noqa: PLC0415 - SQL

    open_tasks = (one for one in fix_tasks(workspace.history(), sorted(OPEN)) if one.id != task.id)
    return frozenset(name for one in open_tasks for name in one.fingerprints)


_WHO: Final = ("-c", "user.name=pactkeeper", "-c", "user.email=pactkeeper@localhost")

_SETTINGS: Final = (".toml", ".ini", ".cfg", ".json", ".yml", ".yaml")
_DATA: Final = (".json", ".toml", ".yaml", ".yml", ".ini", ".cfg", ".csv", ".tsv", ".txt", ".xml", ".properties")
_CODE: Final = (".py", ".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".go", ".rs", ".java", ".kt")


def judging_data(before: Snapshot, after: Snapshot, changed: Collection[str]) -> tuple[str, ...]:
    """Return the changed data files, sorted, that tests name at the earlier commit and the product does not.

    Added and deleted files are not included.
    """
    found = [path for path in sorted(changed) if path.endswith(_DATA) and path in before and path in after]
    named = {path: _naming(before, path.rpartition("/")[2].encode()) for path in found}
    return tuple(path for path in found if named[path] and all(map(is_test_side, named[path])))


def _naming(snapshot: Snapshot, name: bytes) -> list[str]:
    """Return the code files that contain a name."""
    code = (path for path in snapshot.paths if path.endswith(_CODE))
    return [path for path in code if name in (snapshot.read(path) or b"")]


def fix_without(repository: Repository, commit: str, paths: Collection[str], *, base: str) -> str:
    """Commit these files as of `base` on top of `commit`; no branch refers to it, so git discards it eventually."""
    tree = f"{commit}^{{tree}}"
    for path in paths:
        tree = _with(repository, tree, path, _object(repository, f"{base}:{path}"))
    made = repository.run(*_WHO, "commit-tree", _object(repository, tree), "-p", commit, "-m", "without test data")
    return made.decode("ascii").strip()


def _with(repository: Repository, tree: str, path: str, blob: str) -> str:
    """Create a tree with one file replaced."""
    name, _, rest = path.partition("/")
    entries = []
    for entry in filter(None, repository.run("ls-tree", "-z", tree).split(b"\0")):
        told, _, named = entry.partition(b"\t")
        mode, kind, known = told.decode("ascii").split()
        if named == os.fsencode(name):
            known = _with(repository, known, rest, blob) if rest else blob
        entries.append(f"{mode} {kind} {known}\t".encode() + named)
    return repository.run("mktree", "-z", feed=b"".join(entry + b"\0" for entry in entries)).decode("ascii").strip()


def _object(repository: Repository, name: str) -> str:
    return repository.run("rev-parse", "--verify", "--end-of-options", name).decode("ascii").split()[-1]
