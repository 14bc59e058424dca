"""Every way to "committed", enumerated: one gate, one writer, one ceremony, and nothing that an agent is offered."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import pactkeeper
from pactkeeper.catalog.journal import FileEdit
from pactkeeper.catalog.schema import COMMITMENTS_FOLDER
from pactkeeper.doors.cli.main import COMMANDS
from pactkeeper.ledger.op import VERBS
from pactkeeper.verbs.table import VERBS as ROWS

SOURCE = Path(pactkeeper.__file__).parent

# The ceremonies for people: in a terminal, and on a page for who is signed in.
DOORS = {"doors/cli/commit.py", "doors/web/page/committing.py"}
# Who may name what. Each line is a step on the one way: the door asks the person, the operator lets the gate judge and
# signs, the catalog takes what the gate said and writes the file.
NAMED_BY = {
    "Consent": {"operators/commit.py", *DOORS},
    "commit_atoms": {"operators/commit.py", *DOORS},
    "prepare_commit": {"operators/commit.py", "operators/commit_gate.py", *DOORS},
    "write_commitment": {"catalog/commitments.py", "operators/commit.py"},
    "add_commitment": {"catalog/transaction.py", "catalog/commitments.py"},
    "new_commitment": {"intent/commitments.py", "operators/commit.py"},
    "commitment_text": {"catalog/render.py", "catalog/commitments.py", "reconcile/commitments.py"},
    "COMMITMENTS_FOLDER": {"catalog/schema.py", "catalog/read.py", "catalog/frozen.py", "operators/signatures.py"},
}
# Who may import a module at all.
IMPORTED_BY = {
    "pactkeeper.catalog.commitments": {"operators/commit.py"},
    "pactkeeper.operators.commit": {*DOORS, "operators/commit_gate.py"},
    "pactkeeper.operators.commit_gate": {"chat/intending.py"},
}


@dataclass(frozen=True)
class Module:
    """What a module names, imports, calls by a plain name, and writes as a text."""

    names: frozenset[str]
    imported: frozenset[str]
    called: frozenset[str]
    texts: frozenset[str]


# What has none of these words names no step of the way; `Gate` and the folder are searched for by their own tests.
WORDS = {*NAMED_BY, *(name.rpartition(".")[2] for name in IMPORTED_BY), "Gate", COMMITMENTS_FOLDER}


@cache
def modules() -> dict[str, Module]:
    """Every module of the product that may be on the way, by its path."""
    texts = {path.relative_to(SOURCE).as_posix(): path.read_text("utf-8") for path in SOURCE.rglob("*.py")}
    return {path: read(text) for path, text in texts.items() if any(word in text for word in WORDS)}


def read(text: str) -> Module:
    nodes = tuple(ast.walk(ast.parse(text)))
    calls = (node.func for node in nodes if isinstance(node, ast.Call))
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    return Module(
        frozenset(names(nodes)),
        frozenset(imported(nodes)),
        frozenset(one.id for one in calls if isinstance(one, ast.Name)),
        frozenset(one.strip() for one in constants if isinstance(one, str)),
    )


def names(nodes: tuple[ast.AST, ...]) -> Iterator[str]:
    """Every name that a module uses, imports or defines."""
    for node in nodes:
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias | ast.FunctionDef | ast.ClassDef):
            yield node.name


def imported(nodes: tuple[ast.AST, ...]) -> Iterator[str]:
    """Every module that a module imports, in whichever form."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{one.name}" for one in node.names)


@pytest.mark.parametrize("name", NAMED_BY)
def test_each_step_of_the_way_is_taken_by_the_modules_that_are_listed_and_no_other(name):
    assert {path for path, module in modules().items() if name in module.names} == NAMED_BY[name]


@pytest.mark.parametrize("module", IMPORTED_BY)
def test_each_room_of_the_way_is_entered_from_the_one_before_it(module):
    assert {path for path, one in modules().items() if module in one.imported} == IMPORTED_BY[module]


def test_nothing_but_the_gate_makes_a_verdict_of_the_gate():
    assert {path for path, module in modules().items() if "Gate" in module.called} == {"intent/gate.py"}


def test_no_module_spells_the_folder_of_commitments_by_hand():
    literal = {path for path, module in modules().items() if COMMITMENTS_FOLDER in module.texts}
    assert literal == {"catalog/schema.py"}


def test_the_doors_that_commit_are_the_command_and_the_page_for_people():
    named = {path for path, module in modules().items() if "commit_atoms" in module.names}
    doors = {path for path in named if path.startswith("doors/")}
    assert doors == DOORS
    assert [name for name, entry in COMMANDS.items() if entry.module == "commit"] == ["commit"]


def test_no_verb_that_doors_and_agents_are_offered_commits():
    commit = import_module("pactkeeper.operators.commit")
    public = {name for name in vars(commit) if not name.startswith("_")}
    for row in ROWS:
        assert row.function.__module__ != commit.__name__, row
        assert row.name not in public, row


def test_the_table_of_verbs_says_so():
    assert "No verb commits atoms" in (import_module("pactkeeper.verbs.table").__doc__ or "")


def test_no_op_of_a_patch_carries_a_commitment():
    words = {name for row in VERBS.values() for name in (*row.payload.required, *row.payload.optional)}
    assert [name for name in VERBS if "commit" in name.casefold()] == []
    assert [word for word in words if "commit" in word.casefold() or "frozen" in word.casefold()] == []


def test_an_edit_is_the_only_thing_that_writes_and_knows_no_exception():
    assert set(FileEdit.__dataclass_fields__) == {"path", "before", "after", "mode"}
