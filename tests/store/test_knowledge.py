import pytest

from pactkeeper.errors import InputError
from pactkeeper.intent.conversation import KnowledgeItem, Mark, Provenance
from pactkeeper.store.conversations import add_items, add_mark, find_item, list_items, search_items
from tests.store.rows import AT, LATER

CAME = Provenance("We chose SQLite because it needs no server.", AT, "cv-1", "ar-1", "u1", 0, 3, 46)
CHOICE = KnowledgeItem(
    "decision", "Database", "We chose SQLite because it needs no server.", CAME, "rules", domain="shop"
)
OTHER = KnowledgeItem(
    "decision", "Database", "We chose Postgres.", Provenance("We chose Postgres.", LATER), "ada", domain="shop"
)
PLAIN = KnowledgeItem("fact", "Invoices", "Invoices are sent on the first of a month.", Provenance("", AT), "ada")


def test_an_item_comes_back_with_where_it_was_said(history):
    add_items(history, [CHOICE], at=AT)
    found = find_item(history, CHOICE.id)
    assert found
    assert found.item == CHOICE
    assert found.recorded_at == AT


def test_the_same_said_again_is_kept_once_and_as_first_said(history):
    assert add_items(history, [CHOICE], at=AT) == 1
    again = KnowledgeItem(
        "decision", "DATABASE", CHOICE.text.lower(), Provenance("other words", LATER), "ada", domain="shop"
    )
    assert add_items(history, [again], at=LATER) == 0
    assert [one.item for one in list_items(history)] == [CHOICE]


def test_what_is_superseded_stays_with_all_its_words(history):
    add_items(history, [CHOICE, OTHER], at=AT)
    add_mark(history, Mark(CHOICE.id, "superseded", "we need several writers", "ada", LATER, OTHER.id))
    old, new = list_items(history)
    assert (old.item, old.standing(LATER)) == (CHOICE, "superseded")
    assert (new.item, new.standing(LATER)) == (OTHER, "holds")
    assert old.marks[0].other == OTHER.id


def test_a_mark_needs_items_that_are_known(history):
    add_items(history, [CHOICE], at=AT)
    with pytest.raises(InputError, match="kn-nothing"):
        add_mark(history, Mark(CHOICE.id, "superseded", "why", "ada", LATER, "kn-nothing"))


def test_nothing_supersedes_itself(history):
    add_items(history, [CHOICE], at=AT)
    with pytest.raises(InputError, match="itself"):
        add_mark(history, Mark(CHOICE.id, "superseded", "why", "ada", LATER, CHOICE.id))


def test_search_puts_the_subject_before_the_rest(history):
    add_items(history, [PLAIN, CHOICE, OTHER], at=AT)
    assert [one.item for one in search_items(history, "invoices")] == [PLAIN]
    assert {one.item for one in search_items(history, "databases? (sqlite)")} == {CHOICE}
    assert {one.item for one in search_items(history, "data")} == {CHOICE, OTHER}


@pytest.mark.parametrize("words", ["", '"', "* OR NEAR(", "'; DROP TABLE knowledge; --", "\x00"])
def test_words_of_a_search_are_words_and_no_query(history, words):
    add_items(history, [PLAIN], at=AT)
    assert search_items(history, words) == ()


def test_items_of_another_person_stay_out(history, neighbour):
    add_items(history, [PLAIN], at=AT)
    assert list_items(neighbour) == ()
    assert search_items(neighbour, "invoices") == ()
