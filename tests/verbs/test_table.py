"""The table of verbs is true, and what programs call can do no more than agents may."""

import ast
from pathlib import Path

import pactkeeper
from pactkeeper.ledger.shape import Whole
from pactkeeper.verbs.table import VERBS, row_of, tools_by_category

SOURCE = Path(pactkeeper.__file__).parent
COMMITTING = "pactkeeper.operators.commit"  # a person's act with a door of its own


def test_what_programs_call_is_what_an_agent_may_do():
    assert {row.risk for row in VERBS} <= {None, "record", "annotate"}
    trees = [ast.parse(path.read_text("utf-8")) for path in (SOURCE / "verbs").glob("*.py")]
    imports = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert COMMITTING not in {
        name for node in imports for name in (node.module, *(f"{node.module}.{one.name}" for one in node.names))
    }


def test_names_are_unique_and_sentences_are_sentences():
    assert len({row.name for row in VERBS}) == len(VERBS)
    assert [row.name for row in VERBS if not (row.does[0].isupper() and row.does.endswith("."))] == []


def test_a_row_is_found_by_its_function():
    assert all(row_of(row.function) is row for row in VERBS)


def test_every_number_that_a_program_may_give_has_a_bound():
    shapes = [shape for row in VERBS for shape in (*row.shape.required.values(), *row.shape.optional.values())]
    assert [one for one in shapes if isinstance(one, Whole) and None in {one.least, one.most}] == []


def test_every_argument_that_a_program_may_give_is_described():
    assert [(row.name, name) for row in VERBS for name in arguments(row) if not row.meaning(name)] == []


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
