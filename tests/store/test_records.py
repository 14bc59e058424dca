from dataclasses import replace

import pytest

from pactkeeper.errors import InputError
from pactkeeper.store.database import open_database
from pactkeeper.store.history import CHUNK, History
from pactkeeper.store.runs import previous_records, records_of, save_records, update_run
from tests.store.rows import LATER, begin_run, make_record


def test_a_record_comes_back_with_every_field(history):
    begin_run(history)
    records = [make_record(), make_record(test="tests/test_a.py::test_b", recommendation=None)]
    save_records(history, records)
    assert list(records_of(history, "REC-1")) == records


def test_a_record_saved_again_replaces_the_first(history):
    begin_run(history)
    save_records(history, [make_record(outcome="inferred")])
    save_records(history, [make_record(outcome="settled", line_number=9)])
    assert list(records_of(history, "REC-1")) == [make_record(outcome="settled", line_number=9)]


def test_the_last_of_one_call_holds(history):
    begin_run(history)
    save_records(history, [make_record(outcome="inferred"), make_record(outcome="settled")])
    assert [one.outcome for one in records_of(history, "REC-1")] == ["settled"]


def test_records_come_by_test_id_over_all_pages(history):
    begin_run(history)
    names = [f"tests/test_a.py::test_{number}" for number in range(2 * CHUNK + 7)]
    save_records(history, (make_record(test=name) for name in reversed(names)))
    assert [one.test_id for one in records_of(history, "REC-1")] == sorted(names)


def test_ids_sort_by_code_point(history):
    begin_run(history)
    names = ["Z::a", "_::a", "a::B", "a::b", "ä::a", "B::a", "a-b::a", "ab::a"]
    save_records(history, (make_record(test=name) for name in names))
    assert [one.test_id for one in records_of(history, "REC-1")] == sorted(names)


def test_a_server_that_sorts_by_language_sorts_ids_by_code_point(postgres):
    if not postgres.sql(
        "SELECT 1 FROM pg_collation WHERE collprovider = 'i' AND current_setting('server_version_num')::int >= 150000"
    ):
        pytest.skip("this server sorts by no language of its own")
    with postgres.database("TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'") as url:
        assert [row[0] for row in postgres.sql("SELECT unnest(ARRAY['B', 'a']) ORDER BY 1", url)] == ["a", "B"]
        database = open_database(url)
        test_ids_sort_by_code_point(History(database, "shop"))
        database.close()


def test_records_may_be_saved_between_two_pages(history):
    begin_run(history)
    save_records(history, (make_record(test=f"t{number:05}") for number in range(CHUNK + 3)))
    for record in records_of(history, "REC-1"):
        save_records(history, [replace(record, outcome="settled")])
    assert {one.outcome for one in records_of(history, "REC-1")} == {"settled"}


def test_a_record_of_an_unknown_run_takes_the_others_with_it(history):
    begin_run(history)
    with pytest.raises(InputError, match="no run 'REC-9'"):
        save_records(history, [make_record(), make_record(run="REC-9")])
    assert list(records_of(history, "REC-1")) == []


def test_records_of_an_unknown_run_are_an_error(history):
    with pytest.raises(InputError, match="no run 'REC-9'"):
        list(records_of(history, "REC-9"))


def test_an_id_longer_than_an_index_takes_is_kept(history):
    begin_run(history)
    names = ["".join(chr(0x4E00 + (n * k) % 9000) for n in range(4000)) for k in (7, 11)]
    save_records(history, (make_record(test=name) for name in names))
    assert [one.test_id for one in records_of(history, "REC-1")] == sorted(names)


@pytest.mark.parametrize("name", ["a\x00b", "a\x1bb", "a\x1b0", "\x1b\x00\x1b1", "é😀", "'; --", "a%sb:c"])
def test_any_name_comes_back_as_it_was(history, name):
    begin_run(history)
    save_records(history, [make_record(test=name, test_name=name, inference=name)])
    (found,) = records_of(history, "REC-1")
    assert (found.test_id, found.test_name, found.inference) == (name, name, name)


def end(history, run, status):
    update_run(history, replace(run, status=status, updated_at=LATER))


@pytest.mark.parametrize("status", ["paused", "completed"])
def test_what_a_run_saw_is_compared_with_later(history, status):
    run = begin_run(history)
    save_records(history, [make_record()])
    assert previous_records(history) == {}
    end(history, run, status)
    assert previous_records(history) == {make_record().test_id: make_record(inference="")}


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_what_a_broken_run_saw_is_not_compared_with(history, status):
    run = begin_run(history)
    save_records(history, [make_record()])
    end(history, run, status)
    assert previous_records(history) == {}


def test_the_newest_record_of_each_test_counts(history):
    for number in (1, 2, 3):
        run = begin_run(history, f"REC-{number}")
        save_records(history, [make_record(run.id, "changed", body_hash=f"v1:{number}")])
        save_records(history, [make_record(run.id, "once")] if number == 1 else [])
        end(history, run, "failed" if number == 3 else "completed")
    found = previous_records(history)
    assert {name: (one.run, one.body_hash) for name, one in found.items()} == {
        "changed": ("REC-2", "v1:2"),
        "once": ("REC-1", "v1:body"),
    }


def test_two_repositories_do_not_see_each_others_records(history, neighbour):
    mine, theirs = begin_run(history), begin_run(neighbour)
    save_records(history, [make_record(body_hash="v1:mine")])
    save_records(neighbour, [make_record(body_hash="v1:theirs")])
    end(history, mine, "completed")
    end(neighbour, theirs, "completed")
    assert [one.body_hash for one in records_of(history, "REC-1")] == ["v1:mine"]
    assert [one.body_hash for one in previous_records(history).values()] == ["v1:mine"]
