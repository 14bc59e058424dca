"""The verb that proposes what reconciling finds as a pull request: always one commit on top of the target branch."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from pactkeeper.errors import RefusedError
from pactkeeper.forges.port import Forge, OwnPullRequest, comment_of
from pactkeeper.operators.apply import apply_patch
from pactkeeper.operators.decide import decide, pending_of
from pactkeeper.operators.pull_requests import network_of, read_change, still_ours
from pactkeeper.operators.reconcile import reconcile_repo
from pactkeeper.reconcile.request import Request
from pactkeeper.repo.origin import (
    commit_all,
    default_branch_there,
    fetch_here,
    is_ours,
    is_there,
    push_here,
    throw_away_tree,
)
from pactkeeper.workspace import Workspace, open_workspace

BRANCH: Final = "pactkeeper/reconcile"
AUTHOR: Final = "Pactkeeper"
WORDS: Final = (
    "What `pk reconcile` proposes. Merging accepts all of it. It follows the target branch, and closes once nothing is "
    "left. To accept only some of it, run `pk reconcile` and `pk review` yourself. To be left alone, close it and keep "
    "the branch."
)
Outcome = Literal["opened", "updated", "current", "closed", "declined", "nothing"]


@dataclass(frozen=True, slots=True)
class Proposed:
    """What became of the proposal; `number` is its pull request, 0 where there is none.

    It is `declined` where somebody closed the pull request and kept the branch: then it is left alone.
    """

    outcome: Outcome
    number: int = 0
    commit: str = ""


def propose_branch(
    workspace: Workspace, forge: Forge, *, target: str = "", most: int, branch: str = BRANCH
) -> Proposed:
    """Bring our pull request to a target branch up to date, open or close it, by at most so many tests.

    The target is by default the branch that `origin` gives out.
    Raises RefusedError where somebody else committed to its branch.
    """
    repository, network = workspace.repository, network_of(workspace)
    target = target or default_branch_there(repository, network)
    fetch_here(repository, (f"refs/heads/{target}",), network)
    base = repository.resolve(f"refs/pactkeeper/heads/{target}")
    number, before = forge.proposed(branch, target), _head(workspace, branch)
    if number is not None and repository.resolve(f"{before}^") == base:
        return Proposed("current", number, before)
    if number is None and before and forge.declined(branch, target, before):
        return Proposed("declined")
    commit = _reconciled(workspace, base, most)
    if not commit:
        return _withdrawn(workspace, forge, number, branch=branch, before=before)
    text = f"{WORDS}\n\n{comment_of(read_change(workspace, base, commit))}"
    with still_ours(workspace.surroundings):
        push_here(repository, commit, branch, network, over=before)
        made = forge.propose(OwnPullRequest(branch, target, "pact: reconcile tests and intent", text), instead=number)
    return Proposed("opened" if number is None else "updated", made, commit)


def _head(workspace: Workspace, branch: str) -> str:
    """Where our branch is at the origin, fetched; empty where it is not there."""
    repository, network = workspace.repository, network_of(workspace)
    if not is_there(repository, branch, network):
        return ""
    fetch_here(repository, (f"refs/heads/{branch}",), network)
    head = repository.resolve(f"refs/pactkeeper/heads/{branch}")
    if not is_ours(repository, head):
        raise RefusedError(f"somebody committed to {branch!r}; merge or close its pull request first")
    return head


def _withdrawn(workspace: Workspace, forge: Forge, number: int | None, *, branch: str, before: str) -> Proposed:
    if number is None:
        return Proposed("nothing")
    with still_ours(workspace.surroundings):
        forge.withdraw(number)
        push_here(workspace.repository, "", branch, network_of(workspace), over=before)
    return Proposed("closed", number)


def _reconciled(workspace: Workspace, base: str, most: int) -> str:
    """The commit with what reconciling proposes at `base`; empty where that is nothing."""
    with _at(workspace, base) as opened:
        acting = opened.acting_for("pk pr propose", AUTHOR)
        found = reconcile_repo(acting, Request(everything=True, max_tests=most, ask=False))
        pending = pending_of(acting, found.patch)
        decisions = tuple(one for item in pending.sound for one in decide(acting, item, "accept"))
        if not decisions or not apply_patch(acting, found.patch, decisions).edits:
            return ""
        return commit_all(opened.repository, AUTHOR, "pact: reconcile tests and intent")


@contextmanager
def _at(workspace: Workspace, base: str) -> Iterator[Workspace]:
    """A throw-away work tree with a history of its own: nobody has decided anything yet."""
    with (
        throw_away_tree(workspace.repository, base) as folder,
        tempfile.TemporaryDirectory(prefix="pactkeeper-") as state,
        open_workspace(folder, notice=workspace.notice) as opened,
    ):
        yield replace(opened, state=Path(state), surroundings=replace(opened.surroundings, database_url=None))
