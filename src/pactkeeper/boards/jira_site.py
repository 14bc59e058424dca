"""One project of a Jira: its issues, remarks and workflow, over version 3 of the REST interface (Cloud) or 2 (Server).

The key of a change is an entity property of the issue or remark, set by the call that creates it. An issue is found by
it among those created since, and among those with the next numbers, which are read one by one: Jira's index lags.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain
from typing import Any, Final

from pactkeeper.boards import jira_adf, jira_wiki
from pactkeeper.boards.calls import Address, Calls
from pactkeeper.errors import BoardUnavailable, InputError
from pactkeeper.ledger.canonical import JsonValue

PROPERTY: Final = "pactkeeper"
_FIELDS: Final = "summary,description,status,labels,duedate,updated"
_PAGE: Final = 100
_UNSEEN: Final = 3  # numbers without an issue after which the newest one is known; deleted and moved ones leave gaps
_KEY: Final = re.compile(r"[A-Z][A-Z0-9_]+-[1-9][0-9]{0,9}")
Issue = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Deployment:
    """A kind of Jira: where its interface is, and how Markdown is written and read there.

    `wordless` names what of a text could not be written back.
    """

    name: str
    api: str
    written: Callable[[str], JsonValue]
    shown: Callable[[object], str]
    wordless: Callable[[object], tuple[str, ...]]


CLOUD: Final = Deployment("cloud", "/rest/api/3", jira_adf.written, jira_adf.shown, jira_adf.wordless)
SERVER: Final = Deployment("server", "/rest/api/2", jira_wiki.written, jira_wiki.shown, jira_wiki.wordless)
DEPLOYMENTS: Final[Mapping[str, Deployment]] = {one.name: one for one in (CLOUD, SERVER)}


def address(token: str, base_url: str, email: str = "") -> Address:
    """Where a Jira answers: Cloud takes an account's email and token together, Server a token alone."""
    pair = b64encode(f"{email}:{token}".encode()).decode()
    headers = {"Accept": "application/json", "User-Agent": "pactkeeper"}
    given = {"Authorization": f"Basic {pair}" if email else f"Bearer {token}"}
    return Address(base_url, headers | (given if token else {}))


@dataclass(frozen=True, slots=True)
class Site:
    """The issues of one project; all of it raises BoardUnavailable, and InputError for what is not there."""

    project: str
    deployment: Deployment
    calls: Calls = field(repr=False)

    def issues(self) -> Iterator[Issue]:
        """All issues, the newest first."""
        return self._search(f'project = "{self.project}" ORDER BY created DESC, key DESC')

    def issue(self, key: str) -> Issue:
        """One issue by its key."""
        found: Issue = self.calls.get(self.path(key), fields=_FIELDS, properties=PROPERTY).data
        return found

    def change_of(self, issue: Issue) -> str:
        """The key of the change that created an issue; empty where a person did. Server takes a call for it."""
        if self.deployment is CLOUD:
            return change_at_hand(issue)
        try:
            return _change(self.calls.get(f"{self.path(issue['key'])}/properties/{PROPERTY}").data["value"])
        except InputError:
            return ""

    def created(self, change: str, since: str) -> Issue | None:
        """The issue that a change created since then, be it that the index does not show it yet."""
        found = chain(self._recent(since), self._beyond())
        return next((one for one in found if self.change_of(one) == change), None)

    def has_remark(self, key: str, change: str) -> bool:
        """Whether a remark of an issue was written by a change."""
        for comment in self._comments(key):
            for one in comment.get("properties") or ():
                if one.get("key") == PROPERTY and _change(one.get("value")) == change:
                    return True
        return False

    def path(self, key: str) -> str:
        """The path of an issue; raises InputError for what is no key."""
        if not _KEY.fullmatch(key):
            raise InputError(f"{key!r} is no key of an issue, such as '{self.project}-12'")
        return f"{self.deployment.api}/issue/{key}"

    def _recent(self, since: str) -> Iterator[Issue]:
        """The issues since a time; Jira reads dates in the time zone of the account, hence a day more.

        Where properties have to be read one by one, only those that this account created are looked at.
        """
        day = (datetime.fromisoformat(since) - timedelta(days=1)).date().isoformat()
        mine = "" if self.deployment is CLOUD else " AND creator = currentUser()"
        return self._search(f'project = "{self.project}" AND created >= "{day}"{mine} ORDER BY key DESC')

    def _newest(self) -> int:
        """The number of the newest issue that the index shows; 0 for none."""
        newest = next(self._search(f'project = "{self.project}" ORDER BY key DESC', page=1), None)
        return 0 if newest is None else int(str(newest["key"]).rpartition("-")[2])

    def _beyond(self) -> Iterator[Issue]:
        """The issues that the index does not show yet."""
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
        """What a search of Cloud finds: each answer names the next one."""
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
                raise BoardUnavailable(f"the search of {self.project} names the same page again; try later")
            query["nextPageToken"] = token

    def _offsets(self, jql: str, page: int) -> Iterator[Issue]:
        """What a search of Server finds; raises BoardUnavailable where issues went away while it was read.

        New ones only move the rest back, so that some come twice.
        """
        seen: set[str] = set()
        start = total = 0
        while True:
            place = {"startAt": start, "maxResults": page}
            data = self.calls.get(f"{self.deployment.api}/search", jql=jql, fields=_FIELDS, **place).data
            if data["total"] < total or (start < data["total"] and not data["issues"]):
                raise BoardUnavailable(f"the issues of {self.project} changed while they were read; look again")
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
    """The key of the change that created an issue, where the issue came with its properties."""
    return _change((issue.get("properties") or {}).get(PROPERTY))


def property_of(change: str) -> list[JsonValue]:
    """The properties of an issue or remark that a change creates."""
    return [{"key": PROPERTY, "value": {"change": change}}]


def _change(value: object) -> str:
    return str(value.get("change") or "") if isinstance(value, Mapping) else ""
