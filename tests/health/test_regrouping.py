"""What an answer may do to groups of failures, and what it may not."""

from dataclasses import replace

import pytest

from pactkeeper.health.concluding import Facts
from pactkeeper.health.following import FollowLimits
from pactkeeper.health.group_answers import MOST_ERRORS, offer, regrouped, worth_asking, wrong_with
from pactkeeper.health.grouping import group
from pactkeeper.intent.health import Diagnostic
from tests.health.lines import AT, Line, compile_error, result, wrong

A, B, C = (compile_error(name, f"{name.lower()}.ts") for name in ("User", "Cart", "Tax"))
TITLE = "Restore 'User' and 'Cart' in user.ts and cart.ts"


def grouped(*diagnostics, **fields):
    return group(diagnostics, **fields)


def said(errors, title="Fix an error that several places report", files=()):
    return {"title": title, "errors": list(errors), "files": list(files)}


@pytest.fixture
def groups():
    return grouped(A, B, C)


@pytest.fixture
def offered(groups):
    return offer(groups, ["models.ts", "tests/user.test.ts", "pact/pact.toml", "a\nb.ts"])


def swept(answer, *diagnostics, limits=None, line=None):
    """One sweep concluded by rules, and once more with what an answer makes of its groups."""
    line = line or Line()
    checks = result(*diagnostics, check="tsc", category="compile")
    facts = Facts(AT, limits=limits or FollowLimits())
    groups = Line(dict(line.findings), dict(line.tasks), dict(line.order)).sweep(checks, facts=facts).groups
    made = regrouped(answer, offer(groups), groups)
    return line.sweep(checks, facts=replace(facts, regrouped=made))


def test_one_group_with_a_file_of_the_product_needs_no_answer():
    assert not worth_asking(grouped(A))
    assert worth_asking(grouped(A, B))
    assert worth_asking(grouped(wrong("a", file="tests/test_a.py")))


def test_conflict_markers_are_nothing_to_ask_about():
    markers = [Diagnostic("m", "conflict", "error", "a conflict marker", file=f"{name}.py") for name in "abcd"]
    assert len(grouped(*markers)) > 1
    assert not worth_asking(grouped(*markers))


def test_only_plain_files_outside_of_tests_and_pact_are_offered(offered):
    assert offered.files == ("user.ts", "cart.ts", "tax.ts", "models.ts")


def test_errors_are_shown_with_numbers_in_the_groups_of_the_rules(offered):
    assert offered.text.splitlines()[:2] == [
        "Group 1 (symbol: User); files: user.ts",
        "  1. user.ts TS2304 Cannot find name 'User'.",
    ]


def test_a_group_that_cannot_be_shown_whole_is_not_offered_and_stays():
    many = [compile_error("Big", f"{number}.ts") for number in range(MOST_ERRORS)]
    groups = grouped(A, *many, B)
    offered = offer(groups)
    assert [one.cause.about for one in offered.groups] == ["User", "Cart"]
    made = regrouped([said([1, 2], TITLE)], offered, groups)
    assert [one.cause.about for one in made] == ["Cart", "Big"]


def test_groups_are_joined_under_one_line_with_the_errors_of_the_tool():
    (task, other) = swept([said([1, 2], TITLE, ["cart.ts"]), said([3], "Fix 'Tax' in tax.ts")], A, B, C).tasks
    assert task.description.splitlines()[:3] == [
        TITLE,
        "- user.ts TS2304 Cannot find name 'User'.",
        "- cart.ts TS2304 Cannot find name 'Cart'.",
    ]
    assert (task.scope, task.fingerprints) == (("cart.ts",), (A.fingerprint, B.fingerprint))
    assert (other.scope, other.fingerprints) == (("tax.ts",), (C.fingerprint,))


def test_ids_branch_and_acceptance_are_those_of_the_rules():
    by_rules = Line().sweep(result(A, B, check="tsc", category="compile")).tasks
    answer = [said([1], "Mend what 'User' was", ["cart.ts"]), said([2], "Mend what 'Cart' was")]
    for mine, theirs in zip(by_rules, swept(answer, A, B).tasks, strict=True):
        assert (mine.id, mine.branch, mine.acceptance) == (theirs.id, theirs.branch, theirs.acceptance)
        assert mine.description.splitlines()[1:] == theirs.description.splitlines()[1:]


def test_a_group_is_taken_apart_and_the_limit_of_tasks_stays():
    uses = [compile_error("User", f"{name}.ts") for name in "abcd"]
    answer = [said([number], f"Fix 'User' in {name}.ts") for number, name in enumerate("abcd", start=1)]
    made = swept(answer, *uses, limits=FollowLimits(tasks=3))
    assert ([one.scope for one in made.tasks], made.waiting) == ([("a.ts",), ("b.ts",), ("c.ts",)], 1)


def test_an_answer_about_other_failures_than_those_that_stand_changes_nothing(groups):
    other = regrouped([said([1, 2], TITLE)], offer(groups[:2]), groups[:2])
    made = Line().sweep(result(A, B, C, check="tsc", category="compile"), facts=Facts(AT, regrouped=other))
    assert [one.fingerprints for one in made.tasks] == [(one.fingerprint,) for one in (A, B, C)]


def test_a_fix_that_touched_what_rules_named_still_counts_as_the_cause():
    line = Line()
    first = line.sweep(result(wrong("a"))).tasks[0]
    line.set(first, status="done", fix="c1", depth=2)
    beside = wrong("z", test="tests/test_z.py::z", file="tests/test_z.py")
    suspects = {beside.fingerprint: ("shop/a.py",)}
    facts = Facts(AT, merged=frozenset({first.id}), arrived=frozenset({first.id}), suspects=suspects)
    groups = group([beside, wrong("q")], suspects=suspects)
    offered = offer(groups)
    answer = [said([1], "Fix what z reports", ["shop/q.py"]), said([2], "Fix what q reports")]
    made = regrouped(answer, offered, groups, suspects=suspects)
    made = line.sweep(result(beside, wrong("q")), facts=replace(facts, regrouped=made))
    task = next(one for one in made.tasks if beside.fingerprint in one.fingerprints)
    assert (task.scope, task.depth) == (("shop/q.py",), 3)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ([said([1, 2])], "error 3 stands in no group"),
        ([said([1, 2]), said([2, 3])], "error 2 stands in more than one place"),
        ([said([1, 2, 3, 4])], "there is no error 4"),
        ([said([1, 2, 3], files=["secrets.ts"])], "'secrets.ts' is no file that was offered"),
        ([said([1, 2, 3], files=["user.ts", "user.ts"])], "are not at most 3 different files"),
        ([said([1, 2, 3], files=["user.ts", "cart.ts", "tax.ts", "models.ts"])], "are not at most 3 different files"),
        ([said([1, 2, 3], title="Fix it and add caching")], "the title says 'add'"),
    ],
)
def test_an_answer_is_refused_with_the_reason(offered, answer, reason):
    assert reason in "; ".join(wrong_with(answer, offered))


def test_an_answer_that_keeps_to_what_was_offered_is_taken(offered):
    assert wrong_with([said([1, 2], TITLE, ["models.ts"]), said([3], "Fix 'Tax' in tax.ts")], offered) == ()


def test_a_test_is_no_place_for_a_fix_where_rules_do_not_lead_there():
    groups = grouped(wrong("a", file="tests/test_a.py"), wrong("b"))
    offered = offer(groups)
    assert offered.files == ("tests/test_a.py", "shop/b.py")
    assert wrong_with([said([1], files=["tests/test_a.py"]), said([2])], offered) == ()
    assert "belongs to the tests" in wrong_with([said([1]), said([2], files=["tests/test_a.py"])], offered)[0]
