import pytest

from pactkeeper.errors import CatalogError, UsageError
from pactkeeper.intent.evidence_state import TestOutcomeRow
from pactkeeper.operators.invariants import Switch, change_invariant, get_invariants
from pactkeeper.operators.invariants import test_invariants as judge_invariants
from pactkeeper.operators.reconcile import reconcile_repo
from pactkeeper.operators.view import StateView
from pactkeeper.reconcile.request import Request
from pactkeeper.store.attestations import Attestation, save_attestation, save_test_outcomes
from pactkeeper.store.tables.runs import ATTESTATIONS
from tests.operators.atoms import run
from tests.operators.conftest import ADDS, FILE, REFUSED

RULES = """\
# what we hold ourselves to
[INV-101]
rule = "Every test is proven."
every = "test"
needs = { proven = true }

[INV-102]
every = "molecule"
needs = { min_atoms = 2 }
"""


@pytest.fixture
def ruled(linked):
    """The shop with both tests linked and two rules of its own."""
    linked.write("pact/invariants.toml", RULES)
    return linked


def judged(shop, *names, at=None):
    with shop.open() as workspace:
        return {one.invariant: one for one in judge_invariants(workspace, StateView(at), names).checked}


def switched(shop, rule, key, *, value):
    return run(shop, change_invariant, Switch(rule, key, value))


def test_rules_are_listed_with_what_the_project_made_of_them(ruled):
    with ruled.open() as workspace:
        cards = {card.id: card for card in get_invariants(workspace, StateView())}
    assert (cards["INV-003"].built_in, cards["INV-003"].entry) == (True, None)
    entry = cards["INV-101"].entry
    assert (cards["INV-101"].text, entry and entry.line) == ("Every test is proven.", 2)
    assert cards["INV-102"].setting.severity == "warning"


def test_a_rule_that_nobody_has_is_refused_with_a_hint(ruled):
    with ruled.open() as workspace, pytest.raises(UsageError, match=r"'inv-10'; did you mean .*INV-101"):
        get_invariants(workspace, StateView(), ("inv-10",))


def test_a_test_of_rules_uses_the_outcomes_that_the_history_knows(ruled):
    assert [one.subject for one in judged(ruled, "INV-101")["INV-101"].findings] == [ADDS, REFUSED]
    with ruled.open() as workspace:
        body = {entry.test.id: entry.test.body_hash for entry in workspace.world(workspace.snapshot()).linked}
        rows = [TestOutcomeRow(ADDS, body[ADDS], "", "passed", "2026-01-01T00:00:00+00:00", "report.xml")]
        save_test_outcomes(workspace.history(), rows)
    assert [one.subject for one in judged(ruled, "INV-101")["INV-101"].findings] == [REFUSED]


def test_an_attestation_that_somebody_rewrote_is_no_evidence(linked):
    with linked.open() as workspace:
        history = workspace.history()
        save_attestation(history, Attestation("c" * 40, "v1:a", "ci", "Ada", "2026-01-01T00:00:00+00:00", "{}"))
    assert judged(linked, "INV-007")["INV-007"].status == "passed"
    with linked.open() as workspace, workspace.history().database.begin() as connection:
        connection.execute(ATTESTATIONS.update().values(text='{"rewritten": true}'))
    (finding,) = judged(linked, "INV-007")["INV-007"].findings
    assert (finding.code, finding.subject.startswith("attestation of cccccccccccc (ci")) == ("PK307", True)


def test_a_check_of_the_same_rule_needs_no_history_and_says_nothing(ruled):
    assert "INV-101" not in ruled.codes()


def test_rules_are_tested_in_a_commit_as_it_was(ruled):
    ruled.save("Rules")
    ruled.write("pact/invariants.toml", RULES.replace("proven = true", "min_atoms = 9"))
    assert judged(ruled, at="HEAD")["INV-101"].findings[0].message.startswith("has no known outcome")
    assert judged(ruled)["INV-101"].findings[0].message.startswith("has 1 atom")


def test_a_switch_changes_one_key_and_can_be_undone(ruled):
    card, entry = switched(ruled, "INV-101", "severity", value="warning")
    assert (card.setting.severity, card.setting.blocking) == ("warning", False)
    assert ruled.read("pact/invariants.toml") == RULES.replace(
        "needs = { proven = true }\n", 'needs = { proven = true }\nseverity = "warning"\n'
    )
    assert entry is not None
    assert switched(ruled, "INV-101", "severity", value="warning")[1] is None


def test_a_built_in_rule_gets_an_entry_and_check_says_that_it_is_off(linked):
    switched(linked, "INV-003", "enabled", value=False)
    assert linked.read("pact/invariants.toml") == "INV-003.enabled = false\n"
    assert linked.codes() == ["PK310"]
    switched(linked, "INV-003", "enabled", value=True)
    assert linked.codes() == []


def test_a_value_that_a_rule_cannot_have_is_not_written(ruled):
    with pytest.raises(CatalogError, match="molecules never block"):
        switched(ruled, "INV-102", "severity", value="error")
    assert ruled.read("pact/invariants.toml") == RULES


def test_an_unknown_rule_is_not_written(ruled):
    with pytest.raises(UsageError, match="'INV-404'"):
        switched(ruled, "INV-404", "enabled", value=False)


def test_broken_rules_travel_in_the_patch_under_their_own_id(ruled):
    ruled.replace("pact/invariants.toml", "proven = true", "min_atoms = 2")
    findings = ruled.reconcile().patch.findings
    assert {(one.code, one.invariant, one.subject) for one in findings} == {
        ("INV-101", "INV-101", ADDS),
        ("INV-101", "INV-101", REFUSED),
    }


def test_a_delta_with_a_limit_says_which_changed_test_it_left_behind(linked):
    linked.save("Adopt")
    linked.write(
        FILE,
        linked.read(FILE) + "\n\ndef test_one():\n    assert one() == 1\n\n\ndef test_two():\n    assert two() == 2\n",
    )
    with linked.open() as workspace:
        patch = reconcile_repo(workspace, Request(since="HEAD", max_tests=1)).patch
    assert [(one.code, one.invariant, one.subject) for one in patch.findings] == [
        ("PK312", "R002", f"{FILE}::test_two")
    ]
