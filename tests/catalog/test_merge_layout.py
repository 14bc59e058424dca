"""Two branches that both change one file of the pact: what git and `resolve_file` make of them together."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pactkeeper.catalog import write
from pactkeeper.catalog.read import read_pact
from pactkeeper.catalog.resolving import Stages, resolve_file
from pactkeeper.intent.pact import Pact
from tests.catalog.pacts import MARK, link, put_link, reconciled

ATOMS, LINKS, DEBT = "pact/atoms/tests/test_a.py.toml", "pact/links/tests/test_a.py.toml", "pact/debt.txt"
SHUFFLED = [number * 617 % 1000 for number in range(1, 20)]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "pact").mkdir()
    (tmp_path / "pact/pact.toml").write_bytes(MARK)
    (tmp_path / "pact/.gitattributes").write_text(write.ATTRIBUTES)
    return tmp_path


def git(root: Path, *words: str, check: bool = True) -> int:
    author = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *author, *words], cwd=root, capture_output=True, text=True, check=False)
    assert not check or done.returncode == 0, done.stderr
    return done.returncode


def save(root: Path, branch: str, changes: dict[str, bytes | None]) -> None:
    git(root, "checkout", "-q", "-B", branch)
    for path, source in changes.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(source or b"")
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", branch)


def merged(
    root: Path,
    edit: Callable[[bytes | None, str], bytes | None],
    path: str,
    base: bytes | None,
    *,
    resolve: bool = True,
) -> Pact:
    """Let two branches edit one file, merge them, settle what history settles, and read what comes out."""
    save(root, "main", {} if base is None else {path: base})
    for side in ("left", "right"):
        git(root, "checkout", "-q", "main")
        save(root, side, {path: edit(base, side)})
    if git(root, "merge", "-q", "--no-edit", "left", check=False) and resolve:
        found = resolve_file(path, (root / path).read_bytes(), stages(root, path), lambda *_: None)
        assert not found.left
        (root / path).write_bytes(found.content or b"")
    return read_all(root)


def read_all(root: Path) -> Pact:
    return read_pact(
        {file.relative_to(root).as_posix(): file.read_bytes() for file in root.glob("pact/**/*") if file.is_file()}
    )


def stages(root: Path, path: str) -> Stages:
    def stage(number: int) -> bytes | None:
        done = subprocess.run(["git", "show", f":{number}:{path}"], cwd=root, capture_output=True, check=False)
        return None if done.returncode else done.stdout

    return Stages(stage(1), stage(2), stage(3))


def with_atoms(source: bytes | None, numbers: list[int]) -> bytes | None:
    for number in numbers:
        source = write.put_atom(source, reconciled(number))
    return source


@pytest.mark.parametrize("known", [0, 1, 3, 10])
def test_both_sides_may_add_atoms_to_one_file(repository, known):
    numbers = SHUFFLED[: known + 6]
    base = with_atoms(None, numbers[:known])
    sides = {"left": numbers[known : known + 3], "right": numbers[known + 3 :]}
    pact = merged(repository, lambda source, side: with_atoms(source, sides[side]), ATOMS, base)
    assert {atom.id: (atom.intent, atom.outcomes, atom.source) for atom in pact.atoms.values()} == {
        atom.id: (atom.intent, atom.outcomes, atom.source) for atom in map(reconciled, numbers)
    }


@pytest.mark.parametrize("known", [0, 1, 3, 10])
def test_both_sides_may_add_links_to_one_file(repository, known):
    def added(source: bytes | None, side: str) -> bytes | None:
        for number in sides[side]:
            source = put_link(source, link(number))
        return source

    numbers = SHUFFLED[: known + 6]
    sides = {"base": numbers[:known], "left": numbers[known : known + 3], "right": numbers[known + 3 :]}
    pact = merged(repository, added, LINKS, added(None, "base"))
    assert pact.links == {record.test: record for record in map(link, numbers)}


def test_both_sides_may_add_the_same_atoms_and_links(repository):
    pact = merged(repository, lambda source, _: with_atoms(source, [1, 2]), ATOMS, None)
    assert sorted(pact.atoms) == ["IA-001X", "IA-002X"]


def test_an_edit_beside_an_addition_keeps_both(repository):
    def change(source: bytes | None, side: str) -> bytes | None:
        return write.put_atom(source, reconciled(5, intent="Other.") if side == "left" else reconciled(4))

    pact = merged(repository, change, ATOMS, with_atoms(None, [3, 5, 7]))
    assert pact.atoms["IA-005X"].intent == "Other."
    assert sorted(pact.atoms) == ["IA-003X", "IA-004X", "IA-005X", "IA-007X"]


MIXED = b"""\
<<<<<<< HEAD
IA-1.intent = "It is new."

IA-2.intent = "It is old."
IA-2.source = "person"
=======
IA-2.source = "person"
>>>>>>> other
IA-2.intent = "It is reworded."
"""


def test_an_entry_whose_lines_git_took_from_both_sides_is_settled_by_what_each_side_had():
    old = b'IA-2.intent = "It is old."\nIA-2.source = "person"\n'
    ours = b'IA-1.intent = "It is new."\n\n' + old
    theirs = b'IA-2.source = "person"\nIA-2.intent = "It is reworded."\n'
    found = resolve_file(ATOMS, MIXED, Stages(old, ours, theirs), lambda *_: None)
    pact = read_pact({"pact/pact.toml": MARK, ATOMS: found.content or b""})
    assert {atom.id: atom.intent for atom in pact.atoms.values()} == {"IA-1": "It is new.", "IA-2": "It is reworded."}


def test_tests_reviewed_again_beside_new_ones_keep_both(repository):
    def change(source: bytes | None, side: str) -> bytes | None:
        for record in changes[side]:
            source = put_link(source, record)
        return source

    changes = {
        "base": [link(number) for number in (1, 3, 5, 7, 9)],
        "left": [link(3, body="v1:left"), link(6)],
        "right": [link(5, body="v1:right"), link(2), link(4)],
    }
    pact = merged(repository, change, LINKS, change(None, "base"))
    assert {record.test: record.body for record in pact.links.values()} == {
        record.test: record.body for side in ("base", "left", "right") for record in changes[side]
    }


def test_an_edit_of_one_atom_by_both_sides_is_contested_with_both_values(repository):
    pact = merged(
        repository,
        lambda source, side: write.put_atom(source, reconciled(5, intent=side)),
        ATOMS,
        with_atoms(None, [5]),
        resolve=False,
    )
    (one,) = pact.merging.contested
    assert (one.name, one.keys, one.line) == ("IA-005X", ("intent",), 1)
    assert [(version.label, version.fields["intent"]) for version in one.versions] == [
        ("HEAD", '"right"'),
        ("left", '"left"'),
    ]
    assert pact.atoms["IA-005X"].intent == "right"


def test_two_reviewers_who_turn_down_the_same_test_agree(repository):
    def change(source: bytes | None, side: str) -> bytes | None:
        by, at = {"left": ("ada", "2030-01-01T09:00:00+00:00"), "right": ("grace", "2030-01-02T09:00:00+00:00")}[side]
        return put_link(source, link(1, rejected="fp-1", by=by, reason=f"{by} sees none", at=at))

    [record] = merged(repository, change, LINKS, None).links.values()
    assert record.rejected == "fp-1"
    assert (record.by, record.reason, record.at) in {
        ("ada", "ada sees none", "2030-01-01T09:00:00+00:00"),
        ("grace", "grace sees none", "2030-01-02T09:00:00+00:00"),
    }


def test_two_reviewers_who_accept_the_same_atom_agree_whichever_operation_made_it(repository):
    pact = merged(
        repository,
        lambda source, side: write.put_atom(source, reconciled(5, recommendation=f"op-{side}")),
        ATOMS,
        with_atoms(None, [1, 9]),
    )
    assert pact.atoms["IA-005X"].recommendation in {"op-left", "op-right"}


def test_two_reviewers_who_turn_down_the_same_test_for_different_bodies_are_contested(repository):
    pact = merged(
        repository, lambda source, side: put_link(source, link(1, rejected=f"fp-{side}")), LINKS, None, resolve=False
    )
    assert [one.keys for one in pact.merging.contested] == [("rejected",)]


def test_what_both_sides_take_off_the_debt_is_gone_and_nothing_else(repository):
    debts = [(f"t.py::{number}", f"v1:{number}") for number in range(20)]
    gone = {"left": ["t.py::3", "t.py::18"], "right": ["t.py::12"]}
    pact = merged(
        repository, lambda source, side: write.remove_debt(source or b"", gone[side]), DEBT, write.put_debt(None, debts)
    )
    assert set(pact.debt.by_test) == {test for test, _ in debts} - {"t.py::3", "t.py::18", "t.py::12"}


def test_neighbouring_lines_of_debt_that_each_side_removed_stay_removed(repository):
    debts = [(f"t.py::{number}", f"v1:{number}") for number in range(9)]
    gone = {"left": ["t.py::3", "t.py::4"], "right": ["t.py::5", "t.py::4"]}
    pact = merged(
        repository, lambda source, side: write.remove_debt(source or b"", gone[side]), DEBT, write.put_debt(None, debts)
    )
    assert set(pact.debt.by_test) == {test for test, _ in debts} - {"t.py::3", "t.py::4", "t.py::5"}


def test_an_atom_that_one_side_removed_and_nobody_changed_stays_away_beside_an_edit(repository):
    def change(source: bytes | None, side: str) -> bytes | None:
        if side == "left":
            return write.remove_atom(source or b"", "IA-005X")
        return write.put_atom(source, reconciled(7, intent="Other."))

    pact = merged(repository, change, ATOMS, with_atoms(None, [3, 5, 7]))
    assert sorted(pact.atoms) == ["IA-003X", "IA-007X"]
    assert pact.atoms["IA-007X"].intent == "Other."
