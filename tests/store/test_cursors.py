from pactkeeper.ledger.canonical import Cursor
from pactkeeper.store.cursors import load_cursor, save_cursor


def test_a_source_that_was_never_read_has_no_cursor(history):
    assert load_cursor(history, "git") is None


def test_a_cursor_moves_on(history):
    save_cursor(history, Cursor("git", "commit", "abc"))
    save_cursor(history, Cursor("git", "commit", "def", 7))
    save_cursor(history, Cursor("events", "event", "9"))
    assert load_cursor(history, "git") == Cursor("git", "commit", "def", 7)


def test_a_source_may_have_a_name_of_any_length(history):
    names = ["/" + "x" * 5000 + end for end in "ab"]
    for name in names:
        save_cursor(history, Cursor(name, "offset", "uuid", 2**31 - 1))
    assert [load_cursor(history, name) for name in names] == [
        Cursor(name, "offset", "uuid", 2**31 - 1) for name in names
    ]


def test_two_repositories_read_for_themselves(history, neighbour):
    save_cursor(neighbour, Cursor("git", "commit", "abc"))
    assert load_cursor(history, "git") is None
