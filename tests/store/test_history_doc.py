"""docs/history.md against the tables and the entities."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from pactkeeper.intent.records import (
    RECOMMENDATION_STATUSES,
    AtomRecommendation,
    MoleculeRecommendation,
    TestRecord,
)
from pactkeeper.ledger.run import RUN_STATUSES, Run
from pactkeeper.store.tables import METADATA

PAGE = (Path(__file__).parents[2] / "docs/history.md").read_text(encoding="utf-8")
ENTITIES = {
    "ReconciliationRun": Run,
    "TestRecord": TestRecord,
    "AtomRecommendation": AtomRecommendation,
    "MoleculeRecommendation": MoleculeRecommendation,
}


def paragraph(entity: str) -> list[str]:
    """Every word in code style of the paragraph about an entity."""
    found = re.search(rf"^\*\*{entity}\*\*.*?(?=^$|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    return re.findall(r"`([^`]+)`", found[0]) if found else []


def test_the_page_lists_every_table_with_its_columns():
    listed = re.findall(r"^\| `(\w+)` \| [^|]* \| (.*) \|$", PAGE, re.MULTILINE)
    assert {name: re.findall(r"`(\w+)`", columns) for name, columns in listed} == {
        name: [column.name for column in table.columns] for name, table in METADATA.tables.items()
    }


@pytest.mark.parametrize("entity", ENTITIES)
def test_the_page_names_every_field_of_an_entity(entity):
    assert {field.name for field in fields(ENTITIES[entity])} <= set(paragraph(entity))


def test_the_page_names_every_status():
    assert set(RUN_STATUSES) <= set(paragraph("ReconciliationRun"))
    assert set(RECOMMENDATION_STATUSES) <= set(paragraph("AtomRecommendation"))
