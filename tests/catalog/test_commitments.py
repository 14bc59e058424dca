import subprocess
import textwrap
from dataclasses import replace

import pytest

from pactkeeper.catalog.commitments import write_commitment
from pactkeeper.catalog.journal import FileEdit, entries
from pactkeeper.catalog.placement import alone
from pactkeeper.catalog.read import read_pact
from pactkeeper.catalog.schema import commitment_path
from pactkeeper.catalog.transaction import Basis, WriteNote, apply, settle, undo
from pactkeeper.errors import BusyError, CatalogError, RefusedError, StaleError
from tests.catalog.freezing import AT, ATOMS, ONE, SOURCE, TWO, allowed, commitment_of, freeze, tree
from tests.catalog.pacts import MARK
from tests.catalog.trees import PYTHONPATH
from tests.doors.forking import SERVER

NOTE = WriteNote(AT, {})


@pytest.fixture
def place(tmp_path):
    return tree(tmp_path)


def commitments(place):
    return sorted(path.name for path in (place.root / "pact/commitments").glob("*"))


def test_a_commitment_reads_back_as_it_was_made(place):
    made = freeze(place, ONE, TWO)
    path = commitment_path(made.id)
    files = {"pact/pact.toml": MARK, ATOMS: SOURCE, path: (place.root / path).read_bytes()}
    pact = read_pact(files)
    assert replace(pact.commitments[made.id], path="", line=0) == made
    assert pact.committed_ids == {"IA-1", "IA-2"}


def test_every_kind_of_text_survives_the_file(place):
    odd = replace(ONE, intent='"A\\b"\ttab\nline\r\u2028 é', outcomes=("]", "'''", "# no comment"))
    signed = replace(
        commitment_of(odd, by='O"Neil <o@example.org>', assurance="signed"), signature="-----BEGIN\nx\n-----END"
    )
    verdict = allowed("IA-1", by=signed.by, assurance="signed")
    write_commitment(place, signed, verdict, basis=Basis({}))
    path = commitment_path(signed.id)
    files = {"pact/pact.toml": MARK, ATOMS: SOURCE, path: (place.root / path).read_bytes()}
    assert replace(read_pact(files).commitments[signed.id], path="", line=0) == signed


def test_a_gate_that_refuses_is_never_written_past(place):
    refused = allowed("IA-1", actor="agent")
    with pytest.raises(RefusedError, match="the gate does not let this through"):
        write_commitment(place, commitment_of(ONE), refused, basis=Basis({}))
    assert commitments(place) == []


@pytest.mark.parametrize(
    "other",
    [
        {"atoms": ("IA-1", "IA-2")},
        {"by": "Eve <eve@example.org>"},
        {"assurance": "signed"},
        {"overrides": {"INV-002": "so"}},
        {"abandons": "no use"},
    ],
)
def test_what_the_gate_said_of_another_commitment_does_not_count(place, other):
    names = other.get("atoms", ("IA-1",))
    verdict = allowed(*names, **{name: value for name, value in other.items() if name != "atoms"})
    with pytest.raises(RefusedError, match="judged another commitment"):
        write_commitment(place, commitment_of(ONE), verdict, basis=Basis({}))


def test_what_gives_up_reads_back_as_it_was_made_and_can_be_taken_away_but_not_put_back(place):
    first = freeze(place, ONE)
    act = commitment_of(ONE, abandons='no "use"\nany more')
    kept = frozenset({commitment_path(first.id)})
    write_commitment(place, act, allowed("IA-1", abandons=act.abandons), basis=Basis({ATOMS: SOURCE}, kept))
    path = commitment_path(act.id)
    pact = read_pact({"pact/pact.toml": MARK, ATOMS: SOURCE, path: (place.root / path).read_bytes()})
    assert replace(pact.commitments[act.id], path="", line=0) == act
    taken = undo(place, NOTE)
    assert taken is not None
    assert commitments(place) == [f"{first.id}.toml"]
    with pytest.raises(RefusedError, match="a commitment is never changed or undone"):
        undo(place, NOTE, entry_id=taken.id)
    with pytest.raises(RefusedError, match="a commitment is never changed or undone"):
        undo(place, NOTE)


def test_a_commitment_that_contradicts_itself_is_not_written(place):
    torn = replace(commitment_of(ONE), words={"IA-1": TWO.frozen()})
    with pytest.raises(RefusedError, match="contradicts itself"):
        write_commitment(place, torn, allowed("IA-1"), basis=Basis({}))


def test_bytes_that_changed_since_they_were_judged_stop_the_write(place):
    (place.root / ATOMS).write_bytes(SOURCE + b"# so\n")
    with pytest.raises(StaleError, match="login"):
        freeze(place, ONE)
    assert commitments(place) == []


def test_a_file_that_was_not_there_when_judged_stops_the_write(place):
    (place.root / "pact/invariants.toml").write_bytes(b"")
    with pytest.raises(StaleError, match="invariants"):
        freeze(place, ONE, basis=Basis({"pact/invariants.toml": None}))
    assert commitments(place) == []


def test_who_commits_second_is_told_what_was_committed_meanwhile(place):
    made = freeze(place, ONE)
    with pytest.raises(StaleError, match=f"somebody committed meanwhile: '{commitment_path(made.id)}'"):
        freeze(place, TWO)
    freeze(place, TWO, basis=Basis({ATOMS: SOURCE}, frozenset({commitment_path(made.id)})))


def test_the_same_commitment_is_not_written_twice(place):
    path = commitment_path(freeze(place, ONE).id)
    with pytest.raises(StaleError, match="did not exist"):
        freeze(place, ONE, basis=Basis({}, frozenset({path})))


def test_a_second_writer_at_the_same_time_is_turned_away(place):
    with alone(place.state_dir), pytest.raises(BusyError):
        freeze(place, ONE)
    assert commitments(place) == []


CHILD = textwrap.dedent(
    """
    import os, signal, sys
    from pathlib import Path
    from pactkeeper.catalog.transaction import PactPlace
    from tests.catalog.freezing import ONE, freeze

    place = PactPlace(Path(sys.argv[1]), Path(sys.argv[2]))
    def die(now):
        if now.split()[0] == sys.argv[3]:
            os.kill(os.getpid(), signal.SIGKILL)
    freeze(place, ONE, checkpoint=die)
    """
)
STEPS = ("journalled", "staged", "swapped", "synced", "done")


@pytest.mark.parametrize("step", STEPS)
def test_a_process_killed_while_it_commits_leaves_a_whole_commitment_or_none(place, step):
    done = subprocess.run(SERVER.program("-c", CHILD, place.root, place.state_dir, step), env=PYTHONPATH, check=False)
    assert done.returncode == -9
    settle(place)
    path = commitment_path(commitment_of(ONE).id)
    files = {"pact/pact.toml": MARK, ATOMS: SOURCE}
    if commitments(place):
        files[path] = (place.root / path).read_bytes()
    assert read_pact(files).is_committed("IA-1") == (step in {"swapped", "synced", "done"})
    assert (place.root / ATOMS).read_bytes() == SOURCE
    assert [one.name for one in place.root.rglob(".pk-*")] == []


def test_the_steps_of_a_commit_are_those_that_are_tried(place):
    seen = []
    freeze(place, ONE, checkpoint=lambda step: seen.append(step.split()[0]))
    assert tuple(seen) == STEPS


def edit(path, before, after):
    return FileEdit(path, before, after)


def test_no_other_write_adds_changes_or_removes_a_commitment(place):
    made = freeze(place, ONE)
    path = commitment_path(made.id)
    content = (place.root / path).read_bytes()
    for change in (
        edit(path, content, content + b"\n"),
        edit(path, content, None),
        edit("pact/commitments/COM-2.toml", None, content),
        edit("pact/commitments/deep/COM-2.toml", None, content),
        edit("pact/Commitments/COM-2.toml", None, content),
    ):
        with pytest.raises(RefusedError, match="a commitment is never changed or undone"):
            apply(place, [change], NOTE)
    assert commitments(place) == [f"{made.id}.toml"]


def test_no_write_reaches_a_commitment_through_a_link_to_its_folder(place):
    freeze(place, ONE)
    (place.root / "elsewhere").symlink_to("pact/commitments")
    with pytest.raises(RefusedError, match="a commitment is never changed or undone"):
        apply(place, [edit("elsewhere/COM-2.toml", None, b"")], NOTE)


@pytest.mark.parametrize(
    "after",
    [
        SOURCE.replace(b"A login works.", b"A login may work."),
        SOURCE.replace(b"IA-1.source", b'IA-1.tags = ["new"]\nIA-1.source'),
        SOURCE.replace(b"IA-1.source", b'IA-1.supersedes = "IA-2"\nIA-1.source'),
        SOURCE[SOURCE.index(b"IA-2") :],
        None,
    ],
    ids=["reworded", "tagged", "made a successor", "removed", "file removed"],
)
def test_no_write_changes_the_table_of_a_committed_atom(place, after):
    freeze(place, ONE)
    with pytest.raises(RefusedError, match=r"IA-1 is committed \(COM-\w+\); declare a successor"):
        apply(place, [edit(ATOMS, SOURCE, after)], NOTE)
    assert (place.root / ATOMS).read_bytes() == SOURCE


def test_the_neighbour_of_a_committed_atom_can_change(place):
    freeze(place, ONE)
    after = SOURCE.replace(b"A logout works.", b"A logout ends the session.")
    apply(place, [edit(ATOMS, SOURCE, after)], NOTE)
    assert (place.root / ATOMS).read_bytes() == after


def test_a_committed_atom_may_move_to_another_file_unchanged(place):
    freeze(place, ONE)
    one, two = SOURCE[: SOURCE.index(b"IA-2")], SOURCE[SOURCE.index(b"IA-2") :]
    apply(place, [edit(ATOMS, SOURCE, two), edit("pact/atoms/other.toml", None, one)], NOTE)
    assert (place.root / "pact/atoms/other.toml").read_bytes() == one


def test_an_undo_never_takes_a_commitment_back(place):
    made = freeze(place, ONE)
    with pytest.raises(RefusedError, match="never changed or undone"):
        undo(place, NOTE)
    assert commitments(place) == [f"{made.id}.toml"]


def test_an_undo_of_an_earlier_write_does_not_change_what_was_committed_since(place):
    before = SOURCE.replace(b"A login works.", b"A login may work.")
    (place.root / ATOMS).write_bytes(before)
    apply(place, [edit(ATOMS, before, SOURCE)], NOTE)
    freeze(place, ONE)
    with pytest.raises(RefusedError, match="IA-1 is committed"):
        undo(place, NOTE, entry_id=1)
    assert (place.root / ATOMS).read_bytes() == SOURCE
    assert len(entries(place.state_dir)) == 2


def test_what_a_torn_commitment_froze_is_not_known_so_no_atom_changes(place):
    made = freeze(place, ONE)
    (place.root / commitment_path(made.id)).write_bytes(b"<<<<<<< ours\n")
    with pytest.raises(CatalogError, match="commitments"):
        apply(place, [edit(ATOMS, SOURCE, SOURCE + b"# so\n")], NOTE)
