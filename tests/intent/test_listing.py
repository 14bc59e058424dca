from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.ids import nearest, same
from pactkeeper.intent.listing import AtomFilter, count, matching, ordered, popular_tags, search
from pactkeeper.intent.pact import LinkRecord, Pact

LOGIN = Atom("IA-2", "A login with an old token is refused.", "security", ("It is 401.",), tags=("login", "token"))
CART = Atom("IA-10", "A cart holds ten items.", origin="web/cart.test.ts::cart::ten", tags=("cart", "cart"), line=2)
ABANDONED = Atom("IA-1", "A cart is red.", status="abandoned", source="ticket", falsified_by=("It is blue.",), line=3)
PACT = Pact(
    atoms={one.id: one for one in (LOGIN, CART, ABANDONED)},
    links={"tests/test_a.py::test": LinkRecord("tests/test_a.py::test", atoms=("IA-2",))},
)


def ids(atoms):
    return [one.id for one in atoms]


def test_without_a_condition_everything_is_wanted():
    assert ids(matching(PACT, AtomFilter())) == ["IA-2", "IA-10", "IA-1"]


def test_every_condition_must_hold_and_one_of_its_values_is_enough():
    assert ids(matching(PACT, AtomFilter(status=["draft", "abandoned"], tags=["cart", "red"]))) == ["IA-10"]
    assert ids(matching(PACT, AtomFilter(category=["security"], source=["ticket"]))) == []


def test_a_path_is_that_of_the_origin_or_of_a_reviewed_test():
    assert ids(matching(PACT, AtomFilter(paths=["web"]))) == ["IA-10"]
    assert ids(matching(PACT, AtomFilter(paths=["tests/test_a.py"]))) == ["IA-2"]
    assert ids(matching(PACT, AtomFilter(paths=["**/*.ts"]))) == ["IA-10"]


def test_all_words_of_a_text_begin_words_of_the_atom_wherever_they_stand():
    assert ids(matching(PACT, AtomFilter(text="LOG 401"))) == ["IA-2"]
    assert ids(matching(PACT, AtomFilter(text="ogin"))) == []


def test_ids_are_sorted_by_their_number_and_equal_ones_by_their_place():
    assert ids(ordered(PACT.atoms.values(), PACT, sort="id")) == ["IA-1", "IA-2", "IA-10"]
    assert ids(ordered(PACT.atoms.values(), PACT, sort="source")) == ["IA-2", "IA-10", "IA-1"]
    assert ids(ordered(PACT.atoms.values(), PACT, sort="tests", descending=True)) == ["IA-2", "IA-10", "IA-1"]


def test_a_search_ranks_by_words_found_and_then_by_where_they_stand():
    assert ids(hit.atom for hit in search(PACT.atoms.values(), "cart items")) == ["IA-10", "IA-1"]
    assert ids(hit.atom for hit in search([CART, ABANDONED], "blue red cart")) == ["IA-1"]
    assert search(PACT.atoms.values(), "...") == []


def test_less_than_half_of_the_words_is_no_hit():
    assert search(PACT.atoms.values(), "cart of the king") == []


def test_counts_say_what_atoms_lack():
    found = count(list(PACT.atoms.values()), PACT)
    assert (found.total, found.status, found.source) == (3, {"abandoned": 1, "draft": 2}, {"person": 2, "ticket": 1})
    assert (found.without_outcomes, found.without_falsifiers, found.without_reviewed_test) == (2, 2, 2)


def test_a_tag_counts_once_an_atom():
    assert popular_tags(PACT.atoms.values()) == [("cart", 1), ("login", 1), ("token", 1)]


def test_nearest_names_other_wordings_and_not_other_matters():
    found = nearest("A login with an old token gets refused.", PACT.atoms.values())
    assert [near.atom.id for near in found] == ["IA-2"]
    assert nearest("A login with an old token is welcome, and a cart is red.", PACT.atoms.values()) == ()


def test_same_is_blind_to_case_spaces_and_the_final_full_stop():
    assert same("a  CART is red", PACT.atoms.values()) == (ABANDONED,)
    assert same("A cart is read.", PACT.atoms.values()) == ()
