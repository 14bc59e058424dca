"""docs/files.md against the tables that the reader follows."""

import re
import tomllib
from pathlib import Path

import pytest

from pactkeeper.catalog import write
from pactkeeper.catalog.read import read_pact
from pactkeeper.catalog.schema import TABLES

PAGE = (Path(__file__).parents[2] / "docs/files.md").read_text(encoding="utf-8")


def examples() -> dict[str, bytes]:
    found = re.findall(r"^`(pact/\S+)`:\n\n```\w*\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return {path: text.encode() for path, text in found}


def test_the_examples_are_one_pact_that_reads_without_a_problem():
    pact = read_pact(examples())
    assert pact.atoms
    assert pact.links
    assert pact.commitments
    assert pact.debt.by_test


@pytest.mark.parametrize("name", TABLES)
def test_every_key_stands_in_an_example(name):
    text = b"\n".join(examples().values()).decode()
    missing = [
        key.name
        for key in TABLES[name]
        if not re.search(rf"(^|[.\s{{\[]){key.name}(\s*=|\]|\.IA-)", text, re.MULTILINE)
    ]
    assert missing == []


def test_the_attributes_of_the_page_are_those_that_are_written():
    assert examples()["pact/.gitattributes"].decode() == write.ATTRIBUTES


def test_the_example_of_a_fresh_file_is_what_the_writer_writes():
    path = "pact/atoms/tests/test_auth.py.toml"
    rewritten = None
    for atom in read_pact(examples()).atoms.values():
        if atom.path == path:
            rewritten = write.put_atom(rewritten, atom)
    assert rewritten == examples()[path]
    assert tomllib.loads(examples()[path].decode())
