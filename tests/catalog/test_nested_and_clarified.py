"""Molecules that hold molecules, and clarifications: how they are read, written and merged."""

import subprocess

import pytest

from pactkeeper.catalog import write
from pactkeeper.catalog.read import read_pact
from pactkeeper.catalog.resolving import resolve_file
from pactkeeper.errors import CatalogError
from pactkeeper.intent.atoms import Clarification, Molecule
from tests.catalog.pacts import MARK
from tests.catalog.test_merge_layout import stages

ATOM = b'IA-1.intent = "It works."\n'
SAID = Clarification("CLA-1", "IA-1", "Always?", "Except on Sundays.", "ada", "2030-01-01T00:00:00+00:00")
PACT = {"pact/pact.toml": MARK, "pact/atoms/a.toml": ATOM}


def problems(**files):
    """What reading says of a pact with these files."""
    names = {"molecules": "pact/molecules.toml", "clarifications": "pact/clarifications.toml"}
    with pytest.raises(CatalogError) as error:
        read_pact({**PACT, **{names[name]: text.encode() for name, text in files.items()}})
    return [str(problem) for problem in error.value.problems]


def left_open(**files):
    """The references to nothing that a pact with these files holds."""
    names = {"molecules": "pact/molecules.toml", "clarifications": "pact/clarifications.toml"}
    pact = read_pact({**PACT, **{names[name]: text.encode() for name, text in files.items()}})
    return [f"{one.path}:{one.line}: {one.holder} {one.message}" for one in pact.merging.dangling]


def test_a_clarification_reads_back_as_it_was_written():
    source = write.put_clarification(None, SAID)
    (read,) = read_pact({**PACT, "pact/clarifications.toml": source}).clarifications_of("IA-1")
    assert (read.question, read.answer, read.by, read.at, read.line) == (SAID.question, SAID.answer, "ada", SAID.at, 1)
    assert write.remove_clarifications(source, ["CLA-1"]) == b""


def test_a_clarification_of_nothing_or_without_an_answer_is_named_with_its_line():
    text = 'Q-1 = {}\nCLA-1 = { atom = "IA-9", question = "x", answer = "y", by = "a", at = "2030-01-01T00:00:00Z" }\n'
    assert problems(clarifications=text) == [
        "pact/clarifications.toml:1: 'Q-1' is not a clarification id; ids look like CLA-7F3KQ9T"
    ]
    (dangling,) = left_open(clarifications=text.split("\n", 1)[1])
    assert dangling == "pact/clarifications.toml:1: CLA-1 clarifies 'IA-9', which no file declares"
    missing = 'CLA-1 = { atom = "IA-1", question = "x", by = "a", at = "2030-01-01T00:00:00Z" }\n'
    assert problems(clarifications=missing) == ["pact/clarifications.toml:1: [CLA-1] has no 'answer': what is meant"]


def test_a_molecule_reads_back_with_lens_members_and_tests():
    inner = Molecule("M-1", "Login", ("IA-1",))
    outer = Molecule("M-2", "Spring", (), "All.", "release", ("M-1",), ("a.py::test",))
    source = write.put_molecule(write.put_molecule(None, inner), outer)
    read = read_pact({**PACT, "pact/molecules.toml": source}).molecules
    assert (read["M-2"].lens, read["M-2"].molecules, read["M-2"].tests) == ("release", ("M-1",), ("a.py::test",))
    assert (read["M-1"].lens, read["M-1"].molecules) == (None, ())


def test_what_a_molecule_cannot_hold_is_named_with_its_line():
    text = (
        'M-1 = { name = "a", atoms = [], molecules = ["M-9"] }\n'
        'M-2 = { name = "b", atoms = [], molecules = ["IA-1"] }\n'
        'M-3 = { name = "c", atoms = [], lens = "saga" }\n'
    )
    assert problems(molecules=text) == [
        "pact/molecules.toml:2: molecules is ['IA-1']; every item is the id of a molecule, such as M-7F3KQ9T",
        "pact/molecules.toml:3: lens is 'saga'; write one of feature, user_story, journey, epic, capability, release, change_set",
    ]


def test_a_molecule_is_read_without_members_that_nobody_declares():
    text = 'M-1 = { name = "a", atoms = ["IA-1", "IA-8"], molecules = ["M-9"] }\n'
    assert left_open(molecules=text) == [
        "pact/molecules.toml:1: M-1 groups 'IA-8', which no file declares",
        "pact/molecules.toml:1: M-1 holds 'M-9', which no file declares",
    ]
    molecule = read_pact({**PACT, "pact/molecules.toml": text.encode()}).molecules["M-1"]
    assert (molecule.atoms, molecule.molecules) == (("IA-1",), ())


def test_a_molecule_that_holds_itself_is_named_with_its_line():
    text = (
        'M-1 = { name = "a", atoms = [], molecules = ["M-2"] }\nM-2 = { name = "b", atoms = [], molecules = ["M-1"] }\n'
    )
    assert left_open(molecules=text) == [
        f"pact/molecules.toml:{line}: M-{line} holds itself, directly or over other molecules" for line in (1, 2)
    ]


def nested(levels):
    return "".join(
        f'M-{one} = {{ name = "{one}", atoms = [], molecules = [{"" if one == levels else f"{chr(34)}M-{one + 1}{chr(34)}"}] }}\n'
        for one in range(1, levels + 1)
    )


def test_ten_levels_can_be_nested_and_eleven_are_named_with_their_line():
    assert len(read_pact({**PACT, "pact/molecules.toml": nested(10).encode()}).molecules) == 10
    assert left_open(molecules=nested(11)) == [
        "pact/molecules.toml:1: M-1 holds molecules over 11 levels, itself included; at most 10"
    ]


def test_attributes_that_a_person_wrote_stay_and_those_that_repeat_lines_go():
    added = write.put_attributes(b"*.toml text\ndebt.txt merge=union\nmolecules.toml merge=binary")
    assert added.decode() == "*.toml text\nmolecules.toml merge=binary\n" + write.ATTRIBUTES
    assert write.put_attributes(added) == added
    assert write.put_attributes(None) == write.ATTRIBUTES.encode()


def test_two_branches_that_clarify_other_things_merge(tmp_path):
    def git(*words):
        author = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *author, *words], cwd=tmp_path, check=words[0] != "merge", capture_output=True)

    def save(branch, *said):
        git("checkout", "-q", "-B", branch)
        source = None
        for one in said:
            source = write.put_clarification(source, one)
        (tmp_path / "pact/clarifications.toml").write_bytes(source or b"")
        git("add", "-A")
        git("commit", "-q", "-m", branch)

    others = [Clarification(f"CLA-{n}", "IA-1", f"{n}?", f"{n}!", "bob", "2030-01-02T00:00:00Z") for n in (2, 3)]
    (tmp_path / "pact").mkdir()
    (tmp_path / "pact/.gitattributes").write_text(write.ATTRIBUTES)
    git("init", "-q", "-b", "main")
    save("main", SAID)
    save("left", SAID, others[0])
    git("checkout", "-q", "main")
    save("right", SAID, others[1])
    git("merge", "-q", "--no-edit", "left")
    path = "pact/clarifications.toml"
    merged = resolve_file(path, (tmp_path / path).read_bytes(), stages(tmp_path, path), lambda *_: None).content
    assert merged is not None
    assert set(read_pact({**PACT, path: merged}).clarifications) == {"CLA-1", "CLA-2", "CLA-3"}
