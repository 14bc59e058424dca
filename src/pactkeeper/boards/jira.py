"""Jira as a board: the issues of one project in Jira Cloud or a self-hosted Jira (Server, Data Center).

Tasks only. An issue is done if its status category says so; it gets there by a workflow transition, and is archived by
one together with a label.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlsplit

from pactkeeper.boards import jira_site, looking
from pactkeeper.boards.calls import Calls, read_all
from pactkeeper.boards.jira_site import CLOUD, DEPLOYMENTS, DONE, Issue, Move, Site
from pactkeeper.boards.port import CallLimits, Capabilities, Look, Opening, Trial
from pactkeeper.errors import InputError, PactkeeperError, RefusedError
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
    TaskStatus,
    task_version,
)
from pactkeeper.ledger.canonical import JsonValue

WRITES: Final = frozenset({"createTask", "logTask", "reviseTask", "completeTask", "reopenTask", "archiveTask"})
ISSUE_TYPE: Final = "Task"
PUT_AWAY: Final = "not-planned"  # the label of an archived issue
_STATUSES: Final[Mapping[str, TaskStatus]] = {"new": "open", "indeterminate": "doing", DONE: "done"}
_NEEDED: Final = ("CREATE_ISSUES", "ADD_COMMENTS", "TRANSITION_ISSUES", "EDIT_ISSUES")
_BY_PROXY: Final = "/ex/jira/"  # an address for scoped tokens, below which there are no pages for people


@dataclass(frozen=True, slots=True)
class JiraBoard:
    """The issues of one project; new ones get `issue_type`, and statuses in `doing` count as in progress."""

    name: str
    site: Site
    issue_type: str = ISSUE_TYPE
    doing: tuple[str, ...] = ()
    kind: str = "jira"

    @property
    def place(self) -> str:
        """The project and its host."""
        return f"{self.site.project} at {urlsplit(self.site.calls.address.base_url).netloc}"

    @property
    def limits(self) -> CallLimits:
        """The limits of the calls."""
        return self.site.calls.limits

    @property
    def capabilities(self) -> Capabilities:
        """Tasks but no documents; an archived issue is done and labelled."""
        return Capabilities(WRITES, documents=False, marker="a property of the issue or remark", meta=frozenset())

    def snapshot(self, *, at: str) -> Snapshot:
        """Read all issues."""
        return read_all(self.site.calls, map(self._task, self.site.issues()), at=at)

    def task(self, task: str) -> Task:
        """Read one issue by its key."""
        try:
            with self.site.calls.session():
                issue = self.site.issue(task)
                return replace(self._task(issue), marker=self.site.change_of(issue))
        except InputError as error:
            raise InputError(f"{self.name!r} has no task {task!r}: {error}") from error

    def document(self, document: str) -> Document:
        """Raise InputError: Jira has no documents."""
        raise InputError(f"{self.name!r} has no document {document!r}: Jira holds none")

    def look(self, change: Change, key: str, *, since: str, target: str = "") -> Look:
        """Look at the issue's current state."""
        with self.site.calls.session():
            match change:
                case CreateTask():
                    return looking.created(self._made(key, since, target))
                case LogTask(task, text):
                    return looking.logged(self.task(task), text, there=self.site.has_remark(task, key))
                case ReviseTask(task):
                    return self._revised(task, change)
                case CompleteTask() | ReopenTask():
                    return looking.task_state(self.task(change.task), change)
                case ArchiveTask(task):
                    found = self.task(task)
                    return looking.archived(task, gone=found.status == "done" and PUT_AWAY in found.labels)
                case _:
                    raise RefusedError(f"{self.name!r} cannot do this: Jira holds no documents")

    def perform(self, change: Change, key: str, *, at: str) -> str:  # noqa: ARG002 - Jira keeps its own time
        """Make the call that writes; only archiving takes two, which may both be repeated."""
        with self.site.calls.session():
            match change:
                case CreateTask():
                    return self._create(change, key)
                case LogTask(task, text):
                    body = {"body": self.site.deployment.written(text), "properties": jira_site.property_of(key)}
                    self.site.calls.send("POST", f"{self.site.path(task)}/comment", body=body)
                case ReviseTask(task):
                    self._revise(task, change)
                case CompleteTask(task):
                    self._move(task, jira_site.to_done(task, self.task(task).state, self._moves(task), put_away=False))
                case ArchiveTask(task):
                    self._put_away(task)
                case ReopenTask(task, state):
                    self._move(task, jira_site.to_state(task, self.task(task).state, state, self._moves(task)))
                case _:
                    raise RefusedError(f"{self.name!r} cannot do this: Jira holds no documents")
        return change.task

    def trials(self) -> tuple[Trial, ...]:
        """Check the kind of Jira, the project, its issue types, and the account's permissions."""
        what = f"read {self.site.project}"
        try:
            with self.site.calls.session():
                found = self._deployed()
                if not found.works:
                    return (found,)
                project = self.site.calls.get(f"{self.site.deployment.api}/project/{self.site.project}").data
                return (found, Trial(what, works=True), self._typed(project), *self._permitted())
        except PactkeeperError as error:
            return (Trial(what, works=False, advice=str(error)),)

    def close(self) -> None:
        """Close the connection."""
        self.site.calls.close()

    def _create(self, change: CreateTask, key: str) -> str:
        fields: dict[str, JsonValue] = {
            "project": {"key": self.site.project},
            "issuetype": {"name": self.issue_type},
            "summary": " ".join(change.title.split()),
        }
        if change.body.strip():
            fields["description"] = self.site.deployment.written(change.body)
        if change.labels:
            fields["labels"] = ["_".join(label.split()) for label in change.labels]
        if change.due:
            fields["duedate"] = change.due
        body = {"fields": fields, "properties": jira_site.property_of(key)}
        return str(self.site.calls.send("POST", f"{self.site.deployment.api}/issue", body=body).data["key"])

    def _made(self, key: str, since: str, target: str) -> Task | None:
        if target:
            found = self.task(target)
            return found if found.marker == key else None
        issue = self.site.created(key, since)
        return None if issue is None else replace(self._task(issue), marker=key)

    def _revised(self, task: str, change: ReviseTask) -> Look:
        issue = self.site.issue(task)
        found, ours = self._task(issue), self._normal(change)
        after = looking.revision(found, ours)
        self._refuse_wordless(issue, rewritten=self._text(after.body) != found.body)
        same = (after.title, self._text(after.body)) == (found.title, found.body)
        seen = looking.revised(found, ours)
        return replace(seen, done=seen.done or same)

    def _revise(self, task: str, change: ReviseTask) -> None:
        """Send the title and text if they change; not retried, since people edit there."""
        issue = self.site.issue(task)
        found = self._task(issue)
        after = looking.revision(found, self._normal(change))
        fields: dict[str, JsonValue] = {} if after.title == found.title else {"summary": after.title}
        if self._text(after.body) != found.body:
            self._refuse_wordless(issue, rewritten=True)
            fields["description"] = self.site.deployment.written(after.body) if after.body.strip() else None
        self.site.calls.send("PUT", self.site.path(task), body={"fields": fields})

    def _refuse_wordless(self, issue: Issue, *, rewritten: bool) -> None:
        names = self.site.deployment.wordless(issue["fields"].get("description")) if rewritten else ()
        if names:
            raise RefusedError(
                f"the text of {issue['key']!r} has content that cannot be written back unchanged "
                f"({', '.join(names)}); change it by hand, or add a comment"
            )

    def _normal(self, change: ReviseTask) -> ReviseTask:
        """The change as Jira would return its texts, so that only people's edits count as differences."""
        titles = {"title": " ".join(change.title.split()), "old_title": " ".join(change.old_title.split())}
        return replace(change, **titles, body=self._text(change.body), old_body=self._text(change.old_body))

    def _text(self, markdown: str) -> str:
        return self.site.deployment.shown(self.site.deployment.written(markdown))

    def _moves(self, task: str) -> tuple[Move, ...]:
        return jira_site.moves_of(
            self.site.calls.get(f"{self.site.path(task)}/transitions", expand="transitions.fields").data
        )

    def _move(self, task: str, body: Mapping[str, Any]) -> None:
        self.site.calls.send("POST", f"{self.site.path(task)}/transitions", body=body)

    def _put_away(self, task: str) -> None:
        """Add the label first: an issue that is done without the label would look finished."""
        found = self.task(task)
        move = (
            jira_site.to_done(task, found.state, self._moves(task), put_away=True) if found.status != "done" else None
        )
        labelled = {"update": {"labels": [{"add": PUT_AWAY}]}}
        self.site.calls.send("PUT", self.site.path(task), body=labelled, repeatable=True)
        if move is not None:
            self._move(task, move)

    def _task(self, issue: Issue) -> Task:
        fields = issue["fields"]
        state = str(fields["status"]["name"])
        status = _STATUSES.get((fields["status"].get("statusCategory") or {}).get("key", ""), "open")
        underway = status == "open" and state.casefold() in self.doing
        task = Task(
            str(issue["key"]),
            str(fields["summary"]),
            "doing" if underway else status,
            state=state,
            body=self.site.deployment.shown(fields.get("description")),
            labels=tuple(fields.get("labels") or ()),
            due=str(fields.get("duedate") or ""),
            url=self._url(str(issue["key"])),
            updated_at=str(fields.get("updated") or ""),
            marker=jira_site.change_at_hand(issue),
        )
        return replace(task, version=task_version(task))

    def _url(self, key: str) -> str:
        base = self.site.calls.address.base_url.rstrip("/")
        return "" if _BY_PROXY in base else f"{base}/browse/{key}"

    def _deployed(self) -> Trial:
        """Check that the Jira is of the configured kind; both report it at the same path."""
        found = "cloud" if self.site.calls.get("/rest/api/2/serverInfo").data["deploymentType"] == "Cloud" else "server"
        wanted = self.site.deployment.name
        advice = "" if found == wanted else f"write `deployment = {found!r}` in its settings"
        return Trial(f"it is a Jira of kind {wanted!r}", works=found == wanted, advice=advice)

    def _typed(self, project: Mapping[str, Any]) -> Trial:
        names = [str(one["name"]) for one in project["issueTypes"]]
        works = self.issue_type in names
        advice = "" if works else f"write one of {', '.join(names)} as `issue_type` in its settings"
        return Trial(f"issues can be a {self.issue_type}", works=works, advice=advice)

    def _permitted(self) -> tuple[Trial, ...]:
        query = {"projectKey": self.site.project, "permissions": ",".join(_NEEDED)}
        found = self.site.calls.get(f"{self.site.deployment.api}/mypermissions", **query).data["permissions"]
        given = {name: bool((found.get(name) or {}).get("havePermission")) for name in _NEEDED}
        return tuple(
            Trial(f"may {_spoken(name)}", works=works, advice="" if works else f"give the account {name}")
            for name, works in given.items()
        )


def _spoken(permission: str) -> str:
    return permission.replace("_", " ").casefold()


def opened(opening: Opening) -> JiraBoard:
    """Open the project that the settings name."""
    deployment = DEPLOYMENTS[opening.text("deployment") or CLOUD.name]
    email = opening.text("email") if deployment is CLOUD else ""
    at = jira_site.address(opening.token, opening.base_url, email)
    return JiraBoard(
        opening.name,
        Site(opening.text("project"), deployment, Calls(at, opening.limits, variable=opening.variable)),
        opening.text("issue_type") or ISSUE_TYPE,
        tuple(one.casefold() for one in opening.texts("doing")),
    )
