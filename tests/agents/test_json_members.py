"""One member of a JSON document, in and out of the text."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.agents.json_servers import put, take

ENTRY = {"command": "pk", "args": ["mcp"]}
names = st.text(max_size=6).filter(lambda name: name not in {"servers", "ours"})
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(names, values, min_size=1, max_size=3)


@st.composite
def documents(draw):
    """A document that has the container with members, or has other members and no container."""
    document = draw(objects)
    if draw(st.booleans()):
        document = {**document, "servers": draw(objects)}
    indent = draw(st.sampled_from([None, 1, 2, 4, "\t"]))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    text = json.dumps(document, indent=indent, ensure_ascii=draw(st.booleans()))
    return text.replace("\n", newline) + draw(st.sampled_from(["", newline]))


@given(documents())
def test_taking_out_what_was_put_in_gives_the_same_bytes(text):
    assert take(put(text, "servers", "ours", ENTRY), "servers", "ours") == text


@given(documents())
def test_what_was_put_in_is_there_beside_all_that_was(text):
    before, after = json.loads(text), json.loads(put(text, "servers", "ours", ENTRY))
    assert after == {**before, "servers": {**before.get("servers", {}), "ours": ENTRY}}


@given(documents(), st.text(min_size=1, max_size=6))
def test_member_that_came_later_stays_when_ours_goes(text, later):
    both = put(put(text, "servers", "ours", ENTRY), "servers", later + "!", {"command": "x"})
    left = json.loads(take(both, "servers", "ours"))
    assert left["servers"][later + "!"] == {"command": "x"}
    assert "ours" not in left["servers"]


def test_member_is_indented_as_its_neighbours_are():
    text = '{\n\t"servers": {\n\t\t"x": {"a": 1}\n\t}\n}\n'
    wanted = '\t\t"ours": {\n\t\t\t"command": "pk",\n\t\t\t"args": [\n\t\t\t\t"mcp"\n\t\t\t]\n\t\t}\n'
    assert wanted in put(text, "servers", "ours", ENTRY)


@pytest.mark.parametrize("text", ["{}", '{"servers": {}}', '{\n  "servers": {\n  }\n}\n'])
def test_empty_object_takes_a_member(text):
    assert json.loads(put(text, "servers", "ours", ENTRY)) == {"servers": {"ours": ENTRY}}
