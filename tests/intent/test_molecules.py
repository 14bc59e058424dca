from pactkeeper.intent.atoms import MOST_LEVELS, Molecule, atoms_within, molecules_within, nesting_problems


def molecules(**inner):
    """Molecules by name, each with one atom of its own and those it holds."""
    return {name: Molecule(name, name, (f"IA-{name}",), molecules=tuple(held)) for name, held in inner.items()}


def troubled(found):
    return [(one.id, message.split(",")[0]) for one, message in nesting_problems(found)]


def test_atoms_of_all_levels_are_held_once_the_own_first():
    found = molecules(A="BC", B="D", C="D", D="")
    assert molecules_within("A", found) == ("A", "B", "C", "D")
    assert atoms_within("A", found) == ("IA-A", "IA-B", "IA-C", "IA-D")


def test_a_molecule_may_be_held_by_many():
    assert troubled(molecules(A="C", B="C", C="")) == []


def test_everything_in_a_circle_is_named_and_what_leads_to_it_is_not():
    found = molecules(A="B", B="C", C="B", D="D", E="")
    assert [name for name, _ in troubled(found)] == ["B", "C", "D"]


def test_levels_beyond_the_most_are_named():
    names = "ABCDEFGHIJKL"
    found = molecules(**{name: names[at + 1 : at + 2] for at, name in enumerate(names)})
    assert len(names) == MOST_LEVELS + 2
    assert [name for name, _ in troubled(found)] == ["A", "B"]


def test_a_long_chain_is_measured_without_recursion():
    found = molecules(**{f"M{n}": [f"M{n + 1}"] for n in range(3000)}, M3000=[])
    assert len(list(nesting_problems(found))) == 3001 - MOST_LEVELS
