import random
from dataclasses import replace
from itertools import groupby
from operator import attrgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.intent.tests import Gap, Scan, Test, test_id
from pactkeeper.repo.delta import Delta, delta


def a_test(file: str, name: str, body: str = "", *, suite: tuple[str, ...] = (), line: int = 1) -> Test:
    return Test(
        id=test_id(file, suite, name),
        file=file,
        suite=suite,
        name=name,
        line=line,
        name_line=line,
        end_line=line,
        language="lines",
        framework="lines",
        body_hash=f"v1:{body or name}",
    )


def scan(*tests: Test, gaps: tuple[Gap, ...] = ()) -> Scan:
    ordered = sorted(tests, key=attrgetter("file", "line", "id"))
    by_file = {path: tuple(members) for path, members in groupby(ordered, attrgetter("file"))}
    return Scan(by_file, gaps, len(by_file))


A, B, C = a_test("f", "a"), a_test("f", "b"), a_test("f", "c")
listed_tests = st.lists(
    st.builds(
        a_test,
        st.sampled_from(["f", "g", "h/i"]),
        st.sampled_from(["a", "b", "c", "long name", "long nome"]),
        st.sampled_from(["1", "2", "3", ""]),
        suite=st.sampled_from([(), ("S",), ("S", "T")]),
        line=st.integers(1, 50),
    ),
    unique_by=lambda test: test.id,
    max_size=12,
)


def test_the_same_tests_make_an_empty_delta():
    assert delta(scan(A, B), scan(A, B)).empty


def test_moving_lines_changes_nothing():
    assert delta(scan(A, B), scan(replace(A, line=90, name_line=91), B)).empty


def test_a_new_id_with_a_new_body_is_added():
    assert delta(scan(A), scan(A, B)) == Delta(added=("f::b",))


def test_a_lost_id_with_a_lost_body_is_deleted():
    assert delta(scan(A, B), scan(A)) == Delta(deleted=("f::b",))


def test_a_new_body_under_the_old_id_is_modified():
    assert delta(scan(A), scan(replace(A, body_hash="v1:other"))) == Delta(modified=("f::a",))


def test_the_same_body_under_another_name_is_renamed():
    assert delta(scan(A), scan(a_test("f", "z", "a"))) == Delta(renamed=(("f::a", "f::z"),))


def test_the_same_name_in_another_file_is_moved():
    assert delta(scan(A), scan(a_test("g", "a"))) == Delta(moved=(("f::a", "g::a"),))


def test_the_same_name_in_another_suite_is_moved():
    assert delta(scan(A), scan(a_test("f", "a", suite=("S",)))) == Delta(moved=(("f::a", "f::S::a"),))


def test_another_name_in_another_file_is_renamed():
    assert delta(scan(A), scan(a_test("g", "z", "a"))) == Delta(renamed=(("f::a", "g::z"),))


def test_a_renamed_file_keeps_its_tests_though_their_bodies_changed():
    before, after = scan(A, B), scan(a_test("g", "a", "new"), a_test("g", "b", "newer"))
    assert delta(before, after, {"f": "g"}) == Delta(
        modified=("g::a", "g::b"), moved=(("f::a", "g::a"), ("f::b", "g::b"))
    )


def test_a_renamed_file_with_a_name_that_is_escaped_keeps_its_tests():
    before = scan(a_test("x::y\\z", "a", "1", suite=("S",)))
    after = scan(a_test("w\nv", "a", "2", suite=("S",)))
    found = delta(before, after, {"x::y\\z": "w\nv"})
    assert found.moved == ((before.tests[0].id, after.tests[0].id),)
    assert found.modified == (after.tests[0].id,)


def test_two_tests_that_swap_bodies_are_both_modified():
    after = scan(a_test("f", "a", "b"), a_test("f", "b", "a"))
    assert delta(scan(A, B), after) == Delta(modified=("f::a", "f::b"))


def test_a_test_that_went_with_its_suite_is_moved_and_modified():
    before = scan(A, B, C)
    after = scan(a_test("g", "a"), a_test("g", "b"), a_test("g", "c", "changed"))
    assert delta(before, after) == Delta(
        modified=("g::c",), moved=(("f::a", "g::a"), ("f::b", "g::b"), ("f::c", "g::c"))
    )


def test_a_test_alone_of_its_name_in_a_file_is_followed_to_another_suite_though_it_changed():
    after = scan(a_test("f", "a", "changed", suite=("S",)))
    assert delta(scan(A), after) == Delta(modified=("f::S::a",), moved=(("f::a", "f::S::a"),))


def test_a_name_that_a_file_holds_twice_is_not_guessed_at():
    after = scan(a_test("f", "a", "1", suite=("S",)), a_test("f", "a", "2", suite=("T",)))
    assert delta(scan(A), after) == Delta(added=("f::S::a", "f::T::a"), deleted=("f::a",))


def test_among_equal_bodies_the_same_name_stays_together():
    before = scan(a_test("f", "a", "x"), a_test("f", "b", "x"))
    after = scan(a_test("g", "b", "x"), a_test("g", "a", "x"))
    assert delta(before, after).moved == (("f::a", "g::a"), ("f::b", "g::b"))


def test_among_equal_bodies_similar_names_belong_together():
    before = scan(a_test("f", "login fails", "x"), a_test("f", "logout works", "x"))
    after = scan(a_test("f", "logout now works", "x"), a_test("f", "a login fails", "x"))
    assert delta(before, after).renamed == (
        ("f::login fails", "f::a login fails"),
        ("f::logout works", "f::logout now works"),
    )


def test_among_equal_bodies_a_renamed_file_comes_before_another():
    before = scan(a_test("f", "a", "x"), a_test("other", "a", "x"))
    after = scan(a_test("new", "a1", "x"), a_test("other", "a1", "x"))
    assert delta(before, after, {"f": "new"}).renamed == (("f::a", "new::a1"), ("other::a", "other::a1"))


def test_a_copy_is_added_and_the_original_stays():
    assert delta(scan(A), scan(A, a_test("g", "a"))) == Delta(added=("g::a",))


def test_thousands_of_tests_with_one_body_are_paired_in_reasonable_time():
    before = scan(*(a_test("f", f"t{number:05}", "pass") for number in range(6_000)))
    after = scan(*(a_test("g", f"u{number:05}", "pass") for number in range(6_000)))
    assert len(delta(before, after).renamed) == 6_000


@pytest.mark.parametrize("reason", ["syntax error", "unreadable"])
def test_a_test_whose_file_is_a_gap_now_is_unseen_and_never_deleted(reason):
    found = delta(scan(A, a_test("g", "b")), scan(gaps=(Gap("f", reason),)))
    assert (found.deleted, found.unseen) == (("g::b",), ("f::a",))


def test_a_test_whose_file_was_a_gap_before_is_unseen_and_never_added():
    found = delta(scan(gaps=(Gap("f", "syntax error"),)), scan(A, a_test("g", "b")))
    assert (found.added, found.unseen) == (("g::b",), ("f::a",))


def test_a_test_whose_file_became_a_gap_under_another_name_is_never_deleted():
    found = delta(scan(A), scan(gaps=(Gap("g", "syntax error"),)), {"f": "g"})
    assert (found.deleted, found.unseen) == ((), ("f::a",))


def test_a_test_that_moved_out_of_a_gap_is_followed_by_its_body():
    found = delta(scan(A), scan(a_test("g", "a"), gaps=(Gap("f", "syntax error"),)))
    assert (found.moved, found.unseen) == ((("f::a", "g::a"),), ())


def test_a_limit_that_both_scans_met_hides_no_deletion():
    gap = Gap("f", "load_tests decides at run time which tests are loaded", 9)
    assert delta(scan(A, B, gaps=(gap,)), scan(A, gaps=(gap,))).deleted == ("f::b",)


@pytest.mark.parametrize("gap", [Gap("f", "the syntax is broken here", 3), Gap("f", "unreadable")])
def test_damage_hides_tests_even_where_it_was_there_before(gap):
    found = delta(scan(A, B, gaps=(gap,)), scan(A, gaps=(gap,)))
    assert (found.deleted, found.unseen) == ((), ("f::b",))


def test_settings_that_became_unreadable_hide_every_test_below_them():
    before = scan(a_test("web/a.test.ts", "x"), a_test("api/b.test.ts", "y"))
    for settings in ("web/package.json", "web/jest.config.ts", "web/.mocharc.ts"):
        found = delta(before, scan(gaps=(Gap(settings, "the settings cannot be read"),)))
        assert (found.deleted, found.unseen) == (("api/b.test.ts::y",), ("web/a.test.ts::x",))


def test_settings_that_were_never_understood_hide_nothing():
    gap = Gap("package.json", "the pattern is computed")
    found = delta(scan(a_test("a.ts", "x"), a_test("b.ts", "y"), gaps=(gap,)), scan(a_test("b.ts", "y"), gaps=(gap,)))
    assert found.deleted == ("a.ts::x",)


def test_paths_narrow_a_delta_and_a_step_counts_at_either_end():
    before = scan(a_test("a/f", "moved"), a_test("a/f", "gone"), a_test("c/f", "gone2"))
    found = delta(before, scan(a_test("b/f", "moved"), a_test("c/f", "new")))
    assert found.under(["a"]) == Delta(moved=(("a/f::moved", "b/f::moved"),), deleted=("a/f::gone",))
    assert found.under(["b"]) == Delta(moved=(("a/f::moved", "b/f::moved"),))
    assert found.under(["."]) == found


@given(listed_tests)
def test_unchanged_tests_give_an_empty_delta(tests):
    assert delta(scan(*tests), scan(*tests)).empty


@given(listed_tests, listed_tests)
def test_every_test_is_told_exactly_once(before, after):
    found = delta(scan(*before), scan(*after))
    kept = {test.id for test in before} & {test.id for test in after}
    old = [*kept, *found.deleted, *(step[0] for step in (*found.moved, *found.renamed))]
    new = [*kept, *found.added, *(step[1] for step in (*found.moved, *found.renamed))]
    assert sorted(old) == sorted(test.id for test in before)
    assert sorted(new) == sorted(test.id for test in after)


@given(listed_tests, listed_tests, st.randoms(use_true_random=False))
def test_the_order_in_which_tests_are_given_changes_nothing(before, after, chance: random.Random):
    shuffled = [*before]
    chance.shuffle(shuffled)
    assert delta(scan(*before), scan(*after)) == delta(scan(*shuffled), scan(*after))


@given(listed_tests, listed_tests)
def test_what_is_added_one_way_is_deleted_the_other_way(before, after):
    there, back = delta(scan(*before), scan(*after)), delta(scan(*after), scan(*before))
    assert len(there.added) == len(back.deleted)
    assert len(there.deleted) == len(back.added)


@given(listed_tests, listed_tests, st.lists(st.sampled_from(["f", "g", "h/i"]), max_size=3))
def test_no_test_of_a_file_with_a_gap_is_ever_added_or_deleted(before, after, closed):
    gaps = tuple(Gap(file, "closed") for file in closed)
    one, other = delta(scan(*before), scan(*after, gaps=gaps)), delta(scan(*before, gaps=gaps), scan(*after))
    assert not [name for name in one.deleted if name.split("::")[0] in closed]
    assert not [name for name in other.added if name.split("::")[0] in closed]
