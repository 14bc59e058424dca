"""GitHub Issues: tasks only, over version 2022-11-28 of the REST API.

The key of a change is in a hidden HTML comment at the end of an issue's or comment's text. A created issue is looked
for among those updated since the change was reserved, since GitHub's search lags behind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import parse_qs, quote, urlsplit

from pactkeeper.boards import looking
from pactkeeper.boards.calls import Calls, TargetAddress, read_all
from pactkeeper.boards.port import CallLimits, Capabilities, Look, Opening, Trial
from pactkeeper.boards.sections import harmless
from pactkeeper.errors import BoardUnavailable, InputError, PactkeeperError, RefusedError
from pactkeeper.intent.board import (
    ArchiveTask,
    Change,
    CompleteTask,
    CreateTask,
    Document,
    LogTask,
    ReopenTask,
    ReviseTask,
    Snapshot,
    Task,
    task_version,
)

BASE_URL: Final = "https://api.github.com"
WRITES: Final = frozenset({"createTask", "logTask", "reviseTask", "completeTask", "reopenTask", "archiveTask"})
_MARK: Final = re.compile(r"(?<![\r\n])[\r\n]*+<!-- pactkeeper:key (\S++) -->\s*+\Z")
_PAGE: Final = 100
_NO_PLAN: Final = "not_planned"


def address(token: str, base_url: str = BASE_URL) -> TargetAddress:
    """GitHub's address, with the API version and the token, if there is one."""
    headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
    return TargetAddress.of(base_url, token, headers)


@dataclass(frozen=True, slots=True)
class GitHubBoard:
    """The issues of one repository, named `owner/name`; pull requests aren't tasks."""

    name: str
    repository: str
    calls: Calls = field(repr=False)
    doing: tuple[str, ...] = ("in progress",)
    kind: str = "github"

    @property
    def place(self) -> str:
        """The repository and its host."""
        return f"{self.repository} at {urlsplit(self.calls.address.base_url).netloc}"

    @property
    def limits(self) -> CallLimits:
        """The limits of the calls."""
        return self.calls.limits

    @property
    def capabilities(self) -> Capabilities:
        """Tasks but no documents; archiving an issue closes it as not planned."""
        return Capabilities(WRITES, documents=False, marker="a hidden comment in the text", meta=frozenset())

    def snapshot(self, *, at: str) -> Snapshot:
        """Read all issues, open and closed."""
        return read_all(self.calls, self._issues(state="all", sort="created", direction="desc"), at=at)

    def task(self, task: str) -> Task:
        """Read one issue by its number."""
        try:
            with self.calls.session():
                found = _task(self.calls.get(self._issue(task)).data, self.doing)
        except InputError as error:
            raise InputError(f"{self.name!r} has no task {task!r}: {error}") from error
        if found is None:
            raise InputError(f"{self.name!r} has no task {task!r}: it is a pull request")
        return found

    def document(self, document: str) -> Document:
        """Raise InputError: GitHub has no documents."""
        raise InputError(f"{self.name!r} has no document {document!r}: GitHub Issues hold none")

    def look(self, change: Change, key: str, *, since: str, target: str = "") -> Look:
        """Look at the issue's current state."""
        with self.calls.session():
            match change:
                case CreateTask():
                    return looking.created(self._made(key, since, target))
                case LogTask(task, text):
                    return looking.logged(self.task(task), text, there=self._has_remark(task, key, since))
                case ReviseTask(task):
                    return looking.revised(self.task(task), change)
                case CompleteTask() | ReopenTask():
                    return looking.task_state(self.task(change.task), change)
                case ArchiveTask(task):
                    return looking.archived(task, gone=self.task(task).state == f"closed {_NO_PLAN}")
                case _:
                    raise RefusedError(f"{self.name!r} cannot do this: GitHub Issues hold no documents")

    def perform(self, change: Change, key: str, *, at: str) -> str:  # noqa: ARG002 - GitHub keeps its own time
        """Make the one call that writes."""
        with self.calls.session():
            return self._perform(change, key)

    def _perform(self, change: Change, key: str) -> str:
        match change:
            case CreateTask():
                return self._create(change, key)
            case LogTask(task, text):
                self.calls.send("POST", f"{self._issue(task)}/comments", body={"body": _marked(text, key)})
                return task
            case ReviseTask(task):
                return self._revise(task, change)
            case CompleteTask(task):
                return self._close(task, "completed")
            case ArchiveTask(task):
                return self._close(task, _NO_PLAN)
            case ReopenTask(task):
                self.calls.send("PATCH", self._issue(task), body={"state": "open"}, repeatable=True)
                return task
            case _:
                raise RefusedError(f"{self.name!r} cannot do this: GitHub Issues hold no documents")

    def trials(self) -> tuple[Trial, ...]:
        """Check the repository, whether it has issues, and whether the token may write."""
        try:
            with self.calls.session():
                found = self.calls.get(f"/repos/{self._repository}").data
                issues = bool(found["has_issues"])
        except PactkeeperError as error:
            return (Trial(f"read {self.repository}", works=False, advice=str(error)),)
        push = bool((found.get("permissions") or {}).get("push"))
        return (
            Trial(f"read {self.repository}", works=True),
            Trial("issues are enabled", works=issues, advice="" if issues else "enable issues in its settings"),
            Trial("labels can be set", works=push, advice="" if push else "give the token write access to issues"),
        )

    def close(self) -> None:
        """Close the connection."""
        self.calls.close()

    def _create(self, change: CreateTask, key: str) -> str:
        text = change.body + (f"\n\nDue: {change.due}" if change.due else "")
        body = {"title": change.title, "body": _marked(text, key), "labels": list(change.labels)}
        return str(self.calls.send("POST", f"/repos/{self._repository}/issues", body=body).data["number"])

    def _revise(self, task: str, change: ReviseTask) -> str:
        """Send the title and the text with its key; not retried, since people edit there."""
        issue = self.calls.get(self._issue(task)).data
        found = _task(issue, self.doing)
        if found is None:
            raise InputError(f"{self.name!r} has no task {task!r}: it is a pull request")
        after = looking.revision(found, change)
        mark = _MARK.search(issue.get("body") or "")
        body = {"title": after.title, "body": after.body + (mark[0] if mark else "")}
        self.calls.send("PATCH", self._issue(task), body=body)
        return task

    def _close(self, task: str, reason: str) -> str:
        body = {"state": "closed", "state_reason": reason}
        self.calls.send("PATCH", self._issue(task), body=body, repeatable=True)
        return task

    def _made(self, key: str, since: str, target: str) -> Task | None:
        query = {"state": "all", "since": since, "sort": "created", "direction": "desc"}
        found = [self.task(target)] if target else self._issues(**query)
        return next((task for task in found if task.marker == key), None)

    def _has_remark(self, task: str, key: str, since: str) -> bool:
        pages = self._pages(f"{self._issue(task)}/comments", since=since)
        return any(_mark(one.get("body")) == key for one in pages)

    def _issues(self, **query: str) -> Iterator[Task]:
        for one in self._pages(f"/repos/{self._repository}/issues", **query):
            task = _task(one, self.doing)
            if task is not None:
                yield task

    def _pages(self, path: str, **query: str) -> Iterator[Mapping[str, Any]]:
        """Yield all items of a list, following GitHub's pagination; raise BoardUnavailable above the limit."""
        wanted: dict[str, str | int] = {**query, "per_page": _PAGE}
        count = 0
        while True:
            answer = self.calls.get(path, **wanted)
            if not isinstance(answer.data, list):
                raise BoardUnavailable(f"{self.place} did not answer with a list")
            count += len(answer.data)
            yield from answer.data
            following = _following(answer.headers.get("link", ""))
            if not following:
                return
            if count >= self.limits.items:
                raise BoardUnavailable(f"{self.place} has more than the {self.limits.items:,} items of `items`")
            wanted = {**wanted, **following}

    @property
    def _repository(self) -> str:
        return quote(self.repository)

    def _issue(self, task: str) -> str:
        if not task.isascii() or not task.isdigit():
            raise InputError(f"{self.name!r} has no task {task!r}; tasks of GitHub are numbers")
        return f"/repos/{self._repository}/issues/{task}"


def _following(link: str) -> dict[str, str]:
    """The query of the next page; only that is taken from a link, never its host."""
    found = re.search(r"<([^<>]*)>;[^,<>]{0,200}\brel=\"?next\"?", link)
    if found is None:
        return {}
    query = parse_qs(urlsplit(found[1]).query)
    return {name: query[name][0] for name in ("page", "after") if name in query}


def _marked(text: str, key: str) -> str:
    return f"{harmless(text)}\n\n<!-- pactkeeper:key {key} -->"


def _mark(text: object) -> str:
    found = _MARK.search(text) if isinstance(text, str) else None
    return found[1] if found else ""


def _task(issue: Mapping[str, Any], doing: tuple[str, ...]) -> Task | None:
    """An issue as a task; None for a pull request."""
    if "pull_request" in issue:
        return None
    labels = tuple(one if isinstance(one, str) else str(one.get("name", "")) for one in issue.get("labels", ()))
    closed = issue.get("state") == "closed"
    underway = any(label.casefold() in doing for label in labels)
    text = issue.get("body") or ""
    task = Task(
        str(issue["number"]),
        str(issue["title"]),
        "done" if closed else "doing" if underway else "open",
        state=f"closed {issue.get('state_reason') or 'completed'}" if closed else "open",
        body=_MARK.sub("", text),
        labels=labels,
        url=str(issue.get("html_url", "")),
        updated_at=str(issue.get("updated_at", "")),
        marker=_mark(text),
    )
    return replace(task, version=task_version(task))


def opened(opening: Opening) -> GitHubBoard:
    """Open the repository that the settings name."""
    at = address(opening.token, opening.base_url or BASE_URL)
    calls = Calls(at, opening.limits, variable=opening.variable)
    doing = tuple(one.casefold() for one in opening.texts("doing")) or ("in progress",)
    return GitHubBoard(opening.name, opening.text("repository"), calls, doing)
