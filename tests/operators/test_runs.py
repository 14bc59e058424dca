from dataclasses import replace

import pytest

from pactkeeper.errors import RefusedError, StaleError, UsageError
from pactkeeper.intent.records import RECOMMENDATION_STATUSES, Wanted
from pactkeeper.ledger.decision import Decision
from pactkeeper.operators.accept import AcceptedWords, accept_tests
from pactkeeper.operators.apply import apply_patch, undo_apply
from pactkeeper.operators.decide import load_pending
from pactkeeper.operators.driving import drive_of
from pactkeeper.operators.observe import baseline_of
from pactkeeper.operators.questions import TestWords, pending_questions, word_test
from pactkeeper.operators.recommendations import Word, decide_recommendations, list_recommendations, trace_origin
from pactkeeper.operators.reconcile import reconcile_repo, recover_run
from pactkeeper.operators.runs import cancel_run, diff_runs, export_run, list_runs, seconds_per_decision, show_run
from pactkeeper.reconcile.request import Request
from pactkeeper.store.runs import request_cancel
from tests.operators.conftest import ADDS, FILE, REFUSED
from tests.repo.repositories import commit as commit_all

ALL = Request(everything=True)
UNASKED = """\
[pact]
format = 1

[[policy.rule]]
name = "links"
permission = "auto"
why = "we said so"
risks = ["annotate"]
evidence = ["quoted", "mechanical"]
"""
VAGUE = "\n\ndef test_it():\n    run()\n"


def accept(shop, name, intent):
    with shop.open() as workspace:
        return accept_tests(workspace, (f"{FILE}::{name}",), AcceptedWords(intent=intent))


def statuses(shop):
    with shop.open() as workspace:
        return [one.run.status for one in list_runs(workspace)]


def test_second_run_on_unchanged_input_proposes_nothing_and_ends(shop):
    assert len(shop.reconcile().patch.ops) == 4
    again = shop.reconcile()
    assert (again.patch.ops, dict(again.left_out), again.waiting) == ((), {"looked_at_before": 2}, 4)
    assert statuses(shop) == ["completed", "paused"]


def test_changed_test_is_proposed_anew_and_its_older_op_waits_no_longer(shop):
    shop.reconcile()
    shop.replace(FILE, "== 3", "== 4")
    assert {op.group for op in shop.reconcile().patch.ops} == {ADDS}
    with shop.open() as workspace:
        assert {item.group for item in load_pending(workspace, None).open} == {ADDS}
    assert shop.reconcile().waiting == 4


def test_run_ends_when_all_that_it_proposed_is_proposed_anew(shop):
    shop.reconcile()
    shop.replace(FILE, "== 3", "== 4")
    shop.replace(FILE, '"old"', '"older"')
    shop.reconcile()
    shop.reconcile()
    assert statuses(shop) == ["completed", "paused", "completed"]


def test_what_is_undone_is_proposed_again(linked):
    with linked.open() as workspace:
        undo_apply(workspace)
    assert {op.group for op in linked.reconcile().patch.ops} == {ADDS, REFUSED}


def test_cancelled_run_waits_for_nothing_and_its_tests_are_proposed_again(shop):
    run = shop.reconcile().run
    with shop.open() as workspace:
        assert cancel_run(workspace, run.id).status == "cancelled"
        with pytest.raises(UsageError, match="cancelled already"):
            cancel_run(workspace, run.id)
    assert len(shop.reconcile().patch.ops) == 4


def test_run_that_is_asked_to_stop_stops_at_its_next_step(shop):
    with shop.open() as workspace:

        def stop(moment, node):
            if (moment, node) == ("before", "infer_atoms"):
                request_cancel(workspace.history(), list_runs(workspace)[0].run.id, "Ada")

        with pytest.raises(RefusedError, match="cancelled"):
            reconcile_repo(workspace, ALL, drive=replace(drive_of(workspace), around=stop))
    assert statuses(shop) == ["cancelled"]


def test_failed_run_says_why_and_goes_on_where_it_failed(shop):
    with shop.open() as workspace:

        def fail(moment, node):
            if (moment, node) == ("before", "verify"):
                raise StaleError("the disk is on fire")

        with pytest.raises(StaleError):
            reconcile_repo(workspace, ALL, drive=replace(drive_of(workspace), around=fail))
        shown = show_run(workspace, None)
        assert (shown.listed.run.status, shown.listed.run.error) == ("failed", "the disk is on fire")
        assert len(recover_run(workspace, None).patch.ops) == 4
        visited = [event.node for event in show_run(workspace, None).trace]
    assert visited.count("infer_atoms") == 1
    assert statuses(shop) == ["paused"]


def test_paused_run_cannot_be_recovered(shop):
    run = shop.reconcile().run
    with shop.open() as workspace, pytest.raises(UsageError, match="paused"):
        recover_run(workspace, run.id)


def test_runs_are_compared_by_what_they_propose(shop):
    first = shop.reconcile().run
    shop.replace(FILE, "== 3", "== 4")
    second = shop.reconcile().run
    with shop.open() as workspace:
        found = diff_runs(workspace, first.id, second.id)
    assert ({op.group for op in found.only_before}, {op.group for op in found.only_after}, found.both) == (
        {ADDS, REFUSED},
        {ADDS},
        0,
    )


def test_export_holds_tests_decisions_and_trace(linked):
    with linked.open() as workspace:
        found = export_run(workspace, None)
    assert {test.test_id for test in found.tests} == {ADDS, REFUSED}
    assert len(found.shown.decisions) == 4
    assert found.shown.trace[-1].node == "persist"


def test_run_is_a_baseline_by_its_id(shop):
    run = shop.reconcile().run
    shop.git("commit", "-q", "--allow-empty", "-m", "more")
    with shop.open() as workspace:
        found = baseline_of(workspace, run.id)
        assert (found.commit, found.run) == (run.commit, run.id)


@pytest.mark.parametrize("partial", [Request(paths=("other",)), replace(ALL, max_tests=1)])
def test_run_that_looked_at_a_part_is_no_baseline_for_the_rest(shop, partial):
    whole = shop.reconcile().run
    shop.write("other/test_more.py", "def test_more_is_more():\n    assert more() == 1\n")
    shop.write("tests/test_less.py", "def test_less_is_less():\n    assert less() == 1\n")
    shop.save("more and less")
    with shop.open() as workspace:
        assert len(reconcile_repo(workspace, partial).patch.ops) == 2
        assert baseline_of(workspace, None).run == whole.id


def test_first_look_at_a_part_is_a_baseline_where_no_run_saw_everything(shop):
    first = shop.reconcile(FILE).run
    shop.git("commit", "-q", "--allow-empty", "-m", "later")
    shop.reconcile(FILE)
    with shop.open() as workspace:
        assert baseline_of(workspace, None).run == first.id


def test_accepting_a_test_moves_no_baseline(shop):
    run = shop.reconcile().run
    shop.git("commit", "-q", "--allow-empty", "-m", "later")
    with shop.open() as workspace:
        accept_tests(workspace, [ADDS], AcceptedWords())
        assert baseline_of(workspace, None).run == run.id


def test_recommendations_are_decided_in_a_batch_and_applied(shop):
    shop.reconcile()
    with shop.open() as workspace:
        decide_recommendations(workspace, [ADDS], Word("edit", edited=(("description", "Adding is right."),)))
        decide_recommendations(workspace, [REFUSED], Word("reject", "too small"))
        assert [one.status for one in list_recommendations(workspace, Wanted()).atoms] == ["accepted", "rejected"]
        pending = load_pending(workspace, None, to_apply=True)
    with shop.open() as workspace:
        apply_patch(workspace, pending.patch, pending.review.decisions)
        (atom,) = workspace.world(workspace.snapshot()).pact.atoms.values()
        assert atom.intent == "Adding is right."
        with pytest.raises(UsageError):
            decide_recommendations(workspace, ["nothing"], Word("accept"))


@pytest.mark.parametrize("status", RECOMMENDATION_STATUSES)
def test_recommendations_are_listed_by_what_became_of_them(linked, status):
    with linked.open() as workspace:
        found = list_recommendations(workspace, Wanted(status=status)).atoms
    assert len(found) == (2 if status == "applied" else 0)


def test_atom_leads_to_its_test_and_the_test_to_its_atom(linked):
    with linked.open() as workspace:
        (forth,) = trace_origin(workspace, ADDS)
        (back,) = trace_origin(workspace, forth.atom)
        assert {one.test for one in trace_origin(workspace, forth.run)} == {ADDS, REFUSED}
        assert trace_origin(workspace, forth.recommendation) == (forth,)
        with pytest.raises(UsageError, match=r"neither .*'IA-NOTHERE'; to find it: pk atom search"):
            trace_origin(workspace, "IA-NOTHERE")
    assert (back, back.test, back.status) == (forth, ADDS, "applied")


def test_clone_without_a_history_still_traces_an_atom_to_its_test(linked, tmp_path):
    linked.save("Adopt")
    linked.git("clone", "-q", str(linked.root), str(tmp_path / "clone"))
    with replace(linked, root=tmp_path / "clone").open() as workspace:
        (found,) = trace_origin(workspace, ADDS)
    assert found.recommendation.startswith("op-")
    assert (found.test, found.run) == (ADDS, "")


def test_answer_goes_back_into_the_run_with_the_decisions_taken_so_far(shop):
    shop.write(FILE, shop.read(FILE) + VAGUE)
    run = shop.reconcile().run
    with shop.open() as workspace:
        decide_recommendations(workspace, [ADDS], Word("accept"))
        (question,) = pending_questions(workspace)
        taken = word_test(workspace, question.subject, TestWords("Running it leaves nothing behind."))
        assert taken.made is not None
        assert (taken.made.run.id, len(taken.made.patch.ops)) == (run.id, 6)
        assert pending_questions(workspace) == ()
        decided = {one.op for one in load_pending(workspace, None).review.decisions}
        assert {op.group for op in taken.made.patch.ops if op.id in decided} == {ADDS}
        words = list_recommendations(workspace, Wanted(test=f"{FILE}::test_it")).atoms
        assert [one.description for one in words] == ["Running it leaves nothing behind."]


def test_answer_after_the_run_has_ended_is_taken_up_by_the_next(shop):
    shop.write(FILE, VAGUE.lstrip())
    assert shop.reconcile().run.status == "completed"
    with shop.open() as workspace:
        (question,) = pending_questions(workspace)
        assert word_test(workspace, question.id, TestWords("Running it leaves nothing behind.")).made is None
    assert {op.group for op in shop.reconcile().patch.ops} == {f"{FILE}::test_it"}


def test_policy_that_allows_it_applies_without_a_person_and_leaves_the_rest(shop):
    shop.write("pact/pact.toml", UNASKED)
    commit_all(shop.root)
    with shop.open() as workspace:
        made = reconcile_repo(workspace, replace(ALL, auto_apply=True))
    assert made.run.status == "completed"
    assert made.applied is not None
    assert set(shop.states().values()) == {"unratified"}


def test_default_policy_applies_nothing_without_a_person(shop):
    with shop.open() as workspace:
        made = reconcile_repo(workspace, replace(ALL, auto_apply=True))
    assert (made.run.status, made.applied) == ("paused", None)


def test_molecules_are_recommended_and_only_proposed_where_asked_for(shop):
    assert {op.verb for op in shop.reconcile().patch.ops} == {"createAtom", "attachTestToAtom"}
    with shop.open() as workspace:
        assert [len(one.atom_recommendation_ids) for one in list_recommendations(workspace, Wanted()).molecules] == [2]
        cancel_run(workspace, list_runs(workspace)[0].run.id)
        made = reconcile_repo(workspace, replace(ALL, molecules=True))
    assert [op.verb for op in made.patch.ops][-1] == "createMolecule"


def said(op, second, by="Ann", actor="person"):
    at = f"2026-03-01T12:{second // 60:02d}:{second % 60:02d}+00:00"
    return Decision(op, "v1:shown", "accept", by, at, actor=actor)


def test_seconds_per_decision_are_those_between_two_tests_of_one_person_without_pauses():
    groups = {"op-1": "one", "op-2": "one", "op-3": "two", "op-4": "three", "op-5": "four"}
    quick = [said("op-1", 0), said("op-2", 0), said("op-3", 4), said("op-4", 12)]
    assert seconds_per_decision(quick, groups) == 6.0
    assert seconds_per_decision([*quick, said("op-5", 12 + 301)], groups) == 6.0
    assert seconds_per_decision([*quick, said("op-5", 5, by="Bob"), said("op-6", 1, actor="agent")], groups) == 6.0
    assert seconds_per_decision(quick[:2], groups) is None


# @atom IA-M6P2RZS
@pytest.mark.parametrize("paths", [(), ("tests",)])
def test_a_test_that_is_given_a_docstring_is_looked_at_again(shop, paths):
    source = "def test_vip():\n{}    assert shop.discount('vip') == 10\n"
    shop.write("tests/test_vip.py", source.format(""))
    commit_all(shop.root)
    assert "tests/test_vip.py::test_vip" not in {op.group for op in shop.reconcile(*paths).patch.ops}
    shop.write("tests/test_vip.py", source.format('    """A regular customer gets ten percent off every order."""\n'))
    assert {op.group for op in shop.reconcile(*paths).patch.ops} == {"tests/test_vip.py::test_vip"}


def test_what_holds_of_a_patch_that_went_stale_is_proposed_anew(linked):
    renamed = '''
def test_sum():
    """The sum of two and three is always five."""
    assert add(2, 3) == 5


def test_login_with_an_old_token():
    """A token that has expired opens no session for anybody."""
    assert login("older").status_code == 401
'''
    linked.write(FILE, renamed)
    linked.reconcile()
    accept(linked, "test_sum", "Two and three are five.")
    accept(linked, "test_login_with_an_old_token", "An old token is refused.")
    assert linked.codes().count("PK111") == 2
    linked.decide(linked.reconcile().patch, "accept")
    assert "PK111" not in linked.codes()
    assert linked.reconcile().waiting == 0
