import tomllib
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.catalog import write
from pactkeeper.catalog.document import Document
from pactkeeper.catalog.read import read_pact, read_settings
from pactkeeper.catalog.render import atom_fields
from pactkeeper.errors import CatalogError, InputError
from pactkeeper.intent.atoms import CATEGORIES, Atom, Molecule
from pactkeeper.intent.pact import LinkRecord, Settings, Waiver
from tests.catalog.pacts import MARK, link, put_link, reconciled

BY_HAND = b"""\xef\xbb\xbf# what we promise\r
\r
# the old one\r
[IA-2]   # first\r
intent = '''\r
[IA-1]\r
x = "y"\r
'''  # long\r
category   =   "security"\r
\r
\r
[IA-9]\r
# why\r
intent = "z"   \r
tags = [\r
  "a", # one\r
]"""

ids = st.integers(0, 999).map(lambda number: f"IA-{number:03d}X")
texts = st.text(min_size=1).filter(str.strip)
atoms = st.builds(
    Atom,
    id=ids,
    intent=texts,
    category=st.sampled_from(CATEGORIES),
    outcomes=st.lists(texts, max_size=2).map(tuple),
    falsified_by=st.lists(texts, max_size=2).map(tuple),
    status=st.sampled_from(["draft", "proposed", "abandoned"]),
    origin=st.none() | texts,
    source=st.sampled_from(["person", "reconciliation"]),
    recommendation=st.none() | texts,
    tags=st.lists(texts, max_size=2).map(tuple),
)
records = st.builds(
    LinkRecord,
    test=st.text().map(lambda name: f"t.py::{name}"),
    atoms=st.lists(ids, max_size=2, unique=True).map(tuple),
    annotated=st.lists(ids, max_size=2, unique=True).map(tuple),
    body=st.none() | st.just("v1:ab"),
    rejected=st.none() | st.just("v1:cd"),
    by=st.none() | texts,
    reason=st.none() | texts,
    at=st.none() | st.just("2030-01-01T00:00:00+00:00"),
)


def placeless(atom: Atom) -> Atom:
    return replace(atom, path="", line=0)


def atoms_in(source: bytes) -> dict[str, Atom]:
    pact = read_pact({"pact/pact.toml": MARK, "pact/atoms/a.toml": source})
    return {name: placeless(atom) for name, atom in pact.atoms.items()}


@given(st.lists(atoms, max_size=6))
def test_atoms_read_back_as_they_were_written_whatever_their_order(wanted):
    source = None
    for atom in wanted:
        source = write.put_atom(source, atom)
    assert atoms_in(source or b"") == {atom.id: atom for atom in wanted}


@given(st.lists(atoms, max_size=6, unique_by=lambda atom: atom.id), st.randoms())
def test_the_order_of_writing_leaves_no_trace(wanted, random):
    def written(order: list[Atom]) -> bytes | None:
        source = None
        for atom in order:
            source = write.put_atom(source, atom)
        return source

    assert written(wanted) == written(random.sample(wanted, len(wanted)))


@given(st.lists(atoms, min_size=1, max_size=6, unique_by=lambda atom: atom.id), atoms)
def test_removing_what_was_added_gives_the_same_bytes_back(wanted, extra):
    source = None
    for atom in wanted:
        source = write.put_atom(source, atom)
    if extra.id not in {atom.id for atom in wanted}:
        assert write.remove_atom(write.put_atom(source, extra), extra.id) == source


@given(st.lists(records, max_size=6))
def test_links_read_back_as_they_were_written(wanted):
    source: bytes | None = None
    for record in wanted:
        source = put_link(source, record)
    last = {record.test: record for record in wanted}
    known = {test: record for test, record in last.items() if record != LinkRecord(test)}
    pact = read_pact({"pact/pact.toml": MARK, "pact/links/t.py.toml": source or b""})
    assert pact.links == known
    assert list(tomllib.loads((source or b"").decode())) == sorted(known)


@given(st.sampled_from([b'[IA-1]\nintent = "x"\n', b'IA-1.intent = "x"\n', b'IA-1 = { intent = "x" }\n']), atoms, atoms)
def test_an_atom_changes_in_the_form_it_was_written_in(source, first, second):
    opening = source[: source.index(b"intent")]
    changed = write.put_atom(write.put_atom(source, replace(first, id="IA-1")), replace(second, id="IA-1"))
    assert atoms_in(changed) == {"IA-1": replace(second, id="IA-1")}
    assert changed.startswith(opening)


def test_an_equal_atom_changes_no_byte():
    for atom in read_pact({"pact/pact.toml": MARK, "pact/atoms/a.toml": BY_HAND}).atoms.values():
        partial = write.put_atom(BY_HAND, atom)
        assert write.put_atom(partial, atom) == partial


def test_changing_one_key_leaves_every_other_byte():
    source = b'[IA-1]   # c\r\n  intent   = "x"  # why\r\ncategory = \'security\'\r\nsource = "person"'
    changed = write.put_atom(source, Atom("IA-1", "y", category="security"))
    assert changed == source.replace(b'"x"', b'"y"')


def test_adding_to_a_file_written_by_hand_only_adds():
    changed = write.put_atom(BY_HAND, Atom("IA-5", "y"))
    added = b'[IA-5]\r\ncategory = "functional"\r\nintent = "y"\r\nsource = "person"\r\n\r\n'
    assert changed == BY_HAND.replace(b"[IA-9]", added + b"[IA-9]")


def test_a_line_that_nobody_ended_is_ended_before_another_follows():
    changed = write.put_atom(BY_HAND, Atom("IA-99", "y"))
    assert changed.startswith(BY_HAND + b"\r\n\r\n[IA-99]\r\n")


def test_removing_a_table_takes_its_comments_and_leaves_the_rest():
    assert (
        write.remove_atom(BY_HAND, "IA-2")
        == b"\xef\xbb\xbf# what we promise\r\n\r\n" + BY_HAND[BY_HAND.index(b"[IA-9]") :]
    )
    assert write.remove_atom(BY_HAND, "IA-9") == BY_HAND[: BY_HAND.index(b"\r\n\r\n[IA-9]")]


def test_removing_an_entry_leaves_the_blank_line_that_sets_its_neighbours_off():
    source = b"[IA-1]\nintent = 'a'\n[IA-2]\nintent = 'b'\n\n[IA-3]\nintent = 'c'\n"
    assert write.remove_atom(source, "IA-2") == b"[IA-1]\nintent = 'a'\n\n[IA-3]\nintent = 'c'\n"


def test_removing_what_is_not_there_changes_no_byte():
    assert write.remove_atom(BY_HAND, "IA-1") == BY_HAND


def test_a_key_that_follows_a_changed_last_line_stands_on_its_own():
    changed = write.put_atom(b'[IA-1]\nsource = "person"\nintent = "x"', Atom("IA-1", "y", tags=("t",)))
    assert atoms_in(changed) == {"IA-1": Atom("IA-1", "y", tags=("t",))}


@given(
    st.lists(atoms, max_size=5, unique_by=lambda one: one.id), st.lists(atoms, max_size=5, unique_by=lambda one: one.id)
)
def test_many_entries_written_at_once_are_as_written_one_by_one(known, wanted):
    source: bytes | None = None
    for atom in known:
        source = write.put_atom(source, atom)
    at_once = Document("pact/atoms/a.toml", source)
    for atom in wanted:
        at_once.put_fields(atom.id, atom_fields(atom))
        source = write.put_atom(source, atom)
    assert bytes(at_once) == (source or b"")


def test_sequential_ids_sort_by_number():
    source = None
    for name in ("IA-1000", "IA-999", "IA-002"):
        source = write.put_atom(source, Atom(name, "x"))
    assert list(atoms_in(source or b"")) == ["IA-002", "IA-999", "IA-1000"]


def test_a_link_on_one_line_stays_on_one_line_with_its_comment():
    source = b'# legacy\n"t.py::a"   = {body="v1:a"} # ask ada\n"t.py::c" = { by = "bob" }\n'
    changed = put_link(source, LinkRecord("t.py::a", body="v1:b"))
    assert changed == source.replace(b'{body="v1:a"}', b'{ body = "v1:b" }')
    assert put_link(changed, LinkRecord("t.py::b", body="v1:c")).split(b"\n")[2:4] == [b'"t.py::b".body = "v1:c"', b""]


def test_every_written_line_of_a_link_names_its_test():
    source = put_link(put_link(None, link(2)), link(1, annotated=("IA-9",), atoms=()))
    assert [line.split(b".body")[0].split(b".at")[0].split(b".ann")[0] for line in source.split(b"\n")] == [
        b'"tests/test_a.py::test_001"',
        b'"tests/test_a.py::test_001"',
        b"",
        b'"tests/test_a.py::test_002"',
        b'"tests/test_a.py::test_002"',
        b"",
    ]


def test_a_link_in_a_file_of_tables_becomes_a_table():
    source = b'["t.py::a"]\nbody = "v1:a"\n\n["t.py::z"]\nbody = "v1:z"\n'
    changed = put_link(source, LinkRecord("t.py::b", body="v1:b"))
    assert changed == b'["t.py::a"]\nbody = "v1:a"\n\n["t.py::b"]\nbody = "v1:b"\n\n["t.py::z"]\nbody = "v1:z"\n'


def test_a_record_that_says_nothing_goes():
    assert put_link(b'"t.py::a" = { body = "v1:a" }\n', LinkRecord("t.py::a")) == b""


def test_a_repeated_line_becomes_one_when_it_is_written_again():
    line = b'"t.py::a" = { body = "v1:a" }\n'
    changed = put_link(line + b'"t.py::b" = {}\n' + line, LinkRecord("t.py::a", body="v1:b"))
    assert changed == b'"t.py::a" = { body = "v1:b" }\n"t.py::b" = {}\n'


def test_a_file_that_cannot_be_read_is_not_edited():
    with pytest.raises(CatalogError, match="resolve it first: pk resolve"):
        write.put_atom(b'<<<<<<< HEAD\nIA-1.intent = "x"\n=======\n>>>>>>> b\n', Atom("IA-2", "x"))


def test_half_a_character_is_refused_instead_of_written():
    with pytest.raises(InputError, match="an invalid character"):
        write.put_atom(None, Atom("IA-1", "\ud800"))


def test_molecules_and_waivers_read_back():
    molecule = Molecule("M-1", "Login", ("IA-001X",), description="all of it")
    waiver = Waiver("ada", 'because "x"', date(2030, 1, 2), code="PK101", subject="t.py::x")
    files = {
        "pact/pact.toml": MARK,
        "pact/atoms/a.toml": write.put_atom(None, reconciled(1)),
        "pact/molecules.toml": write.put_molecule(None, molecule),
        "pact/waivers.toml": write.put_waiver(None, waiver),
    }
    pact = read_pact(files)
    assert replace(pact.molecules["M-1"], path="", line=0) == molecule
    assert pact.waivers == (waiver,)
    assert write.remove_molecule(files["pact/molecules.toml"], "M-1") == b""
    assert write.remove_waiver(files["pact/waivers.toml"], waiver.key) == b""


def test_a_switch_of_a_rule_changes_one_key_and_no_other_byte():
    source = b'# ours\n[INV-1]   # first\nrule = "x"\n\n[INV-003]\nenabled = false # for now\n'
    assert write.switch_invariant(source, "INV-003", "enabled", value=True) == source.replace(b"false", b"true")
    assert write.switch_invariant(source, "INV-003", "enabled", value=False) == source
    assert write.switch_invariant(None, "INV-004", "severity", value="warning") == b'INV-004.severity = "warning"\n'


def test_debt_lines_are_sorted_and_leave_by_test():
    source = write.put_debt(None, [("t.py::b", "v1:2"), ("t.py::a c", "v1:1")])
    assert source == b"v1:1 t.py::a c\nv1:2 t.py::b\n"
    assert write.put_debt(source, [("t.py::b", "v1:2")]) == source
    assert write.put_debt(source, [("t.py::b", "v1:0")]) == b"v1:0 t.py::b\nv1:1 t.py::a c\n"
    assert write.remove_debt(source, ["t.py::a c"]) == b"v1:2 t.py::b\n"
    assert write.remove_debt(source, ["t.py::none"]) == source


def test_debt_keeps_windows_line_ends():
    assert write.put_debt(b"v1:1 t.py::a\r\n", [("t.py::b", "v1:2")]) == b"v1:1 t.py::a\r\nv1:2 t.py::b\r\n"


def test_settings_are_written_with_what_differs_from_the_defaults():
    assert write.new_settings() == b"[pact]\nformat = 1\n"
    settings = Settings(atom_prefix="REQ", exclude=("x/**",), inherited="fail")
    written = write.new_settings(settings)
    assert (
        written
        == b'[pact]\nformat = 1\natom_prefix = "REQ"\n\n[tests]\nexclude = ["x/**"]\n\n[check]\ninherited = "fail"\n'
    )
    assert read_settings(written) == settings


def test_a_link_added_and_removed_leaves_the_same_bytes():
    source = put_link(put_link(None, link(1)), link(3))
    assert put_link(put_link(source, link(2)), LinkRecord(link(2).test)) == source
