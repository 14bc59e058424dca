"""The verbs around pull requests: read what one changes, and say it where it is discussed.

Both commits are read as data from git's object store: nothing of them is checked out, and nothing of them runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pactkeeper.errors import BoardUnavailable, InputError, StaleError, UnknownRevision
from pactkeeper.forges.change import Change, Annotation
from pactkeeper.forges.comment import comment_of, headline
from pactkeeper.forges.port import Forge, PullRequest, Status
from pactkeeper.operators.check import Row, check_repo
from pactkeeper.operators.guard import GuardReport, guard_tests
from pactkeeper.operators.observe import discover_delta
from pactkeeper.operators.view import StateView

if TYPE_CHECKING:
    from pactkeeper.intent.pact import Pact
    from pactkeeper.reconcile.world import World
    from pactkeeper.repo.fetching import Network
    from pactkeeper.repo.git import Repository
    from pactkeeper.settings import Environment
    from pactkeeper.workspace import Workspace

RULES: Final = ("pact/pact.toml", "pact/invariants.toml", "pact/waivers.toml", "pact/debt.txt", "pact/allowed_signers")
_ORPHAN: Final = "PK101"  # told as tests without intent


@dataclass(frozen=True, slots=True)
class Reported:
    """What was found, the comment that says it, and why it could not be posted; `untold` is empty where it was."""

    change: Change
    text: str
    untold: str = ""


def bring_here(workspace: Workspace, request: PullRequest) -> None:
    """Fetch what is missing of a pull request's commits; raises StaleError where it moved on meanwhile."""
    from pactkeeper.repo.origin import fetch_here  # noqa: PLC0415 - in CI they are often here

    repository = workspace.repository
    if _has(repository, request.base) and _has(repository, request.head):
        return
    fetch_here(repository, (request.ref, f"refs/heads/{request.target}"), network_of(workspace))
    if not _has(repository, request.head):
        raise StaleError(f"pull request {request.number} moved on from {request.head[:12]}; run it again")


def network_of(workspace: Workspace) -> Network:
    """How to reach where a clone comes from."""
    from pactkeeper.repo.fetching import Network  # noqa: PLC0415 - likewise

    return Network(credentials=workspace.surroundings.credentials)


@contextmanager
def still_ours(surroundings: Environment) -> Iterator[None]:
    """Hold the job of this process, where it runs one, while something is written elsewhere; raises HandedOver."""
    if not surroundings.job:
        yield
        return
    from pactkeeper.store.fence import Fence  # noqa: PLC0415 - SQL, which no job needs

    fence = Fence.of(surroundings.job, surroundings.database_url)
    with nullcontext() if fence is None else fence.held():
        yield


def _has(repository: Repository, commit: str) -> bool:
    try:
        return repository.resolve(commit) == commit
    except UnknownRevision:
        return False


def read_change(workspace: Workspace, since: str, at: str) -> Change:
    """Compare a commit with the point where it left the history of another."""
    base = workspace.repository.merge_base(since, at)
    head = workspace.repository.resolve(at)
    guarded = guard_tests(workspace, StateView(at=head), since=base)
    try:
        return _with_pact(workspace, guarded)
    except InputError as error:
        return Change(base, head, guarded.compared, weakens=_weakens(guarded), broken=str(error))


def report_pull_request(workspace: Workspace, forge: Forge, request: PullRequest, *, answers: bool = False) -> Reported:
    """Read a pull request whose commits are here, and bring its status and its one comment up to date.

    Where the forge does not let a pull request of a fork be told, as with a token that can only read, the report says
    so. Raises StaleError where the pull request has moved on, so that an older verdict never replaces a newer one.
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


def _tell(forge: Forge, request: PullRequest, change: Change, text: str) -> None:
    forge.show(request, Status(change.holds, f"Pact: {headline(change)}", text, change.notes))
    before = forge.own_comment(request.number)
    if before is None or before.text != text:
        forge.say(request.number, text, instead=before)


def _with_pact(workspace: Workspace, guarded: GuardReport) -> Change:
    base, head = guarded.base, guarded.target
    before, after = (workspace.world(workspace.snapshot(one), judged=False) for one in (base, head))
    delta = discover_delta(workspace, StateView(at=head), since=base)
    declared = bool(after.pact.atoms or before.pact.atoms)
    new, older = _errors(workspace, base, head) if declared else ((), 0)
    return Change(
        base,
        head,
        guarded.compared,
        promises=_promises(before.pact, after.pact),
        proves=_proves(before, after),
        stronger=tuple(dict.fromkeys(row.subject for row in guarded.stronger)),
        weakens=_weakens(guarded),
        approved=tuple((row.subject, by) for row, by in guarded.approved),
        drift=tuple(_note(row) for row in new if row.code != _ORPHAN or row.subject not in delta.orphans),
        older=older,
        without=delta.orphans if declared else (),
        rules=_rules(workspace, base, head),
        unseen=guarded.unseen,
        agrees=not new,
    )


def _promises(before: Pact, after: Pact) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name, atom.intent)
        for name, atom in sorted(after.atoms.items())
        if name not in before.atoms or before.atoms[name].intent != atom.intent
    )


def _proves(before: World, after: World) -> tuple[tuple[str, str], ...]:
    known = _links(before)
    return tuple(pair for pair in sorted(_links(after)) if pair not in known)


def _links(world: World) -> frozenset[tuple[str, str]]:
    from pactkeeper.intent.links import LIVE_LINKS  # noqa: PLC0415 - only where there is a pact

    return frozenset(
        (entry.test.id, link.atom) for entry in world.linked for link in entry.links if link.state in LIVE_LINKS
    )


def _weakens(guarded: GuardReport) -> tuple[Annotation, ...]:
    return tuple(_note(row) for row in guarded.findings if row.severity != "info")


def _errors(workspace: Workspace, base: str, head: str) -> tuple[tuple[Row, ...], int]:
    """The errors that the later state alone has, and how many stood before."""
    before = {row.fingerprint for row in check_repo(workspace, StateView(at=base)).findings}
    rows = [row for row in check_repo(workspace, StateView(at=head, since=base)).findings if row.severity == "error"]
    new = tuple(row for row in rows if row.fingerprint not in before)
    return new, len(rows) - len(new)


def _note(row: Row) -> Annotation:
    return Annotation(row.severity, row.code, row.path, row.line, row.subject, row.message, row.detail)


def _rules(workspace: Workspace, base: str, head: str) -> tuple[str, ...]:
    said = workspace.repository.run("diff-tree", "-r", "-z", "--name-only", "--no-renames", base, head, "--", *RULES)
    return tuple(sorted(name for name in said.decode("utf-8", "replace").split("\0") if name))
