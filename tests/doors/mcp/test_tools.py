"""The table of tools: every row is driven by a client, and what clients are told of them is true."""

import json
import re

import pytest
from jsonschema import Draft202012Validator
from mcp.shared.exceptions import MCPError

from pactkeeper.agents.table import SKILL
from pactkeeper.doors.mcp.resources import JOBS, TOOLS, wire_tool
from pactkeeper.doors.mcp.serving import INSTRUCTIONS
from tests.doors.mcp import scenarios
from tests.doors.mcp.conftest import GENERATIONS
from tests.matrix import some_stay

BY_NAME = {one.name: one for one in TOOLS}
MOST_TOKENS = 6_100
BYTES_A_TOKEN = 4  # the usual rule of thumb for JSON in English


def wire(tool):
    return wire_tool(tool).model_dump(by_alias=True, mode="json", exclude_none=True)


def test_the_list_of_tools_stays_small():
    text = json.dumps({"tools": [wire(one) for one in TOOLS]}, separators=(",", ":"))
    assert len(text.encode()) / BYTES_A_TOKEN <= MOST_TOKENS


@pytest.mark.parametrize("name", some_stay(BY_NAME, each=4))
def test_an_agent_can_use_every_tool(kept, name):
    """A tool without a scenario fails here, and so does a result that is not as its row in the table says."""
    scenario = getattr(scenarios, name)
    results: list[tuple[str, dict[str, object]]] = []

    async def use(agent):
        await scenario(agent.in_project(kept.project, results))

    kept.talk(use, says="yes")
    of_this = [found for called, found in results if called == name]
    assert of_this
    for found in of_this:
        Draft202012Validator(BY_NAME[name].result_schema).validate(found)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda one: one.name)
def test_a_schema_names_every_argument(tool):
    Draft202012Validator.check_schema(tool.input_schema)
    assert tool.input_schema["type"] == "object"
    assert {*tool.input_schema["properties"]} == {*tool.shape.required, *tool.shape.optional}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda one: one.name)
def test_a_tool_says_that_it_only_reads_exactly_where_its_verb_does(tool):
    said = wire(tool)["annotations"]
    assert said.get("readOnlyHint", False) is (tool.risk is None)
    assert said.get("openWorldHint", True) is tool.runs_code


@pytest.mark.parametrize("tool", TOOLS, ids=lambda one: one.name)
def test_every_argument_is_described(tool):
    described = {name: one["description"] for name, one in wire(tool)["inputSchema"]["properties"].items()}
    assert all(described.values()), described


@pytest.mark.parametrize("mode", GENERATIONS)
def test_both_generations_are_told_of_every_tool(shop, mode):
    async def names(agent):
        return [one.name for one in (await agent.client.list_tools()).tools]

    assert shop.talk(names, mode=mode) == [one.name for one in TOOLS]


def test_a_client_is_offered_the_tools_of_the_chosen_categories_alone(shop):
    async def names(agent):
        with pytest.raises(MCPError, match="there is no tool 'list_atoms'"):
            await agent.call("list_atoms")
        return {one.name for one in (await agent.client.list_tools()).tools}

    offered = shop.talk(names, categories=("filesystem",))
    assert {"read_file", "grep", "read_more"} <= offered
    assert "list_atoms" not in offered


def test_what_no_shape_allows_is_refused_with_every_problem(shop):
    words = shop.talk(lambda agent: agent.refusal("list_atoms", limit=0, colour="red", status=["gone"]))
    assert "$.limit: 0 is not a whole number from 1 to 200" in words
    assert "$.colour: unknown key" in words
    assert "'gone' is not one of" in words


def test_an_error_says_what_to_do_next_and_shows_no_trace(shop):
    words = shop.talk(lambda agent: agent.refusal("list_atoms"))
    assert words == "this repository has no pact yet; run `pk init`"


def test_what_agents_are_told_names_tools_and_no_shell_commands():
    told = [INSTRUCTIONS, *(job.words for job in JOBS.values()), *(json.dumps(wire(one)) for one in TOOLS)]
    assert [text for text in told if re.search(r"\bpk ", text)] == []


def test_the_skill_names_tools_that_there_are():
    named = {*re.findall(r"`([a-z]+(?:_[a-z]+)+)`", SKILL)}
    assert len(named) > 5
    assert named <= {*BY_NAME}
