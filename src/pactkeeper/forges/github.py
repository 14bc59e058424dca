"""GitHub and GitHub Enterprise: pull requests over the REST API, version 2022-11-28.

As a GitHub App, it exchanges a JWT signed with the app's own key for short-lived tokens for one repository. See
GitHub's "Generating a JSON Web Token (JWT) for a GitHub App" and "Generating an installation access token".
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlsplit

from pactkeeper.boards.calls import Calls
from pactkeeper.boards.github import address
from pactkeeper.boards.port import CallLimits, Pace
from pactkeeper.errors import BoardUnavailable, InputError, MissingExtra, UsageError, how_to_install
from pactkeeper.forges import port
from pactkeeper.forges.gitlab import GitLab
from pactkeeper.forges.gitlab import address as gitlab_address
from pactkeeper.forges.port import Annotation, Comment, Forge, OwnPullRequest, PullRequest, Status
from pactkeeper.settings.forges import APP_KEY, AppSetup, ForgeSetup

CHECK: Final = "Pactkeeper"
ACTIONS: Final = "github-actions[bot]"  # the account of a workflow's token, which may not ask who it is
_MOST_ANNOTATIONS: Final = 50  # GitHub's limit per call
_LONGEST_STATUS: Final = 140
_LEVELS: Final = {"error": "failure", "warning": "warning", "info": "notice"}
_WRITERS: Final = frozenset({"admin", "write"})


@dataclass(frozen=True, slots=True)
class GitHub:
    """One repository, named `owner/name`; `account` is the token's if known, otherwise GitHub is asked."""

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
        """Read one comment; raises InputError if it belongs to another pull request."""
        with self.calls.session():
            found = self.calls.get(self._at(f"issues/comments/{port.checked_number(comment)}")).data
            if not str(found["issue_url"]).endswith(f"/issues/{number}"):
                raise InputError(f"comment {comment!r} does not stand below pull request {number}")
            return _comment(found)

    def own_comments(self, number: int) -> tuple[Comment, ...]:
        """The comments by this account that carry our mark."""
        with self.calls.session():
            me = self.account or self._account()
            found = port.pages(self.calls, self._at(f"issues/{number}/comments"))
            return port.own_among(map(_comment, found), me)

    def say(self, number: int, text: str, *, instead: Comment | None) -> None:
        """Write a comment, or change one."""
        if instead is None:
            self.calls.send("POST", self._at(f"issues/{number}/comments"), body={"body": text})
        else:
            path = self._at(f"issues/comments/{instead.id}")
            self.calls.send("PATCH", path, body={"body": text}, repeatable=True)

    def unsay(self, number: int, comment: Comment) -> None:  # noqa: ARG002 - comments have ids of their own
        """Delete a comment."""
        with suppress(InputError):  # it is already gone
            self.calls.send("DELETE", self._at(f"issues/comments/{port.checked_number(comment.id)}"), repeatable=True)

    def show(self, request: PullRequest, status: Status) -> None:
        """Create a check run; a personal token may not create one, so it sets a plain commit status instead."""
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
        """Whether an account has write permission; one that is not a collaborator has none."""
        try:
            found = self.calls.get(self._at(f"collaborators/{quote(person, safe='')}/permission"))
        except InputError:
            return False
        return isinstance(found.data, Mapping) and found.data.get("permission") in _WRITERS

    def react(self, number: int, comment: str, *, done: bool) -> None:  # noqa: ARG002 - comments have ids of their own
        """React to a comment."""
        path = self._at(f"issues/comments/{port.checked_number(comment)}/reactions")
        self.calls.send("POST", path, body={"content": "+1" if done else "confused"}, repeatable=True)

    def proposed(self, branch: str, target: str) -> int | None:
        """The number of our open pull request."""
        with self.calls.session():
            return next((int(one["number"]) for one in self._ours("open", branch, target)), None)

    def declined(self, branch: str, target: str, commit: str) -> bool:
        """Look among closed pull requests, leaving out merged ones."""
        with self.calls.session():
            closed = [one for one in self._ours("closed", branch, target) if not one["merged_at"]]
            return any(one["head"]["sha"] == commit for one in closed)

    def _ours(self, state: str, branch: str, target: str) -> list[Mapping[str, Any]]:
        """The newest pull requests from a branch, leaving out those of a fork whose branch has the same name."""
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
        """Close the connection."""
        self.calls.close()

    def _account(self) -> str:
        try:
            return str(self.calls.get("/user").data["login"])
        except BoardUnavailable:
            return ACTIONS

    def _at(self, path: str) -> str:
        return f"/repos/{quote(self.repository)}/{path}"


def _comment(found: Mapping[str, Any]) -> Comment:
    author = found["user"]["login"] if found.get("user") else ""  # empty for a deleted account
    return Comment(str(found["id"]), str(author), str(found.get("body") or ""))


def _annotation(note: Annotation) -> dict[str, object]:
    line = max(note.line, 1)
    return {
        "path": note.path,
        "start_line": line,
        "end_line": line,
        "annotation_level": _LEVELS[note.severity],
        "title": note.code,
        "message": "\n".join(port.visible(one) for one in (f"{note.subject}: {note.message}", *note.lines())),
    }


RATE: Final = 10.0  # calls per second


def open_forge(setup: ForgeSetup, pace: Pace | None, *, folder: Path | None) -> Forge:
    """Open a forge; the only request made here is for a token of our app. With a `pace`, all hosts share its turns.

    `folder` is where the app's tokens are kept.
    """
    limits = CallLimits(rate=RATE, pace=pace)
    if setup.kind == "gitlab":
        place = gitlab_address(setup.token, setup.base_url)
        return GitLab(setup.repository, Calls(place, limits, variable=setup.variable))
    token, account = setup.token, ""
    if setup.app is not None:
        found = app_tokens(setup.app, setup.base_url, folder).installed(setup.repository)
        token, account = found.token, found.account
    return GitHub(setup.repository, Calls(address(token, setup.base_url), limits, variable=setup.variable), account)


_EARLY: Final = 60  # seconds by which GitHub's clock may be behind ours
_LONG: Final = 540  # seconds that a JWT is valid; GitHub accepts at most 600
_LEFT: Final = 600  # seconds that a kept token must still be valid for
_MOST_KEY: Final = 65_536
FOLDER: Final = "github-app"


@dataclass(frozen=True, slots=True)
class Installed:
    """An app's token for one repository, the account it acts as, and its expiry in seconds since 1970."""

    token: str = field(repr=False)
    account: str
    ends: float


@dataclass(frozen=True, slots=True)
class AppTokens:
    """Tokens of one app at one server, kept in `folder` until shortly before they expire.

    `now` returns seconds since 1970.
    """

    setup: AppSetup
    base_url: str
    folder: Path
    now: Callable[[], float]

    def installed(self, repository: str) -> Installed:
        """The token for `OWNER/NAME`.

        Raises UsageError for the key, InputError if the app is not installed, BoardUnavailable, and MissingExtra.
        """
        place = self.folder / sha256(f"{self.base_url} {self.setup.app} {repository}".encode()).hexdigest()[:32]
        known = _kept(place)
        if known is not None and known.ends - self.now() > _LEFT:
            return known
        found = self._exchanged(repository)
        _keep(place, found)
        return found

    def _exchanged(self, repository: str) -> Installed:
        calls = Calls(address(self._statement(), self.base_url), CallLimits(), variable=APP_KEY)
        try:
            with calls.session():
                there = calls.get(f"/repos/{repository}/installation").data
                wanted = {"repositories": [repository.partition("/")[2]]}
                path = f"/app/installations/{int(there['id'])}/access_tokens"
                made = calls.send("POST", path, body=wanted, repeatable=True).data
                ends = datetime.fromisoformat(made["expires_at"]).timestamp()
                return Installed(str(made["token"]), f"{there['app_slug']}[bot]", ends)
        except ValueError as error:
            raise BoardUnavailable(f"{self.base_url} sent an answer in an unknown format ({error})") from error
        finally:
            calls.close()

    def _statement(self) -> str:
        """A JWT (RS256) that identifies the app, valid for nine minutes."""
        try:
            from joserfc import jwt  # noqa: PLC0415 - an extra
            from joserfc.errors import JoseError  # noqa: PLC0415 - likewise
            from joserfc.jwk import RSAKey  # noqa: PLC0415 - likewise
        except ModuleNotFoundError as error:
            raise MissingExtra(f"tokens of a GitHub App are not installed: {how_to_install('workers')}") from error
        now = int(self.now())
        said = {"iat": now - _EARLY, "exp": now + _LONG, "iss": self.setup.app}
        try:
            return jwt.encode({"alg": "RS256"}, said, RSAKey.import_key(_key(self.setup.key)))
        except (ValueError, JoseError):
            raise UsageError(f"{str(self.setup.key)!r} holds no RSA private key as PEM; download it again") from None


def app_tokens(setup: AppSetup, base_url: str, folder: Path | None) -> AppTokens:
    """The tokens of an app; raises UsageError if there is no folder to keep them in."""
    if folder is None:
        raise UsageError("there is no home folder to keep tokens of an app in; set HOME or XDG_DATA_HOME")
    return AppTokens(setup, base_url, folder / FOLDER, time.time)


def _key(place: Path) -> bytes:
    """Read the key; raises UsageError if it is missing or other accounts may read it."""
    try:
        with place.open("rb") as file:
            if stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o077:
                raise UsageError(f"others can read {str(place)!r}; restrict it: chmod 600 {place}")
            return file.read(_MOST_KEY)
    except OSError as error:
        raise UsageError(f"the key of the app, {str(place)!r}, cannot be read: {error.strerror}") from error


def _kept(place: Path) -> Installed | None:
    """The stored token; an unreadable one counts as none."""
    try:
        return Installed(**json.loads(place.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def _keep(place: Path, found: Installed) -> None:
    """Store a token in a file that only this account can read."""
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=place.parent, delete=False) as file:  # readable by this account alone
            json.dump(asdict(found), file)
        Path(file.name).replace(place)
    except OSError as error:
        raise InputError(f"a token cannot be kept in {str(place.parent)!r}: {error.strerror}") from error
