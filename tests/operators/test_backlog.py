from datetime import date

import pytest

from pactkeeper.errors import UsageError
from pactkeeper.operators.adopt import change_debt, start_pact
from pactkeeper.operators.apply import undo_apply
from pactkeeper.operators.backlog import BacklogFilter, find_gaps, next_task
from pactkeeper.operators.evidence import import_evidence
from pactkeeper.operators.findings import Aside, list_findings, put_aside, take_up
from pactkeeper.operators.recommendations import Word, decide_recommendations
from tests.operators.atoms import commit, declare, run
from tests.operators.conftest import ADDS, FILE, REFUSED
from tests.operators.reports import junit

WEAKENED = "PK115"


def gaps(shop, **wanted):
    return run(shop, find_gaps, BacklogFilter(**wanted))


def kinds(shop):
    return [(one.priority, one.kind, one.subject) for one in gaps(shop).tasks]


def test_orphans_are_named_with_what_to_type(shop):
    found = gaps(shop).tasks
    assert [(one.kind, one.subject, one.ops) for one in found] == [("orphan", ADDS, ()), ("orphan", REFUSED, ())]
    assert all(one.command.startswith("pk accept") for one in found)


def test_gaps_print_the_command_that_works_for_a_test_without_a_sentence(shop):
    shop.write(FILE, "def test_it():\n    run()\n")
    (task,) = [one for one in gaps(shop).tasks if one.kind == "orphan"]
    assert task.command == f"pk accept {FILE}::test_it --intent 'One sentence.'"


def test_debt_that_a_run_looked_at_is_not_counted_with_the_rest(shop):
    shop.write(FILE, "def test_it():\n    run()\n")
    with shop.open() as workspace:
        start_pact(workspace)
    shop.reconcile()
    shop.write("tests/test_more.py", "def test_more():\n    run(1)\n")
    with shop.open() as workspace:
        change_debt(workspace, "add", ("tests/test_more.py",), reason="old")
    (task,) = [one for one in gaps(shop).tasks if one.kind == "debt"]
    assert (task.subject, task.message) == ("tests", "1 debt test that no run has looked at yet")


def test_orphan_about_which_an_op_waits_names_the_op_that_closes_it(shop):
    patch = shop.reconcile().patch
    task = run(shop, next_task, BacklogFilter())
    assert task is not None
    assert task.ops == tuple(op.id for op in patch.ops if op.group == task.subject)
    assert task.command == f"pk apply --accept {task.subject}"


def test_accepted_answers_that_nobody_applied_are_next(shop):
    shop.reconcile()
    run(shop, decide_recommendations, [ADDS], Word("accept"))
    task = run(shop, next_task, BacklogFilter())
    assert task is not None
    assert (task.command, task.message) == ("pk apply", "1 accepted answer is not applied yet")
    assert ADDS not in {one.subject for one in gaps(shop).tasks}


def test_broken_link_comes_before_orphans(shop):
    shop.write("tests/test_linked.py", "# @atom IA-GONE123\ndef test_linked():\n    assert 1\n")
    assert kinds(shop)[0][:2] == (1, "violation")


def test_test_that_rules_cannot_word_is_a_question_and_no_orphan(shop):
    shop.write(FILE, "def test_it():\n    run()\n")
    shop.reconcile()
    assert kinds(shop) == [(3, "needs_words", f"{FILE}::test_it")]


def test_a_question_is_as_severe_as_what_the_check_says_of_its_test(shop):
    with shop.open() as workspace:
        start_pact(workspace)
    shop.write("tests/test_new.py", "def test_it():\n    run()\n")
    shop.reconcile()
    first, *others = gaps(shop).tasks
    assert (first.kind, first.severity, first.subject) == ("needs_words", "error", "tests/test_new.py::test_it")
    assert others
    assert all(one.severity == "info" for one in others)


def test_nothing_is_next_where_tests_and_pact_agree(linked):
    with linked.open() as workspace:
        assert [one for one in find_gaps(workspace, BacklogFilter()).tasks if one.kind != "molecule"] == []


def test_tasks_are_narrowed_by_kind_and_by_path(shop):
    shop.write("other/test_more.py", "def test_more():\n    assert more() == 1\n")
    assert {one.path for one in gaps(shop, paths=("other",)).tasks} == {"other/test_more.py"}
    assert gaps(shop, kinds=("violation",)).tasks == ()


def test_coverage_that_nobody_gave_is_said_not_to_be_looked_at(shop):
    assert gaps(shop).unseen == ("coverage: name a report with --coverage FILE",)


def test_code_that_no_test_reaches_is_a_task(shop, tmp_path):
    shop.write("src/shop.py", "def add(a, b):\n    return a + b\n\n\ndef unused():\n    return 1\n")
    shop.write("src/more.py", "from shop import add\n")
    shop.write(
        "lcov.info",
        "SF:src/shop.py\nFN:1,add\nFN:5,unused\nFNDA:1,add\nFNDA:0,unused\nDA:1,1\nDA:2,1\nDA:5,1\nDA:6,0\nend_of_record\n",
    )
    found = gaps(shop, kinds=("uncovered",), coverage=(str(shop.root / "lcov.info"),))
    assert [(one.subject, one.line) for one in found.tasks] == [("src/shop.py::unused", 5)]
    assert found.unseen == ()


@pytest.fixture
def doubtful(linked):
    """The shop with one finding: a test that proves something else than at its review."""
    linked.replace(FILE, '"old"', '"older"')
    assert linked.codes() == [WEAKENED]
    return linked


def aside(shop, name, **options):
    return run(shop, put_aside, name, Aside(**options))


def test_snoozed_finding_stays_away_and_is_counted(doubtful):
    aside(doubtful, REFUSED, reason="later", until=date(2999, 1, 1))
    assert doubtful.codes() == []
    found = gaps(doubtful)
    known = run(doubtful, list_findings)
    assert [(one.finding.code, one.state) for one in known] == [(WEAKENED, "snoozed")]
    assert found.suppressed == tuple(one.finding.fingerprint for one in known)


def test_rejected_finding_comes_back_when_its_evidence_changes(doubtful):
    aside(doubtful, REFUSED, reason="it is the same")
    assert doubtful.codes() == []
    doubtful.replace(FILE, '"older"', '"oldest"')
    assert doubtful.codes() == [WEAKENED]


def test_what_is_put_aside_is_taken_up_again_or_undone(doubtful):
    aside(doubtful, REFUSED, reason="later")
    run(doubtful, take_up, REFUSED)
    assert doubtful.codes() == [WEAKENED]
    aside(doubtful, REFUSED, reason="later")
    run(doubtful, undo_apply)
    assert doubtful.codes() == [WEAKENED]


@pytest.mark.parametrize(
    ("name", "options", "complaint"),
    [
        (REFUSED, {"reason": " "}, "give a reason"),
        (REFUSED, {"reason": "later", "until": date(2001, 1, 1)}, "has passed"),
        ("nothing", {"reason": "later"}, "no such finding"),
    ],
)
def test_finding_is_put_aside_only_with_a_reason_a_day_to_come_and_a_name(doubtful, name, options, complaint):
    with pytest.raises(UsageError, match=complaint):
        aside(doubtful, name, **options)
    assert doubtful.codes() == [WEAKENED]


def test_finding_that_a_run_saw_is_resolved_once_it_is_gone(shop):
    shop.write("tests/test_linked.py", "# @atom IA-GONE123\ndef test_linked():\n    assert 1\n")
    shop.reconcile()
    shop.write("tests/test_linked.py", "")
    with shop.open() as workspace:
        found = {one.finding.code: one.state for one in list_findings(workspace)}
    assert found["PK102"] == "resolved"


def test_what_no_command_would_change_is_a_gap_and_never_the_next_step(linked):
    linked.write("src/test/java/ShopTest.java", "class ShopTest {\n  @Test\n  void adds() {}\n}\n")
    assert "look_again" in {one.kind for one in gaps(linked).tasks}
    found = run(linked, next_task, BacklogFilter())
    assert found is None or found.command


def test_leaving_out_what_may_be_a_test_is_never_the_next_step(linked):
    linked.write("lib/checks.js", "it('adds', () => { expect(add(1)).toBe(2); });\n")
    assert any("`include" in one.command for one in gaps(linked).tasks)
    found = run(linked, next_task, BacklogFilter())
    assert found is None or "PK120" not in found.message


def test_stale_evidence_is_one_task_per_file(linked):
    linked.write("junit.xml", junit("test_adds_two_numbers", "test_expired_token_is_refused"))
    run(linked, import_evidence, ["junit.xml"])
    linked.write(FILE, linked.read(FILE) + "\n# Sums and tokens.\n")
    (task,) = gaps(linked, kinds=("stale",)).tasks
    assert (task.subject, task.command) == (FILE, "pk evidence import REPORT")
    assert task.message.startswith("the results of 2 tests are out of date")


def test_a_committed_promise_that_fails_comes_before_drafts_that_clash(linked):
    promise = next(one for one in linked.world().linked if one.test.id == ADDS).links[0].atom
    commit(linked, promise)
    declare(linked, "A token is valid for 30 days.")
    declare(linked, "A token is valid for 14 days.")
    assert kinds(linked)[0][1] == "conflict"
    linked.write("junit.xml", junit(("test_adds_two_numbers", "failure")))
    run(linked, import_evidence, ["junit.xml"])
    assert [kind for _, kind, _ in kinds(linked)[:2]] == ["failing", "conflict"]
