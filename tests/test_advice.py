"""Two readers of one text: a person gets commands, an agent what is left to a person."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import pactkeeper
from pactkeeper import advice
from pactkeeper.advice import ACTS, SUPERSEDE, Act, Advice, by_command, filled, for_reader, joined
from tests.doors.mcp.conftest import persons_commands

HOUSE = Path(pactkeeper.__file__).parent
ROWS = frozenset(name for name, value in vars(advice).items() if isinstance(value, Act))
SPELLED = {
    "forges/deliveries.py": "what people write into a comment on a forge",
    "forges/port.py": "what people write into a comment on a forge",
    "reconcile/codes.py": "the reference page and the help texts of SARIF",
}
FOR_PEOPLE_ALONE = {
    "agents/table.py": "what agents are told never to run",
    "catalog/write.py": "a comment in a file of the pact",
    "chat/intending.py": "a state that is stored; whoever answers looks the row up again",
    "forges/port.py": "a comment on a pull request",
    "operators/pull_requests.py": "the words of a pull request",
    "operators/resolve.py": "a setting of git",
    "tickets/channels/slack_blocks.py": "a post in Slack",
}


@pytest.mark.parametrize("act", ACTS, ids=lambda one: f"{one.command} {one.option}".strip())
def test_no_agent_gets_to_read_the_command_by_which_a_person_decides(act):
    told = "restore it, or: " + act("{id}", act.option) + "; then look again"
    for text in (told, Advice(told), joined("; ", [told, told]), filled(told, id="IA-1")):
        assert f"pk {act.command}" in for_reader(text, "person")
        assert "pk " not in for_reader(text, "agent").replace("`pk gaps`", "")
        assert act.decides in for_reader(text, "agent")


def test_a_whole_command_is_told_by_its_row():
    assert for_reader(by_command("pk atom supersede IA-1"), "agent") == SUPERSEDE.instead
    assert for_reader(by_command("pk atom list"), "agent") == "pk atom list"


def test_every_row_is_one_of_the_acts():
    assert {id(getattr(advice, name)) for name in ROWS} == {id(one) for one in ACTS}


def sources() -> Iterator[tuple[str, str]]:
    """The modules whose texts may reach an agent: all but the rows themselves and the command line."""
    for place in sorted(HOUSE.rglob("*.py")):
        path = place.relative_to(HOUSE).as_posix()
        if path != "advice.py" and not path.startswith("doors/cli/"):
            yield path, place.read_text(encoding="utf-8")


def explanations(module: ast.Module) -> set[int]:
    """The docstrings of a module, which nobody is sent."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    heads = [node.body[0] for node in ast.walk(module) if isinstance(node, kinds) and node.body]
    return {id(head.value) for head in heads if isinstance(head, ast.Expr)}


def spelled_in(text: str) -> bool:
    if "pk " not in text:
        return False
    module = ast.parse(text)
    docs = explanations(module)
    texts = (one for one in ast.walk(module) if isinstance(one, ast.Constant) and id(one) not in docs)
    return any(isinstance(one.value, str) and persons_commands(one.value) for one in texts)


def makes_plain_text(node: ast.AST) -> bool:
    """Whether an expression gives a plain text, in which both readers would read the person's."""
    if not isinstance(node, ast.Call):
        return isinstance(node, ast.JoinedStr)
    of = node.func
    return (isinstance(of, ast.Name) and of.id == "str") or (
        isinstance(of, ast.Attribute) and of.attr in {"join", "format"}
    )


def calls_a_row(node: ast.AST) -> bool:
    called = (one.func for one in ast.walk(node) if isinstance(one, ast.Call))
    return any((of.id if isinstance(of, ast.Name) else getattr(of, "attr", "")) in ROWS for of in called)


def test_texts_name_a_persons_command_by_its_row_alone():
    assert {path for path, text in sources() if spelled_in(text)} == SPELLED.keys()


def test_what_a_row_says_is_made_plain_text_only_where_people_alone_read_it():
    flat = {
        path
        for path, text in sources()
        if any(row in text for row in ROWS)
        and any(makes_plain_text(one) and calls_a_row(one) for one in ast.walk(ast.parse(text)))
    }
    assert flat == FOR_PEOPLE_ALONE.keys()
