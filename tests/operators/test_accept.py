"""The short way for single tests, with a person's own words or atom."""

import pytest

from pactkeeper.advice import for_reader
from pactkeeper.doors.cli.apply import print_applied
from pactkeeper.doors.cli.review_plain import left_out
from pactkeeper.errors import InputError, UsageError
from pactkeeper.operators.accept import AcceptedWords, accept_tests
from pactkeeper.operators.adopt import convert_links
from pactkeeper.operators.authored import create_atom, supersede_atom, update_atom
from pactkeeper.operators.decide import load_pending
from pactkeeper.reconcile.authored import AtomChange, NewAtom
from tests.operators.atoms import commit, declare, run
from tests.operators.conftest import ADDS, FILE, REFUSED


def accept(shop, *names, **words):
    return run(shop, accept_tests, names, AcceptedWords(**words))


def atom_of(shop, test):
    world = shop.world()
    (link,) = world.by_id[test].links
    return world.pact.atoms[link.atom]


def test_a_refused_number_is_told_beside_those_that_the_test_has_in_words_or_other_units(shop):
    shop.write("tests/test_money.py", "def test_the_deposit_is_fifty_euros():\n    assert deposit() == 50_00\n")
    refused = r"'50' is not in the source, and the test has fifty, 50_00; .* --confirm"
    with pytest.raises(InputError, match=refused):
        accept(
            shop,
            "tests/test_money.py::test_the_deposit_is_fifty_euros",
            intent="The deposit is 50 euros.",
            confirmed=False,
        )


def test_own_words_are_kept_as_a_persons(shop):
    accept(shop, ADDS, intent="Sums are right.")
    assert (atom_of(shop, ADDS).intent, atom_of(shop, ADDS).source) == ("Sums are right.", "person")


def test_an_agents_words_that_the_test_speaks_against_are_refused(shop):
    with pytest.raises(InputError, match=r"'7' is not in the source.*; if it holds as it is: pk accept .* --confirm"):
        accept(shop, ADDS, intent="Adding two numbers gives 7.", by="agent", confirmed=False)

    accept(shop, ADDS, intent="Adding two numbers gives 3.", by="agent", confirmed=False)
    assert atom_of(shop, ADDS).intent == "Adding two numbers gives 3."


def test_own_words_for_a_moved_test_are_not_dropped(linked):
    linked.replace(FILE, "def test_adds_two_numbers", "def test_sums")
    accept(linked, f"{FILE}::test_sums", intent="Sums are right.")
    assert atom_of(linked, f"{FILE}::test_sums").intent == "Sums are right."


def test_own_words_reword_the_atom_of_a_suspect_link(linked):
    linked.replace(FILE, "add(1, 2) == 3", "add(2, 2) == 4")
    before = atom_of(linked, ADDS).id
    accept(linked, ADDS, intent="Sums are right.")
    assert (atom_of(linked, ADDS).id, atom_of(linked, ADDS).intent) == (before, "Sums are right.")
    assert linked.states()[ADDS] == "unratified"


def test_own_words_for_a_test_that_lacks_nothing_go_to_its_draft_or_replace_what_is_committed(linked):
    atom = atom_of(linked, ADDS).id
    ways = {f"pk atom edit {atom} --intent 'Sums are right.'": (), f"pk accept {ADDS} --atom {atom} --intent ": (atom,)}
    for way, committed in ways.items():
        if committed:
            commit(linked, *committed)
        with pytest.raises(UsageError, match="lacks nothing; for its atom to say this: ") as refused:
            accept(linked, ADDS, intent="Sums are right.")
        assert way in str(refused.value)


def test_the_way_out_for_less_of_a_committed_atom_names_the_atom(linked):
    atom = atom_of(linked, ADDS).id
    commit(linked, atom)
    linked.replace(FILE, "assert add(1, 2) == 3", "pass")
    with pytest.raises(UsageError, match=f"declare the new behaviour: pk atom supersede {atom} --intent"):
        accept(linked, ADDS)


@pytest.mark.parametrize("asserted", ["assert add(1, 2) > 0", "assert add(2, 1) == 3", "assert sub(1, 2) == 3"])
def test_a_committed_atom_gets_no_successor_of_its_own_words_without_a_word(linked, asserted):
    atom = atom_of(linked, ADDS).id
    commit(linked, atom)
    linked.replace(FILE, "assert add(1, 2) == 3", asserted)
    with pytest.raises(UsageError, match=f"of a committed atom than was reviewed.*\n(.*\n)*.*{atom}"):
        accept(linked, ADDS)
    assert [one.id for one in linked.world().pact.atoms.values() if one.supersedes] == []
    accept(linked, ADDS, atom=atom, intent="A sum is greater than nothing.")
    assert atom_of(linked, ADDS).supersedes == atom


def test_own_words_for_a_link_of_the_suite_are_refused_with_what_to_do(linked):
    atom = atom_of(linked, REFUSED).id
    linked.write(
        "tests/test_suite.py", f"# @atom {atom}\nclass TestX:\n    def test_it(self):\n        assert f() == 1\n"
    )
    with pytest.raises(UsageError, match="confirm them first"):
        accept(linked, "tests/test_suite.py", intent="It works.")


def test_linking_another_atom_does_not_confirm_a_suspect_link(linked):
    linked.replace(FILE, "add(1, 2) == 3", "add(2, 2) == 4")
    accept(linked, ADDS, atom=atom_of(linked, REFUSED).id)
    assert linked.states()[ADDS] == "suspect"
    accept(linked, ADDS)
    assert linked.states()[ADDS] == "unratified"


@pytest.mark.parametrize("carrier", ["comment", "sidecar"])
def test_a_test_whose_atom_was_given_up_is_given_another_one(linked, carrier):
    run(linked, convert_links, (), carrier)
    (old,) = {link.atom for entry in linked.world().linked for link in entry.links if entry.test.id == ADDS}
    run(linked, update_atom, old, AtomChange(status="abandoned", reason="not ours"))
    assert linked.states()[ADDS] == "abandoned"
    run(linked, accept_tests, (ADDS,), AcceptedWords(intent="Two numbers are summed."))
    assert linked.states()[ADDS] == "unratified"
    (link,) = linked.world().by_id[ADDS].links
    assert (link.atom != old, link.carrier) == (True, carrier)


def test_a_successor_of_a_committed_atom_names_the_step_that_is_left(linked, capsys):
    old = atom_of(linked, ADDS).id
    commit(linked, old)
    linked.replace(FILE, "add(1, 2) == 3", "add(2, 2) == 4")
    print_applied(run(linked, accept_tests, (ADDS,), AcceptedWords(intent="Four is the sum of two and two.")))
    new = linked.world().pact.waiting_for(old)
    assert f"{new} replaces {old} once it is committed too: pk commit {new}" in capsys.readouterr().out


RETURNED = f"{FILE}::test_article_is_returned"
RETURNS = """\
def test_article_is_returned():
    \"\"\"An article can be returned up to 30 days after delivery.\"\"\"
    assert may_return(30) is True
"""


@pytest.fixture
def shortened(shop):
    """A committed promise of 30 days whose committed successor says 14, and a test that still asserts 30."""
    shop.write(FILE, RETURNS)
    accept(shop, RETURNED)
    old = atom_of(shop, RETURNED).id
    commit(shop, old)
    said = AtomChange(
        intent="An article can be returned up to 14 days after delivery.", outcomes=("Day 15 is refused.",)
    )
    new = run(shop, supersede_atom, old, said).new
    commit(shop, new)
    return shop, old, new


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_test_with_the_sentence_of_an_atom_is_offered_that_atom(linked, is_committed):
    said = atom_of(linked, ADDS)
    if is_committed:
        commit(linked, said.id)
    other = "tests/test_other.py::test_sums"
    linked.write("tests/test_other.py", f'def test_sums():\n    """{said.intent}"""\n    assert add(2, 5) == 7\n')
    with pytest.raises(UsageError, match=f"pk accept {other} --atom {said.id}") as refused:
        accept(linked, other)
    assert "pk accept" not in for_reader(refused.value.args[0], "agent")

    accept(linked, other, atom=said.id)
    assert atom_of(linked, other).id == said.id


def test_a_test_without_a_sentence_needs_words_beside_one_that_is_offered_an_atom(linked):
    said = atom_of(linked, ADDS)
    sums = f'def test_sums():\n    """{said.intent}"""\n    assert add(2, 5) == 7\n'
    linked.write("tests/test_other.py", f"{sums}\n\ndef test_1():\n    run()\n")
    with pytest.raises(UsageError, match=rf"(?s)test_sums --atom {said.id}\n.*need words.*test_other.py::test_1: "):
        accept(linked, "tests/test_other.py")


def test_link_to_a_successor_with_other_values_needs_a_confirmation(shortened):
    shop, old, new = shortened
    assert "PK104" in shop.codes()
    with pytest.raises(InputError, match=r"(?s)'14' is not in the source.*'15' is not.*--confirm") as refused:
        accept(shop, RETURNED, confirmed=False)
    assert "--confirm" not in for_reader(refused.value.args[0], "agent")
    with pytest.raises(InputError, match="'14' is not in the source"):
        accept(shop, RETURNED, atom=new, confirmed=False)
    assert atom_of(shop, RETURNED).id == old
    accept(shop, RETURNED)
    assert atom_of(shop, RETURNED).id == new


def test_link_to_a_successor_is_taken_once_the_test_has_its_values(shortened):
    shop, _, new = shortened
    shop.replace(FILE, "may_return(30) is True", "may_return(14) is True\n    assert may_return(15) is False")
    accept(shop, RETURNED, confirmed=False)
    assert atom_of(shop, RETURNED).id == new


def test_run_proposes_a_successor_with_other_values_as_doubtful_and_not_in_bulk(shortened):
    shop, _, _ = shortened
    patch = shop.reconcile().patch
    (op,) = [op for op in patch.ops if op.group == RETURNED]
    assert (op.confidence, any("'14' is not in the source" in one.note for one in op.evidence)) == ("0.40", True)
    pending = run(shop, load_pending, patch.id)
    assert (pending.sound, "1 test whose words" in left_out(pending)) == ((), True)
    assert "or whose values differ from the atom's" in left_out(pending)


def test_a_sentence_with_a_value_that_its_test_no_longer_holds_is_not_confirmed_in_passing(linked):
    linked.write("tests/test_find.py", "def test_find():\n    assert find() == 7\n")
    accept(linked, "tests/test_find.py::test_find", intent="Looking up a missing article gives 7.")
    linked.replace("tests/test_find.py", "== 7", "== 9")
    with pytest.raises(InputError, match=r"(?s)holds 7, which .*test_find no longer does.*pk atom edit") as refused:
        accept(linked, "tests/test_find.py::test_find", confirmed=False)
    assert "--confirm" not in for_reader(refused.value.args[0], "agent")
    accept(linked, "tests/test_find.py::test_find")
    assert "PK115" not in linked.codes()


def test_a_decimal_number_is_the_whole_number_that_it_equals(linked):
    linked.write("tests/test_fee.py", 'def test_fee():\n    assert fee(500) == Decimal("10.00")\n')
    accept(linked, "tests/test_fee.py::test_fee", intent="A fee of 500 days is 10 euros.", confirmed=False)
    assert atom_of(linked, "tests/test_fee.py::test_fee").intent == "A fee of 500 days is 10 euros."


def test_a_test_that_says_the_same_in_other_words_is_recorded_anew(linked):
    linked.save()
    before = linked.world().pact.links[ADDS]
    linked.replace(FILE, "assert add(1, 2) == 3", "total = add(1, 2)\n    assert total == 3")
    accept(linked, ADDS)
    after = linked.world().pact.links[ADDS]
    assert (after.body, after.asserts) == (linked.world().by_id[ADDS].test.body_hash, before.asserts)
    with pytest.raises(UsageError, match="nothing to accept"):
        accept(linked, ADDS)


LATER = f"{FILE}::test_adds_more"


def reviews(shop):
    return {name: record.rests for name, record in shop.world().pact.links.items()}


def test_accepting_a_test_leaves_the_reviews_of_the_others_in_its_file_as_they_are(linked):
    linked.save()
    before = reviews(linked)
    linked.write(FILE, linked.read(FILE) + "\n\ndef test_adds_more():\n    assert add(2, 2) == 4\n")
    assert accept(linked, LATER, intent="Twos are added.").renewed == ()
    assert {name: reviews(linked)[name] for name in before} == before


@pytest.mark.parametrize("committed", [True, False])
def test_a_review_with_a_text_that_git_does_not_have_is_recorded_anew_and_named_if_it_is_committed(linked, committed):
    linked.replace(FILE, "add(1, 2) == 3", "add(2, 1) == 3")
    accept(linked, ADDS)
    if committed:
        linked.git("add", "pact")
        linked.git("commit", "--quiet", "--message=Pact")
    linked.write(FILE, linked.read(FILE) + "\n\ndef test_adds_more():\n    assert add(2, 2) == 4\n")
    linked.git("add", "--all")
    done = accept(linked, LATER, intent="Twos are added.")
    assert (ADDS in done.renewed, done.renewed == ()) == (committed, not committed)
    assert reviews(linked)[ADDS] == reviews(linked)[LATER]


@pytest.mark.parametrize("carrier", ["sidecar", "comment"])
def test_a_moved_test_keeps_its_link_where_it_was(linked, carrier):
    linked.write("pact/pact.toml", f'[pact]\nformat = 1\n[links]\nwrite = "{carrier}"\n')
    run(linked, convert_links, (), carrier)
    linked.write("pact/pact.toml", "[pact]\nformat = 1\n")
    linked.save()
    before = linked.read(FILE)
    linked.replace(FILE, "def test_adds_two_numbers", "def test_sums")
    accept(linked, moved=True)
    assert linked.read(FILE) == before.replace("def test_adds_two_numbers", "def test_sums")
    (link,) = linked.world().by_id[f"{FILE}::test_sums"].links
    assert link.carrier == carrier


def test_a_committed_behaviour_is_replaced_by_what_its_changed_test_says_now(linked):
    old = atom_of(linked, ADDS).id
    commit(linked, old)
    linked.replace(FILE, "def test_adds_two_numbers", "def test_adds_one_more")
    linked.replace(FILE, "add(1, 2) == 3", "add(1, 2) == 4")
    later = f"{FILE}::test_adds_one_more"
    accept(linked, later, atom=old, intent="A sum is one more.")
    new = atom_of(linked, later)
    assert (new.supersedes, new.outcomes) == (old, ("`assert add(1, 2) == 4`",))
    assert list(linked.world().pact.links) == [later, REFUSED]
    with pytest.raises(UsageError, match=f"has a successor, {new.id}"):
        accept(linked, later, atom=old, intent="A sum is two more.")
    commit(linked, new.id)
    assert linked.codes() == []


def test_replacing_a_behaviour_confirms_the_drafts_that_its_test_was_linked_to(linked):
    old = atom_of(linked, ADDS).id
    commit(linked, old)
    draft = declare(linked, "Adding one to three gives four.")
    linked.replace(FILE, "add(1, 2) == 3", "add(1, 3) == 4")
    accept(linked, ADDS, atom=draft)
    accept(linked, ADDS, atom=old, intent="A sum is one more.")
    assert not any(link.state == "suspect" for link in linked.world().by_id[ADDS].links)


def test_only_a_committed_atom_is_replaced_along_with_its_link(linked):
    with pytest.raises(UsageError, match="--atom with --intent replaces a committed atom"):
        accept(linked, ADDS, atom=atom_of(linked, REFUSED).id, intent="A sum is right.")


def test_an_atom_without_outcomes_gets_those_of_its_first_test(shop):
    with shop.open() as workspace:
        atom = create_atom(workspace, NewAtom("Sums are right.")).atom
    accept(shop, ADDS, REFUSED, atom=atom)
    assert shop.world().pact.atoms[atom].outcomes == ("`assert add(1, 2) == 3`",)
