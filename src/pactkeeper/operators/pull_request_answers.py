"""The verb behind `/pk accept` below a pull request: what somebody accepts becomes a commit on its branch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pactkeeper.errors import ForbiddenError, PactkeeperError, RefusedError, StaleError
from pactkeeper.forges.answers import Asked, asked_in
from pactkeeper.forges.port import Comment, Forge, PullRequest
from pactkeeper.operators.accept import AcceptedWords, accept_tests
from pactkeeper.operators.pull_requests import bring_here, network_of, still_ours
from pactkeeper.repo.origin import push_here
from pactkeeper.repo.throw_away import commit_all, throw_away_tree
from pactkeeper.workspace import Workspace, open_workspace


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of a comment: accepted tests and the commit that was pushed, none where it asks for nothing."""

    by: str
    tests: tuple[str, ...] = ()
    commit: str = ""


def answer_comment(workspace: Workspace, forge: Forge, number: int, comment: str) -> Answered:
    """Do what a comment asks for, if its author may write to the repository now.

    The author sees by a sign whether it was done. Raises ForbiddenError for others, RefusedError for pull requests of
    forks, and StaleError where the branch is not at the commit that the comment names.
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
        raise ForbiddenError(f"{said.author!r} may not write to {forge.name}; ask somebody who may")
    request = forge.pull_request(number)
    _ensure_ours(request, asked)
    bring_here(workspace, request)
    with (
        throw_away_tree(workspace.repository, request.head) as folder,
        open_workspace(folder, notice=workspace.notice) as opened,
    ):
        acting = opened.acting_for("a comment", f"{said.author} at {forge.name}")
        for one in asked:
            accept_tests(acting, one.tests, AcceptedWords(one.atom, one.intent))
        commit = commit_all(opened.repository, said.author, _message(asked))
        with still_ours(workspace.surroundings):
            push_here(opened.repository, commit, request.branch, network_of(workspace))
    return commit


def _ensure_ours(request: PullRequest, asked: Sequence[Asked]) -> None:
    if request.fork or not request.open:
        what = "comes from a fork: its author runs pk accept there" if request.fork else "is closed"
        raise RefusedError(f"pull request {request.number} {what}")
    stale = [one.at for one in asked if not request.head.startswith(one.at)]
    if stale:
        raise StaleError(
            f"pull request {request.number} is at {request.head[:12]} and not at {stale[0]!r}; look at it again"
        )


def _message(asked: Sequence[Asked]) -> str:
    tests = [test for one in asked for test in one.tests]
    return "pact: accept what a comment names\n\n" + "\n".join(ascii(test)[1:-1] for test in tests)
