"""Who decided what when: what a clone knows, and what only this machine does."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from pactkeeper.errors import UsageError
from pactkeeper.operators.apply import undo_apply
from pactkeeper.operators.authored import clarify_atom, supersede_atom
from pactkeeper.operators.decide import decide, pending_of, save_decisions, withdraw
from pactkeeper.operators.decision_log import LogFilter, decision_log
from tests.operators.atoms import AT, accept, change, commit, declare, run
from tests.operators.conftest import ADDS, REFUSED


def log(shop, limit=50, **wanted):
    return run(shop, decision_log, LogFilter(**wanted), limit=limit)


def said(found, kept="pact"):
    return [(one.what, one.subject, one.by) for one in found.rows if one.kept == kept]


def test_a_clone_knows_commitments_clarifications_rejections_waivers_and_what_was_given_up(shop, tmp_path_factory):
    given_up, kept = declare(shop, "An invoice is sent."), declare(shop, "A revoked token is refused.")
    change(shop, given_up, status="abandoned", reason="No invoices.")
    run(shop, clarify_atom, kept, "Always?", "Yes.")
    shop.write(
        "pact/links/tests/test_shop.py.toml",
        f'"{ADDS}" = {{ rejected = "fp-1", by = "Bob", reason = "No.", at = "{AT}" }}\n',
    )
    shop.write("pact/waivers.toml", '"PK101 x" = { by = "Eve", why = "Later.", until = 2030-12-31 }\n')
    commit(shop, kept)
    shop.save("All of it")
    clone = type(shop)(tmp_path_factory.mktemp("clone") / "shop")
    shop.git("clone", "--quiet", ".", str(clone.root))
    assert sorted(said(log(clone))) == [
        ("abandoned", given_up, "Ada <ada@example.org>"),
        ("clarified", kept, "Ada <ada@example.org>"),
        ("committed", next(iter(shop.world().pact.commitments)), "Ada"),
        ("rejected", ADDS, "Bob"),
        ("waived", "PK101 x", "Eve"),
    ]
    assert all(one.at for one in log(clone).rows)
    assert {one.kept for one in log(clone).rows} == {"pact"}


def test_newest_come_first_and_what_has_no_time_comes_last(shop):
    first, second = declare(shop, "An invoice is sent."), declare(shop, "A revoked token is refused.")
    commit(shop, first)
    run(shop, clarify_atom, second, "Always?", "Yes.")
    shop.write("pact/waivers.toml", '"PK101 x" = { by = "Eve", why = "Later.", until = 2030-12-31 }\n')
    rows = [one for one in log(shop).rows if one.kept == "pact"]
    assert [one.what for one in rows] == ["committed", "clarified", "waived"]
    assert log(shop, limit=1).total > 1
    assert len(log(shop, limit=1).rows) == 1


def test_writes_of_this_machine_are_told_with_their_reasons_and_taken_back_ones_too(shop):
    atom = declare(shop, "An invoice is sent.")
    change(shop, atom, status="abandoned", reason="No invoices.")
    run(shop, undo_apply)
    rows = log(shop, atom=atom).rows
    assert any(one.what == "took back" and one.kept == "journal" for one in rows)
    assert any("No invoices." in one.said and one.kept in {"journal", "history"} for one in rows)


def test_filters_narrow_by_day_person_and_atom(shop):
    atom, other = declare(shop, "An invoice is sent."), declare(shop, "A revoked token is refused.")
    run(shop, clarify_atom, atom, "Always?", "Yes.")
    run(shop, clarify_atom, other, "Always?", "No.")
    assert said(log(shop, atom=atom)) == [("clarified", atom, "Ada <ada@example.org>")]
    assert log(shop, by="ADA", atom=atom).total >= 1
    assert log(shop, by="bob").total == 0
    today = datetime.now(UTC).date()
    assert log(shop, since=today - timedelta(days=2), atom=atom).total >= 1
    assert log(shop, since=date(2999, 1, 1)).total == 0


def test_ops_accepted_together_are_one_decision(shop):
    accept(shop, ADDS, REFUSED)
    rows = [one for one in log(shop).rows if one.what in {"accepted", "applied"}]
    assert len(rows) == 1
    assert "and 1 more" in rows[0].subject


def test_log_says_in_words_what_was_written(shop):
    old, new = declare(shop, "An invoice is sent."), declare(shop, "An invoice is mailed.")
    run(shop, supersede_atom, old, new)
    subjects = [one.subject for one in log(shop).rows]
    assert f"new atom {old}" in subjects
    assert any(f"superseded {old}" in one for one in subjects)
    assert not any("Atom" in one for one in subjects)


def test_unknown_atom_is_a_usage_error(shop):
    declare(shop, "An invoice is sent.")
    with pytest.raises(UsageError, match="has no atom"):
        log(shop, atom="IA-0")


def test_what_was_written_in_one_second_stands_in_the_order_of_the_writes(shop):
    atoms = [declare(shop, f"An invoice of kind {kind} is sent.") for kind in ("a", "b", "c")]
    for atom in atoms:
        run(shop, clarify_atom, atom, "Always?", "Yes.")
    run(shop, undo_apply)
    rows = log(shop).rows
    assert [one.what for one in rows[:3]] == ["took back", "clarified", "clarified"]
    assert [one.subject for one in rows if one.what == "clarified"] == atoms[1::-1]


def test_a_clock_that_steps_back_does_not_change_the_order_of_writes(shop):
    first, second = declare(shop, "An invoice is sent."), declare(shop, "A revoked token is refused.")
    later = datetime.now(UTC)
    for atom, at in ((first, later), (second, later - timedelta(days=2))):
        with shop.open() as workspace:
            clarify_atom(replace(workspace, now=lambda at=at: at), atom, "Always?", "Yes.")
    assert [one.subject for one in log(shop).rows if one.what == "clarified"] == [second, first]


def test_a_decision_that_was_taken_back_is_told(shop):
    declare(shop, "An invoice is sent.")
    patch = shop.reconcile().patch
    with shop.open() as workspace:
        item = pending_of(workspace, patch).open[0]
        save_decisions(workspace, patch, decide(workspace, item, "accept"))
        withdraw(workspace, patch, [op.id for op in item.ops])
    assert [one.what for one in log(shop).rows if one.kept == "history"][:2] == ["took back the word on", "accepted"]
