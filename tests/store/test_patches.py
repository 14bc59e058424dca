import tracemalloc

import pytest
from sqlalchemy import select, text, update

from pactkeeper.errors import InputError, PatchError
from pactkeeper.ledger.finding import Evidence
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch
from pactkeeper.store.decisions import load_patch, run_of_patch, save_patch
from pactkeeper.store.history import CHUNK, History
from pactkeeper.store.tables.runs import OPS, PARTS, PATCHES
from tests.store.rows import begin_run, create_op, kept_patch, make_finding, make_patch

COUNTED = text("SELECT reltuples FROM pg_class WHERE oid = to_regclass('ops')")


def test_a_patch_comes_back_as_it_was(history):
    patch = kept_patch(history)
    found = load_patch(history, patch.id)
    assert found == patch
    assert getattr(found, "hash", None) == patch.hash


def test_an_empty_patch_comes_back(history):
    begin_run(history)
    save_patch(history, "REC-1", Patch("v1:base"))
    assert load_patch(history, Patch("v1:base").id) == Patch("v1:base")


def test_every_verb_and_part_comes_back(history):
    create = create_op("IA-2", reasoning="said so", relatedDocs=["a.md"], ambiguityReasons=["mock_only"])
    ops = (
        create,
        Op("updateAtom", "atom:IA-3", "v1:" + "1" * 64, {"atomId": "IA-3", "description": "A\tchanged \x00 one."}),
        Op(
            "createMolecule",
            "molecule:M-1",
            None,
            {"name": "é", "description": "", "atomRecommendationIds": [create.id]},
        ),
        Op("detachTest", "test:x", "v1:" + "2" * 64, {"testId": "x"}, (Evidence("mechanical", absent=True),)),
        Op(
            "markAtomSuperseded", "atom:IA-1", None, {"oldAtomId": "IA-1", "newAtomId": "IA-2"}, depends_on=(create.id,)
        ),
    )
    findings = (
        make_finding(),
        make_finding("PK102", about="IA-1", fix="pk accept"),
        make_finding("SEC001", invariant="INV-101"),
    )
    patch = Patch("HEAD", ops, findings)
    begin_run(history)
    save_patch(history, "REC-1", patch)
    assert load_patch(history, patch.id) == patch


def test_an_unknown_patch_is_none(history):
    assert load_patch(history, "pa-000000000000") is None
    assert run_of_patch(history, "pa-000000000000") is None


def test_a_patch_of_an_unknown_run_is_refused(history):
    with pytest.raises(InputError, match="no run 'REC-1'"):
        save_patch(history, "REC-1", make_patch())
    assert load_patch(history, make_patch().id) is None


def test_the_order_of_ops_is_kept_over_many_chunks(history):
    names = tuple(f"IA-{(number * 7919) % 100_003}" for number in range(CHUNK + 3))
    patch = kept_patch(history, names=names)
    assert load_patch(history, patch.id) == patch


def test_the_same_patch_is_stored_once_and_belongs_to_its_newest_run(history):
    patch = kept_patch(history, "REC-1")
    begin_run(history, "REC-2")
    save_patch(history, "REC-2", patch)
    save_patch(history, "REC-1", patch)
    assert run_of_patch(history, patch.id) == "REC-2"
    with history.database.read() as connection:
        ours = select(PATCHES.c.number).where(PATCHES.c.repository == history.repository)
        assert len(connection.execute(ours).all()) == 1


@pytest.mark.parametrize(
    ("table", "text"), [(OPS, '{"verb":"createAtom"}'), (PARTS, "{}"), (PARTS, "no json"), (PATCHES, None)]
)
def test_a_patch_whose_rows_were_changed_is_refused(history, table, text):
    patch = kept_patch(history)
    with history.database.begin() as connection:
        number = connection.execute(select(PATCHES.c.number).where(PATCHES.c.repository == history.repository)).scalar()
        mine = PATCHES.c.number == number if table is PATCHES else table.c.patch == number
        connection.execute(update(table).where(mine).values({"base": "v1:other"} if text is None else {"text": text}))
    with pytest.raises(PatchError, match=f"the rows of patch {patch.id}"):
        load_patch(history, patch.id)


def test_a_changed_op_is_refused(history):
    patch = kept_patch(history)
    with history.database.begin() as connection:
        number = connection.execute(select(PATCHES.c.number).where(PATCHES.c.repository == history.repository)).scalar()
        said = connection.execute(select(OPS.c.text).where(OPS.c.patch == number, OPS.c.position == 1)).scalar()
        other = said.replace("test_IA-1", "test_IA-7")
        connection.execute(update(OPS).where(OPS.c.patch == number, OPS.c.position == 1).values(text=other))
    with pytest.raises(PatchError, match="other content"):
        load_patch(history, patch.id)


def test_two_repositories_may_make_the_same_patch(history, neighbour):
    patch = kept_patch(history, "REC-1")
    assert load_patch(neighbour, patch.id) is None
    kept_patch(neighbour, "REC-7")
    assert (run_of_patch(history, patch.id), run_of_patch(neighbour, patch.id)) == ("REC-1", "REC-7")


def test_saving_a_large_patch_needs_no_memory_for_its_text(history):
    begin_run(history)
    names = [f"IA-{number}" for number in range(4000)]
    patch = Patch("v1:base", tuple(create_op(name, reasoning="why " * 250) for name in names))
    tracemalloc.start()
    try:
        save_patch(history, "REC-1", patch)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4_000_000, "its rows hold more than 8 MB of text"


def test_postgres_counts_a_table_anew_that_a_patch_made_much_larger(opened_postgres, repository):
    history = History(opened_postgres, repository)
    begin_run(history)
    with history.database.read() as connection:
        before = connection.execute(COUNTED).scalar_one()
    ops = tuple(create_op(f"IA-{number}", f"tests/a.py::t{number}") for number in range(max(int(before), 0) + 300))
    save_patch(history, "REC-1", Patch("v1:base", ops))
    with history.database.read() as connection:
        assert connection.execute(COUNTED).scalar_one() >= len(ops)
