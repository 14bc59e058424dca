"""`pk atom abandon` of a committed atom: a person gives a promise up, with a reason, and everybody can see it."""

import tomllib

import pytest

from pactkeeper.doors.cli.atom_writing import abandon
from tests.doors.committing import ADA, KEY, at_terminal, atom, declare, sign, start

ONE, TWO = atom(1).id, atom(2).id
WHY = ("--reason", "Boxes are free now.")
SIGNED = (*WHY, "--sign", str(KEY))
SIDECAR, STRICT = '[links]\nwrite = "sidecar"\n', "[commitments]\nrequire_signed = true\n"
TESTS = "tests/test_basket.py"
SOURCE = """\
def test_one_box_costs_five_euros():
    assert basket(boxes=1).total == 5


def test_two_boxes_cost_ten_euros():
    assert basket(boxes=2).total == 10
"""
FREED = SOURCE[SOURCE.index("def test_two") :]


@pytest.fixture
def promised(tmp_path):
    """A project of two atoms with a reviewed test each, of which the first is committed."""
    project = start(tmp_path / "promised", atoms=2, settings=SIDECAR)
    project.write(TESTS, SOURCE)
    sign(project, ONE)
    project.pk("accept", f"{TESTS}::test_one_box_costs_five_euros", "--atom", ONE)
    project.pk("accept", f"{TESTS}::test_two_boxes_cost_ten_euros", "--atom", TWO)
    project.commit("Promise")
    assert project.codes() == []
    return project


def given_up(project):
    """The files that give something up."""
    files = [path.read_text() for path in (project.root / "pact/commitments").glob("*.toml")]
    return [found for found in map(tomllib.loads, files) if "abandons" in found]


def status(project, name):
    return project.pk("atom", "show", name, "--json").document["status"]


def test_a_person_sees_what_was_promised_and_types_the_word(promised):
    code, screen = at_terminal(promised, "atom", "abandon", ONE, *WHY, answer="abandon\n", asked=b"Type abandon")
    assert code == 0, screen
    for said in (
        "A basket with 1 boxes costs 5 euros.",
        "asserted    INV-006",
        f"who     Ada <{ADA}>, typed at this terminal",
        "why     Boxes are free now.",
        "gives up 1 atom as COM-",
        "abandoned 1 atom: pact/commitments/COM-",
    ):
        assert said in screen
    (written,) = given_up(promised)
    assert written["by"] == f"Ada <{ADA}>"
    assert written["abandons"] == "Boxes are free now."
    assert written["words"][ONE]["outcomes"] == ["The basket total is 5 euros."]
    assert status(promised, ONE) == "abandoned"


@pytest.mark.parametrize("answer", ["\n", "yes\n", "commit\n"])
def test_anything_but_the_word_gives_nothing_up(promised, answer):
    code, screen = at_terminal(promised, "atom", "abandon", ONE, *WHY, answer=answer, asked=b"Type abandon")
    assert (code, promised.status()) == (2, "")
    assert "nothing was abandoned: 'abandon' was not typed" in screen


def test_without_a_terminal_nothing_is_given_up_whatever_is_piped_in(promised):
    done = promised.pk("atom", "abandon", ONE, *WHY, feed="abandon\n", code=2)
    assert "only a person can abandon what is committed" in done.err
    assert promised.status() == ""


def test_there_is_no_option_to_give_up_many_or_to_say_yes_beforehand():
    options = {name for parameter in abandon.params for name in parameter.opts}
    assert options.isdisjoint({"--yes", "-y", "--force", "--no-input", "--all"})
    assert [one.nargs for one in abandon.params if one.name == "atom"] == [1]


@pytest.mark.parametrize("reason", ["", "  "])
def test_a_reason_is_needed(promised, reason):
    done = promised.pk("atom", "abandon", ONE, "--reason", reason, "--sign", str(KEY), code=2)
    assert "given up for a reason" in done.err
    assert promised.status() == ""


def test_a_draft_is_abandoned_as_before_and_needs_no_signature(promised):
    assert "nothing to sign" in promised.pk("atom", "abandon", TWO, *SIGNED, code=2).err
    promised.pk("atom", "abandon", TWO, *WHY)
    assert (status(promised, TWO), given_up(promised)) == ("abandoned", [])


def test_the_table_stays_and_history_tells_who_gave_it_up(promised):
    before = promised.read("pact/atoms/basket.toml")
    document = promised.pk("atom", "abandon", ONE, *SIGNED, "--json").document
    assert (document["abandoned"], document["abandons"]) == (True, WHY[1])
    assert promised.read("pact/atoms/basket.toml") == before
    for command in (("atom", "history", ONE), ("explain", ONE), ("commitment", "show", ONE), ("log",)):
        shown = promised.pk(*command).out
        assert "Boxes are free now." in shown, command
        assert "Ada" in shown, command
    statuses = {row["status"] for row in promised.pk("commitment", "list", "--json").document["commitments"]}
    assert statuses == {"abandoned"}


def test_check_warns_until_the_compared_state_has_it(promised):
    promised.pk("atom", "abandon", ONE, *SIGNED)
    promised.write(TESTS, FREED)
    (finding,) = (
        one for one in promised.pk("check", "--json", code=None).document["findings"] if one["code"] == "PK413"
    )
    assert (finding["severity"], finding["subject"]) == ("warning", ONE)
    assert "Ada" in finding["message"]
    assert "Boxes are free now." in finding["message"]
    assert "-intent: A basket with 1 boxes costs 5 euros." in finding["detail"]
    promised.pk("reconcile")
    promised.pk("apply", "--all")
    promised.commit("Give it up")
    assert promised.codes() == []
    since = promised.pk("check", "--json", "--at", "HEAD", "--since", "HEAD~1").document
    assert [one["code"] for one in since["findings"]] == ["PK413"]


def test_its_tests_are_free_but_may_not_go_on_naming_it(promised):
    promised.write(TESTS, SOURCE.replace("== 5", "> 0"))
    assert "PK115" in promised.codes()
    promised.pk("atom", "abandon", ONE, *SIGNED)
    assert set(promised.codes()) == {"PK105", "PK413"}


def test_guard_warns_and_a_weakening_in_the_same_change_stays_an_error(promised):
    promised.pk("atom", "abandon", ONE, *SIGNED)
    report = promised.pk("guard", "--json", "--since", "HEAD").document
    assert [(one["code"], one["severity"]) for one in report["findings"]] == [("PK413", "warning")]
    promised.write(TESTS, SOURCE.replace("== 5", "> 0"))
    report = promised.pk("guard", "--json", "--since", "HEAD", code=1).document
    weakened, warned = report["findings"]
    assert (weakened["code"], weakened["severity"], warned["code"]) == ("PK605", "error", "PK413")
    assert f"it proves {ONE}, which is committed" in weakened["detail"]


def test_undo_puts_the_promise_back_and_check_tells_where_it_was_published(promised):
    promised.pk("atom", "abandon", ONE, *SIGNED)
    promised.pk("undo")
    assert (promised.status(), promised.codes()) == ("", [])
    assert status(promised, ONE) == "committed"
    promised.pk("atom", "abandon", ONE, *SIGNED)
    promised.write(TESTS, FREED)
    promised.commit("Give it up")
    promised.pk("undo")
    assert "PK409" in promised.codes()


def test_what_was_given_up_is_neither_committed_nor_revived_nor_replaced(promised):
    promised.pk("atom", "abandon", ONE, *SIGNED)
    assert "it is abandoned" in promised.pk("commit", "--sign", str(KEY), ONE, code=2).err
    assert "already abandoned it" in promised.pk("atom", "abandon", ONE, *SIGNED, code=2).err
    for arguments in (("edit", ONE, "--status", "draft"), ("supersede", ONE, TWO), ("remove", ONE)):
        assert ONE in promised.pk("atom", *arguments, code=2).err
    assert status(promised, ONE) == "abandoned"


def test_a_replaced_atom_is_not_given_up(promised):
    declare(promised, atom(4, supersedes=ONE))
    sign(promised, atom(4).id)
    assert f"it is superseded by {atom(4).id}" in promised.pk("atom", "abandon", ONE, *SIGNED, code=2).err


def test_a_project_that_requires_signatures_takes_no_typed_word(promised):
    promised.write("pact/pact.toml", f"[pact]\nformat = 1\n{SIDECAR}{STRICT}")
    code, screen = at_terminal(promised, "atom", "abandon", ONE, *WHY)
    assert code == 2
    assert "requires signed commitments" in screen


def test_a_typed_word_is_not_answered_by_the_signature_of_the_commitment(promised):
    at_terminal(promised, "atom", "abandon", ONE, *WHY, answer="abandon\n", asked=b"Type abandon")
    promised.write("pact/pact.toml", f"[pact]\nformat = 1\n{SIDECAR}{STRICT}")
    found = [one for one in promised.pk("check", "--json", code=1).document["findings"] if one["code"] == "PK407"]
    assert [one["fix"] for one in found] == [f"pk atom abandon --sign KEY {ONE} --reason '{WHY[1]}'"]
    promised.pk("atom", "abandon", ONE, *SIGNED)
    assert "PK407" not in promised.codes()


def test_an_atom_that_was_altered_is_restored_before_it_is_given_up(promised):
    promised.replace("pact/atoms/basket.toml", "costs 5 euros", "costs 6 euros")
    done = promised.pk("atom", "abandon", ONE, *SIGNED, code=1)
    assert "the gate refuses this: INV-004" in done.out
    assert given_up(promised) == []


def test_a_rule_about_commitments_decides_who_gives_up(promised):
    promised.write("pact/invariants.toml", '[INV-101]\nevery = "commitment"\nneeds = { by = ["Grace"] }\n')
    done = promised.pk("atom", "abandon", ONE, *SIGNED, code=1)
    assert "the gate refuses this: INV-101" in done.out
    promised.write("pact/invariants.toml", '[INV-101]\nevery = "atom"\nneeds = { min_tests = 9 }\n')
    promised.pk("atom", "abandon", ONE, *SIGNED)
