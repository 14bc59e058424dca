"""The server as a process of its own: over standard input and output, and over HTTP on loopback."""

import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from pactkeeper.doors.mcp.serving import Guarded
from pactkeeper.errors import UsageError
from pactkeeper.verbs.listening import Address
from tests.doors.committing import INTERRUPT, at_terminal
from tests.doors.forking import SERVER
from tests.doors.mcp.conftest import GENERATIONS, ME, NEW, OLDER_IS_SLOW
from tests.waiting import PATIENCE, running

TOKEN = "a token that is long enough"
PK = ("-m", "pactkeeper")
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}


@contextmanager
def listening(root, *options, env=None):
    """A server over HTTP, with the lines that it said when it began."""
    command = [sys.executable, *PK, "mcp", "--http", "0", *options]
    with running(command, cwd=root, stderr=subprocess.PIPE, text=True, env={**os.environ, **(env or {})}) as server:
        assert server.stderr is not None
        (url,) = re.findall(r"http://\S+", server.stderr.readline())
        yield url, server


@pytest.mark.parametrize("mode", OLDER_IS_SLOW)
def test_a_client_over_standard_streams_gets_what_the_command_line_gives(kept, mode):
    command, *arguments = SERVER.program("mcp")
    parameters = StdioServerParameters(command=command, args=arguments, cwd=kept.project.root)

    async def ask():
        async with Client(parameters, mode=mode, client_info=ME) as client:
            return (await client.call_tool("check_repo", {})).structured_content

    found = anyio.run(ask)
    told = kept.project.pk("check", "--json", code=1).document
    assert [one.pop("fix") for one in told["findings"]] != [one.pop("fix") for one in found["findings"]]
    assert {key: found[key] for key in found if key != "total"} == {key: told[key] for key in told if key != "schema"}


@pytest.mark.slow
def test_standard_output_carries_the_protocol_alone(kept):
    done = subprocess.run(
        [sys.executable, *PK, "mcp"],
        cwd=kept.project.root,
        input=json.dumps(HELLO) + "\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    (line,) = done.stdout.splitlines()
    assert json.loads(line)["result"]["serverInfo"]["name"] == "pactkeeper"


NO_MESSAGES = {
    r'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ask","arguments":{"question":"\ud800"}}}': 7,
    '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":[]}': "a",
    '{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"arguments":{"limit":' + "9" * 5000 + "}}}": 8,
    r'{"jsonrpc":"2.0","id":"\ud800","method":"ping"}': None,
    "nonsense": None,
    "[]": None,
}


@pytest.mark.slow
def test_a_line_that_is_no_message_is_answered_and_the_next_one_as_well(kept):
    done = subprocess.run(
        [sys.executable, *PK, "mcp"],
        cwd=kept.project.root,
        input="".join(f"{line}\n" for line in (*NO_MESSAGES, json.dumps(HELLO))),
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    *refused, answered = map(json.loads, done.stdout.splitlines())
    assert [one["id"] for one in refused] == list(NO_MESSAGES.values())
    assert all(one["error"]["message"].startswith("this is not a message: ") for one in refused)
    assert answered["id"] == HELLO["id"]


@pytest.mark.slow
def test_at_a_terminal_it_says_that_it_waits_and_an_interrupt_ends_it(kept):
    code, screen = at_terminal(kept.project, "mcp", answer=INTERRUPT, asked=b"Ctrl-D ends it")
    assert code == 130
    assert "waiting for a client on standard input" in screen


@pytest.mark.slow
def test_both_generations_are_served_over_http_to_whoever_has_the_token(kept):
    async def ask(url, mode):
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=PATIENCE) as http:
            transport = streamable_http_client(url, http_client=http)
            async with Client(transport, mode=mode, client_info=ME) as client:
                return (await client.call_tool("count_atoms", {})).structured_content["total"]

    with listening(kept.project.root, env={"PACTKEEPER_MCP_TOKEN": TOKEN}) as (url, _):
        assert [anyio.run(ask, url, mode) for mode in GENERATIONS] == [4, 4]
        assert statuses(url) == {"no token": 401, "another token": 401, "another origin": 403, "another host": 421}


def statuses(url):
    """What whoever should not get in is answered."""
    good = {
        "Authorization": f"Bearer {TOKEN}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
    }
    cases = {
        "no token": {**good, "Authorization": ""},
        "another token": {**good, "Authorization": "Bearer guess"},
        "another origin": {**good, "Origin": "http://evil.example"},
        "another host": {**good, "Host": "evil.example"},
    }
    return {name: status(url, headers) for name, headers in cases.items()}


def status(url, headers):
    """The status of an answer, without its text: who refuses a request may close the connection before reading it."""
    with httpx2.stream("POST", url, json=HELLO, headers=headers, timeout=PATIENCE) as answer:
        return answer.status_code


@pytest.mark.slow
def test_a_server_without_a_given_token_makes_one_and_tells_it_once(kept):
    with listening(kept.project.root) as (url, server):
        token = server.stderr.readline().removeprefix("token: ").strip()
        assert len(token) >= 32
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
        assert httpx2.post(url, json=HELLO, headers=headers, timeout=PATIENCE).status_code == 200


def test_a_bare_port_means_this_machine_alone():
    assert Address.of("8765") == Address("127.0.0.1", 8765)
    assert Address.of("[::1]:1").loopback


@pytest.mark.parametrize("text", ["nowhere", "127.0.0.1:99999", "0.0.0.0:80", "[::]:80"])
def test_an_address_that_is_none_or_all_is_refused(text):
    with pytest.raises(UsageError, match=r"is not an address|listens everywhere"):
        Address.of(text)


def test_a_token_that_can_be_guessed_is_refused(kept):
    assert "at least 16" in kept.project.pk("mcp", "--http", "0", "--token", "secret", code=2).err


def without_command(task):
    return {key: value for key, value in task.items() if key != "command"}


def test_agent_and_command_line_meet_in_one_history(shop):
    """What one door makes, the other one shows with the same facts."""

    async def propose(agent):
        made = await agent.call("reconcile_repo", everything=True)
        await agent.accept_all(made["patch"])
        return made, await agent.call("get_patch", patch=made["patch"], limit=200), await agent.call("show_run")

    made, patch, run = shop.talk(propose, mode=NEW)
    shown = shop.project.pk("runs", "show", made["run"], "--patch").out
    told = json.loads(shown)
    assert {one["id"]: one["shown_hash"] for one in patch["ops"]} == {
        one["id"]: one["shown_hash"] for one in told["ops"]
    }
    listed = shop.project.pk("runs", "show", made["run"], "--json").document
    assert {key: run[key] for key in run} == {key: listed[key] for key in listed if key != "schema"}
    shop.project.pk("apply", made["patch"], "--all")

    async def look(agent):
        return [
            (await agent.call("list_atoms"))["atoms"],
            [without_command(one) for one in (await agent.call("find_gaps"))["tasks"]],
            (await agent.call("get_statistics"))["tests"],
        ]

    assert shop.talk(look) == [
        shop.project.pk("atom", "list", "--json").document["atoms"],
        [without_command(one) for one in shop.project.pk("gaps", "--json").document["tasks"]],
        shop.project.pk("status", "--json").document["tests"],
    ]


def test_without_the_extra_the_command_names_it(kept):
    code = "import sys; sys.modules['mcp'] = None\nfrom pactkeeper.doors.cli.main import run\nrun()"
    done = subprocess.run(
        SERVER.program("-c", code, "mcp"), cwd=kept.project.root, capture_output=True, text=True, check=False
    )
    said = "pip install 'pactkeeper[mcp]', or in a checkout of Pactkeeper: pip install -e '.[mcp]'\n"
    assert (done.returncode, done.stderr) == (2, f"pk: the MCP server is not installed: {said}")


async def heard_of(*parts, said="right"):
    """What an application behind the guard hears of a request, and what the client is answered."""
    bodies, sent = [], []

    async def app(scope, receive, send):
        bodies.append((await receive())["body"])

    async def receive():
        return waiting.pop(0) if waiting else await anyio.sleep_forever()

    async def send(message):
        sent.append(message)

    waiting = [dict(one) for one in parts]
    scope = {"type": "http", "headers": [(b"authorization", f"Bearer {said}".encode())]}
    await Guarded(app, "right", patience=0.01)(scope, receive, send)
    return bodies, [one["status"] for one in sent if "status" in one]


PIECE = {"type": "http.request", "body": b"a", "more_body": True}
END = {"type": "http.request", "body": b"b", "more_body": False}


@pytest.mark.parametrize(
    ("parts", "heard", "status"),
    [
        ([PIECE, END], [b"ab"], []),
        ([PIECE, {"type": "http.disconnect"}], [], []),
        ([PIECE], [], [408]),
        ([{**PIECE, "body": b"a" * (1 << 20)}] * 5, [], [413]),
    ],
    ids=["whole", "gone", "half", "large"],
)
def test_only_whole_requests_are_heard_of(parts, heard, status):
    assert anyio.run(lambda: heard_of(*parts)) == (heard, status)


def test_nobody_without_the_token_is_heard():
    assert anyio.run(lambda: heard_of(PIECE, END, said="wrong")) == ([], [401])


def test_one_id_twice_at_once_in_a_session_is_refused_and_free_again_afterwards():
    held, answers = anyio.Event(), []

    async def app(scope, receive, send):
        await held.wait()
        await send({"type": "http.response.start", "status": 200})

    async def call(guarded, session=b"one"):
        async def receive():
            return {"type": "http.request", "body": b'{"id": 1, "method": "tools/call"}'}

        async def send(message):
            if "status" in message:
                answers.append(message["status"])

        headers = [(b"authorization", b"Bearer right"), (b"mcp-session-id", session)]
        await guarded({"type": "http", "headers": headers}, receive, send)

    async def talk():
        guarded = Guarded(app, "right")
        async with anyio.create_task_group() as around:
            around.start_soon(call, guarded)
            around.start_soon(call, guarded, b"two")
            await anyio.wait_all_tasks_blocked()
            await call(guarded)
            assert answers == [400]
            held.set()
        await call(guarded)

    anyio.run(talk)
    assert answers == [400, 200, 200, 200]


def test_without_the_extra_setting_up_agents_says_that_their_server_is_missing(kept):
    code = "import sys; sys.modules['mcp'] = None\nfrom pactkeeper.doors.cli.main import run\nrun()"
    done = subprocess.run(
        SERVER.program("-c", code, "agents", "install", "--yes"),
        cwd=kept.project.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "clients start 'pk mcp', which is not installed here: pip install 'pactkeeper[mcp]'" in done.stderr
