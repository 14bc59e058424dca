"""One Jira project: its issues, comments and workflow, over version 3 of the REST API (Cloud) or 2 (Server).

The key of a change is an entity property of the issue or comment, set by the call that creates it. It is looked for in
issues created since, and then in the next issue numbers, read one by one, because Jira's index lags behind.

Also picks the transition that leads to done, or back to a status, without requiring fields only a person can fill.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain
from typing import Any, Final

from pactkeeper.boards import jira_adf, jira_wiki
from pactkeeper.boards.calls import Calls, TargetAddress
from pactkeeper.errors import BoardUnavailable, InputError, RefusedError
from pactkeeper.ledger.canonical import JsonValue

PROPERTY: Final = "pactkeeper"
_FIELDS: Final = "summary,description,status,labels,duedate,updated"
_PAGE: Final = 100
_UNSEEN: Final = 3  # missing numbers in a row that mark the end; deleted and moved issues leave gaps
_KEY: Final = re.compile(r"[A-Z][A-Z0-9_]+-[1-9][0-9]{0,9}")
Issue = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Deployment:
    """A kind of Jira: its API path, and how Markdown is written and read there.

    `wordless` names the parts of a text that couldn't be written back.
    """

    name: str
    api: str
    written: Callable[[str], JsonValue]
    shown: Callable[[object], str]
    wordless: Callable[[object], tuple[str, ...]]


CLOUD: Final = Deployment("cloud", "/rest/api/3", jira_adf.written, jira_adf.shown, jira_adf.wordless)
SERVER: Final = Deployment("server", "/rest/api/2", jira_wiki.written, jira_wiki.shown, jira_wiki.wordless)
DEPLOYMENTS: Final[Mapping[str, Deployment]] = {one.name: one for one in (CLOUD, SERVER)}


def address(token: str, base_url: str, email: str = "") -> TargetAddress:
    """A Jira's address: Cloud authenticates by an account's email and token together, Server by a token alone."""
    headers = {"Accept": "application/json"}
    if not (email and token):
        return TargetAddress.of(base_url, token, headers)
    return TargetAddress.of(base_url, b64encode(f"{email}:{token}".encode()).decode(), headers, scheme="Basic")


@dataclass(frozen=True, slots=True)
class Site:
    """The issues of one project; methods raise BoardUnavailable, and InputError for anything that doesn't exist."""

    project: str
    deployment: Deployment
    calls: Calls = field(repr=False)

    def issues(self) -> Iterator[Issue]:
        """All issues, newest first."""
        return self._search(f'project = "{self.project}" ORDER BY created DESC, key DESC')

    def issue(self, key: str) -> Issue:
        """One issue by its key."""
        found: Issue = self.calls.get(self.path(key), fields=_FIELDS, properties=PROPERTY).data
        return found

    def change_of(self, issue: Issue) -> str:
        """The key of the change that created an issue; empty if a person did. Takes an extra call on Server."""
        if self.deployment is CLOUD:
            return change_at_hand(issue)
        try:
            return _change(self.calls.get(f"{self.path(issue['key'])}/properties/{PROPERTY}").data["value"])
        except InputError:
            return ""

    def created(self, change: str, since: str) -> Issue | None:
        """The issue that a change has created since a time, even if the index doesn't show it yet."""
        found = chain(self._recent(since), self._beyond())
        return next((one for one in found if self.change_of(one) == change), None)

    def has_remark(self, key: str, change: str) -> bool:
        """Whether a comment on an issue was written by a change."""
        for comment in self._comments(key):
            for one in comment.get("properties") or ():
                if one.get("key") == PROPERTY and _change(one.get("value")) == change:
                    return True
        return False

    def path(self, key: str) -> str:
        """The API path of an issue; raise InputError for an invalid key."""
        if not _KEY.fullmatch(key):
            raise InputError(f"{key!r} is not an issue key, such as '{self.project}-12'")
        return f"{self.deployment.api}/issue/{key}"

    def _recent(self, since: str) -> Iterator[Issue]:
        """The issues created since a time, and one day earlier: Jira reads dates in the account's time zone.

        Where properties have to be read one by one, only issues created by this account are searched.
        """
        day = (datetime.fromisoformat(since) - timedelta(days=1)).date().isoformat()
        mine = "" if self.deployment is CLOUD else " AND creator = currentUser()"
        return self._search(f'project = "{self.project}" AND created >= "{day}"{mine} ORDER BY key DESC')

    def _newest(self) -> int:
        """The number of the newest issue in the index; 0 if there is none."""
        newest = next(self._search(f'project = "{self.project}" ORDER BY key DESC', page=1), None)
        return 0 if newest is None else int(str(newest["key"]).rpartition("-")[2])

    def _beyond(self) -> Iterator[Issue]:
        """The issues that the index doesn't show yet."""
        number, missing = self._newest(), 0
        while missing < _UNSEEN:
            number += 1
            try:
                yield self.issue(f"{self.project}-{number}")
                missing = 0
            except InputError:
                missing += 1

    def _search(self, jql: str, *, page: int = _PAGE) -> Iterator[Issue]:
        return (self._tokens if self.deployment is CLOUD else self._offsets)(jql, page)

    def _tokens(self, jql: str, page: int) -> Iterator[Issue]:
        """The results of a search on Cloud, which is paginated by token."""
        query: dict[str, str | int] = {"jql": jql, "fields": _FIELDS, "properties": PROPERTY, "maxResults": page}
        count, token = 0, ""
        while True:
            data = self.calls.get(f"{self.deployment.api}/search/jql", **query).data
            yield from data["issues"]
            count += len(data["issues"])
            before, token = token, data.get("nextPageToken") or ""
            if not token or data.get("isLast"):
                return
            self._refuse_more(count)
            if token == before:
                raise BoardUnavailable(f"the search of {self.project} returned the same page twice; try later")
            query["nextPageToken"] = token

    def _offsets(self, jql: str, page: int) -> Iterator[Issue]:
        """The results of a search on Server; raise BoardUnavailable if issues disappeared while it was read.

        New issues only shift the rest, so duplicates are skipped.
        """
        seen: set[str] = set()
        start = total = 0
        while True:
            place = {"startAt": start, "maxResults": page}
            data = self.calls.get(f"{self.deployment.api}/search", jql=jql, fields=_FIELDS, **place).data
            if data["total"] < total or (start < data["total"] and not data["issues"]):
                raise BoardUnavailable(f"the issues of {self.project} changed while they were read; try again")
            yield from (one for one in data["issues"] if one["key"] not in seen)
            seen |= {str(one["key"]) for one in data["issues"]}
            start, total = start + len(data["issues"]), data["total"]
            if start >= total:
                return
            self._refuse_more(start)

    def _comments(self, key: str) -> Iterator[Mapping[str, Any]]:
        start = 0
        while True:
            data = self.calls.get(
                f"{self.path(key)}/comment", startAt=start, maxResults=_PAGE, expand="properties"
            ).data
            yield from data["comments"]
            start += len(data["comments"])
            if start >= data["total"] or not data["comments"]:
                return
            self._refuse_more(start)

    def _refuse_more(self, count: int) -> None:
        most = self.calls.limits.items
        if count >= most:
            raise BoardUnavailable(f"{self.project} has more than the {most:,} items of `items`")


def change_at_hand(issue: Issue) -> str:
    """The key of the change that created an issue, if the issue came with its properties."""
    return _change((issue.get("properties") or {}).get(PROPERTY))


def property_of(change: str) -> list[JsonValue]:
    """The properties for an issue or comment that a change creates."""
    return [{"key": PROPERTY, "value": {"change": change}}]


def _change(value: object) -> str:
    return str(value.get("change") or "") if isinstance(value, Mapping) else ""


DONE: Final = "done"  # the key of Jira's status category, whatever the statuses are called
_FINISHED: Final = ("done", "fixed", "resolved", "completed", "complete")
_PUT_AWAY: Final = (
    "won't do",
    "won't fix",
    "wont do",
    "wont fix",
    "not planned",
    "cancelled",
    "canceled",
    "rejected",
    "declined",
    "abandoned",
    "obsolete",
    "invalid",
)


@dataclass(frozen=True, slots=True)
class Move:
    """One transition: its target status, whether that is done, and the names of the required fields.

    `resolutions` are the allowed values of that field, if the transition has it; `resolve` whether it is required.
    """

    id: str
    name: str
    state: str
    done: bool
    asks: tuple[str, ...] = ()
    resolutions: tuple[str, ...] = ()
    resolve: bool = False


def moves_of(data: Mapping[str, Any]) -> tuple[Move, ...]:
    """The transitions in a response that are available now."""
    return tuple(_move(one) for one in data["transitions"] if one.get("isAvailable", True))


def to_done(task: str, state: str, moves: Sequence[Move], *, put_away: bool) -> dict[str, Any]:
    """The request body that moves a task to done; a finished one never takes a transition meant for archiving.

    Raise RefusedError, naming the transitions, if none leads there without further fields.
    """
    ways = [one for one in moves if one.done and (put_away or not _is_put_away(one))]
    open_ways = [one for one in ways if not one.asks and (not one.resolve or _resolution(one, put_away=put_away))]
    if not open_ways:
        raise RefusedError(f"{task!r} cannot be moved from {state!r} to done: {_why(ways or moves)}; move it by hand")
    best = max(open_ways, key=lambda one: _is_put_away(one) == put_away)
    resolution = _resolution(best, put_away=put_away)
    return _body(best) | ({"fields": {"resolution": {"name": resolution}}} if resolution else {})


def to_state(task: str, now: str, state: str, moves: Sequence[Move]) -> dict[str, Any]:
    """The request body that moves a task to a status; raise RefusedError, naming the transitions, if none does."""
    ways = [one for one in moves if one.state == state]
    found = next((one for one in ways if not one.asks and not one.resolve), None)
    if found is None:
        raise RefusedError(
            f"{task!r} cannot be moved from {now!r} to {state!r}: {_why(ways or moves)}; move it by hand"
        )
    return _body(found)


def _move(one: Mapping[str, Any]) -> Move:
    state = one["to"]
    fields = one.get("fields") or {}
    needed = {
        name: field for name, field in fields.items() if field.get("required") and not field.get("hasDefaultValue")
    }
    values = (fields.get("resolution") or {}).get("allowedValues") or ()
    return Move(
        str(one["id"]),
        str(one["name"]),
        str(state["name"]),
        done=(state.get("statusCategory") or {}).get("key") == DONE,
        asks=tuple(str(field.get("name") or name) for name, field in needed.items() if name != "resolution"),
        resolutions=tuple(str(value.get("name")) for value in values),
        resolve="resolution" in needed,
    )


def _resolution(move: Move, *, put_away: bool) -> str:
    """The resolution that says why a task is done; empty if none of the allowed values does."""
    by_word = {_plain(one): one for one in reversed(move.resolutions)}
    return next((by_word[word] for word in (_PUT_AWAY if put_away else _FINISHED) if word in by_word), "")


def _is_put_away(move: Move) -> bool:
    return bool({_plain(move.state), _plain(move.name)} & set(_PUT_AWAY))


def _plain(words: str) -> str:
    return words.casefold().replace("\u2019", "'")


def _why(moves: Sequence[Move]) -> str:
    if not moves:
        return "its workflow has no transition this account may use"
    return ", ".join(_described(one) for one in moves)


def _described(move: Move) -> str:
    needs = [*move.asks, *(["Resolution"] if move.resolve else [])]
    return f"{move.name!r} leads to {move.state!r}" + (f" and asks for {', '.join(needs)}" if needs else "")


def _body(move: Move) -> dict[str, Any]:
    return {"transition": {"id": move.id}}
