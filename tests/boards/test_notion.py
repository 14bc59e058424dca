"""Notion as a board and a shelf of documents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.boards.calls import Calls
from pactkeeper.boards.notion import NotionBoard, address
from pactkeeper.boards.notion_blocks import Node, blocks_of, rendered
from pactkeeper.boards.notion_pages import Databases, NotionPages
from pactkeeper.boards.port import CallLimits
from pactkeeper.boards.writing import write
from pactkeeper.errors import BoardUnavailable, InputError, RefusedError
from pactkeeper.intent.board import CreateDocument, CreateTask, EnrichDocument, PatchDocumentSection
from tests.boards.fakes import PAPERS_DATABASE, TASKS_DATABASE
from tests.conformance.boards.targets import AT, NotionTarget


@pytest.fixture
def target(tmp_path):
    made = NotionTarget(tmp_path)
    yield made
    made.close()


def do(target, change, key="op-000001", board=None):
    return write(board or target.board, change, key, reservations=target.reservations(), at=AT)


def enrich(document, text):
    return EnrichDocument(document, "session-1", "From a session", text)


def test_section_is_renewed_once_when_the_old_one_could_not_be_taken_away(target):
    document = target.add_document("Passports", "Research", "Mine.")
    do(target, enrich(document, "Old."))
    target.fake.fault("status", method="DELETE", status=500, times=9)
    with pytest.raises(BoardUnavailable):
        do(target, enrich(document, "New."), "op-000002", target.at(target.fake.url, tries=1))
    target.fake.faults.clear()
    written = do(target, enrich(document, "New."), "op-000002")
    body = target.board.document(document).body
    assert (body.count("New."), body.count("Old."), body.count("Mine.")) == (1, 0, 1)
    assert written.before == {"heading": "From a session", "text": "Old."}


def test_document_of_many_lines_loses_none(target):
    body = "\n".join(f"- item {number}" for number in range(400)) + "\n"
    found = target.board.document(do(target, CreateDocument("Research", "Long", body)).target)
    assert [line for line in found.body.splitlines() if line] == body.splitlines()


@pytest.mark.parametrize("word", ["word ", "🛂🛂🛂🛂 "])
def test_long_text_in_any_script_is_kept(target, word):
    body = word * 20_000
    found = target.board.document(do(target, CreateDocument("Research", "Long", body)).target)
    assert found.body.split() == body.split()


def test_text_over_several_blocks_is_not_patched(target):
    document = target.add_document("Passports", "Research", "One.\n\nTwo.")
    with pytest.raises(RefusedError, match="several blocks"):
        do(target, PatchDocumentSection(document, "", "One.\n\nTwo.", "Three."))


def test_formatted_text_is_not_patched(target):
    document = target.add_document("Passports", "Research", "One.")
    (block,) = [one for one in target.fake.blocks.values() if one["type"] == "paragraph"]
    block["paragraph"]["rich_text"][0]["annotations"] = {"bold": True, "color": "default"}
    with pytest.raises(RefusedError, match="formatting"):
        do(target, PatchDocumentSection(document, "", "One.", "Two."))


def test_page_of_another_database_is_none_of_ours(target):
    page = target.fake.add(PAPERS_DATABASE, {})
    with pytest.raises(InputError, match="another database"):
        target.board.task(page)


def test_id_that_would_lead_elsewhere_is_refused(target):
    with pytest.raises(InputError, match="32 digits"):
        target.board.document("../users/me")


def test_missing_property_for_keys_is_named_before_anything_is_written(target):
    del target.fake.schemas[TASKS_DATABASE]["Pactkeeper"]
    with pytest.raises(RefusedError, match="Pactkeeper"):
        do(target, CreateTask("a"))
    assert target.fake.pages == {}
    failing = [trial for trial in target.board.trials() if not trial.works]
    assert [trial.advice for trial in failing] == ["add a property 'Pactkeeper' (text)"]


def test_missing_token_says_what_to_check(target):
    pages = NotionPages("notes", Databases(TASKS_DATABASE), Calls(address("", target.fake.url), CallLimits()))
    board = NotionBoard("notes", pages)
    (trial,) = board.trials()
    board.close()
    assert "no token was sent" in trial.advice


def test_pages_are_followed(target):
    target.fake.page = 2
    for number in range(5):
        target.add_task(f"Task {number}")
    assert len(target.board.snapshot(at=AT).tasks) == 5


def test_document_that_cannot_be_read_makes_the_view_partial(target):
    target.add_task("Buy milk")
    target.add_document("Passports", "Research", "One.")
    target.fake.fault("status", path="/children", status=500, times=9)
    found = target.at(target.fake.url, tries=1).snapshot(at=AT)
    assert (len(found.tasks), found.documents, found.health.status) == (1, (), "partial")


def test_answer_of_another_form_is_no_bug(target):
    target.fake._database = lambda *_: {"results": [{"id": 1}], "has_more": False}
    found = target.board.snapshot(at=AT)
    assert found.health.status == "unavailable"
    assert "unknown format" in found.health.reason


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=400))
def test_what_was_read_back_is_read_back_alike_again(text):
    once = rendered([Node(one) for one in blocks_of(text)]).text
    assert rendered([Node(one) for one in blocks_of(once)]).text == once
