"""`pk molecule` with lenses and levels, and `pk invariant supersede`."""

import pytest

DECLARED = """\
IA-001.intent = "A revoked token is refused."
IA-001.category = "security"

IA-002.intent = "A basket holds ten items."
"""
RULES = """\
INV-101 = { every = "atom", where = { category = ["security"] }, needs = { min_outcomes = 1 } }
INV-102 = { every = "atom", where = { category = ["security"] }, needs = { min_falsifiers = 1 }, enabled = false }
"""


@pytest.fixture
def declared(project):
    project.write("pact/pact.toml", "[pact]\nformat = 1\n")
    project.write("pact/atoms/authored.toml", DECLARED)
    return project


def test_molecules_are_created_nested_shown_and_listed_by_lens(declared):
    declared.pk("molecule", "create", "Login", "--lens", "feature", "--atom", "IA-001")
    declared.pk("molecule", "create", "Spring", "--lens", "release", "--atom", "IA-002", "--molecule", "Login")
    shown = declared.pk("molecule", "show", "Spring", "--json").document
    assert [one["name"] for one in shown["holds"]] == ["Login"]
    assert [atom["id"] for atom in shown["all_atoms"]] == ["IA-002", "IA-001"]
    assert "A revoked token is refused." in declared.pk("molecule", "show", "Spring").out
    listed = declared.pk("molecule", "list", "--lens", "feature", "--json").document
    assert ([one["name"] for one in listed["stored"]], listed["computed"]) == (["Login"], [])
    declared.pk("molecule", "unnest", "Spring", "Login")
    declared.pk("molecule", "lens", "Login", "none")
    assert declared.pk("molecule", "show", "Login", "--json").document["lens"] is None


def test_a_circle_in_the_file_is_named_with_its_line(declared):
    declared.write("pact/molecules.toml", 'M-1 = { name = "a", atoms = [], molecules = ["M-1"] }\n')
    assert "M-1  a  0 atoms" in declared.pk("molecule", "list").out
    (found,) = [one for one in declared.pk("check", "--json", code=1).document["findings"] if one["code"] == "PK152"]
    assert (found["file"], found["line"], found["subject"]) == ("pact/molecules.toml", 1, "M-1")
    assert (found["severity"], found["fix"]) == ("warning", "pk resolve")
    assert "holds itself" in found["message"]
    declared.pk("resolve")
    assert "PK152" not in declared.codes()
    assert "molecules" not in declared.read("pact/molecules.toml")


def test_superseded_rule_leaves_a_change_set(declared):
    declared.write("pact/invariants.toml", RULES)
    assert (
        "1 atom and 0 tests break INV-102"
        in declared.pk("invariant", "supersede", "INV-101", "INV-102", "--dry-run").out
    )
    done = declared.pk("invariant", "supersede", "INV-101", "INV-102", "--json").document
    assert done["atoms"] == ["IA-001"]
    shown = declared.pk("molecule", "show", done["change_set"], "--json").document
    assert (shown["lens"], shown["atoms"]) == ("change_set", ["IA-001"])
