"""One target of each kind, with a person who works on it beside us and a network that loses answers."""

import time
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pactkeeper.boards import github, notion
from pactkeeper.boards.calls import Calls, Clock
from pactkeeper.boards.github import GitHubBoard
from pactkeeper.boards.jira import JiraBoard
from pactkeeper.boards.jira_site import CLOUD, SERVER, Deployment, Site, address
from pactkeeper.boards.local import LocalBoard
from pactkeeper.boards.notion import NotionBoard
from pactkeeper.boards.notion_blocks import blocks_of, rich
from pactkeeper.boards.notion_pages import Databases, NotionPages
from pactkeeper.boards.port import Board, CallLimits
from pactkeeper.boards.writing import FileReservations
from pactkeeper.errors import BoardUnavailable
from tests.boards.fake_jira import EMAIL, FakeJira
from tests.boards.fakes import PAPERS_DATABASE, TASKS_DATABASE, TOKEN, FakeGitHub, FakeNotion

AT = "2026-03-01T09:00:00+00:00"


@dataclass
class Losing:
    """A board whose next write happens and whose answer is lost."""

    board: Board
    lost: bool = False

    def __getattr__(self, name):
        return getattr(self.board, name)

    def perform(self, change, key, *, at):
        target = self.board.perform(change, key, at=at)
        if not self.lost:
            self.lost = True
            raise BoardUnavailable("the answer was lost")
        return target


@dataclass
class LocalTarget:
    folder: Path
    root: Path = field(init=False)

    def __post_init__(self):
        self.root = self.folder / "board"

    @property
    def board(self):
        return LocalBoard("home", self.root)

    def losing(self):
        return Losing(self.board)

    def gone(self):
        """The same target where it cannot be reached."""
        place = self.folder / "file"
        place.write_text("no folder")
        return LocalBoard("home", place)

    def reservations(self, name="reservations"):
        return FileReservations(self.folder / f"{name}.jsonl")

    def add_task(self, title, body="", state="backlog"):
        return self._write(
            f"tasks/{title.casefold().replace(' ', '_')}.md", f"---\nstatus: {state}\ntitle: {title}\n---\n{body}"
        )

    def add_document(self, title, section, body):
        return self._write(f"documents/{section}/{title}.md", f"---\ntitle: {title}\nstatus: draft\n---\n{body}")

    def rewrite(self, task, old, new):
        self._replace(self.board.task(task).url, old, new)

    def edit(self, document, old, new):
        self._replace(self.board.document(document).url, old, new)

    def _replace(self, file, old, new):
        path = self.root / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def close(self):
        pass

    def _write(self, path, text):
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return path


WRITES = r"^(?!.*/query$)"
QUICK = CallLimits(call=0.5, total=5.0, rate=1000.0)


@dataclass
class WebTarget:
    """A board over a fake on loopback."""

    folder: Path
    opened: list[Board] = field(default_factory=list)

    def __post_init__(self):
        self.fake = self.started()

    def started(self) -> Any:
        raise NotImplementedError

    def connected(self, url, limits) -> Board:
        raise NotImplementedError

    @cached_property
    def board(self):
        return self.at(self.fake.url)

    def at(self, url, **limits):
        self.opened.append(self.connected(url, replace(QUICK, **limits)))
        return self.opened[-1]

    def losing(self):
        """The next write is done by the server, which then hangs up."""
        self.fake.fault("drop after", method="POST|PATCH|PUT", path=WRITES)
        return self.at(self.fake.url, tries=1)

    def gone(self):
        return self.at("http://127.0.0.1:9", tries=1)

    def reservations(self, name="reservations"):
        return FileReservations(self.folder / f"{name}.jsonl")

    def close(self):
        for board in self.opened:
            board.close()
        self.fake.close()


class GitHubTarget(WebTarget):
    def started(self):
        return FakeGitHub()

    def connected(self, url, limits):
        return GitHubBoard("team", "acme/shop", Calls(github.address(TOKEN, url), limits, clock()))

    def add_task(self, title, body=""):
        return str(self.fake.add(title, body)["number"])

    def rewrite(self, task, old, new):
        """A person changes words in a browser, which sends line ends of its own."""
        issue = self.fake.issues[int(task) - 1]
        assert old in issue["body"]
        issue["body"] = issue["body"].replace(old, new)


class NotionTarget(WebTarget):
    def started(self):
        return FakeNotion()

    def connected(self, url, limits):
        databases = Databases(TASKS_DATABASE, PAPERS_DATABASE)
        return NotionBoard("notes", NotionPages("notes", databases, Calls(notion.address(TOKEN, url), limits, clock())))

    def add_task(self, title, body=""):
        values = {"Name": {"title": rich(title)}, "Status": {"status": {"name": "Backlog"}}}
        return self.fake.add(TASKS_DATABASE, values, blocks_of(body))

    def add_document(self, title, section, body):
        values = {
            "Name": {"title": rich(title)},
            "Section": {"select": {"name": section}},
            "Status": {"select": {"name": "draft"}},
        }
        return self.fake.add(PAPERS_DATABASE, values, blocks_of(body))

    def edit(self, document, old, new):
        """A person changes words of a block, wherever it lies."""
        assert document in self.fake.pages
        for block in self.fake.blocks.values():
            for piece in block[block["type"]].get("rich_text", ()):
                if old in piece["text"]["content"]:
                    piece["text"]["content"] = piece["plain_text"] = piece["text"]["content"].replace(old, new)


@dataclass
class JiraTarget(WebTarget):
    deployment: Deployment = CLOUD

    def started(self):
        return FakeJira(cloud=self.deployment is CLOUD)

    def connected(self, url, limits):
        email = EMAIL if self.deployment is CLOUD else ""
        calls = Calls(address(TOKEN, url, email), limits, clock())
        return JiraBoard("tracker", Site("SHOP", self.deployment, calls))

    def add_task(self, title, body=""):
        return self.fake.add(title, self.deployment.written(body))["key"]

    def rewrite(self, task, old, new):
        """A person changes words in Jira's editor."""
        fields = self.fake.issues[task]["fields"]
        shown = self.deployment.shown(fields["description"])
        assert old in shown
        fields["description"] = self.deployment.written(shown.replace(old, new))


@dataclass
class JiraServerTarget(JiraTarget):
    deployment: Deployment = SERVER


def clock():
    """Real time, in which nobody waits longer than a moment."""
    return Clock(sleep=lambda seconds: time.sleep(min(seconds, 0.01)))


TARGETS: dict[str, type] = {  # by kind, and where one kind has several, what sets them apart
    "local": LocalTarget,
    "github": GitHubTarget,
    "notion": NotionTarget,
    "jira cloud": JiraTarget,
    "jira server": JiraServerTarget,
}
REVISABLE = tuple(name for name, target in TARGETS.items() if hasattr(target, "rewrite"))
WITH_DOCUMENTS = tuple(name for name, target in TARGETS.items() if hasattr(target, "add_document"))
ON_THE_WEB = tuple(name for name, target in TARGETS.items() if issubclass(target, WebTarget))
