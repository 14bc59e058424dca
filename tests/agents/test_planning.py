"""What changes in the files of agents, and what cannot."""

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.agents.planning import installing, removing, standing
from pactkeeper.agents.table import AGENTS, BEGIN, SKILL, chosen
from pactkeeper.errors import InputError, RefusedError, UsageError

BY_NAME = {one.name: one for one in AGENTS}
JSON_AGENTS = [one for one in AGENTS if one.form == "json"]


def install(name, content):
    agent = BY_NAME[name]
    return installing([agent], {agent.path: content})[0].after


def remove(name, content):
    agent = BY_NAME[name]
    return removing([agent], {agent.path: content})[0].after


@pytest.mark.parametrize("name", BY_NAME)
def test_missing_file_is_made_and_taken_away_again(name):
    assert remove(name, install(name, None)) is None


@pytest.mark.parametrize("name", BY_NAME)
def test_second_install_changes_nothing(name):
    once = install(name, None)
    assert install(name, once) == once


@given(st.lists(st.sampled_from(["# Title", "", "text", "- ö", "   "]), min_size=1).map("\n".join), st.booleans())
def test_section_leaves_every_other_byte(text, windows):
    content = (text.replace("\n", "\r\n") if windows else text).encode() or b"\n"
    assert remove("agents-md", install("agents-md", content)) == content


def test_section_that_was_changed_is_renewed_in_place():
    once = install("agents-md", b"# One\n").decode()
    changed = once.replace("## The pact", "## Something else") + "\n# Two\n"
    assert install("agents-md", changed.encode()).decode() == once + "\n# Two\n"


def test_what_was_written_below_the_section_stays():
    once = install("agents-md", b"# One\n")
    assert remove("agents-md", once + b"\n# Two\n") == b"# One\n\n# Two\n"


def test_damaged_markers_are_named_with_their_line():
    with pytest.raises(InputError, match=r"AGENTS\.md:3: the markers"):
        install("agents-md", f"# One\n\n{BEGIN}\nleft over\n".encode())


@given(
    st.dictionaries(st.from_regex(r"[a-z]{1,5}", fullmatch=True), st.integers(-(2**63), 2**63 - 1), max_size=3),
    st.sampled_from(["", "\n", "# a comment\n", "\n[other]\nx = 1\n"]),
    st.booleans(),
)
def test_toml_table_leaves_every_other_byte(pairs, rest, windows):
    text = "".join(f"{key} = {value}\n" for key, value in pairs.items()) + rest
    content = (text.replace("\n", "\r\n") if windows else text).encode() or b"x = 1"
    made = install("codex", content)
    assert tomllib.loads(made.decode())["mcp_servers"]["pactkeeper"] == {"command": "pk", "args": ["mcp"]}
    assert remove("codex", made) == content


def test_inline_table_of_servers_is_refused_with_what_to_paste():
    with pytest.raises(RefusedError, match=r"\[mcp_servers\.pactkeeper\]"):
        install("codex", b"mcp_servers = { x = { command = 'y' } }\n")


@pytest.mark.parametrize("agent", JSON_AGENTS, ids=lambda one: one.name)
def test_comments_are_refused_with_what_to_paste(agent):
    with pytest.raises(RefusedError) as refused:
        install(agent.name, b'{\n  // mine\n  "x": "http://y",\n}\n')
    text = str(refused.value)
    assert json.loads(text[text.index("{") :]) == {agent.container: {agent.member: agent.entry}}


def test_commented_file_that_has_the_entry_needs_nothing():
    agent = BY_NAME["vscode"]
    content = b"// mine\n" + json.dumps({agent.container: {"pactkeeper": agent.entry}}).encode()
    assert standing(agent, content) == "installed"
    assert install("vscode", content) == content


def test_broken_json_is_named_with_its_line():
    with pytest.raises(InputError, match=r"\.cursor/mcp\.json:2: this is not JSON"):
        install("cursor", b'{\n  "mcpServers": {"a" 1}\n}\n')


def test_broken_toml_is_named_with_its_line():
    with pytest.raises(InputError, match=r"\.codex/config\.toml:2: invalid TOML"):
        install("codex", b"x = 1\ny = = 2\n")


def test_problems_of_all_files_come_at_once():
    files = {BY_NAME["cursor"].path: b"{", BY_NAME["codex"].path: b"="}
    with pytest.raises(InputError, match=r"(?s)\.cursor/mcp\.json:1.*\.codex/config\.toml:1"):
        installing([BY_NAME["cursor"], BY_NAME["codex"]], files)


@pytest.mark.parametrize("content", [b"[]", b'"text"', b'{"mcpServers": []}', b"{\xff}", b"9" * 5_000, b"[" * 50_000])
def test_document_of_another_shape_is_no_file_of_servers(content):
    with pytest.raises(InputError, match=r"\.mcp\.json"):
        install("claude", content)


def test_member_named_twice_is_refused():
    with pytest.raises(RefusedError, match="twice"):
        install("claude", b'{"mcpServers": {"a": {}}, "mcpServers": {"b": {}}}')


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("claude", b'{"mcpServers": {"pactkeeper": {"command": "/opt/pk"}}}'),
        ("codex", b'[mcp_servers.pactkeeper]\ncommand = "/opt/pk"\n'),
        ("skill", b"---\nname: pactkeeper\n---\nours\n"),
    ],
)
def test_what_a_person_wrote_in_our_place_stays(name, content):
    assert install(name, content) == content
    assert remove(name, content) == content
    assert standing(BY_NAME[name], content) == "own"


def test_byte_order_mark_stays():
    content = b'\xef\xbb\xbf{"x": 1}'
    assert install("claude", content).startswith(b"\xef\xbb\xbf{")
    assert remove("claude", install("claude", content)) == content


def test_skill_is_short_and_names_what_it_is_for():
    _, front, body = SKILL.split("---\n", 2)
    assert "name: pactkeeper\n" in front
    assert len(body.splitlines()) <= 60
    assert len(front) <= 1024


def test_agents_without_a_sign_are_left_out():
    always = ["agents-md", "claude-md", "skill", "claude-skill", "claude", "claude-hook"]
    assert [one.name for one in chosen((), lambda _: False)] == always
    assert "cursor" in {one.name for one in chosen((), lambda path: path == ".cursor")}


def test_unknown_agent_is_named_with_the_known_ones():
    with pytest.raises(UsageError, match="'emacs'; known are agents-md"):
        chosen(("emacs", "codex"), lambda _: False)
