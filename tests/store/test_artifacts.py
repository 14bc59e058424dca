from dataclasses import replace

import pytest

from pactkeeper.intent.conversation import (
    Artifact,
    Bookmark,
    CommitmentUpdate,
    Conversation,
    Excerpt,
    RecordPlace,
    Signals,
)
from pactkeeper.store.conversations import (
    ReadStep,
    find_artifact,
    list_artifacts,
    list_conversations,
    save_artifacts,
    save_step,
)
from tests.store.rows import AT, LATER

PLAN = Artifact(
    "plan",
    "Roadmap",
    (Excerpt(RecordPlace("/chats/a.jsonl", 0, 40), "u1", 0, 3, 9, AT, "1. a\x00\n"),),
    Signals(85, 60),
    "medium",
    "v1:plan",
    "1. a",
    "shop",
    ("`x`",),
    facts={"steps": 3},
)
UPDATE = replace(
    PLAN, type="commitment_update", identity="v1:update", update=CommitmentUpdate("the invoice", "completion")
)


def stored(history):
    found = find_artifact(history, PLAN.id)
    assert found
    return found


def conversation(history, name):
    chat = Conversation("codex", f"/chats/{name}.jsonl", name)
    return save_step(history, ReadStep(chat, (), 0, (), Bookmark(offset=1)), after=0, at=AT), chat


@pytest.fixture
def number(history):
    return conversation(history, "a")[0]


def test_an_artifact_comes_back_with_every_field(history, number):
    assert save_artifacts(history, number, [PLAN, UPDATE], at=LATER) == 2
    assert [one.artifact for one in list_artifacts(history)] == [PLAN, UPDATE]
    found = stored(history)
    assert (found.artifact, found.corroboration, found.found_at) == (PLAN, 1, LATER)


def test_an_artifact_that_is_found_again_is_stored_once(history, number):
    save_artifacts(history, number, [PLAN], at=AT)
    assert save_artifacts(history, number, [replace(PLAN, title="Other words")], at=LATER) == 0
    assert [one.artifact for one in list_artifacts(history)] == [PLAN]


def test_conversations_that_show_it_corroborate_it(history, number):
    other = conversation(history, "b")[0]
    for one in (number, number, other):
        save_artifacts(history, one, [PLAN], at=AT)
    assert stored(history).corroboration == 2


def test_what_was_written_down_stays_so(history, number):
    save_artifacts(history, number, [replace(PLAN, persistence="persisted", evidence="Write c7")], at=AT)
    save_artifacts(history, number, [replace(PLAN, persistence="partial", evidence="Write c8")], at=AT)
    save_artifacts(history, number, [PLAN], at=AT)
    found = stored(history).artifact
    assert (found.persistence, found.evidence) == ("persisted", "Write c7")


def test_artifacts_are_listed_by_type_and_conversation(history, number):
    other, chat = conversation(history, "b")
    save_artifacts(history, number, [PLAN], at=AT)
    save_artifacts(history, other, [UPDATE], at=AT)
    assert [one.artifact for one in list_artifacts(history, types=["plan"])] == [PLAN]
    assert [one.artifact for one in list_artifacts(history, conversation=chat.id)] == [UPDATE]
    assert [one.artifacts for one in list_conversations(history)] == [1, 1]


def test_a_neighbour_sees_none_of_them(history, number, neighbour):
    save_artifacts(history, number, [PLAN], at=AT)
    assert list_artifacts(neighbour) == ()
    assert find_artifact(neighbour, PLAN.id) is None
