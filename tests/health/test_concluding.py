"""Failures over several sweeps, and the tasks that come of them."""

from dataclasses import replace

import pytest

from pactkeeper.health.tasking import FollowLimits, SweepFacts
from pactkeeper.intent.health import CheckResult, Diagnostic, Output
from tests.health.lines import AT, Line, compile_error, result, wrong

LATER = "2026-03-03T12:00:00+00:00"


@pytest.fixture
def line():
    return Line()


def test_a_failure_becomes_a_finding_with_one_task(line):
    made = line.sweep(result(wrong("a")))
    (task,) = made.tasks
    assert (task.status, task.priority, task.scope, task.checks) == ("pending", 1, ("shop/a.py",), ("test",))
    assert (line.state(wrong("a")), made.sweep.tasks) == ("assigned", (task.id,))


def test_the_same_failure_again_makes_no_second_task(line):
    line.sweep(result(wrong("a")))
    assert line.sweep(result(wrong("a"))).tasks == ()
    line.set(next(iter(line.tasks.values())), status="assigned", claimed_by="ada", claimed_at=AT)
    assert line.sweep(result(wrong("a"))).tasks == ()


def test_another_failure_in_the_same_file_is_not_kept_back(line):
    line.sweep(result(wrong("a")))
    made = line.sweep(result(wrong("a"), wrong("b", file="shop/a.py", line=9)))
    assert [one.fingerprints for one in made.tasks] == [(wrong("b", file="shop/a.py").fingerprint,)]


def test_a_test_that_fails_with_other_words_each_time_stays_one_task(line):
    line.sweep(result(wrong("a"), wrong("b")))
    made = line.sweep(result(replace(wrong("a"), message="assert 0.72"), wrong("b")))
    assert (made.tasks, line.state(wrong("a"))) == ((), "assigned")
    line.sweep(result(wrong("b")))
    assert line.state(wrong("a")) == "resolved"


def test_a_new_test_beside_one_that_is_mended_already_gets_a_task(line):
    line.sweep(result(wrong("a")))
    (task,) = line.sweep(result(wrong("a"), wrong("b"))).tasks
    assert task.fingerprints == (wrong("b").fingerprint,)


def test_a_further_use_of_a_name_that_is_gone_joins_the_task_for_that_name(line):
    line.sweep(result(compile_error("User"), check="tsc", category="compile"))
    made = line.sweep(result(compile_error("User"), compile_error("User", "b.ts"), check="tsc", category="compile"))
    assert made.tasks == ()
    assert [len(after.fingerprints) for _, after in made.changes] == [2]


@pytest.mark.parametrize("results", [(result(wrong("b")),), (result(),)], ids=["red", "green"])
def test_a_stale_sweep_creates_and_clears_nothing(line, results):
    line.sweep(result(wrong("a")))
    made = line.sweep(*results, stale=True)
    assert (made.findings, made.tasks, made.changes) == ((), (), ())


def test_what_is_wrong_with_the_machine_is_one_finding_and_no_task(line):
    line.sweep(result(wrong("a")))
    made = line.sweep(result(wrong("b"), wrong("c")), infrastructure="the disk is full")
    assert [one.diagnostic.message for one in made.findings] == ["the disk is full"]
    assert (made.tasks, made.changes, line.state(wrong("a"))) == ((), (), "assigned")


def test_a_fault_of_the_machine_is_over_with_the_next_sweep_without_it(line):
    (fault,) = line.sweep(infrastructure="the disk is full").findings
    line.sweep(result())
    assert line.state(fault.diagnostic) == "resolved"


@pytest.mark.parametrize("verdict", ["could not run", "timed out", "not applicable"])
def test_a_check_that_did_not_judge_resolves_nothing(line, verdict):
    line.sweep(result(wrong("a")))
    line.sweep(result(verdict=verdict))
    assert line.state(wrong("a")) == "assigned"


def test_a_check_that_is_not_part_of_the_sweep_resolves_nothing(line):
    line.sweep(result(wrong("a")))
    line.sweep(result(check="tsc", category="compile"))
    assert line.state(wrong("a")) == "assigned"


def test_a_test_that_passes_among_others_that_fail_is_resolved(line):
    line.sweep(result(wrong("a"), wrong("b")))
    line.sweep(result(wrong("b")))
    assert (line.state(wrong("a")), line.state(wrong("b"))) == ("resolved", "assigned")


def test_a_run_that_broke_off_before_its_tests_resolves_none(line):
    line.sweep(result(wrong("a")))
    line.sweep(result(replace(wrong("conftest"), test="")))
    assert line.state(wrong("a")) == "assigned"


def test_output_that_was_cut_resolves_nothing(line):
    line.sweep(result(wrong("a"), wrong("b")))
    line.sweep(result(wrong("b"), output=Output("x", "y", 5)))
    assert line.state(wrong("a")) == "assigned"


def test_more_errors_than_are_followed_resolve_nothing(line):
    many = [wrong(f"t{number}") for number in range(2001)]
    line.sweep(result(wrong("a"), wrong("b")))
    made = line.sweep(result(*many))
    assert line.state(wrong("a")) == "assigned"
    assert len(made.findings) == 2000


def test_an_error_that_is_new_may_hide_an_earlier_one(line):
    def swept(*names):
        return line.sweep(result(*map(compile_error, names), check="tsc", category="compile"))

    swept("User")
    swept("Syntax")
    swept("Syntax")
    assert line.state(compile_error("User")) == "assigned"
    swept("User")
    swept()
    assert line.state(compile_error("User")) == "resolved"


def test_an_error_that_stood_beside_another_hides_nothing(line):
    line.sweep(result(compile_error("User"), compile_error("Order"), check="tsc", category="compile"))
    line.sweep(result(compile_error("Order"), check="tsc", category="compile"))
    assert line.state(compile_error("User")) == "resolved"


def test_every_failing_category_gets_tasks_but_for_what_may_follow_from_an_earlier_one(line):
    broken = result(compile_error("User"), check="tsc", category="compile")
    silent = result(Diagnostic("test", "test", "error", "it ended"), check="test")
    assert [one.category for one in line.sweep(broken, result(wrong("a"))).tasks] == ["compile", "test"]
    assert [one.category for one in Line().sweep(broken, silent).tasks] == ["compile"]


def test_what_may_follow_from_an_earlier_category_gets_its_turn_once_that_holds(line):
    silent = result(Diagnostic("test", "test", "error", "it ended"), check="test")
    line.sweep(result(compile_error("User"), check="tsc", category="compile"), silent)
    made = line.sweep(result(check="tsc", category="compile"), silent)
    assert [one.category for one in made.tasks] == ["test"]
    assert line.statuses == ["obsolete", "pending"]


def test_lint_gives_findings_and_never_tasks(line):
    made = line.sweep(result(wrong("a", check="eslint", category="lint"), check="eslint", category="lint"))
    assert (len(made.findings), made.tasks) == (1, ())


def test_a_warning_gives_a_finding_and_never_a_task(line):
    warning = wrong("a", severity="warning")
    made = line.sweep(result(warning, wrong("b")))
    assert [one.fingerprints for one in made.tasks] == [(wrong("b").fingerprint,)]
    assert line.state(warning) == "open"


def test_a_flaky_failure_gets_no_task(line):
    made = line.sweep(result(wrong("a")), facts=SweepFacts(AT, flaky=frozenset({wrong("a").fingerprint})))
    assert (made.tasks, line.findings[wrong("a").fingerprint].flaky) == ((), True)


def test_a_check_that_fails_without_a_word_gets_a_task_with_what_it_printed(line):
    silent = CheckResult("build", "build", "fail", code=3, output=Output("line one\nthe end\n"))
    (task,) = line.sweep(silent).tasks
    assert "build failed with exit code 3" in task.description
    assert "  the end" in task.description


def test_all_causes_get_tasks_at_once_up_to_a_cap_that_is_told(line):
    names, few = "abcdefghijklm", SweepFacts(AT, limits=FollowLimits(tasks=5))
    assert len(Line().sweep(result(*map(wrong, names))).tasks) == len(names)
    first, second, third = (line.sweep(result(*map(wrong, names)), facts=few) for _ in range(3))
    assert [(len(one.tasks), one.waiting) for one in (first, second, third)] == [(5, 8), (5, 3), (3, 0)]
    assert len({name for task in line.tasks.values() for name in task.fingerprints}) == len(names)


def test_no_failure_starves_while_worse_ones_keep_coming(line):
    limits = FollowLimits(tasks=1)
    line.sweep(result(wrong("old"), wrong("other")), facts=SweepFacts(AT, limits=limits))
    for number in range(6):
        bad = wrong(f"bad{number}")
        made = line.sweep(
            result(wrong("old"), wrong("other"), bad),
            facts=SweepFacts(AT, limits=limits, broken={bad.fingerprint: ("IA-0000001",)}),
        )
    assert made is not None
    assert {line.state(wrong("old")), line.state(wrong("other"))} == {"assigned"}


def test_a_broken_committed_atom_goes_first_and_is_named(line):
    bad = wrong("z", severity="warning")
    facts = SweepFacts(
        AT,
        broken={bad.fingerprint: ("IA-0000001",)},
        proves={bad.fingerprint: ("IA-0000001", "IA-0000002")},
        tests={bad.fingerprint: ("tests/test_a.py::z",)},
        limits=FollowLimits(tasks=1),
    )
    (task,) = line.sweep(result(wrong("a"), replace(bad, severity="error")), facts=facts).tasks
    assert (task.atoms, task.protected) == (("IA-0000001",), ("tests/test_a.py::z",))
    found = line.findings[bad.fingerprint]
    assert (found.diagnostic.severity, found.broken, found.atoms) == (
        "error",
        ("IA-0000001",),
        ("IA-0000001", "IA-0000002"),
    )


def test_a_task_whose_failures_went_away_is_obsolete(line):
    line.sweep(result(wrong("a")))
    line.sweep(result())
    assert line.statuses == ["obsolete"]


def test_a_claimed_task_whose_failures_went_away_is_done(line):
    (task,) = line.sweep(result(wrong("a"))).tasks
    line.set(task, status="assigned", claimed_by="ada", claimed_at=AT)
    line.sweep(result())
    assert line.statuses == ["done"]


def test_an_accepted_fix_that_has_not_arrived_makes_no_second_task(line):
    (task,) = line.sweep(result(wrong("a"))).tasks
    line.set(task, status="done", fix="f1", finished_at=AT)
    assert line.sweep(result(wrong("a"))).tasks == ()
    assert line.statuses == ["done"]


def test_an_accepted_fix_that_mended_nothing_counts_as_a_failed_try(line):
    (task,) = line.sweep(result(wrong("a"))).tasks
    line.set(task, status="done", fix="f1", finished_at=AT)
    line.sweep(result(wrong("a")), facts=SweepFacts(AT, merged=frozenset({task.id})))
    assert (line.statuses, line.tasks[task.id].attempts) == (["failed"], 1)
    assert (line.state(wrong("a")), line.findings[wrong("a").fingerprint].failures) == ("failed", 1)


def test_after_too_many_tries_a_person_is_asked_and_no_task_follows(line):
    (task,) = line.sweep(result(wrong("a"))).tasks
    for _ in range(3):
        line.set(task, status="done", fix="f1", finished_at=AT)
        made = line.sweep(result(wrong("a")), facts=SweepFacts(AT, merged=frozenset({task.id})))
    assert [one.id for one in made.escalated] == [task.id]
    assert line.sweep(result(wrong("a"))).tasks == ()


def test_a_claim_that_nobody_comes_back_to_is_free_again(line):
    (task,) = line.sweep(result(wrong("a"))).tasks
    line.set(task, status="assigned", claimed_by="ada", claimed_at=AT)
    line.sweep(result(wrong("a")), facts=SweepFacts(LATER))
    assert (line.statuses, line.tasks[task.id].claimed_by) == (["failed"], "")


def test_a_fix_that_was_accepted_and_never_merged_does_not_block_for_good(line):
    (task,) = line.sweep(result(wrong("a"))).tasks
    line.set(task, status="done", fix="f1", finished_at=AT)
    line.sweep(result(wrong("a")), facts=SweepFacts(LATER))
    assert line.statuses == ["failed"]


def test_what_a_fix_broke_is_one_level_deeper_and_a_third_level_is_for_a_person(line):
    (task,) = line.sweep(result(wrong("a"))).tasks
    line.set(task, status="done", fix="f1", finished_at=AT)
    arrived = frozenset({task.id})
    (second,) = line.sweep(
        result(wrong("b", file="shop/a.py")), facts=SweepFacts(AT, merged=arrived, arrived=arrived)
    ).tasks
    assert (second.depth, second.status) == (2, "pending")
    line.set(second, status="done", fix="f2", finished_at=AT)
    both = frozenset({task.id, second.id})
    made = line.sweep(
        result(wrong("c", file="shop/a.py")), facts=SweepFacts(AT, merged=both, arrived=frozenset({second.id}))
    )
    assert [(one.depth, one.status) for one in made.escalated] == [(3, "escalated")]


def test_a_failure_that_comes_back_begins_anew(line):
    line.sweep(result(wrong("a")))
    line.sweep(result())
    (task,) = line.sweep(result(wrong("a"))).tasks
    found = line.findings[wrong("a").fingerprint]
    assert (found.first_sweep, found.failures, found.task) == ("s3", 0, task.id)


def test_a_failure_that_comes_back_at_the_same_commit_gets_an_id_of_its_own(line):
    (first,) = line.sweep(result(wrong("a")), commit="c1").tasks
    line.sweep(result(), commit="c1")
    (second,) = line.sweep(result(wrong("a")), commit="c1").tasks
    assert first.id != second.id


def test_ids_are_minted_from_the_failures_and_the_commit(line):
    (task,) = line.sweep(result(wrong("a"))).tasks
    (same,) = Line().sweep(result(wrong("a"))).tasks
    assert task.id == same.id
    assert task.branch.startswith(f"fix/{task.id}-")


def test_no_conflict_task_is_without_files(line):
    marks = [Diagnostic("conflicts", "conflict", "error", "<<<<<<<", file=f"f{n}.ts") for n in range(20)]
    made = line.sweep(result(*marks, check="conflicts", category="conflict"))
    assert [len(one.scope) for one in made.tasks] == [3] * 6 + [2]


def conflict(file="a.md"):
    found = Diagnostic("conflict-markers", "conflict", "error", "a conflict is left", file=file, line=1)
    return result(found, check="conflict-markers", category="conflict")


def test_a_conflict_gets_its_task_whatever_is_wrong_with_the_machine(line):
    line.sweep(result(wrong("a")))
    made = line.sweep(conflict(), result(wrong("b")), infrastructure="the disk is full")
    assert [(one.category, one.scope) for one in made.tasks] == [("conflict", ("a.md",))]
    assert {one.diagnostic.check for one in made.findings} == {"conflict-markers", "surroundings"}
    assert (made.changes, line.state(wrong("a"))) == ((), "assigned")


def test_a_conflict_that_is_gone_is_over_whatever_is_wrong_with_the_machine(line):
    line.sweep(conflict())
    line.sweep(result(check="conflict-markers", category="conflict"), infrastructure="the disk is full")
    assert line.statuses == ["obsolete"]


@pytest.mark.parametrize("fault", ["", "the disk is full"])
def test_a_check_that_is_no_longer_declared_takes_its_findings_and_tasks_along(line, fault):
    (task,) = line.sweep(result(wrong("a"))).tasks
    renamed = result(wrong("a", check="unit"), check="unit")
    line.sweep(renamed, facts=SweepFacts(AT, checks=frozenset({"unit"})), infrastructure=fault)
    assert line.state(wrong("a")) == "resolved"
    assert line.tasks[task.id].status == "obsolete"
    assert line.tasks[task.id].note == "its check is no longer declared: test"


def test_whoever_claimed_a_task_of_a_check_that_is_no_longer_declared_is_told(line):
    (task,) = line.sweep(result(wrong("a"))).tasks
    line.set(task, status="assigned", claimed_by="ada", claimed_at=AT)
    (told,) = line.sweep(result(check="unit"), facts=SweepFacts(AT, checks=frozenset({"unit"}))).dropped
    assert (told.id, told.status) == (task.id, "obsolete")
    assert told.note.endswith("test; ada can stop")


def test_a_fault_of_the_machine_is_of_no_check_and_stays_where_one_is_dropped(line):
    (fault,) = line.sweep(infrastructure="the disk is full").findings
    line.sweep(facts=SweepFacts(AT, checks=frozenset()), infrastructure="the disk is full")
    assert line.state(fault.diagnostic) == "open"


def test_a_check_that_never_ends_gets_a_task_and_one_that_said_what_is_wrong_only_that():
    hung = CheckResult("test", "test", "timed out", "it was killed after its timeout of 9 s")
    (task,) = Line().sweep(hung).tasks
    assert (task.kind, task.description.splitlines()[0]) == (
        "timeout",
        "Make test pass: it was killed after its timeout of …",
    )
    (task,) = Line().sweep(replace(hung, diagnostics=(wrong("a"),))).tasks
    assert task.fingerprints == (wrong("a").fingerprint,)
