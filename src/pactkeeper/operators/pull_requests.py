"""Verbs about pull requests: analyse what one changes, report it there, act on comments, and open one.

Both commits are read as data from git's object store: nothing is checked out, and none of it runs. `/pk accept` in a
comment becomes a commit on the pull request's branch. Reconciling proposes a pull request that is always one commit on
top of the target branch.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from pactkeeper.advice import ACCEPT, REVIEW
from pactkeeper.errors import (
    BoardUnavailable,
    ForbiddenError,
    InputError,
    PactkeeperError,
    RefusedError,
    StaleError,
    UnknownRevision,
)
from pactkeeper.forges.deliveries import Asked, asked_in
from pactkeeper.forges.port import (
    Annotation,
    Comment,
    Forge,
    HostedChange,
    OwnPullRequest,
    PullRequest,
    Status,
    comment_of,
    headline,
)
from pactkeeper.intent.links import LIVE_LINKS
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.tests import within
from pactkeeper.operators.accept import AcceptedWords, accept_tests
from pactkeeper.operators.apply import apply_patch
from pactkeeper.operators.check import Row, check_repo
from pactkeeper.operators.decide import decide, pending_of
from pactkeeper.operators.guard import GuardReport, guard_tests
from pactkeeper.operators.observe import discover_delta
from pactkeeper.operators.reconcile import reconcile_repo
from pactkeeper.operators.view import StateView
from pactkeeper.reconcile.request import Request
from pactkeeper.reconcile.select import moves
from pactkeeper.reconcile.world import World
from pactkeeper.repo import origin
from pactkeeper.repo.fetching import Network
from pactkeeper.repo.git import Repository
from pactkeeper.settings import Environment
from pactkeeper.store.owner import Fence
from pactkeeper.workspace import Workspace, open_workspace

_DEBT: Final = "pact/debt.txt"
RULES: Final = ("pact/pact.toml", "pact/invariants.toml", "pact/waivers.toml", _DEBT, "pact/allowed_signers")
_MOST_DETAIL: Final = 50  # lines of one finding; forges refuse long texts
_ORPHAN: Final = "PK101"  # reported as tests without intent


@dataclass(frozen=True, slots=True)
class Reported:
    """What was found, the comment about it, and why it could not be posted; `untold` is empty if it was."""

    change: HostedChange
    text: str
    untold: str = ""


def bring_here(workspace: Workspace, request: PullRequest) -> None:
    """Fetch the missing commits of a pull request; raises StaleError if it was updated meanwhile."""
    repository = workspace.repository
    if _has(repository, request.base) and _has(repository, request.head):
        return
    origin.fetch_here(repository, (request.ref, f"refs/heads/{request.target}"), network_of(workspace))
    if not _has(repository, request.head):
        raise StaleError(f"pull request {request.number} moved on from {request.head[:12]}; run it again")


def network_of(workspace: Workspace) -> Network:
    """Return how to reach a clone's origin."""
    return Network(credentials=workspace.surroundings.credentials)


def still_ours(surroundings: Environment) -> AbstractContextManager[None]:
    """Hold on to this process's job, if any, during a write elsewhere; raises HandedOver."""
    fence = Fence.of(surroundings.job, surroundings.database_url) if surroundings.job else None
    return nullcontext() if fence is None else fence.held()


def _has(repository: Repository, commit: str) -> bool:
    try:
        return repository.resolve(commit) == commit
    except UnknownRevision:
        return False


def read_change(workspace: Workspace, since: str, at: str) -> HostedChange:
    """Compare a commit with its merge base with another."""
    base = workspace.repository.merge_base(since, at)
    head = workspace.repository.resolve(at)
    guarded = guard_tests(workspace, StateView(at=head), since=base)
    try:
        return _with_pact(workspace, guarded)
    except InputError as error:
        return HostedChange(base, head, guarded.compared, weakens=_weakens(guarded), broken=str(error))


def report_pull_request(workspace: Workspace, forge: Forge, request: PullRequest, *, answers: bool = False) -> Reported:
    """Analyse a pull request whose commits are local, and update its status and its one comment.

    If the forge does not allow reporting on a fork's pull request, for instance with a read-only token, the result says
    so. Raises StaleError if the pull request was updated, so that an older verdict never replaces a newer one.
    """
    change = read_change(workspace, request.base, request.head)
    text = comment_of(change, answers=answers and not request.fork)
    now = forge.pull_request(request.number)
    if now.head != request.head:
        raise StaleError(f"pull request {request.number} moved on to {now.head[:12]}; nothing was posted, run it again")
    try:
        with still_ours(workspace.surroundings):
            _tell(forge, request, change, text)
    except BoardUnavailable as error:
        if not request.fork:
            raise
        return Reported(change, text, str(error))
    return Reported(change, text)


def _tell(forge: Forge, request: PullRequest, change: HostedChange, text: str) -> None:
    forge.show(request, Status(change.holds, f"Pact: {headline(change)}", text, change.notes))
    own = forge.own_comments(request.number)
    if not own or own[0].text != text:
        forge.say(request.number, text, instead=own[0] if own else None)
    for one in own[1:]:  # left by a process that was suspended in the middle of this
        forge.unsay(request.number, one)


def _with_pact(workspace: Workspace, guarded: GuardReport) -> HostedChange:
    base, head = guarded.base, guarded.target
    before, after = (workspace.world(workspace.snapshot(one), judged=False) for one in (base, head))
    delta = discover_delta(workspace, StateView(at=head), since=base)
    declared = bool(after.pact.atoms or before.pact.atoms)
    new, older = _errors(workspace, base, head) if declared else ((), 0)
    moved = moves(after.linked, after.pact, after.gone)
    return HostedChange(
        base,
        head,
        guarded.compared,
        promises=_worded(after.pact, after.pact.committed_ids - before.pact.committed_ids),
        drafts=_worded(after.pact, _reworded(before.pact, after.pact) - after.pact.committed_ids),
        proves=_proves(before, after),
        stronger=tuple(dict.fromkeys(row.subject for row in guarded.stronger)),
        weakens=_weakens(guarded),
        approved=tuple((row.subject, by) for row, by in guarded.approved),
        drift=tuple(_with_fix(row) for row in new if row.code != _ORPHAN or row.subject not in delta.orphans),
        older=older,
        without=tuple(test for test in delta.orphans if test not in moved) if declared else (),
        rules=_rules(workspace, guarded, before.pact, after.pact),
        unseen=guarded.unseen,
        agrees=not new,
    )


def _worded(pact: Pact, atoms: Iterable[str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, pact.atoms[name].intent) for name in sorted(atoms) if name in pact.atoms)


def _reworded(before: Pact, after: Pact) -> set[str]:
    """Return the atoms that are new or have another sentence."""
    known = {(name, atom.intent) for name, atom in before.atoms.items()}
    return {name for name, atom in after.atoms.items() if (name, atom.intent) not in known}


def _proves(before: World, after: World) -> tuple[tuple[str, str], ...]:
    """Return the tests that newly realise an atom; one that only moved to another file does nothing new."""
    known = _links(before)
    moved = {(within(test), atom) for test, atom in known if test not in after.by_id}
    return tuple(pair for pair in sorted(_links(after) - known) if (within(pair[0]), pair[1]) not in moved)


def _links(world: World) -> frozenset[tuple[str, str]]:
    return frozenset((entry.test.id, atom) for entry in world.linked for atom in entry.atoms(LIVE_LINKS))


def _weakens(guarded: GuardReport) -> tuple[Annotation, ...]:
    return tuple(_note(row) for row in guarded.findings if row.severity != "info")


def _errors(workspace: Workspace, base: str, head: str) -> tuple[tuple[Row, ...], int]:
    """Return the errors that only the later state has, and the number of older ones."""
    before = {row.fingerprint for row in check_repo(workspace, StateView(at=base)).findings}
    rows = [row for row in check_repo(workspace, StateView(at=head, since=base)).findings if row.severity == "error"]
    new = tuple(row for row in rows if row.fingerprint not in before)
    return new, len(rows) - len(new)


def _note(row: Row) -> Annotation:
    rest = (f"… and {len(row.detail) - _MOST_DETAIL:,} more lines",) if len(row.detail) > _MOST_DETAIL else ()
    detail = (*row.detail[:_MOST_DETAIL], *rest)
    return Annotation(row.severity, row.code, row.path, row.line, row.subject, row.message, detail)


def _with_fix(row: Row) -> Annotation:
    return replace(_note(row), fix=row.fix)


def _rules(workspace: Workspace, guarded: GuardReport, before: Pact, after: Pact) -> tuple[str, ...]:
    """Return the files that the change edits and is judged by; debt that only became less excuses nothing."""
    sides = guarded.base, guarded.target
    said = workspace.repository.run("diff-tree", "-r", "-z", "--name-only", "--no-renames", *sides)
    edited = set(said.decode("utf-8", "replace").split("\0"))
    grounds = dict(after.debt.grounds.items() - before.debt.grounds.items())
    less = _excused(after) <= _excused(before) and grounds.keys() <= edited
    return tuple(name for name in sorted(RULES) if name in edited and not (less and name == _DEBT))


def _excused(pact: Pact) -> Counter[tuple[str, str, str]]:
    """Count what the debt says of tests, whatever their names are."""
    debt = pact.debt
    return Counter(
        (body, debt.baselines.get(test, ""), debt.readers.get(test, "")) for test, body in debt.by_test.items()
    )


@dataclass(frozen=True, slots=True)
class Answered:
    """The outcome of a comment: the accepted tests and the pushed commit, empty if it asks for nothing."""

    by: str
    tests: tuple[str, ...] = ()
    commit: str = ""


def answer_comment(workspace: Workspace, forge: Forge, number: int, comment: str) -> Answered:
    """Carry out a comment if its author currently has write access; repeating it has no further effect.

    A reaction shows the author whether it succeeded. Raises ForbiddenError for other authors, RefusedError for pull
    requests from forks, and StaleError if the branch is not at the commit that the comment names.
    """
    said = forge.comment(number, comment)
    try:
        asked = asked_in(said.text)
        if not asked:
            return Answered(said.author)
        commit = _accept(workspace, forge, number, said=said, asked=asked)
    except PactkeeperError:
        forge.react(number, comment, done=False)
        raise
    forge.react(number, comment, done=True)
    return Answered(said.author, tuple(test for one in asked for test in one.tests), commit)


def _accept(workspace: Workspace, forge: Forge, number: int, *, said: Comment, asked: Sequence[Asked]) -> str:
    if not said.author or not forge.may_write(said.author):
        raise ForbiddenError(f"{said.author!r} may not write to {forge.name}; ask somebody with write access")
    request = forge.pull_request(number)
    _ensure_ours(request)
    bring_here(workspace, request)
    if _is_done(workspace.repository, request.head, asked):
        return request.head
    _ensure_seen(request, asked)
    with (
        origin.throw_away_tree(workspace.repository, request.head) as folder,
        open_workspace(folder, notice=workspace.notice) as opened,
    ):
        acting = opened.acting_for("a comment", f"{said.author} at {forge.name}")
        for one in asked:
            accept_tests(acting, one.tests, AcceptedWords(one.atom, one.intent, confirmed=one.intent is not None))
        commit = origin.commit_all(opened.repository, said.author, _message(asked))
        with still_ours(workspace.surroundings):
            origin.push_here(opened.repository, commit, request.branch, network_of(workspace))
    return commit


def _ensure_ours(request: PullRequest) -> None:
    if request.fork or not request.open:
        what = "comes from a fork; its author accepts there: " + ACCEPT() if request.fork else "is closed"
        raise RefusedError(f"pull request {request.number} " + what)


def _is_done(repository: Repository, head: str, asked: Sequence[Asked]) -> bool:
    """Whether the branch is at the commit of an earlier attempt that was killed before it could report."""
    said = repository.run("show", "--no-patch", "--format=%P%n%B", head, "--").decode("utf-8", "replace")
    parent, _, message = said.partition("\n")
    same = message.strip() == _message(asked).strip()
    return same and origin.is_ours(repository, head) and all(parent.startswith(one.at) for one in asked)


def _ensure_seen(request: PullRequest, asked: Sequence[Asked]) -> None:
    stale = [one.at for one in asked if not request.head.startswith(one.at)]
    if stale:
        raise StaleError(
            f"pull request {request.number} is at {request.head[:12]} and not at {stale[0]!r}; look at it again"
        )


def _message(asked: Sequence[Asked]) -> str:
    return "pact: accept what a comment names\n\n" + "\n".join(ascii(test)[1:-1] for one in asked for test in one.tests)


BRANCH: Final = "pactkeeper/reconcile"
AUTHOR: Final = "Pactkeeper"
WORDS: Final = (
    "What `pk reconcile` proposes. Merging accepts everything. It follows the target branch, and closes when "
    f"nothing is left. To accept only part of it, run `pk reconcile` and `{REVIEW()}` yourself. To stop it, close "
    "it and keep the branch."
)
Outcome = Literal["opened", "updated", "current", "closed", "declined", "nothing"]


@dataclass(frozen=True, slots=True)
class Proposed:
    """The outcome of proposing; `number` is the pull request, 0 if there is none.

    It is `declined` if somebody closed the pull request and kept the branch, which is then left alone.
    """

    outcome: Outcome
    number: int = 0
    commit: str = ""


def propose_branch(workspace: Workspace, forge: Forge, *, target: str = "", most: int) -> Proposed:
    """Open, update or close our pull request to a target branch, with at most `most` tests.

    The target is by default the default branch of `origin`. Raises RefusedError if somebody else committed to our
    branch.
    """
    repository, network = workspace.repository, network_of(workspace)
    target = target or origin.default_branch_there(repository, network)
    origin.fetch_here(repository, (f"refs/heads/{target}",), network)
    base = repository.resolve(f"refs/pactkeeper/heads/{target}")
    number, before = forge.proposed(BRANCH, target), _head(workspace)
    if number is not None and before and repository.resolve(f"{before}^") == base:
        return Proposed("current", number, before)
    if number is None and before and forge.declined(BRANCH, target, before):
        return Proposed("declined")
    commit = _reconciled(workspace, base, most)
    if not commit:
        return _withdrawn(workspace, forge, number, before)
    text = f"{WORDS}\n\n{comment_of(read_change(workspace, base, commit))}"
    with still_ours(workspace.surroundings):
        origin.push_here(repository, commit, BRANCH, network, over=before)
        made = forge.propose(OwnPullRequest(BRANCH, target, "pact: reconcile tests and intent", text), instead=number)
    return Proposed("opened" if number is None else "updated", made, commit)


def _head(workspace: Workspace) -> str:
    """Fetch our branch from the origin and return its head; empty if it does not exist there."""
    repository, network = workspace.repository, network_of(workspace)
    if not origin.is_there(repository, BRANCH, network):
        return ""
    origin.fetch_here(repository, (f"refs/heads/{BRANCH}",), network)
    head = repository.resolve(f"refs/pactkeeper/heads/{BRANCH}")
    if not origin.is_ours(repository, head):
        raise RefusedError(f"somebody committed to {BRANCH!r}; merge or close its pull request first")
    return head


def _withdrawn(workspace: Workspace, forge: Forge, number: int | None, before: str) -> Proposed:
    if number is None:
        return Proposed("nothing")
    with still_ours(workspace.surroundings):
        if before:  # first, because a closed request whose branch still exists was closed by a person
            origin.push_here(workspace.repository, "", BRANCH, network_of(workspace), over=before)
        forge.withdraw(number)
    return Proposed("closed", number)


def _reconciled(workspace: Workspace, base: str, most: int) -> str:
    """Return the commit with what reconciling proposes at `base`; empty if there is nothing."""
    with (
        origin.throw_away_tree(workspace.repository, base) as folder,
        tempfile.TemporaryDirectory(prefix="pactkeeper-") as state,
        open_workspace(folder, notice=workspace.notice) as opened,
    ):
        # with a history of its own, in which nothing is decided yet
        fresh = replace(opened, state=Path(state), surroundings=replace(opened.surroundings, database_url=None))
        acting = fresh.acting_for("pk pr propose", AUTHOR)
        found = reconcile_repo(acting, Request(everything=True, max_tests=most, ask=False))
        pending = pending_of(acting, found.patch)
        decisions = tuple(one for item in pending.sound for one in decide(acting, item, "accept"))
        if not decisions or not apply_patch(acting, found.patch, decisions).edits:
            return ""
        return origin.commit_all(opened.repository, AUTHOR, "pact: reconcile tests and intent")
