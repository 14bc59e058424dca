"""One question through all doors, and a conversation in a terminal."""

import anyio
import click
import pytest
from mcp import Client
from starlette.testclient import TestClient

from pactkeeper.chat.matching import verbs
from pactkeeper.doors.cli.main import cli
from pactkeeper.doors.mcp.serving import build
from tests.doors.mcp.conftest import persons_commands
from tests.doors.web.conftest import TOKEN, URL, app_of

QUESTIONS = ("which tests prove that a negative quantity is rejected?", "what is uncatalogued here?", "login")
SAME = ("kind", "verb", "arguments", "trace", "calls", "says", "citations", "choices", "next")


async def over_mcp(project, question):
    async with Client(build(project.root)) as client:
        return (await client.call_tool("ask", {"question": question})).structured_content


@pytest.mark.parametrize("question", QUESTIONS)
def test_terminal_mcp_and_rest_give_the_same_answer_by_the_same_trace(project, question):
    typed = project.pk("ask", "--json", question, code=None).document
    with TestClient(app_of(project), base_url=URL, headers={"Authorization": f"Bearer {TOKEN}"}) as client:
        rest = client.get("/ask", params={"question": question}).json()
    agent = anyio.run(over_mcp, project, question)
    for name in SAME:
        assert typed[name] == rest[name], name
        if name != "next":  # what only a person decides is put in other words for an agent
            assert rest[name] == agent[name], name
    assert len(agent["next"]) == len(typed["next"])
    assert not persons_commands(str(agent))


def test_exit_codes_tell_cannot_tell_from_an_error(project):
    project.pk("ask", "how many tests are there?", code=0)
    project.pk("ask", "how does the moon landing simulator work?", code=1)
    project.pk("ask", "--thread", "ASK-NONE", "code", code=2)


def test_a_conversation_takes_a_choice_in_one_word_and_lists_what_can_be_asked(project):
    said = project.pk("chat", feed="login\ncode\n/verbs\n/nothing\n/quit\n").out
    assert "answer with one word" in said
    assert "No place has all of: " in said
    assert "which tests prove it, and whether they pass" in said


def test_every_verb_names_a_command_that_exists():
    context = click.Context(cli)
    for verb in verbs().values():
        names = [one for one in verb.command.split()[1:] if one.isalpha()]
        group: click.Command | None = cli
        for name in names:
            group = group.get_command(context, name) if isinstance(group, click.Group) else group
            assert group is not None, verb.command


@pytest.mark.parametrize("begin", [(), ("--thread",)])
def test_a_question_asked_elsewhere_is_shown_and_answered_in_a_conversation(project, begin):
    thread = project.pk("ask", "--json", "login", code=1).document["thread"]
    feed = "code\n" if begin else f"/resume {thread}\ncode\n"
    said = project.pk("chat", *(begin and (*begin, thread)), feed=feed).out
    assert "'login': that may mean one of these; answer with one word." in said
    assert "search code, tests and documents" in said
    assert "No place has all of: " in said


def test_a_conversation_says_that_no_question_waits_under_a_name(project):
    said = project.pk("chat", feed="/resume ASK-NONE\nwhat is uncatalogued here?\n").out
    assert "no question waits under 'ASK-NONE'" in said
    assert "have no declared intent" in said


def test_a_choice_asked_at_one_door_is_answered_at_any_other_by_the_same_trace(project):
    def thread():
        return project.pk("ask", "--json", "login", code=1).document["thread"]

    async def by_agent(waiting):
        async with Client(build(project.root)) as client:
            asked = {"question": "code", "thread": waiting}
            return (await client.call_tool("ask", asked)).structured_content

    typed = project.pk("ask", "--json", "--thread", thread(), "code", code=None).document
    with TestClient(app_of(project), base_url=URL, headers={"Authorization": f"Bearer {TOKEN}"}) as client:
        rest = client.get("/ask", params={"question": "code", "thread": thread()}).json()
    agent = anyio.run(by_agent, thread())
    for name in SAME:
        assert typed[name] == rest[name] == agent[name], name
