"""The verbs around fix tasks: list, look at, claim, give back, and have a fix judged.

A fix without what it did to the data by which tests judge: files that tests name and the product does not.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING, Final

from pactkeeper.errors import CatalogError, MissingBaseline, RefusedError, UnknownRevision, UsageError
from pactkeeper.health.acceptance import Acceptance, failing_still, weakened
from pactkeeper.health.following import OPEN, tried_in_vain
from pactkeeper.health.sweeping import SweepScope, Watching
from pactkeeper.health.sweeping import sweep as run_sweep
from pactkeeper.health.weakening import CommitState, Refusal
from pactkeeper.intent.health import CLAIMABLE, CheckResult, FixStatus, FixTask, HealthFinding
from pactkeeper.operators.concluded import is_part_of, limits_of
from pactkeeper.operators.sweep import trust_of
from pactkeeper.repo.strength.judging import changed_paths
from pactkeeper.repo.test_side import is_test_side

if TYPE_CHECKING:
    from pactkeeper.health.trust import Trust
    from pactkeeper.repo.git import Repository
    from pactkeeper.repo.snapshot import Snapshot
    from pactkeeper.store.history import History
    from pactkeeper.workspace import Workspace


MOST_COMMITS: Final = 20
_REMOTE: Final = ("origin/", "refs/remotes/")


@dataclass(frozen=True, slots=True)
class Window:
    """Between which swept commits a failure came: `good` is empty where no earlier sweep judged the check.

    `commits` are the commits after `good` up to `bad`, the newest first, each with its subject; at most 20.
    """

    good: str
    bad: str
    commits: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class FixDetail:
    """A task with the failures it is to mend as they are now, and between which commits the first of them came."""

    task: FixTask
    findings: tuple[HealthFinding, ...]
    window: Window | None


@dataclass(frozen=True, slots=True)
class Completion:
    """A fix to be judged: the task, the commit that holds it, and who made it.

    `despite` is a person's reason to take changes of tests that rules cannot call neutral; the checks must pass anyway.
    It counts where `attended`: somebody is at a terminal. `trust` is a declaration that is trusted this once, or `any`.
    """

    task: str
    commit: str = "HEAD"
    by: str = ""
    despite: str = ""
    attended: bool = False
    trust: str = ""


@dataclass(frozen=True, slots=True)
class Completed:
    """What was judged, and the task as it is now."""

    task: FixTask
    acceptance: Acceptance


def list_fix_tasks(workspace: Workspace, statuses: Sequence[FixStatus] = ()) -> tuple[FixTask, ...]:
    """Tasks in these statuses, by default all that are still to be done, the oldest first."""
    from pactkeeper.store.health import fix_tasks  # noqa: PLC0415 - SQL

    if not workspace.has_history:
        return ()
    return fix_tasks(workspace.history(), statuses or sorted(OPEN))


def show_fix_task(workspace: Workspace, name: str) -> FixDetail:
    """Show one task with its failures; raises InputError for an unknown one."""
    from pactkeeper.store.health import fix_task, health_findings  # noqa: PLC0415 - SQL

    history = workspace.history()
    task = fix_task(history, name)
    named = {one.diagnostic.fingerprint: one for one in health_findings(history)}
    findings = tuple(named[each] for each in task.fingerprints if each in named)
    return FixDetail(task, findings, _window(workspace, history, findings))


def claim_fix_task(workspace: Workspace, name: str, *, by: str = "") -> FixTask:
    """Take a task that waits; raises RefusedError where it does not wait any more."""
    from pactkeeper.store.health import claim_fix_task as claim  # noqa: PLC0415 - SQL

    return claim(workspace.history(), name, by=by or workspace.person(), at=_now(workspace))


def release_fix_task(workspace: Workspace, name: str, *, reason: str, to_person: bool = False) -> FixTask:
    """Give a task back so that others may claim it, or hand it to a person; the reason stays with it."""
    from pactkeeper.store.health import fix_task  # noqa: PLC0415 - SQL

    task = fix_task(workspace.history(), name)
    if task.status not in OPEN:
        raise RefusedError(f"{name} is {task.status}; only a task that is still to be done can be given back")
    status: FixStatus = "escalated" if to_person else "pending"
    after = replace(task, status=status, claimed_by="", claimed_at="", note=reason)
    return _changed(workspace, task, after)


def complete_fix_task(workspace: Workspace, request: Completion) -> Completed:
    """Judge a fix: what it does to protected tests first, then whether the checks that failed pass at its commit.

    A fix that is taken closes the task; one that is refused counts as a try, a doubt aside, and after too many a person
    is asked. Raises RefusedError for a task that whoever asks has not claimed, and UsageError for a reason
    to take changed tests that does not come from a person at a terminal.
    """
    from pactkeeper.store.health import fix_task  # noqa: PLC0415 - SQL

    if request.despite:
        _ensure_person(workspace, request)
    task = fix_task(workspace.history(), request.task)
    _ensure_claimed(task, request.by or workspace.person(), commit=request.commit)
    commit = workspace.repository.resolve(request.commit)
    judged = _judged(workspace, task, commit, request)
    if judged.accepted:
        after = replace(task, status="done", fix=commit, finished_at=_now(workspace), note=request.despite)
    else:
        after = _refused(workspace, task, judged)
    return Completed(_changed(workspace, task, after), judged)


def _refused(workspace: Workspace, task: FixTask, judged: Acceptance) -> FixTask:
    """The task after a refusal: still with whoever has it, who may simply try again, or a person's after too many.

    A doubt costs no try: rules cannot tell, and that is not the fault of the fix.
    """
    note = "; ".join(str(one) for one in judged.refusals[:3])
    if judged.refusals and all(one.doubtful for one in judged.refusals):
        return replace(task, note=note)
    settings = workspace.pact(workspace.snapshot(task.commit)).settings.health
    tried = tried_in_vain(task, note, limits_of(settings))
    if tried.status != "failed":
        return tried
    return replace(tried, status="assigned", claimed_by=task.claimed_by, claimed_at=_now(workspace))


def _ensure_person(workspace: Workspace, request: Completion) -> None:
    """An agent that acts for a person may have their terminal, and a script their name; neither is their word."""
    if workspace.acting or not request.attended:
        who = f"not {workspace.acting!r}" if workspace.acting else "and nobody is at one"
        raise UsageError(
            f"the reason {request.despite!r} to take changed tests must come from a person at a terminal, {who}; "
            f"have the change reviewed there: pk fixes complete {request.task} --despite REASON"
        )


def _way_on(task: FixTask) -> str:
    """What whoever wants to complete a task that nobody has claimed may do."""
    if task.status in CLAIMABLE:
        return f"; claim it first: pk fixes claim {task.id}"
    if task.status == "done":
        by = f" by {task.fix[:12]}" if task.fix else ""
        return f" already{by}; a failure that comes back gets a task of its own: pk health sweep"
    if task.status == "escalated":
        return f" and waits for a person, who may give it back: pk fixes release {task.id} --reason REASON"
    return f" and needs no fix any more: {task.note}" if task.note else " and needs no fix any more"


def _ensure_claimed(task: FixTask, by: str, *, commit: str) -> None:
    if task.status != "assigned":
        raise RefusedError(f"{task.id} is {task.status}{_way_on(task)}")
    if task.claimed_by != by:
        at = "" if commit == "HEAD" else f" --commit {quote(commit)}"
        raise RefusedError(
            f"{task.id} is claimed by {task.claimed_by!r}, not by {by!r}; "
            f"who claimed it completes it with: pk fixes complete {task.id}{at} --by {quote(task.claimed_by)}"
        )


def _judged(workspace: Workspace, task: FixTask, commit: str, request: Completion) -> Acceptance:
    if commit == task.commit or not is_part_of(workspace, task.commit, commit):
        reason = f"the fix must be a commit on top of {task.commit[:12]}, where the failure was seen"
        return Acceptance(task.id, task.commit, commit, (Refusal(commit[:12], reason),))
    refusals = () if request.despite else _against(workspace, task, commit)
    if refusals:
        return Acceptance(task.id, task.commit, commit, refusals)
    trust = trust_of(workspace, request.trust)
    results = _run(workspace, task, commit, trust)
    failing = failing_still(task, results, others=_others(workspace, task))
    if not failing and not request.despite:
        failing = _only_by_what_judges(workspace, task, commit, trust)
    return Acceptance(task.id, task.commit, commit, failing, results)


def _only_by_what_judges(workspace: Workspace, task: FixTask, commit: str, trust: Trust) -> tuple[Refusal, ...]:
    """A doubt where the checks pass only with what a fix did to the data by which tests judge, or to the tests.

    Whether the product was right all along and its test wrong, no rule can tell.
    """
    before, after = workspace.snapshot(task.commit), workspace.snapshot(commit)
    changed = changed_paths(before, after)
    paths = set(judging_data(before, after, changed))
    if task.kind == "test":
        paths |= {path for path in changed if is_test_side(path) and path in before and path in after}
    if not paths:
        return ()
    alone = fix_without(workspace.repository, commit, paths, base=task.commit)
    if not failing_still(task, _run(workspace, task, alone, trust), others=_others(workspace, task)):
        return ()
    return tuple(
        Refusal(path, "").doubted("it judges the product, and the checks pass only as it is now")
        for path in sorted(paths)
    )


def _against(workspace: Workspace, task: FixTask, commit: str) -> tuple[Refusal, ...]:
    """What asks less than at the commit of the task; a doubt where it came before the fix parted from the main branch.

    Whoever works here can move what this clone knows of the remote, so its word takes nothing away.
    """
    found = _weakened(workspace, task.commit, commit)
    base = _parted(workspace, task, commit) if found else task.commit
    if base == task.commit:
        return found
    own = _weakened(workspace, base, commit)
    others = (one.doubted(f"which {base[:12]} of the remote's main branch brought") for one in {*found} - {*own})
    return tuple(sorted({*own, *others}))


def _parted(workspace: Workspace, task: FixTask, commit: str) -> str:
    """Where the fix parted from the remote's main branch, as far as this clone knows it; else the task's own commit."""
    try:
        trunk = workspace.repository.trunk()
        base = workspace.repository.merge_base(trunk, commit) if trunk.startswith(_REMOTE) else ""
    except (MissingBaseline, UnknownRevision):
        base = ""
    later = base not in {"", commit} and is_part_of(workspace, task.commit, base)
    return base if later else task.commit


def _weakened(workspace: Workspace, base: str, commit: str) -> tuple[Refusal, ...]:
    """Compare both commits; the tests of the fix are looked for by the settings of the base."""
    before, after = workspace.snapshot(base), workspace.snapshot(commit)
    pact = workspace.pact(before)
    try:
        later = workspace.pact(after)
    except CatalogError as error:
        return tuple(Refusal(one.path, one.message) for one in error.problems)
    sides = (
        CommitState(before, workspace.scan(before, pact), pact),
        CommitState(after, workspace.scan(after, pact), later),
    )
    return weakened(*sides)


def _run(workspace: Workspace, task: FixTask, commit: str, trust: Trust) -> tuple[CheckResult, ...]:
    watching = Watching(workspace.now, lambda check, *_: workspace.notice(f"{check.category}: {check.name}"))
    wanted = SweepScope(at=commit, only=task.checks, trust=trust)
    try:
        return run_sweep(workspace.repository, workspace.sweep_places, wanted, watching).sweep.results
    except UsageError:
        return ()  # a check that the fix took away was not run, and that is what is said of it


def _others(workspace: Workspace, task: FixTask) -> frozenset[str]:
    """What other open tasks are to mend."""
    open_tasks = (one for one in list_fix_tasks(workspace) if one.id != task.id)
    return frozenset(name for one in open_tasks for name in one.fingerprints)


def _changed(workspace: Workspace, before: FixTask, after: FixTask) -> FixTask:
    from pactkeeper.store.health import change_fix_task  # noqa: PLC0415 - SQL

    if not change_fix_task(workspace.history(), before, after):
        raise RefusedError(f"{before.id} was changed by somebody else meanwhile; look again: pk fixes show {before.id}")
    return after


def _window(workspace: Workspace, history: History, findings: Sequence[HealthFinding]) -> Window | None:
    from pactkeeper.store.health import judged_before, sweep_commit  # noqa: PLC0415 - SQL

    if not findings:
        return None
    first = findings[0]
    bad = sweep_commit(history, first.first_sweep)
    good = next(iter(judged_before(history, first.diagnostic.check, first.first_sweep)), "")
    return Window(good, bad, commits_between(workspace, good, bad) if good else ())


def commits_between(workspace: Workspace, good: str, bad: str) -> tuple[tuple[str, str], ...]:
    """The commits after `good` up to `bad`, the newest first, each with its subject; at most 20."""
    arguments = ("log", f"--max-count={MOST_COMMITS}", "--format=%H%x00%s", bad, f"^{good}", "--")
    lines = workspace.repository.run(*arguments, accept=(0, 128)).decode("utf-8", "replace").splitlines()
    return tuple((name, subject) for name, _, subject in (line.partition("\0") for line in lines))


def _now(workspace: Workspace) -> str:
    return workspace.now().isoformat(timespec="seconds")


_WHO: Final = ("-c", "user.name=pactkeeper", "-c", "user.email=pactkeeper@localhost")

_DATA: Final = (".json", ".toml", ".yaml", ".yml", ".ini", ".cfg", ".csv", ".tsv", ".txt", ".xml", ".properties")
_CODE: Final = (".py", ".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".go", ".rs", ".java", ".kt")


def judging_data(before: Snapshot, after: Snapshot, changed: Collection[str]) -> tuple[str, ...]:
    """The changed data files, sorted, that tests name on the earlier side and the product does not.

    A file that is new or gone is none of them.
    """
    found = [path for path in sorted(changed) if path.endswith(_DATA) and path in before and path in after]
    named = {path: _naming(before, path.rpartition("/")[2].encode()) for path in found}
    return tuple(path for path in found if named[path] and all(map(is_test_side, named[path])))


def _naming(snapshot: Snapshot, name: bytes) -> list[str]:
    """The files of code in which a name stands."""
    code = (path for path in snapshot.paths if path.endswith(_CODE))
    return [path for path in code if name in (snapshot.read(path) or b"")]


def fix_without(repository: Repository, commit: str, paths: Collection[str], *, base: str) -> str:
    """A commit on top of `commit` with these files as `base` has them; no branch names it, so git forgets it."""
    tree = f"{commit}^{{tree}}"
    for path in paths:
        tree = _with(repository, tree, path, _object(repository, f"{base}:{path}"))
    made = repository.run(*_WHO, "commit-tree", _object(repository, tree), "-p", commit, "-m", "without test data")
    return made.decode("ascii").strip()


def _with(repository: Repository, tree: str, path: str, blob: str) -> str:
    """A tree in which one file is another."""
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
