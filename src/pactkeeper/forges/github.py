"""GitHub and GitHub Enterprise: pull requests over the REST interface of version 2022-11-28."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlsplit

from pactkeeper.boards.calls import Calls
from pactkeeper.boards.github import address as github_address
from pactkeeper.boards.port import CallLimits, Pace
from pactkeeper.errors import BoardUnavailable, InputError
from pactkeeper.forges.change import Annotation
from pactkeeper.forges.github_app import app_tokens
from pactkeeper.forges.gitlab import GitLab
from pactkeeper.forges.gitlab import address as gitlab_address
from pactkeeper.forges.port import (
    Comment,
    Forge,
    OwnPullRequest,
    PullRequest,
    Status,
    checked_number,
    own_among,
    pages,
    visible,
)
from pactkeeper.settings.forges import ForgeSetup

CHECK: Final = "Pactkeeper"
ACTIONS: Final = "github-actions[bot]"  # whose token a workflow has; it may not ask who it is
_MOST_ANNOTATIONS: Final = 50  # of one call, as GitHub takes them
_LONGEST_STATUS: Final = 140
_LEVELS: Final = {"error": "failure", "warning": "warning", "info": "notice"}
_WRITERS: Final = frozenset({"admin", "write"})


@dataclass(frozen=True, slots=True)
class GitHub:
    """One repository, named `owner/name`; `account` is the token's where that is known, else GitHub is asked."""

    repository: str
    calls: Calls = field(repr=False)
    account: str = ""

    @property
    def name(self) -> str:
        """The repository and its host."""
        return f"{self.repository} at {urlsplit(self.calls.address.base_url).netloc}"

    def pull_request(self, number: int) -> PullRequest:
        """Read a pull request."""
        with self.calls.session():
            found = self.calls.get(self._at(f"pulls/{number}")).data
            head, base = found["head"], found["base"]
            own = head["repo"] is not None and head["repo"]["id"] == base["repo"]["id"]
            return PullRequest(
                number,
                base["sha"],
                head["sha"],
                base["ref"],
                head["ref"],
                f"refs/pull/{number}/head",
                fork=not own,
                open=found["state"] == "open",
            )

    def comment(self, number: int, comment: str) -> Comment:
        """Read one comment; raises InputError where it stands below another pull request."""
        with self.calls.session():
            found = self.calls.get(self._at(f"issues/comments/{checked_number(comment)}")).data
            if not str(found["issue_url"]).endswith(f"/issues/{number}"):
                raise InputError(f"comment {comment!r} does not stand below pull request {number}")
            return _comment(found)

    def own_comments(self, number: int) -> tuple[Comment, ...]:
        """The comments of this account with our mark."""
        with self.calls.session():
            me = self.account or self._account()
            found = pages(self.calls, self._at(f"issues/{number}/comments"))
            return own_among(map(_comment, found), me)

    def say(self, number: int, text: str, *, instead: Comment | None) -> None:
        """Write a comment, or change one."""
        if instead is None:
            self.calls.send("POST", self._at(f"issues/{number}/comments"), body={"body": text})
        else:
            path = self._at(f"issues/comments/{instead.id}")
            self.calls.send("PATCH", path, body={"body": text}, repeatable=True)

    def unsay(self, number: int, comment: Comment) -> None:  # noqa: ARG002 - comments have numbers of their own
        """Delete a comment."""
        with suppress(InputError):  # it is gone
            self.calls.send("DELETE", self._at(f"issues/comments/{checked_number(comment.id)}"), repeatable=True)

    def show(self, request: PullRequest, status: Status) -> None:
        """Make a check run; a token of a person may make none, and gives a plain status instead."""
        output = {
            "title": status.title,
            "summary": status.summary,
            "annotations": [_annotation(note) for note in status.notes[:_MOST_ANNOTATIONS]],
        }
        conclusion = "success" if status.holds else "failure"
        body = {"name": CHECK, "head_sha": request.head, "status": "completed", "conclusion": conclusion}
        try:
            self.calls.send("POST", self._at("check-runs"), body={**body, "output": output}, repeatable=True)
        except BoardUnavailable:
            said = {"state": conclusion, "context": CHECK, "description": status.title[:_LONGEST_STATUS]}
            self.calls.send("POST", self._at(f"statuses/{request.head}"), body=said, repeatable=True)

    def may_write(self, person: str) -> bool:
        """Ask for the permission of an account; one that is no collaborator has none."""
        try:
            found = self.calls.get(self._at(f"collaborators/{quote(person, safe='')}/permission"))
        except InputError:
            return False
        return isinstance(found.data, Mapping) and found.data.get("permission") in _WRITERS

    def react(self, number: int, comment: str, *, done: bool) -> None:  # noqa: ARG002 - comments have numbers of their own
        """React to a comment."""
        path = self._at(f"issues/comments/{checked_number(comment)}/reactions")
        self.calls.send("POST", path, body={"content": "+1" if done else "confused"}, repeatable=True)

    def proposed(self, branch: str, target: str) -> int | None:
        """Find our open pull request."""
        with self.calls.session():
            return next((int(one["number"]) for one in self._ours("open", branch, target)), None)

    def declined(self, branch: str, target: str, commit: str) -> bool:
        """Look among closed pull requests, which merged ones are too."""
        with self.calls.session():
            closed = [one for one in self._ours("closed", branch, target) if not one["merged_at"]]
            return any(one["head"]["sha"] == commit for one in closed)

    def _ours(self, state: str, branch: str, target: str) -> list[Mapping[str, Any]]:
        """The newest pull requests from a branch; one of a fork whose branch has that name is none of ours."""
        owner = self.repository.partition("/")[0]
        found = self.calls.get(self._at("pulls"), state=state, head=f"{owner}:{branch}", base=target).data
        own = [one for one in found if one["head"]["repo"] and one["head"]["repo"]["id"] == one["base"]["repo"]["id"]]
        return [one for one in own if one["head"]["ref"] == branch]

    def propose(self, proposal: OwnPullRequest, *, instead: int | None) -> int:
        """Open a pull request, or change one."""
        words = {"title": proposal.title, "body": proposal.text}
        if instead is not None:
            self.calls.send("PATCH", self._at(f"pulls/{instead}"), body=words, repeatable=True)
            return instead
        with self.calls.session():
            asked = {**words, "head": proposal.branch, "base": proposal.target}
            return int(self.calls.send("POST", self._at("pulls"), body=asked).data["number"])

    def withdraw(self, number: int) -> None:
        """Close a pull request."""
        self.calls.send("PATCH", self._at(f"pulls/{number}"), body={"state": "closed"}, repeatable=True)

    def close(self) -> None:
        """Let the connection go."""
        self.calls.close()

    def _account(self) -> str:
        try:
            return str(self.calls.get("/user").data["login"])
        except BoardUnavailable:
            return ACTIONS

    def _at(self, path: str) -> str:
        return f"/repos/{quote(self.repository)}/{path}"


def _comment(found: Mapping[str, Any]) -> Comment:
    author = found["user"]["login"] if found.get("user") else ""  # of an account that is gone
    return Comment(str(found["id"]), str(author), str(found.get("body") or ""))


def _annotation(note: Annotation) -> dict[str, object]:
    line = max(note.line, 1)
    return {
        "path": note.path,
        "start_line": line,
        "end_line": line,
        "annotation_level": _LEVELS[note.severity],
        "title": note.code,
        "message": "\n".join(visible(one) for one in (f"{note.subject}: {note.message}", *note.detail)),
    }


RATE: Final = 10.0  # calls a second


def open_forge(setup: ForgeSetup, pace: Pace | None, *, folder: Path | None) -> Forge:
    """Open a forge, asking it for nothing but a token of our app; with a `pace` its turns are those of all hosts.

    `folder` is where tokens of an app are kept.
    """
    limits = CallLimits(rate=RATE, pace=pace)
    if setup.kind == "gitlab":
        place = gitlab_address(setup.token, setup.base_url)
        return GitLab(setup.repository, Calls(place, limits, variable=setup.variable))
    token, account = setup.token, ""
    if setup.app is not None:
        found = app_tokens(setup.app, setup.base_url, folder).installed(setup.repository)
        token, account = found.token, found.account
    return GitHub(
        setup.repository, Calls(github_address(token, setup.base_url), limits, variable=setup.variable), account
    )
