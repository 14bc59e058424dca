"""GitHub and GitLab on loopback, as their documentation describes them, in front of a real git repository over HTTP."""

import base64
import os
import subprocess
from urllib.parse import unquote

from tests.boards.fakes import TOKEN, Fake, Refused

BOT = "pact-bot"


class FakeForge(Fake):
    """What both forges keep: one pull request, comments, verdicts, and who may write."""

    closes_with_branch = False

    kind = variable = repository = ""
    secret = f"oauth2:{TOKEN}"  # what git says who it is

    def __init__(self, origin):
        self.origin = origin
        self.fork = False
        self.base, self.head, self.branch = "", "", "topic"
        self.comments, self.verdicts, self.signs = [], [], []
        self.writers = {BOT, "ada"}
        self.read_only = False
        self.proposals = {}
        self.heads = {}
        self.statuses = []
        super().__init__()

    def shown(self, one):
        raise NotImplementedError

    def look(self, steps, query):
        raise NotImplementedError

    def change(self, steps, body):
        raise NotImplementedError

    def write(self, author, text):
        self.comments.append({"id": len(self.comments) + 1, "author": author, "body": text})
        return str(len(self.comments))

    def at(self, base, head):
        self.base, self.head = base, head

    def own(self):
        return [one["body"] for one in self.comments if one["author"] == BOT]

    def _comment(self, number):
        found = next((one for one in self.comments if one["id"] == int(number)), None)
        if found is None:
            raise Refused(404, "Not Found")
        return found

    def open(self, branch, words):
        number = 8 + len(self.proposals)
        self.proposals[str(number)] = {"branch": branch, "open": True, "merged": False, "text": words}
        return number

    def is_at(self, branch):
        """The commit of a branch; the last one where it is gone."""
        found = self._head(branch)
        self.heads[branch] = found or self.heads.get(branch, "")
        return self.heads[branch]

    def _head(self, branch):
        given = ["git", "-C", self.origin, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}"]
        return subprocess.run(given, capture_output=True, check=False).stdout.decode().strip()

    def _proposed(self, branch, *, opened):
        found = [(number, one) for number, one in self.proposals.items() if one["branch"] == branch]
        if self.closes_with_branch and not self._head(branch):
            for _, one in found:
                one["open"] = False
        return [number for number, one in found if one["open"] == opened]

    def _page(self, query):
        first = (int(query.get("page", 1)) - 1) * int(query["per_page"])
        return [self.shown(one) for one in self.comments[first : first + int(query["per_page"])]]

    def handle(self, method, path, query, body):
        if self.read_only and method != "GET":
            raise Refused(403, "Resource not accessible by integration")
        steps = [unquote(one) for one in path.strip("/").split("/")]
        steps = [self.repository if one == "acme/shop" else one for one in steps]
        if method == "GET":
            return self.look(steps, query), {}
        if method == "DELETE":
            return self.remove(steps[-1]), {}
        return self.change(steps, body), {}

    def remove(self, number):
        self.comments.remove(self._comment(number))
        return {}

    def edit(self, number, text):
        self._comment(number)["body"] = text
        return self.shown(self._comment(number))

    def serve(self, door):
        if ".git/" in door.path:
            return serve_git(self.origin.parent, door, self.secret)
        return super().serve(door)


class FakeGitHubPulls(FakeForge):
    kind, variable, repository, closes_with_branch = "github", "GITHUB_REPOSITORY", "acme/shop", True

    def shown(self, one):
        place = f"{self.url}/repos/acme/shop/issues/7"
        return {"id": one["id"], "user": {"login": one["author"]}, "body": one["body"], "issue_url": place}

    def look(self, steps, query):
        match steps:
            case ["user"]:
                return {"login": BOT}
            case ["repos", "acme", "shop", "pulls", "7"]:
                return self._pull(7, self.head, self.branch)
            case ["repos", "acme", "shop", "pulls"]:
                branch = query["head"].partition(":")[2]
                found = self._proposed(branch, opened=query["state"] == "open")
                return [self._pull(int(one), self.is_at(branch), branch) for one in found]
            case ["repos", "acme", "shop", "pulls", number]:
                branch = self.proposals[number]["branch"]
                return self._pull(int(number), self.is_at(branch), branch)
            case ["repos", "acme", "shop", "issues", "7", "comments"]:
                return self._page(query)
            case ["repos", "acme", "shop", "issues", "comments", number]:
                return self.shown(self._comment(number))
            case ["repos", "acme", "shop", "collaborators", person, "permission"]:
                return {"permission": "write" if person in self.writers else "read"}
        raise Refused(404, f"Not Found: {steps}")

    def _pull(self, number, head, branch):
        own = {"id": 1, "full_name": "acme/shop"}
        theirs = {"id": 2, "full_name": "mallory/shop"} if self.fork else own
        return {
            "number": number,
            "state": "open",
            "merged_at": "2026-03-01T10:00:00Z" if self.proposals.get(str(number), {}).get("merged") else None,
            "base": {"sha": self.base, "ref": "main", "repo": own},
            "head": {"sha": head, "ref": branch, "repo": theirs},
        }

    def change(self, steps, body):
        match steps[3:]:
            case ["issues", "7", "comments"]:
                return self.shown(self._comment(self.write(BOT, body["body"])))
            case ["issues", "comments", number]:
                return self.edit(number, body["body"])
            case ["issues", "comments", number, "reactions"]:
                self.signs.append((number, body["content"]))
            case ["pulls"]:
                return {"number": self.open(body["head"], body["body"])}
            case ["pulls", number]:
                self.proposals[number]["text"] = body.get("body")
                self.proposals[number]["open"] = body.get("state") != "closed"
            case ["statuses", commit]:
                self.statuses.append((commit, body["state"], body["description"]))
            case ["check-runs"]:
                self.verdicts.append((body["head_sha"], body["conclusion"] == "success"))
                self.annotations = body["output"]["annotations"]
            case _:
                raise Refused(404, f"Not Found: {steps}")
        return {}


class FakeGitLab(FakeForge):
    kind, variable, repository = "gitlab", "CI_PROJECT_ID", "42"

    def shown(self, one):
        return {"id": one["id"], "author": {"username": one["author"]}, "body": one["body"]}

    def look(self, steps, query):
        match steps:
            case ["user"]:
                return {"username": BOT}
            case ["users"]:
                return [{"id": 100 + len(query["username"]), "username": query["username"]}]
            case ["projects", "42", "merge_requests", "7"]:
                return self._merge_request(7, self.head, self.branch)
            case ["projects", "42", "merge_requests"]:
                branch = query["source_branch"]
                found = self._proposed(branch, opened=query["state"] == "opened")
                return [
                    self._merge_request(int(one), self.is_at(branch), branch)
                    for one in found
                    if not self.proposals[one]["merged"]
                ]
            case ["projects", "42", "merge_requests", number]:
                branch = self.proposals[number]["branch"]
                return self._merge_request(int(number), self.is_at(branch), branch)
            case ["projects", "42", "merge_requests", "7", "notes"]:
                return self._page(query)
            case ["projects", "42", "merge_requests", "7", "notes", number]:
                return self.shown(self._comment(number))
            case ["projects", "42", "members", "all", number]:
                return self._member(int(number))
        raise Refused(404, f"Not Found: {steps}")

    def _merge_request(self, number, head, branch):
        return {
            "iid": number,
            "state": "opened",
            "sha": head,
            "target_branch": "main",
            "source_branch": branch,
            "source_project_id": 43 if self.fork else 42,
            "target_project_id": 42,
            "diff_refs": {"base_sha": self.base, "start_sha": self.base, "head_sha": head},
        }

    def _member(self, number):
        if number not in {100 + len(name) for name in self.writers}:
            raise Refused(404, "404 Not found")
        return {"id": number, "access_level": 30, "state": "active"}

    def change(self, steps, body):
        match steps[2:]:
            case ["merge_requests", "7", "notes"]:
                return self.shown(self._comment(self.write(BOT, body["body"])))
            case ["merge_requests", "7", "notes", number]:
                return self.edit(number, body["body"])
            case ["merge_requests", "7", "notes", number, "award_emoji"]:
                self.signs.append((number, "+1" if body["name"] == "thumbsup" else body["name"]))
            case ["merge_requests"]:
                return {"iid": self.open(body["source_branch"], body["description"])}
            case ["merge_requests", number]:
                self.proposals[number]["text"] = body.get("description")
                self.proposals[number]["open"] = body.get("state_event") != "close"
            case ["statuses", commit]:
                self.verdicts.append((commit, body["state"] == "success"))
            case _:
                raise Refused(404, f"Not Found: {steps}")
        return {}


def serve_git(root, door, secret):
    """`git http-backend` behind the loopback server, with the token as password; without one it lets everybody in."""
    wanted = "Basic " + base64.b64encode(secret.encode()).decode()
    if secret and door.headers.get("Authorization") != wanted:
        door.send_response(401)
        door.send_header("WWW-Authenticate", "Basic realm=git")
        door.send_header("Content-Length", "0")
        door.end_headers()
        return
    path, _, query = door.path.partition("?")
    path = path[path.index("/", 1) :]  # without the owner
    length = int(door.headers.get("Content-Length") or 0)
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_PROJECT_ROOT": str(root),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "REQUEST_METHOD": door.command,
        "CONTENT_TYPE": door.headers.get("Content-Type", ""),
        "CONTENT_LENGTH": str(length),
        "HTTP_CONTENT_ENCODING": door.headers.get("Content-Encoding", ""),
        "GIT_PROTOCOL": door.headers.get("Git-Protocol", ""),
        "REMOTE_USER": BOT,
        "REMOTE_ADDR": "127.0.0.1",
    }
    done = subprocess.run(
        ["git", "http-backend"], env=environment, input=door.rfile.read(length), capture_output=True, check=False
    )
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
    door.send_response(int(fields.pop("Status", "200").split()[0]))
    for name, value in fields.items():
        door.send_header(name, value)
    door.send_header("Content-Length", str(len(content)))
    door.end_headers()
    door.wfile.write(content)
