"""GitLab, hosted or self-managed: merge requests over version 4 of its REST API."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote, urlsplit

from pactkeeper.boards.calls import Calls, TargetAddress
from pactkeeper.errors import BoardUnavailable, InputError
from pactkeeper.forges.port import Comment, OwnPullRequest, PullRequest, Status, checked_number, own_among, pages

CONTEXT: Final = "pactkeeper"
_DEVELOPER: Final = 30  # the access level from which a member may push
_LONGEST_STATUS: Final = 255


def address(token: str, base_url: str) -> TargetAddress:
    """The address of GitLab's API, with the token if there is one."""
    return TargetAddress.of(base_url, token, {})


@dataclass(frozen=True, slots=True)
class GitLab:
    """One project, by its id or its path."""

    repository: str
    calls: Calls = field(repr=False)

    @property
    def name(self) -> str:
        """The project and its host."""
        return f"{self.repository} at {urlsplit(self.calls.address.base_url).netloc}"

    def pull_request(self, number: int) -> PullRequest:
        """Read a merge request; GitLab takes a moment to prepare the commits of a newly opened one."""
        with self.calls.session():
            found = self.calls.get(self._at(f"merge_requests/{number}")).data
            commits = found.get("diff_refs")
            if not commits:
                raise BoardUnavailable(f"GitLab has not prepared merge request {number} yet; run the same again")
            return PullRequest(
                number,
                commits["base_sha"],
                commits["head_sha"],
                found["target_branch"],
                found["source_branch"],
                f"refs/merge-requests/{number}/head",
                fork=found["source_project_id"] != found["target_project_id"],
                open=found["state"] == "opened",
            )

    def comment(self, number: int, comment: str) -> Comment:
        """Read one note."""
        with self.calls.session():
            return _comment(self.calls.get(self._at(f"merge_requests/{number}/notes/{checked_number(comment)}")).data)

    def own_comments(self, number: int) -> tuple[Comment, ...]:
        """The notes by this account that carry our mark."""
        with self.calls.session():
            me = str(self.calls.get("/user").data["username"])
            path = self._at(f"merge_requests/{number}/notes")
            return own_among(map(_comment, pages(self.calls, path, sort="asc", order_by="created_at")), me)

    def say(self, number: int, text: str, *, instead: Comment | None) -> None:
        """Write a note, or change one."""
        notes = self._at(f"merge_requests/{number}/notes")
        if instead is None:
            self.calls.send("POST", notes, body={"body": text})
        else:
            self.calls.send("PUT", f"{notes}/{instead.id}", body={"body": text}, repeatable=True)

    def unsay(self, number: int, comment: Comment) -> None:
        """Delete a note."""
        with suppress(InputError):  # it is already gone
            path = self._at(f"merge_requests/{number}/notes/{checked_number(comment.id)}")
            self.calls.send("DELETE", path, repeatable=True)

    def show(self, request: PullRequest, status: Status) -> None:
        """Set the status of the head commit; the findings are in the note."""
        state = "success" if status.holds else "failed"
        said = {"state": state, "name": CONTEXT, "description": status.title[:_LONGEST_STATUS]}
        self.calls.send("POST", self._at(f"statuses/{request.head}"), body=said, repeatable=True)

    def may_write(self, person: str) -> bool:
        """Whether a member, direct or inherited, has at least the developer role."""
        with self.calls.session():
            accounts = self.calls.get("/users", username=person).data
            exact = [one for one in accounts if one["username"] == person]
            if not exact:
                return False
            try:
                member = self.calls.get(self._at(f"members/all/{int(exact[0]['id'])}")).data
            except InputError:
                return False
            return int(member["access_level"]) >= _DEVELOPER and member.get("state", "active") == "active"

    def react(self, number: int, comment: str, *, done: bool) -> None:
        """Award an emoji to a note."""
        path = self._at(f"merge_requests/{number}/notes/{checked_number(comment)}/award_emoji")
        self.calls.send("POST", path, body={"name": "thumbsup" if done else "confused"})

    def proposed(self, branch: str, target: str) -> int | None:
        """The number of our open merge request."""
        with self.calls.session():
            return next((int(one["iid"]) for one in self._ours("opened", branch, target)), None)

    def declined(self, branch: str, target: str, commit: str) -> bool:
        """Look among closed merge requests; merged ones have their own state."""
        with self.calls.session():
            return any(one["sha"] == commit for one in self._ours("closed", branch, target))

    def _ours(self, state: str, branch: str, target: str) -> list[Mapping[str, Any]]:
        """The newest merge requests from a branch, leaving out those of a fork whose branch has the same name."""
        wanted = {"state": state, "source_branch": branch, "target_branch": target}
        found = self.calls.get(self._at("merge_requests"), **wanted).data
        return [one for one in found if one["source_project_id"] == one["target_project_id"]]

    def propose(self, proposal: OwnPullRequest, *, instead: int | None) -> int:
        """Open a merge request, or change one."""
        words = {"title": proposal.title, "description": proposal.text}
        if instead is not None:
            self.calls.send("PUT", self._at(f"merge_requests/{instead}"), body=words, repeatable=True)
            return instead
        with self.calls.session():
            asked = {**words, "source_branch": proposal.branch, "target_branch": proposal.target}
            return int(self.calls.send("POST", self._at("merge_requests"), body=asked).data["iid"])

    def withdraw(self, number: int) -> None:
        """Close a merge request."""
        self.calls.send("PUT", self._at(f"merge_requests/{number}"), body={"state_event": "close"}, repeatable=True)

    def close(self) -> None:
        """Close the connection."""
        self.calls.close()

    def _at(self, path: str) -> str:
        return f"/projects/{quote(self.repository, safe='')}/{path}"


def _comment(found: Mapping[str, Any]) -> Comment:
    return Comment(str(found["id"]), str(found["author"]["username"]), str(found.get("body") or ""))
