"""Stateful stand-ins for web interfaces on loopback, with faults that are asked for."""

import json
import re
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

TOKEN = "token-of-a-test"


@dataclass
class Fault:
    """What happens to the next calls that `method` and `path` fit: an answer instead of or after the work."""

    kind: str  # "status", "drop after", "slow head", "slow", "huge", "junk", "redirect"
    method: str = ""
    path: str = ""
    status: int = 500
    headers: dict = field(default_factory=dict)
    times: int = 1


class Refused(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Fake:
    """A server in a thread; a subclass answers `handle(method, path, query, body)` with JSON and headers."""

    authorization = f"Bearer {TOKEN}"

    def __init__(self):
        self.faults = []
        self.requests = []
        self.lock = threading.Lock()
        fake = self

        class Door(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else every answer of two parts waits 40 ms

            def log_message(self, *args):
                pass

            def _serve(self):
                fake.serve(self)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _serve  # noqa: N815 - the names that http.server calls

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def fault(self, kind, **options):
        self.faults.append(Fault(kind, **options))

    def serve(self, door):
        length = int(door.headers.get("Content-Length") or 0)
        body = json.loads(door.rfile.read(length)) if length else None
        parts = urlsplit(door.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        with self.lock:
            self.requests.append((door.command, parts.path))
            fault = self._due(door.command, parts.path)
        if fault and fault.kind == "status":
            return self._answer(door, fault.status, {"message": "as asked"}, fault.headers)
        if fault and fault.kind == "redirect":
            return self._answer(door, 302, None, {"Location": "http://127.0.0.1:9/elsewhere"})
        if door.headers.get("Authorization") != self.authorization:
            return self._answer(door, 401, {"message": "Bad credentials"}, {})
        try:
            with self.lock:
                data, headers = self.handle(door.command, parts.path, query, body)
            status = 200
        except Refused as refused:
            status, data, headers = refused.status, self.refusal(refused), {}
        return self._faulty(door, fault) if fault else self._answer(door, status, data, headers)

    def _faulty(self, door, fault):
        """The work is done, and the answer is not what it should be."""
        door.close_connection = True
        if fault.kind == "drop after":
            return
        door.send_response(200)
        door.end_headers() if fault.kind != "slow head" else door.flush_headers()
        if fault.kind == "junk":
            door.wfile.write(b"<html>")
        slow = fault.kind in {"slow head", "slow"}
        for _ in range(2000 if slow or fault.kind == "huge" else 0):
            try:
                door.wfile.write(b"x" if slow else b" " * 100_000)
            except OSError:
                return
            if slow:
                time.sleep(0.02)

    def _due(self, method, path):
        for fault in self.faults:
            if fault.times and re.fullmatch(fault.method or ".*", method) and re.search(fault.path, path):
                fault.times -= 1
                return fault
        return None

    @staticmethod
    def _answer(door, status, data, headers):
        payload = b"" if data is None else json.dumps(data).encode()
        door.send_response(status)
        for name, value in headers.items():
            door.send_header(name, value)
        door.send_header("Content-Length", str(len(payload)))
        door.end_headers()
        door.wfile.write(payload)

    def refusal(self, refused):
        return {"message": str(refused)}

    def handle(self, method, path, query, body):
        raise NotImplementedError


class FakeGitHub(Fake):
    """One repository with issues, remarks and a pull request; a page holds at most `page` items."""

    def __init__(self, page=100):
        self.page = page
        self.issues = []
        self.comments = {}
        self.clock = 0
        super().__init__()

    def add(self, title, body="", labels=(), **more):
        self.clock += 1
        number = len(self.issues) + 1
        issue = {
            "number": number,
            "title": title,
            "body": body,
            "labels": [{"name": label} for label in labels],
            "state": "open",
            "state_reason": None,
            "html_url": f"https://github.example/acme/shop/issues/{number}",
            "updated_at": f"2026-03-01T10:{self.clock // 60:02}:{self.clock % 60:02}Z",
            **more,
        }
        self.issues.append(issue)
        self.comments[number] = []
        return issue

    def handle(self, method, path, query, body):
        if path == "/repos/acme/shop":
            return {"has_issues": True, "permissions": {"push": True}}, {}
        found = re.fullmatch(r"/repos/acme/shop/issues(?:/(\d+))?(/comments)?", path)
        if not found:
            raise Refused(404, "Not Found")
        if not found[1]:
            return self._all(method, path, query, body)
        number = int(found[1])
        if number > len(self.issues):
            raise Refused(404, "Not Found")
        if found[2]:
            return self._remarks(method, path, number, query=query, body=body)
        if method == "PATCH":
            self.issues[number - 1].update(body)
            if body.get("state") == "open":
                self.issues[number - 1]["state_reason"] = "reopened"
        return self.issues[number - 1], {}

    def _all(self, method, path, query, body):
        if method == "POST":
            if not body["title"]:
                raise Refused(422, "Validation Failed")
            return self.add(body["title"], body["body"], body["labels"]), {}
        return self._paged(
            path, [one for one in reversed(self.issues) if one["updated_at"] >= query.get("since", "")], query
        )

    def _remarks(self, method, path, number, *, query, body):
        if method == "POST":
            self.comments[number].append({"body": body["body"]})
            return self.comments[number][-1], {}
        return self._paged(path, self.comments[number], query)

    def _paged(self, path, items, query):
        size, page = min(self.page, int(query["per_page"])), int(query.get("page", 1))
        headers = {}
        if page * size < len(items):
            headers["Link"] = f'<https://elsewhere.example{path}?page={page + 1}>; rel="next", <x>; rel="last"'
        return items[(page - 1) * size : page * size], headers


TASKS_DATABASE, PAPERS_DATABASE = "1" * 32, "2" * 32
_SCHEMAS = {
    TASKS_DATABASE: {
        "Name": "title",
        "Status": "status",
        "Labels": "multi_select",
        "Due": "date",
        "Pactkeeper": "rich_text",
    },
    PAPERS_DATABASE: {"Name": "title", "Section": "select", "Status": "select", "Pactkeeper": "rich_text"},
}


class FakeNotion(Fake):
    """Two databases with pages, blocks and comments; a page of an answer holds at most `page` items."""

    def __init__(self, page=100):
        self.page = page
        self.pages = {}
        self.blocks = {}
        self.children = {}
        self.comments = {}
        self.schemas = {name: dict(schema) for name, schema in _SCHEMAS.items()}
        super().__init__()

    def new_id(self):
        return f"{len(self.pages) + len(self.blocks) + 1:032x}"

    def add(self, database, values, children=()):
        found = self.new_id()
        properties = {name: {"type": kind, kind: None} for name, kind in self.schemas[database].items()}
        self.pages[found] = {
            "id": found,
            "parent": {"database_id": database},
            "properties": properties,
            "archived": False,
            "url": f"https://notion.example/{found}",
            "last_edited_time": "2026-03-01T10:00:00.000Z",
        }
        self._set(found, values)
        self.children[found] = []
        self.append(found, children)
        return found

    def append(self, parent, children):
        if len(children) > 100:
            raise Refused(400, "body.children.length should be ≤ 100")
        for one in children:
            own = {key: value for key, value in one[one["type"]].items() if key != "children"}
            for piece in own.get("rich_text", ()):
                if len(piece["text"]["content"].encode("utf-16-le")) > 4000:
                    raise Refused(400, "text.content.length should be ≤ 2000")
                piece.setdefault("plain_text", piece["text"]["content"])
            inner = one[one["type"]].get("children", ())
            found = self.new_id()
            self.blocks[found] = {"id": found, "type": one["type"], one["type"]: own, "has_children": bool(inner)}
            self.children[parent].append(found)
            self.children[found] = []
            self.append(found, inner)

    def handle(self, method, path, query, body):
        _, _, kind, *rest = path.split("/")
        if kind == "databases":
            return self._database(rest, body), {}
        if kind == "pages":
            return self._page(method, rest, body), {}
        if kind == "comments":
            if method == "POST":
                self.comments.setdefault(body["parent"]["page_id"], []).append({"rich_text": body["rich_text"]})
                return {}, {}
            return self._paged(self.comments.get(query["block_id"], []), query), {}
        return self._block(method, rest, query=query, body=body), {}

    def _database(self, rest, body):
        if rest[0] not in self.schemas:
            raise Refused(404, "Could not find database")
        if len(rest) == 1:
            return {"properties": {name: {"type": kind} for name, kind in self.schemas[rest[0]].items()}}
        found = [one for one in self.pages.values() if one["parent"]["database_id"] == rest[0] and not one["archived"]]
        wanted = body.get("filter")
        if wanted:
            found = [one for one in found if self._says(one, wanted["property"]) == wanted["rich_text"]["equals"]]
        return self._paged(found, body)

    @staticmethod
    def _says(page, name):
        return "".join(piece["text"]["content"] for piece in page["properties"][name]["rich_text"] or ())

    def _page(self, method, rest, body):
        if method == "POST":
            return self.pages[self.add(body["parent"]["database_id"], body["properties"], body["children"])]
        if rest[0] not in self.pages:
            raise Refused(404, "Could not find page")
        if method == "PATCH":
            self._set(rest[0], body.get("properties", {}))
            self.pages[rest[0]]["archived"] = body.get("archived", False)
        return self.pages[rest[0]]

    def _set(self, page, values):
        properties = self.pages[page]["properties"]
        for name, value in values.items():
            if name not in properties:
                raise Refused(400, f"{name} is not a property that exists")
            kind = properties[name]["type"]
            if set(value) != {kind}:
                raise Refused(400, f"{name} is expected to be {kind}")
            properties[name] = {"type": kind, kind: value[kind]}

    def _block(self, method, rest, *, query, body):
        if rest[0] not in self.children:
            raise Refused(404, "Could not find block")
        if len(rest) > 1 and method == "PATCH":
            self.append(rest[0], body["children"])
            return {"results": []}
        if len(rest) > 1:
            return self._paged([self.blocks[one] for one in self.children[rest[0]]], query)
        block = self.blocks[rest[0]]
        if method == "DELETE":
            for inner in self.children.values():
                if rest[0] in inner:
                    inner.remove(rest[0])
        else:
            block[block["type"]].update(body[block["type"]])
            for piece in block[block["type"]]["rich_text"]:
                piece["plain_text"] = piece["text"]["content"]
        return block

    def _paged(self, items, asked):
        size, start = min(self.page, int(asked.get("page_size", 100))), int(asked.get("start_cursor", 0))
        more = start + size < len(items)
        return {
            "results": items[start : start + size],
            "has_more": more,
            "next_cursor": str(start + size) if more else None,
        }
