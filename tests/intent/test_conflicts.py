"""What counts as a conflict and, above all, what does not."""

import pytest

from pactkeeper.intent.atoms import Atom, Commitment
from pactkeeper.intent.conflicts import MOST_ALIKE, candidates, find_conflicts
from pactkeeper.intent.links import link_tests
from pactkeeper.intent.pact import LinkRecord, Pact
from pactkeeper.intent.tests import Test


def a_pact(*intents, committed=(), **fields):
    atoms = [Atom(f"IA-{at}", said, **fields) if isinstance(said, str) else said for at, said in enumerate(intents, 1)]
    frozen = {"COM-1": Commitment("COM-1", dict.fromkeys(committed, "v1:aa"), "ada", "2030-01-01T00:00:00Z")}
    return Pact(atoms={one.id: one for one in atoms}, commitments=frozen if committed else {})


def kinds(*intents):
    return [one.kind for one in find_conflicts(a_pact(*intents)).found]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A login with an expired token is refused.", "A login with an expired token is accepted."),
        ("A login with an expired token is rejected.", "A login with an expired token succeeds."),
        ("A deleted file is not restored.", "A deleted file is restored."),
        ("No session is created for an expired token.", "A session is created for an expired token."),
        ("Users can delete their own posts.", "Users cannot delete their own posts."),
        ("An unverified user can post.", "An unverified user can't post."),
        ("A session lasts 30 minutes.", "A session lasts 60 minutes."),
        ("A token expires after 30 minutes.", "A token expires after 60 minutes."),
        ("An order ships within 2 days.", "An order ships within 5 days."),
        ("An unknown path is answered with 404.", "An unknown path is answered with 410."),
        ("The default page size is 20.", "The default page size is 50."),
        ("The status of a new order is 'open'.", "The status of a new order is 'pending'."),
        ("When a cart is empty, checkout is disabled.", "Checkout is enabled when a cart is empty."),
        ("Names are case-sensitive.", "Names are case-insensitive."),
        ("The list is sorted in ascending order.", "The list is sorted in descending order."),
        ("The parser returns 'a'.", "The parser returns 'b'."),
    ],
)
def test_same_subject_with_another_value_is_a_contradiction(one, other):
    assert kinds(one, other) == kinds(other, one) == ["contradiction"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A login with an expired token is refused.", "A login with a revoked token is refused."),
        ("A cart with 3 items costs 10.", "A cart with 4 items costs 10."),
        ("A cart with 3 items costs 10.", "A cart with 4 items costs 12."),
        ("The API returns 3 for 'abc'.", "The API returns 3 for 'abd'."),
        ("A parent waits for a child.", "A child waits for a parent."),
        ("The menu shows 'Save'.", "The menu shows 'Load'."),
        ("The parser accepts 'a'.", "The parser accepts 'b'."),
        ("The mail is sent to ada@example.org.", "The mail is sent to bob@example.org."),
        ("An empty list is accepted.", "A full list is accepted."),
        ("A visible button is clicked.", "A hidden button is clicked."),
        ("Login fails without a password.", "Login succeeds with a password."),
        ("The first item is shown.", "The last item is shown."),
        ("Base64 accepts <string>.", "Base64 rejects <string>."),
        ("A page is secure over http.", "A page is secure over https."),
        (":name+: matches one segment.", ":name*: matches one segment."),
        ("Object expected, array received: it fails.", "Array expected, object received: it fails."),
        ("An export is stored.", "A report is stored."),
        ("It works.", "It fails."),
        ("The list shows hidden files.", "The list shows visible files."),
    ],
)
def test_another_condition_or_another_subject_is_no_conflict(one, other):
    assert kinds(one, other) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A token that expired is refused.", "An expired token is refused."),
        ("If the cart is empty, no order is created.", "No order is created if the cart is empty."),
        ("A saved draft is shown in the list.", "The saved draft is displayed in the list."),
        ("Log entries are deleted after a week.", "Log entries are removed after a week."),
        ("Users can save a draft.", "The user saves drafts."),
    ],
)
def test_other_words_for_the_same_are_the_same_sentence(one, other):
    assert kinds(one, other) == ["same sentence"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A user that is not logged in sees the page.", "A user that is logged in sees the page."),
        ("Files above 5 MB are rejected.", "Files above 10 MB are rejected."),
        ("A class without tests is no gap.", "A class with tests is a gap."),
        ("A request before noon is accepted.", "A request after noon is accepted."),
    ],
)
def test_a_value_or_negation_of_a_case_is_left_to_people(one, other):
    assert kinds(one, other) == kinds(other, one) == ["unsure"]


def test_equal_sentences_with_outcomes_that_exclude_each_other_contradict():
    atoms = [
        Atom("IA-1", "A token is refused.", outcomes=("The response status is 401.",)),
        Atom("IA-2", "A token is refused.", outcomes=("The body is empty.", "The response status is 403.")),
    ]
    (found,) = find_conflicts(a_pact(*atoms)).found
    assert (found.kind, found.ours, found.theirs) == (
        "contradiction",
        "The response status is 401.",
        "The response status is 403.",
    )


def test_many_that_say_the_same_are_one_conflict():
    (found,) = find_conflicts(a_pact(*["A token is refused."] * 4)).found
    assert found.atoms == ("IA-1", "IA-2", "IA-3", "IA-4")


def test_a_series_of_values_is_counted_and_no_conflict():
    series = [f"The response status code is {number}." for number in (101, 201, 302)]
    assert (find_conflicts(a_pact(*series)).found, find_conflicts(a_pact(*series)).left_out) == ((), 1)
    assert kinds(*series[:2]) == ["contradiction"]


def test_a_long_list_of_alike_sentences_is_counted_and_not_compared():
    found = find_conflicts(a_pact(*(f"Word {'x' * number}xy is spelt right." for number in range(MOST_ALIKE + 1))))
    assert (found.found, found.left_out) == ((), 1)


def test_words_that_exclude_each_other_are_shown_as_they_are_spelled():
    (found,) = find_conflicts(a_pact("An expired token is refused.", "An expired token is accepted.")).found
    assert found.message == "they may contradict each other: 'refused' and 'accepted'"


def test_of_two_values_neither_is_the_one_to_give_up():
    (found,) = find_conflicts(a_pact("A page opens within 2 seconds.", "A page opens within 3 seconds.")).found
    assert found.choices[0] == (
        "if '3 seconds' holds: pk atom abandon IA-1 --reason …; if '2 seconds' holds: pk atom abandon IA-2 --reason …"
    )


def test_only_atoms_in_force_are_looked_at():
    given_up = Atom("IA-1", "A session lasts 30 minutes.", status="abandoned")
    assert find_conflicts(a_pact(given_up, "A session lasts 60 minutes.")).found == ()


def test_a_successor_that_waits_says_something_else_on_purpose():
    new = Atom("IA-2", "A session lasts 60 minutes.", supersedes="IA-1")
    assert find_conflicts(a_pact("A session lasts 30 minutes.", new, committed=["IA-1"])).found == ()


def test_choices_never_give_up_what_is_committed():
    pact = a_pact("A session lasts 30 minutes.", "A session lasts 60 minutes.", committed=["IA-1"])
    (found,) = find_conflicts(pact).found
    assert any(choice.endswith("pk atom supersede IA-1 IA-2") for choice in found.choices)
    assert not any("abandon IA-1" in choice or "edit IA-1" in choice for choice in found.choices)


def a_test(name):
    return Test(name, "a.py", (), name, 1, 1, 2, "python", "pytest", "b1:x")


def test_a_test_that_alone_realises_two_atoms_is_shared():
    pact = a_pact("A token is refused.", "An invoice is sent.", "A cart is shown.")
    links = [LinkRecord("a", atoms=("IA-1", "IA-2", "IA-3")), LinkRecord("b", atoms=("IA-3",))]
    pact = Pact(atoms=pact.atoms, links={one.test: one for one in links})
    (found,) = find_conflicts(pact, link_tests([a_test("a"), a_test("b")], pact)).found
    assert (found.kind, found.atoms, found.test) == ("shared test", ("IA-1", "IA-2"), "a")


def test_sentences_that_two_tests_hold_at_once_exclude_nothing():
    said = ("A pattern matches.", "A pattern does not match.")
    links = {name: LinkRecord(name, atoms=(atom,)) for name, atom in (("a", "IA-1"), ("b", "IA-2"))}
    for source, expected in (("reconciliation", ([], 1)), ("person", (["contradiction"], 0))):
        pact = Pact(atoms=a_pact(*said, source=source).atoms, links=links)
        found = find_conflicts(pact, link_tests([a_test("a"), a_test("b")], pact))
        assert ([one.kind for one in found.found], found.held) == expected
        alone = find_conflicts(pact, link_tests([a_test("a")], pact))
        assert ([one.kind for one in alone.found], alone.held) == (["contradiction"], 0)


def test_two_tests_of_one_sentence_are_still_named():
    links = {name: LinkRecord(name, atoms=(atom,)) for name, atom in (("a", "IA-1"), ("b", "IA-2"))}
    pact = Pact(atoms=a_pact(*["A pattern matches."] * 2, source="reconciliation").atoms, links=links)
    found = find_conflicts(pact, link_tests([a_test("a"), a_test("b")], pact))
    assert [one.kind for one in found.found] == ["same sentence"]


def test_the_order_of_atoms_changes_nothing():
    said = [
        "A session lasts 30 minutes.",
        "A session lasts 60 minutes.",
        "A token is refused.",
        "The token is refused.",
    ]
    pact = a_pact(*said)
    turned = Pact(atoms=dict(reversed(pact.atoms.items())))
    assert find_conflicts(pact) == find_conflicts(turned)


def test_sentences_that_are_not_close_are_never_paired():
    far = {f"IA-{at}": f"A red{'x' * at} box of wood{'y' * at} is closed." for at in range(900)}
    near = {"IA-A": "A green box is closed.", "IA-B": "A brown box is closed."}
    assert candidates({**far, **near}).pairs == (("IA-A", "IA-B"),)
