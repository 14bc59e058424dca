"""Changes of boards as values."""

import json
from dataclasses import fields

import pytest

from pactkeeper.intent.board import (
    CHANGES,
    CreateTask,
    LogTask,
    UpdateDocumentMeta,
    change_document,
    read_change,
    undo_of,
    verb_of,
)

SAMPLES = {
    "labels": ("a", "b"),
    "meta": {"status": "draft"},
    "values": {"status": "final", "due": None},
    "expected": {"status": "draft"},
    "done": False,
}


def sample(kind):
    return kind(**{field.name: SAMPLES.get(field.name, f"some {field.name}") for field in fields(kind)})


@pytest.mark.parametrize("verb", CHANGES)
def test_every_change_reads_back_from_its_json(verb):
    change = sample(CHANGES[verb])
    assert verb_of(change) == verb
    assert read_change(json.loads(json.dumps(change_document(change)))) == change


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"verb": "deleteTask", "task": "1"}, "no change of a board"),
        ({"verb": "logTask", "task": "1"}, "lacks a value"),
        ({"verb": "logTask", "task": "1", "text": "x", "force": True}, "has no 'force'"),
    ],
)
def test_what_is_no_change_is_named(document, said):
    with pytest.raises(ValueError, match=said):
        read_change(document)


def test_no_change_deletes_or_rewrites():
    assert not [verb for verb in CHANGES if verb.startswith(("delete", "rewrite", "replace"))]


def test_undo_of_metadata_expects_what_was_written():
    change = UpdateDocumentMeta("d", {"status": "final"})
    undo = UpdateDocumentMeta("d", {"status": "draft"}, expected={"status": "final"})
    assert undo_of(change, "d", {"status": "draft"}, {"status": "final"}) == undo


def test_remark_cannot_be_taken_back():
    assert undo_of(LogTask("1", "x"), "1", None, "x") is None


def test_change_is_told_by_all_its_words():
    assert CreateTask("a", labels=("x",)) != CreateTask("a")
