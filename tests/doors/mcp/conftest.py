"""An agent that calls the server in this process, by either generation of the protocol."""

import json
import re
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.types import ElicitResult, Implementation, TextContent

from pactkeeper.advice import ACTS
from pactkeeper.doors.mcp.serving import build
from tests.doors.projects import Project

NEW, OLD = "2026-07-28", "legacy"
GENERATIONS = [NEW, OLD]
OLDER_IS_SLOW = [NEW, pytest.param(OLD, marks=pytest.mark.slow)]
ME = Implementation(name="scripted", version="7")
UNCLEAR = """

def test_it():
    assert run() == 0
"""


def words_of(found) -> str:
    """The text of a result."""
    (said,) = found.content
    assert isinstance(said, TextContent)
    return said.text


PERSONS = re.compile("|".join(rf"pk {one.command}\b(?=[^`\n]*{one.option})" for one in ACTS))


def persons_commands(text):
    """The commands in a text by which only a person decides something."""
    return PERSONS.findall(text)


@dataclass
class Agent:
    """A client that is connected; `asked` are the questions a person was shown."""

    client: Client
    asked: list = field(default_factory=list)
    results: list = field(default_factory=list)
    project: Project | None = None

    def in_project(self, project, results):
        """The same agent, which also writes files and keeps what it got."""
        self.project, self.results = project, results
        return self

    def write(self, path, text):
        assert self.project is not None
        self.project.write(path, text)

    async def call(self, name, /, **given):
        """The structured result of a call that must succeed."""
        found = await self.client.call_tool(name, given)
        assert not found.is_error, words_of(found)
        assert not persons_commands(words_of(found))
        assert json.loads(words_of(found)) == found.structured_content
        self.results.append((name, found.structured_content))
        return found.structured_content

    async def refusal(self, name, /, **given):
        """The words of a call that must fail."""
        found = await self.client.call_tool(name, given)
        assert found.is_error, found.structured_content
        assert not persons_commands(words_of(found))
        return words_of(found)

    async def accept_all(self, patch):
        """Propose to accept every op of a patch."""
        page = await self.call("get_patch", patch=patch)
        ops = page["ops"]
        while "cursor" in page:
            page = await self.call("get_patch", patch=patch, cursor=page["cursor"])
            ops += page["ops"]
        decisions = [{"op": one["id"], "shown_hash": one["shown_hash"], "verdict": "accept"} for one in ops]
        return await self.call("decide_ops", patch=patch, decisions=decisions)


@pytest.fixture(autouse=True)
def person(monkeypatch, tmp_path_factory):
    """What a person keeps outside of repositories, one for each test."""
    place = tmp_path_factory.mktemp("person")
    monkeypatch.setenv("XDG_DATA_HOME", str(place / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(place / "config"))


@asynccontextmanager
async def connected(server, *, mode=NEW, says=None):
    """An agent; `says` is what the person answers who is asked, None where the client cannot ask."""
    shown = []

    async def elicit(_context, params):
        shown.append(params.message)
        action: Any = "accept" if says in {"yes", "no"} else says
        confirm = says == "yes"
        return ElicitResult(action=action, content={"confirm": confirm} if action == "accept" else None)

    callback = None if says is None else elicit
    async with Client(server, mode=mode, client_info=ME, elicitation_callback=callback) as client:
        yield Agent(client, shown)


@dataclass(frozen=True)
class Shop:
    """A project with a server for it."""

    project: Project

    def copy(self, root):
        return Shop(self.project.copy(root))

    def agent(self, categories=(), **options):
        return connected(build(self.project.root, categories), **options)

    def talk(self, conversation, **options):
        """Hold a conversation with a new server and return what it came to."""
        failed = []

        async def held():
            async with self.agent(**options) as agent:
                try:
                    return await conversation(agent)
                except AssertionError as error:  # raised here, it would come out wrapped in groups
                    failed.append(error)

        found = anyio.run(held)
        if failed:
            raise failed[0]
        return found


@pytest.fixture(scope="session")
def first_shop(first_project, tmp_path_factory):
    project = first_project.copy(tmp_path_factory.mktemp("shop") / "project")
    project.write("tests/test_unclear.py", f"from shop import run{UNCLEAR}")
    project.commit("Add a test that says nothing")
    return Shop(project)


@pytest.fixture(scope="session")
def first_kept(first_shop, tmp_path_factory):
    kept = first_shop.copy(tmp_path_factory.mktemp("kept") / "project")

    async def adopt(agent):
        made = await agent.call("reconcile_repo", everything=True)
        await agent.accept_all(made["patch"])
        assert (await agent.call("apply_patch", patch=made["patch"]))["status"] == "applied"

    kept.talk(adopt, says="yes")
    kept.project.commit("Adopt the pact")
    return kept


@pytest.fixture
def shop(first_shop, tmp_path):
    """A repository without a pact, with one test whose name says nothing."""
    return first_shop.copy(tmp_path / "project")


@pytest.fixture
def kept(first_kept, tmp_path):
    """The shop with a pact: everything that can be worded is accepted and in git."""
    return first_kept.copy(tmp_path / "project")
