"""The table of verbs is whole and true: what doors call has a row, and what programs call can do no more than agents may."""

import ast
import inspect
from importlib import import_module
from pathlib import Path

import pytest

import pactkeeper
from pactkeeper.ledger.shape import Whole
from pactkeeper.verbs.table import VERBS, row_of, tools_by_category

SOURCE = Path(pactkeeper.__file__).parent
SUBJECTS = ("Workspace", "Personal", "Desk")
PEOPLE_ONLY = {"pactkeeper.operators.commit"}  # committing is a person's act with a door of its own
PREFIX = "pactkeeper.operators"


def verbs_named_in(path):
    """Functions of `operators` that a module names and that work on a repository, a person's things or threads."""
    tree = ast.parse(path.read_text("utf-8"))
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == PREFIX:
            modules |= {one.asname or one.name: f"{PREFIX}.{one.name}" for one in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{PREFIX}."):
            yield from found(node.module, [one.name for one in node.names])
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            yield from found(modules[node.value.id], [node.attr])


def found(module, names):
    for name in names:
        one = getattr(import_module(module), name)
        if inspect.isfunction(one) and one.__module__ == module and works_on_a_subject(one):
            yield one


def works_on_a_subject(function):
    first = next(iter(inspect.signature(function).parameters.values()), None)
    return first is not None and str(first.annotation).endswith(SUBJECTS)


@pytest.mark.parametrize("door", ["cli", "mcp", "slack"])
def test_every_verb_that_a_door_calls_has_a_row(door):
    named = {one for path in (SOURCE / "doors" / door).rglob("*.py") for one in verbs_named_in(path)}
    missing = {one for one in named if one.__module__ not in PEOPLE_ONLY} - {row.function for row in VERBS}
    assert named
    assert {f"{one.__module__}.{one.__name__}" for one in missing} == set()


def test_what_programs_call_is_what_an_agent_may_do():
    offered = [row for row in VERBS if row.answer is not None]
    assert {row.risk for row in offered} <= {None, "record", "annotate"}
    named = {one for path in (SOURCE / "verbs").glob("*.py") for one in verbs_named_in(path)}
    assert PEOPLE_ONLY.isdisjoint(one.__module__ for one in named)


def test_names_are_unique_and_sentences_are_sentences():
    assert len({row.name for row in VERBS}) == len(VERBS)
    assert [row.name for row in VERBS if not (row.does[0].isupper() and row.does.endswith("."))] == []


def test_a_row_is_found_by_its_function():
    assert all(row_of(row.function) is row for row in VERBS)


def test_every_number_that_a_program_may_give_has_a_bound():
    shapes = [shape for row in VERBS for shape in (*row.shape.required.values(), *row.shape.optional.values())]
    assert [one for one in shapes if isinstance(one, Whole) and None in {one.least, one.most}] == []


def test_every_argument_that_a_program_may_give_is_described():
    missing = [
        (row.name, name) for row in VERBS if row.answer is not None for name in arguments(row) if not row.meaning(name)
    ]
    assert missing == []


def test_a_row_describes_no_argument_that_it_does_not_take():
    assert [(row.name, name) for row in VERBS for name in row.means if name not in arguments(row)] == []


def arguments(row):
    return (*row.shape.required, *row.shape.optional)


def test_tools_are_chosen_by_category():
    assert [one.name for one in VERBS if bool(one.title) != bool(one.categories)] == []
    chosen = [one.name for one in tools_by_category("filesystem", "code")]
    assert {"read_file", "list_directory", "grep", "read_json", "read_coverage_report", "get_repo_structure"} <= {
        *chosen
    }
    assert len(chosen) == len({*chosen})
    assert "create_atom" not in chosen
    assert tools_by_category() == ()
