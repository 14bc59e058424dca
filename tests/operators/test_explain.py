"""Everything about one atom in one place."""

import pytest

from pactkeeper.errors import UsageError
from pactkeeper.operators.authored import supersede_atom
from pactkeeper.operators.explain import explain_atom
from pactkeeper.reconcile.authored import AtomChange
from tests.operators.atoms import accept, change, commit, declare, run
from tests.operators.conftest import FILE, REFUSED


@pytest.fixture
def atom(shop):
    accept(shop, REFUSED)
    (name,) = shop.world().pact.atoms
    return name


def explain(shop, atom):
    return run(shop, explain_atom, atom)


def test_tests_are_named_with_their_links_and_what_their_last_run_proves(shop, atom):
    (one,) = explain(shop, atom).tests
    assert (one.test.test.id, one.link.state, one.link.carrier, one.evidence) == (
        REFUSED,
        "unratified",
        "sidecar",
        "none",
    )


def test_open_findings_are_those_of_the_atom_and_of_links_to_it(shop, atom):
    assert explain(shop, atom).findings == ()
    change(shop, atom, status="abandoned", reason="No tokens.")
    other = declare(shop, "An invoice is sent.")
    assert [(one.code, one.about) for one in explain(shop, atom).findings] == [("PK105", atom)]
    assert explain(shop, other).findings == ()


def test_draft_is_held_against_the_gate_with_the_reason_of_each_refusal(shop):
    vague = declare(shop, "It works well and fast.")
    rules = {rule.id: rule for rule in explain(shop, vague).rules}
    assert rules["quality"].status == "failed"
    assert rules["INV-001"].status != "failed"
    assert explain(shop, vague).quality.score < 80


def test_draft_is_held_against_the_gate_beside_what_is_committed(shop, atom):
    commit(shop, atom)
    draft = declare(shop, "An invoice is sent.")
    assert "INV-001" in {rule.id for rule in explain(shop, draft).rules}


def test_committed_atom_is_held_against_the_rules_that_it_breaks_and_no_others(shop, atom):
    other = declare(shop, "An invoice is sent.", outcomes=["A mail arrives."], falsified_by=["No mail arrives."])
    commit(shop, atom, other)
    shop.replace("pact/atoms/authored.toml", "A mail arrives.", "A letter arrives.")
    broken = {rule.id for rule in explain(shop, other).rules if rule.status == "failed"}
    assert "INV-004" in broken
    assert "INV-004" not in {rule.id for rule in explain(shop, atom).rules if rule.status == "failed"}


def test_what_is_given_up_or_replaced_is_held_by_no_rule(shop, atom):
    run(shop, supersede_atom, atom, AtomChange(intent="A token is welcome."))
    assert explain(shop, atom).rules == ()


def test_molecules_hold_it_over_other_molecules_too(shop, atom):
    shop.write(
        "pact/molecules.toml",
        f'M-1 = {{ name = "Login", atoms = ["{atom}"] }}\nM-2 = {{ name = "Spring", atoms = [], molecules = ["M-1"] }}\n',
    )
    assert [one.id for one in explain(shop, atom).molecules] == ["M-1", "M-2"]


def test_history_joins_chain_commitments_and_commits_of_the_table(shop, atom):
    shop.save("Accept")
    commit(shop, atom)
    new = run(shop, supersede_atom, atom, AtomChange(intent="A token is welcome.")).new
    history = explain(shop, atom).history
    assert [row.atom.id for row in history.chain] == [atom, new]
    assert [one.by for one in history.commitments] == ["Ada"]
    assert [one.subject for one in history.revisions] == ["Accept"]
    assert explain(shop, atom).row.waiting == new


def test_history_follows_the_table_to_another_file(shop, atom):
    shop.save("Accept")
    shop.git("mv", f"pact/atoms/{FILE}.toml", "pact/atoms/moved.toml")
    shop.git("commit", "--quiet", "--message=Move")
    assert [one.subject for one in explain(shop, atom).history.revisions][-1] == "Accept"


def test_unknown_atom_is_a_usage_error(shop, atom):
    with pytest.raises(UsageError, match="has no atom"):
        explain(shop, "IA-0")
