"""A Jira on loopback, of either kind: one project with a workflow, an index that may lag, and Jira's way to refuse."""

import re
from base64 import b64encode

from tests.boards.fakes import TOKEN, Fake, Refused

EMAIL = "ada@example.com"
STATUSES = {"Backlog": "new", "In Progress": "indeterminate", "Done": "done", "Won't Do": "done"}
TERM = re.compile(r'project = "SHOP"|created >= "(\d{4}-\d\d-\d\d)"|creator = currentUser\(\)')
ISSUE = re.compile(r"/issue/([A-Z]+-\d+)(?:/(comment|transitions|properties/pactkeeper))?")
ROBOT, PERSON = "robot", "ada"


class Invalid(Refused):
    """A refusal that names fields."""

    def __init__(self, **errors):
        super().__init__(400, str(errors))
        self.errors = errors


class FakeJira(Fake):
    """`lag` issues are not in the index yet; a page of an answer holds at most `page` items.

    `moves` are the transitions as (from, name, to), from None for everywhere; `screens` the fields that some ask for.
    """

    def __init__(self, *, cloud=True, page=100):
        self.cloud = cloud
        self.page = page
        self.lag = 0
        self.issues = {}
        self.comments = {}
        self.properties = {}
        self.moves: list[tuple[str | None, str, str]] = [(None, name, name) for name in STATUSES]
        self.screens = {}
        self.permissions = {"CREATE_ISSUES", "ADD_COMMENTS", "TRANSITION_ISSUES", "EDIT_ISSUES"}
        pair = b64encode(f"{EMAIL}:{TOKEN}".encode()).decode()
        self.authorization = f"Basic {pair}" if cloud else f"Bearer {TOKEN}"
        self.api = f"/rest/api/{3 if cloud else 2}"
        super().__init__()

    def add(self, summary, description=None, *, creator=PERSON, status="Backlog", **fields):
        number = len(self.issues) + 1
        key = f"SHOP-{number}"
        when = f"2026-03-01T10:{number // 60:02}:{number % 60:02}.000+0000"
        fields = {"summary": summary, "description": description, "labels": [], "duedate": None, **fields}
        fields |= {"created": when, "updated": when, "creator": creator, "resolution": None}
        self.issues[key] = {"id": str(10_000 + number), "key": key, "fields": fields}
        self.comments[key] = []
        self._enter(key, status)
        return self.issues[key]

    def refusal(self, refused):
        if isinstance(refused, Invalid):
            return {"errorMessages": [], "errors": refused.errors}
        return {"errorMessages": [str(refused)], "errors": {}}

    def handle(self, method, path, query, body):
        if path == "/rest/api/2/serverInfo":
            return {"deploymentType": "Cloud" if self.cloud else "Server"}, {}
        found = path.removeprefix(self.api)
        if found == path:
            raise Refused(404, "dead link")
        if issue := ISSUE.fullmatch(found):
            return self._one(method, issue[1], issue[2] or "", query=query, body=body), {}
        return self._other(method, found, query, body), {}

    def _other(self, method, path, query, body):
        if path == "/issue" and method == "POST":
            return self._create(body)
        if path == "/search/jql" and self.cloud:
            return self._by_token(query)
        if path == "/search" and not self.cloud:
            start, size = int(query["startAt"]), min(self.page, int(query["maxResults"]))
            found = self._found(query["jql"])
            return {"startAt": start, "total": len(found), "issues": found[start : start + size]}
        if path == "/project/SHOP":
            return {"key": "SHOP", "issueTypes": [{"name": "Task"}, {"name": "Bug"}]}
        if path == "/mypermissions":
            wanted = query["permissions"].split(",")
            return {"permissions": {name: {"havePermission": name in self.permissions} for name in wanted}}
        raise Refused(404, "dead link")

    def _by_token(self, query):
        start, size = int(query.get("nextPageToken", 0)), min(self.page, int(query["maxResults"]))
        found = self._found(query["jql"])
        last = start + size >= len(found)
        shown = [self._shown(one["key"], query.get("properties")) for one in found[start : start + size]]
        return {"issues": shown, "isLast": last} | ({} if last else {"nextPageToken": str(start + size)})

    def _found(self, jql):
        """What the index shows, the newest first."""
        terms, _, order = jql.partition(" ORDER BY ")
        if order not in {"key DESC", "created DESC, key DESC"}:
            raise Refused(400, f"Error in the JQL Query: {order}")
        found = list(self.issues.values())[: len(self.issues) - self.lag][::-1]
        for term in terms.split(" AND "):
            known = TERM.fullmatch(term)
            if not known:
                raise Refused(400, f"Error in the JQL Query: {term}")
            found = [one for one in found if one["fields"]["created"] >= (known[1] or "")]
            if term.startswith("creator"):
                found = [one for one in found if one["fields"]["creator"] == ROBOT]
        return found

    def _shown(self, key, properties):
        """An issue; only Cloud hands properties out along with it."""
        found = {PROPERTY: self.properties[key]} if key in self.properties and properties == PROPERTY else {}
        return {**self.issues[key], "properties": found} if self.cloud else self.issues[key]

    def _create(self, body):
        fields = dict(body["fields"])
        if fields.pop("project") != {"key": "SHOP"} or fields.pop("issuetype") != {"name": "Task"}:
            raise Invalid(project="valid project is required")
        if not fields["summary"]:
            raise Invalid(summary="You must specify a summary of the issue.")
        self._refuse_text("description", fields.get("description"))
        key = self.add(fields.pop("summary"), fields.pop("description", None), creator=ROBOT, **fields)["key"]
        for one in body["properties"]:
            if one["key"] == PROPERTY:
                self.properties[key] = one["value"]
        return {"id": self.issues[key]["id"], "key": key}

    def _refuse_text(self, name, text):
        if text is None and name == "description":
            return
        fits = isinstance(text, dict) and text["type"] == "doc" if self.cloud else isinstance(text, str)
        if not fits:
            raise Invalid(
                **{name: "Operation value must be an Atlassian Document" if self.cloud else "must be a string"}
            )

    def _one(self, method, key, what, *, query, body):
        if key not in self.issues:
            raise Refused(404, "Issue does not exist or you do not have permission to see it.")
        match what:
            case "comment":
                return self._comment(method, key, query, body)
            case "transitions":
                return self._transition(key, body) if method == "POST" else {"transitions": self._moves(key)}
            case "properties/pactkeeper":
                if key not in self.properties:
                    raise Refused(404, "The property pactkeeper does not exist.")
                return {"key": PROPERTY, "value": self.properties[key]}
        if method == "PUT":
            return self._edit(key, body)
        return self._shown(key, query.get("properties"))

    def _edit(self, key, body):
        fields = self.issues[key]["fields"]
        if "description" in body.get("fields", {}):
            self._refuse_text("description", body["fields"]["description"])
        fields.update(body.get("fields", {}))
        fields["labels"] = [*fields["labels"], *(one["add"] for one in body.get("update", {}).get("labels", ()))]

    def _comment(self, method, key, query, body):
        if method == "POST":
            self._refuse_text("comment", body["body"])
            self.comments[key].append(body)
            return {"id": str(len(self.comments[key]))}
        start, size = int(query["startAt"]), min(self.page, int(query["maxResults"]))
        shown = self.comments[key][start : start + size]
        if query.get("expand") != "properties":
            shown = [{"body": one["body"]} for one in shown]
        return {"startAt": start, "total": len(self.comments[key]), "comments": shown}

    def _moves(self, key):
        now = self.issues[key]["fields"]["status"]["name"]
        return [
            {"id": str(number), "name": name, "to": _status(to), "fields": self.screens.get(name, {})}
            for number, (start, name, to) in enumerate(self.moves)
            if start in {None, now} and to != now
        ]

    def _transition(self, key, body):
        move = next((one for one in self._moves(key) if one["id"] == body["transition"]["id"]), None)
        if move is None:
            raise Refused(400, "It seems that you have tried to perform an illegal workflow operation.")
        given = body.get("fields", {})
        for name, field in move["fields"].items():
            if field["required"] and name not in given:
                raise Invalid(**{name: f"{field['name']} is required."})
        self._enter(key, move["to"]["name"])
        self.issues[key]["fields"].update(given)

    def _enter(self, key, status):
        self.issues[key]["fields"]["status"] = _status(status)


PROPERTY = "pactkeeper"


def _status(name):
    return {"name": name, "statusCategory": {"key": STATUSES[name]}}


def resolution(*values, required=True):
    """The field of a screen that asks why an issue is done."""
    return {"name": "Resolution", "required": required, "allowedValues": [{"name": one} for one in values]}
