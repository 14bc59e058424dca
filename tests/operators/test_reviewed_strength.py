"""A link remembers what its test proved when somebody reviewed it."""

import re

import pytest

from pactkeeper.doors.cli.review_plain import left_out
from pactkeeper.errors import RefusedError, UsageError
from pactkeeper.intent.strength import review
from pactkeeper.operators.accept import AcceptedWords, accept_tests
from pactkeeper.operators.authored import supersede_atom
from pactkeeper.operators.check import check_repo
from pactkeeper.operators.commit import Ask, prepare_commit
from pactkeeper.operators.decide import pending_of
from pactkeeper.operators.findings import Aside, put_aside
from pactkeeper.operators.reconcile import reconcile_repo
from pactkeeper.operators.view import StateView
from pactkeeper.reconcile.request import Request
from tests.operators.atoms import atom_of, change, commit, declare, found, run
from tests.operators.conftest import ADDS, FILE

LOOSE = ("== 3", "> 0")


@pytest.fixture
def committed(linked):
    """The shop with the atom of one test committed."""
    commit(linked, atom_of(linked))
    return linked


@pytest.mark.parametrize(
    ("old", "new"),
    [
        LOOSE,
        ("assert add(1, 2) == 3", "pass"),
        ("assert add(1, 2) == 3", "assert True"),
        ("== 3", "== 4"),
        ("def test_adds", "@pytest.mark.skip\ndef test_adds"),
    ],
    ids=["looser", "gutted", "tautology", "another result", "skipped"],
)
def test_a_test_that_proves_less_of_a_committed_atom_is_an_error(committed, old, new):
    committed.replace(FILE, old, new)
    assert found(committed) == [("PK115", "error")]


def test_a_test_that_expects_something_else_is_offered_the_waiting_successor_of_its_atom(committed):
    new = declare(committed, "Adds small numbers.")
    run(committed, supersede_atom, atom_of(committed), new)
    committed.replace(FILE, *LOOSE)
    (row,) = [row for row in run(committed, check_repo, StateView()).findings if row.code == "PK115"]
    assert row.fix == f"restore it, or link it to the waiting successor: pk accept {ADDS} --atom {new}"
    committed.replace(FILE, "assert add(1, 2) > 0", "add(1, 2)")
    (row,) = [row for row in run(committed, check_repo, StateView()).findings if row.code == "PK115"]
    shown = f"pk atom edit {new} --outcome 'What can be observed.'"
    assert row.fix == f"restore it, or commit the waiting successor: {shown}"


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("len(sys.argv) > 0", [("PK115", "error")]),
        ("not hasattr(shop, 'sum')", [("PK115", "error")]),
        ("needed()", [("PK115", "warning")]),
        ("yaml is None", [("PK115", "warning")]),
        ("sys.platform == 'win32'", []),
        ("sys.version_info < (3, 12)", []),
    ],
)
def test_a_skip_of_a_committed_test_is_told_unless_only_platforms_and_versions_decide_it(committed, condition, told):
    committed.write("shop.py", "total = 3\n")
    committed.replace(FILE, "def test_adds", f"@pytest.mark.skipif({condition}, reason='')\ndef test_adds")
    assert found(committed) == told


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def test_adds", "async def test_adds"),
        ("assert add(1, 2) == 3", "assert add(1, 2) == 3\n    yield"),
        (
            "assert add(1, 2) == 3",
            "with pytest.raises(Exception):\n        assert add(1, 2) == 3\n        raise Exception",
        ),
    ],
    ids=["coroutine", "generator", "expected"],
)
def test_a_committed_test_that_nothing_runs_or_hears_any_more_is_an_error(committed, old, new):
    committed.replace(FILE, old, new)
    assert found(committed) == [("PK115", "error")]


FAKED = "import shop\nfrom shop import add\n\n"
QUIET = (
    "import pytest\nimport shop\n\n@pytest.fixture(autouse=True)\ndef step(monkeypatch):\n    monkeypatch.setattr({})\n"
)
REPLACING = {
    "a constant": (FILE, FAKED + "shop.STEP = 4\n", [("PK115", "error")]),
    "what it asserts of": (FILE, FAKED + "shop.add = lambda *_: 3\n", [("PK115", "error")]),
    "in a new conftest": ("tests/conftest.py", QUIET.format("shop, 'STEP', 4"), [("PK115", "error")]),
    "in the outermost conftest": ("conftest.py", "import shop\n\nshop.STEP = 4\n", [("PK115", "error")]),
    "a pause": ("tests/conftest.py", QUIET.format("shop, 'PAUSE', 0"), []),
    "nothing": (FILE, FAKED, []),
}


@pytest.mark.parametrize(("path", "before", "told"), REPLACING.values(), ids=REPLACING)
def test_a_test_of_a_committed_atom_that_replaces_what_it_asserts_of_is_an_error(committed, path, before, told):
    committed.write(FILE, "from shop import add\n\n" + committed.read(FILE))
    committed.save("Import it")
    assert found(committed) == []
    committed.write(path, before + (committed.read(path) if path == FILE else ""))
    assert found(committed) == told


SCRIPT, ADDING = "web/a.test.js", "web/a.test.js::adds"
SPOKEN = "import { expect, it } from 'vitest';\nimport { add } from './add.js';\n\nit('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n"
EXCUSED = {
    "fails": ("it('adds', ", "it.fails('adds', ", [("PK115", "error")]),
    "an option": ("it('adds', ", "it('adds', { fails: true }, ", [("PK115", "error")]),
    "where it is run": ("it('adds', ", "it.skipIf(process.env.CI)('adds', ", [("PK115", "error")]),
    "a matcher": ("it('adds', ", "expect.extend({ toBe: () => ({ pass: true }) });\nit('adds', ", [("PK115", "error")]),
    "another expect": ("import { expect, it }", "import { expect } from './own.js';\nimport { it }", [("PK115", "error")]),
    "a mocked assert": ("it('adds', ", "beforeEach((t) => { t.mock.method(assert, 'ok', () => {}); });\nit('adds', ", [("PK115", "error")]),
    "on a platform": ("it('adds', ", "it.skipIf(process.platform === 'win32')('adds', ", []),
    "a matcher of its own": ("it('adds', ", "expect.extend({ toBeEven: () => ({ pass: true }) });\nit('adds', ", []),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "told"), EXCUSED.values(), ids=EXCUSED)
def test_a_test_of_a_committed_atom_whose_assertions_may_fail_unseen_is_an_error(shop, old, new, told):
    shop.write("web/package.json", '{"devDependencies": {"vitest": "^3.0.0"}}\n')
    shop.write(SCRIPT, SPOKEN)
    shop.write("web/own.js", "export const expect = () => ({ toBe() {} });\n")
    shop.save("Adds")
    run(shop, accept_tests, (ADDING,), AcceptedWords(intent="The sum of two numbers is returned."))
    commit(shop, *(link.atom for link in shop.world().by_id[ADDING].links))
    shop.replace(SCRIPT, old, new)
    findings = run(shop, check_repo, StateView()).findings
    assert [(row.code, row.severity) for row in findings if row.subject == ADDING] == told


@pytest.mark.parametrize(
    "new",
    [
        "result = add(1, 2)\n    assert 3 == result",
        "assert add(1, 2) == 3\n    assert add(2, 2) == 4",
        "assert add(1, 2) == 3, 'the sum'",
    ],
    ids=["in other words", "one assertion more", "a message"],
)
def test_an_edit_that_proves_as_much_needs_nobody(committed, new):
    committed.replace(FILE, "assert add(1, 2) == 3", new)
    assert found(committed) == []


def test_under_an_atom_that_nobody_committed_it_is_a_warning(linked):
    linked.replace(FILE, *LOOSE)
    assert found(linked) == [("PK115", "warning")]


@pytest.mark.parametrize("new", ["> 0", "== 3 or True"], ids=["looser", "hollow"])
def test_an_atom_whose_test_proves_less_than_was_reviewed_is_not_frozen(linked, new):
    linked.replace(FILE, "== 3", new)
    with pytest.raises(UsageError, match="proves less of it than was reviewed"):
        run(linked, prepare_commit, Ask((atom_of(linked),), only_look=True))
    linked.replace(FILE, new, "== 3")
    assert run(linked, prepare_commit, Ask((atom_of(linked),), only_look=True)).atoms


def test_nothing_confirms_that_a_committed_atom_is_proven_with_less(committed):
    committed.replace(FILE, "assert add(1, 2) == 3", "pass")
    with pytest.raises(UsageError, match="prove less of a committed atom"):
        run(committed, accept_tests, (ADDS,), AcceptedWords())
    with pytest.raises(RefusedError, match="pk atom supersede"):
        run(committed, accept_tests, (ADDS,), AcceptedWords(atom=atom_of(committed)))
    assert found(committed) == [("PK115", "error")]


NEW = f"{FILE}::test_sums"


def renamed(shop, assertion):
    shop.replace(FILE, "def test_adds_two_numbers", "def test_sums")
    shop.replace(FILE, "assert add(1, 2) == 3", assertion)


def codes(shop):
    return [row.code for row in run(shop, check_repo, StateView()).findings if row.severity == "error"]


def test_a_weaker_test_does_not_take_the_place_of_one_that_proved_a_promise(committed):
    atom = atom_of(committed)
    renamed(committed, "assert add(1, 2) > 0")
    for words in (AcceptedWords(atom=atom), AcceptedWords(atom=atom, weaker=True)):
        with pytest.raises(RefusedError, match="proves less of"):
            run(committed, accept_tests, (NEW,), words)
    assert "detachTest" not in {op.verb for op in committed.reconcile().patch.ops}

    committed.replace(FILE, "def test_sums", f"# @atom {atom}\ndef test_sums")
    assert codes(committed) == ["PK115"]


# @atom IA-SAQS1M1
def test_a_weaker_test_with_a_sentence_of_its_own_does_not_take_the_place_either(committed):
    atom = atom_of(committed)
    renamed(committed, "assert add(1, 2) > 0")
    run(committed, accept_tests, (NEW,), AcceptedWords(intent="Sums are positive in this shop."))
    committed.replace(FILE, "def test_sums", f"# @atom {atom}\ndef test_sums")
    assert codes(committed) == ["PK115"]
    assert "detachTest" not in {op.verb for op in committed.reconcile().patch.ops}


# @atom IA-SAQS1M1
def test_a_test_that_was_reviewed_for_a_successor_does_not_come_back_unchanged(committed):
    atom = atom_of(committed)
    committed.replace(FILE, *LOOSE)
    run(committed, accept_tests, (ADDS,), AcceptedWords(intent="Sums are positive in this shop.", weaker=True))
    with pytest.raises(RefusedError, match="proves less of"):
        run(committed, accept_tests, (ADDS,), AcceptedWords(atom=atom))


def left(shop):
    """Loosen the only test of the committed atom and link it to a sentence of its own; returns the atom."""
    atom = atom_of(shop)
    shop.replace(FILE, *LOOSE)
    run(shop, accept_tests, (ADDS,), AcceptedWords(intent="Sums are positive in this shop.", weaker=True))
    return atom


TRIVIAL = "\n\ndef test_sums():\n    assert add is not None\n"


@pytest.mark.parametrize("names_the_atom", [False, True], ids=["accepted", "annotated"])
def test_no_other_test_proves_less_of_a_promise_whose_test_left_it(committed, names_the_atom):
    atom = left(committed)
    note = f"# @atom {atom}\n" if names_the_atom else ""
    committed.write(FILE, committed.read(FILE) + TRIVIAL.replace("def", f"{note}def"))
    if names_the_atom:
        assert codes(committed) == ["PK115"]
    else:
        with pytest.raises(RefusedError, match="proves less of"):
            run(committed, accept_tests, (NEW,), AcceptedWords(atom=atom))


def test_a_test_that_left_a_promise_comes_back_once_it_proves_as_much(committed):
    atom = left(committed)
    committed.replace(FILE, LOOSE[1], f"{LOOSE[1]}\n    assert add is not None")
    with pytest.raises(RefusedError, match="proves less of"):
        run(committed, accept_tests, (ADDS,), AcceptedWords(atom=atom))
    committed.replace(FILE, LOOSE[1], LOOSE[0])
    run(committed, accept_tests, (ADDS,), AcceptedWords(atom=atom))
    assert (codes(committed), committed.world().pact.links[ADDS].left) == ([], ())


def test_a_deleted_test_that_left_a_promise_is_remembered(committed):
    atom = left(committed)
    committed.write(FILE, TRIVIAL.replace("def", f"from shop import add\n\n\n# @atom {atom}\ndef", 1))
    assert ADDS not in {op.payload["testId"] for op in committed.reconcile().patch.ops if op.verb == "detachTest"}
    assert "PK115" in codes(committed)


def test_a_test_that_proves_as_much_takes_the_place_and_the_record(committed):
    atom = atom_of(committed)
    renamed(committed, "assert add(1, 2) == 3\n    assert add(2, 2) == 4")
    assert codes(committed) == ["PK110", "PK101"]
    run(committed, accept_tests, (NEW,), AcceptedWords(atom=atom))
    assert codes(committed) == []
    assert ADDS not in committed.world().pact.links


@pytest.mark.parametrize(
    ("assertion", "named"),
    [
        ("sum_ = add(1, 2)\n    assert sum_ == 3", True),
        ("assert add(1, 2) == 3\n    assert add(2, 2) == 4", True),
        ("assert add(1, 2) > 0", False),
    ],
)
def test_a_test_is_offered_the_atom_of_a_vanished_one_and_in_new_words_if_it_expects_something_else(
    committed, assertion, named
):
    command = f"pk accept {NEW} --atom {atom_of(committed)}" + ("" if named else " --intent 'One sentence.'")
    renamed(committed, assertion)
    fixes = {row.code: row.fix or "" for row in run(committed, check_repo, StateView()).findings}
    assert (fixes["PK101"], fixes["PK110"]) == (command, command)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [("\n    assert add(2, 2) == 4", "", "doesn't assert all that"), ("== 4", "== 5", "expects something else than")],
)
def test_a_renamed_test_that_only_lost_an_assertion_is_not_said_to_expect_something_else(committed, old, new, said):
    committed.replace(FILE, "add(1, 2) == 3", "add(1, 2) == 3\n    assert add(2, 2) == 4")
    run(committed, accept_tests, (ADDS,), AcceptedWords())
    committed.save("Say more")
    committed.replace(FILE, old, new)
    committed.replace(FILE, "def test_adds_two_numbers", "def test_sums")
    messages = [row.message for row in run(committed, check_repo, StateView()).findings if row.code == "PK101"]
    assert messages == [f"no atom says what this test is for; it {said} {ADDS} did"]


def test_one_promise_takes_several_tests_at_once(linked):
    atom = atom_of(linked)
    more = "\n\ndef test_more():\n    assert add(2, 3) == 5\n\n\ndef test_most():\n    assert add(9, 9) == 18\n"
    linked.write(FILE, linked.read(FILE) + more)
    run(linked, accept_tests, (FILE,), AcceptedWords(atom=atom))
    proving = {entry.test.name for entry in linked.world().linked if atom in {link.atom for link in entry.links}}
    assert {"test_adds_two_numbers", "test_more", "test_most"} <= proving


def test_a_named_test_joins_a_promise_although_it_has_words_of_its_own(linked):
    atom = atom_of(linked)
    more = "\n\ndef test_more():\n    assert add(2, 3) == 5\n\n\ndef test_most():\n    assert add(9, 9) == 18\n"
    linked.write(FILE, linked.read(FILE) + more)
    first, second = f"{FILE}::test_more", f"{FILE}::test_most"
    run(linked, accept_tests, (first,), AcceptedWords(intent="Two and three are five."))
    run(linked, accept_tests, (first, second), AcceptedWords(atom=atom))
    links = {entry.test.id: {link.atom for link in entry.links} for entry in linked.world().linked}
    assert atom in links[first] & links[second]
    assert len(links[first]) == 2


def test_a_weaker_test_takes_the_place_under_a_draft_by_an_explicit_word_alone(linked):
    atom = atom_of(linked)
    renamed(linked, "assert add(1, 2) > 0")
    with pytest.raises(UsageError, match=f"--atom {atom} --weaker"):
        run(linked, accept_tests, (NEW,), AcceptedWords(atom=atom))
    run(linked, accept_tests, (NEW,), AcceptedWords(atom=atom, weaker=True))
    assert codes(linked) == []


def test_a_confirmed_link_remembers_the_new_assertions(linked):
    linked.replace(FILE, *LOOSE)
    run(linked, accept_tests, (ADDS,), AcceptedWords(weaker=True))
    assert found(linked) == []
    assert "greater(add(1, 2), 0)" in linked.read("pact/links/tests/test_shop.py.toml")


@pytest.mark.parametrize(
    "words", [AcceptedWords(), AcceptedWords(intent="Sums are positive.")], ids=["a plain yes", "other words"]
)
def test_a_proven_weakening_is_confirmed_by_an_explicit_word_alone(linked, words):
    linked.replace(FILE, *LOOSE)
    with pytest.raises(UsageError, match=r"- add\(1, 2\) == 3\n +\+ add\(1, 2\) > 0\n.*--weaker"):
        run(linked, accept_tests, (ADDS,), words)
    assert found(linked) == [("PK115", "warning")]


RESTING = """\
from tests.helpers import check_sum


def test_adds_two_numbers(basket):
    check_sum(add(*basket))
"""
AROUND = {
    "tests/helpers.py": "def check_sum(x):\n    assert x == 3\n",
    "tests/conftest.py": "import pytest\n\n@pytest.fixture\ndef basket():\n    return [1, 2]\n",
    FILE: RESTING,
}


@pytest.fixture
def resting(shop):
    """The shop with a committed test that asserts through a helper and a fixture of other files."""
    return rested(shop)


def rested(shop):
    for path, text in AROUND.items():
        shop.write(path, text)
    shop.decide(shop.reconcile().patch, "accept")
    commit(shop, atom_of(shop))
    return shop


WEAKENED = pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("tests/helpers.py", "assert x == 3", "assert x > 0"),
        ("tests/helpers.py", "assert x == 3", "return x"),
        ("tests/conftest.py", "return [1, 2]", "pytest.skip('later')"),
        (FILE, "from tests", "pytestmark = pytest.mark.skip\nfrom tests"),
    ],
    ids=["a looser helper", "an empty helper", "a fixture that skips", "a mark on its whole file"],
)


@WEAKENED
def test_a_weakened_file_that_an_unchanged_test_rests_on_is_an_error(resting, path, old, new):
    assert found(resting) == []
    resting.replace(path, old, new)
    assert found(resting) == [("PK115", "error")]


def test_a_file_that_a_test_rests_on_may_say_the_same_in_other_words(resting):
    resting.replace("tests/helpers.py", "assert x == 3", "wanted = 3\n    assert wanted == x, 'the sum'")
    assert found(resting) == []


@pytest.fixture
def reworded(resting):
    """A test that says the same in other words since its review, which a check has found."""
    resting.write("README.md", "Sums.\n")
    resting.replace(FILE, "check_sum(add(*basket))", "total = add(*basket)\n    check_sum(total)")
    assert found(resting) == []
    return resting


@WEAKENED
def test_what_was_proven_is_asked_again_once_a_file_that_the_test_rests_on_changes(reworded, path, old, new):
    reworded.replace(path, old, new)
    assert found(reworded) == [("PK115", "error")]


def test_what_was_proven_is_not_asked_again_while_only_other_files_change(reworded, monkeypatch):
    monkeypatch.setattr(review, "since_review", lambda *_args, **_options: pytest.fail("it was compared again"))
    reworded.replace("README.md", "Sums", "Sums of numbers")
    assert found(reworded) == []


MOVED_FILE = "tests/sums/test_sums.py"


def moved_along(shop):
    """Move the test's file, and return whether its record may follow it there."""
    shop.write(MOVED_FILE, shop.read(FILE))
    (shop.root / FILE).unlink()
    return "PK114" in {row.code for row in run(shop, check_repo, StateView()).findings}


@pytest.mark.parametrize(("carrier", "told"), [("comment", "PK115"), ("sidecar", "PK101")])
@pytest.mark.parametrize(
    ("path", "old", "new"), [("tests/helpers.py", "assert x == 3", "assert x > 0"), (FILE, "", "")], ids=["looser", ""]
)
def test_only_a_moved_test_whose_helpers_say_as_much_is_followed(shop, path, old, new, carrier, told):
    shop.write("pact/pact.toml", f'[pact]\nformat = 1\n[links]\nwrite = "{carrier}"\n')
    resting = rested(shop)
    resting.replace(path, old, new)
    follows = not old
    assert moved_along(resting) is follows
    moved = f"{MOVED_FILE}::test_adds_two_numbers"
    if follows:
        run(resting, accept_tests, (), AcceptedWords(moved=True))
        assert codes(resting) == []
    else:
        with pytest.raises(UsageError, match=r"prove less than before they moved[^+]*- [^+]*3\n *\+ [^+]*> 0"):
            run(resting, accept_tests, (), AcceptedWords(moved=True))
        (row,) = [row for row in run(resting, check_repo, StateView()).findings if row.subject == moved]
        assert (row.code, any("> 0" in line for line in row.detail)) == (told, True)
        assert ("it moved from" in row.message) is (carrier == "sidecar")
        with pytest.raises(RefusedError, match="proves less of"):
            run(resting, accept_tests, (moved,), AcceptedWords(atom=next(iter(resting.world().pact.committed_ids))))
        assert "detachTest" not in {op.verb for op in resting.reconcile().patch.ops}


MADE = """import { expect, it } from 'vitest';
import { table } from './table.js';

it('makes a table', () => {
  expect(table({ a: 1 })).toMatchInlineSnapshot(`{ a: 1 }`);
});
"""


@pytest.mark.parametrize(
    ("new", "told"),
    [("expect(table({ a: 1, b: 2 })).toMatchInlineSnapshot(`{ a: 1, b: 2 }`)", []), ("expect(table({ a: 1 })).toBeDefined()", ["PK115"])],
    ids=["another row", "looser"],
)  # fmt: skip
def test_a_moved_test_whose_input_and_result_changed_proves_what_it_did_at_the_base(shop, new, told):
    shop.write("web/package.json", '{"devDependencies": {"vitest": "^3.0.0"}}\n')
    shop.write("web/a.test.js", MADE)
    shop.save()
    run(shop, accept_tests, ("web/a.test.js::makes a table",), AcceptedWords(intent="A table has all rows."))
    commit(shop, *(link.atom for link in shop.world().by_id["web/a.test.js::makes a table"].links))
    shop.save()
    shop.git("mv", "web/a.test.js", "web/b.test.js")
    run(shop, accept_tests, (), AcceptedWords(moved=True))
    shop.replace("web/b.test.js", "expect(table({ a: 1 })).toMatchInlineSnapshot(`{ a: 1 }`)", new)
    shop.save()
    found = run(shop, check_repo, StateView(at="HEAD", since="HEAD~1")).findings
    assert [row.code for row in found if row.code == "PK115"] == told


ROWS = """from shop import find, kept

ROWS = {"a": [1, 2], "b": [3]}


def test_adds_two_numbers():
    assert find("a", kept(ROWS)) == [1, 2]
"""
GIVEN = {
    "one more row": ('"b": [3]', '"b": [3], "c": [4]', "warning"),
    "one more of a row": ('"b": [3]', '"b": [3, 4]', "warning"),
    "a row gone": (', "b": [3]', "", "error"),
    "another row": ('"b": [3]', '"b": [4]', "error"),
    "a computed row": ('"b": [3]', '"b": [3], "c": kept([4])', "error"),
    "another order": ("[1, 2], ", "[2, 1], ", "error"),
    "what is found": ("kept(ROWS)", "[1, 2]", "error"),
    "looser": ("== [1, 2]", "is not None", "error"),
}


@pytest.mark.parametrize(("old", "new", "told"), GIVEN.values(), ids=GIVEN)
def test_a_table_with_more_entries_is_another_input_and_no_loss(shop, old, new, told):
    shop.write(FILE, ROWS)
    shop.save()
    shop.decide(shop.reconcile().patch, "accept")
    commit(shop, atom_of(shop))
    shop.replace(FILE, old, new)
    assert found(shop) == [("PK115", told)]
    if told == "warning":
        (row,) = [row for row in run(shop, check_repo, StateView()).findings if row.code == "PK115"]
        assert (row.message.split(" than ")[0], row.fix) == ("it is tried with another input", f"pk accept {ADDS}")
        run(shop, accept_tests, (ADDS,), AcceptedWords())
        assert found(shop) == []
        assert len(shop.world().pact.committed_ids) == len(shop.world().pact.atoms) == 1


def test_a_committed_test_that_takes_a_step_more_often_asks_for_a_review(shop):
    text = "def test_adds_two_numbers(store):\n    for _ in range(2):\n        store.put(1)\n    assert store.total() == 2\n"
    shop.write(FILE, text)
    shop.save()
    shop.decide(shop.reconcile().patch, "accept")
    commit(shop, atom_of(shop))
    shop.write(FILE, text.replace("store.total()", "store.total( )"))
    assert found(shop) == []
    shop.write(FILE, text.replace("range(2)", "range(3)"))
    (row,) = [row for row in run(shop, check_repo, StateView()).findings if row.code == "PK115"]
    assert (row.severity, row.message.split(" than ")[0]) == ("warning", "a step of it is taken more or less often")
    run(shop, accept_tests, (ADDS,), AcceptedWords())
    assert found(shop) == []


def accompanied(shop):
    """Link a second test, which proves next to nothing, to the committed atom."""
    shop.write(FILE, shop.read(FILE) + TRIVIAL)
    run(shop, accept_tests, (NEW,), AcceptedWords(atom=atom_of(shop)))
    shop.save("Accompanied")


def without_the_first(shop):
    text = shop.read(FILE)
    start, end = text.index("def test_adds_two_numbers"), text.index("def test_expired_token")
    shop.write(FILE, text[:start] + text[end:])


def test_a_weaker_companion_does_not_let_the_test_of_a_promise_go(committed):
    accompanied(committed)
    without_the_first(committed)
    assert "PK111" in codes(committed)
    assert ADDS not in {op.payload["testId"] for op in committed.reconcile().patch.ops if op.verb == "detachTest"}


@pytest.mark.parametrize("keys", ["asserts|body|rests", "atoms|asserts|body|rests"], ids=["assertions", "record"])
def test_what_is_taken_out_of_the_links_by_hand_is_missed_against_the_commit_before(committed, keys):
    accompanied(committed)
    links = f"pact/links/{FILE}.toml"
    taken = re.compile(rf'"{re.escape(ADDS)}"\.({keys}) =.*\n')
    committed.write(links, taken.sub("", committed.read(links)))
    committed.replace(FILE, *LOOSE)
    assert "PK115" in codes(committed)


# @atom IA-A7WXYRN
@pytest.mark.parametrize("change", ["body", "rests"])
def test_a_record_that_is_edited_by_hand_to_fit_a_weaker_test_is_seen(committed, change):
    committed.write("tests/conftest.py", "import shop\n")
    run(committed, accept_tests, (ADDS,), AcceptedWords(atom=atom_of(committed)))
    committed.save("Reviewed")
    committed.replace(FILE, *LOOSE)
    links, record = f"pact/links/{FILE}.toml", committed.world().pact.links[ADDS]
    if change == "body":
        committed.replace(links, record.body, committed.world().by_id[ADDS].test.body_hash)
    else:
        kept = ", ".join(f'"{line}"' for line in record.rests if "conftest" in line)
        every = ", ".join(f'"{line}"' for line in record.rests)
        committed.replace(links, f'"{ADDS}".rests = [{every}]', f'"{ADDS}".rests = [{kept}]')
    assert "PK115" in {row.code for row in run(committed, check_repo, StateView()).findings}


# @atom IA-A7WXYRN
def test_what_the_links_of_a_pact_forget_on_the_way_to_another_folder_is_missed(committed):
    accompanied(committed)
    committed.git("mv", "pact", ".pactkeeper")
    links = f".pactkeeper/links/{FILE}.toml"
    committed.write(links, re.sub(rf'"{re.escape(ADDS)}".*\n', "", committed.read(links)))
    committed.replace(FILE, *LOOSE)
    assert "PK115" in codes(committed)


def test_a_committed_atom_whose_tests_cannot_be_seen_is_an_error(committed):
    committed.write(FILE, "def broken(:\n")
    assert codes(committed) == ["PK110"]


def test_nobody_puts_the_lost_proof_of_a_committed_atom_aside(committed):
    committed.replace(FILE, *LOOSE)
    with pytest.raises(UsageError, match="can't be snoozed or rejected"):
        run(committed, put_aside, f"PK115 {ADDS}", Aside("It is meant."))


UNASKED = """
[pact]
format = 1
[[policy.rule]]
name = "everything"
permission = "auto"
why = "nobody looks"
risks = ["annotate"]
"""


@pytest.mark.parametrize("worded", [False, True], ids=["words of its name", "words of a person"])
@pytest.mark.parametrize(
    ("old", "new"), [("== 3", "is not None"), ("assert add(1, 2) == 3", "add(1, 2)"), ("== 3", "== 4")]
)
def test_a_test_that_proves_less_or_something_else_is_not_taken_along_with_everything_else(linked, old, new, worded):
    if worded:
        change(linked, atom_of(linked), intent="Small sums are right.")
    linked.write("pact/pact.toml", UNASKED)
    linked.save("Let it")
    linked.replace(FILE, old, new)
    with linked.open() as workspace:
        made = reconcile_repo(workspace, Request(everything=True, auto_apply=True))
        pending = pending_of(workspace, made.patch)
    assert (made.applied, pending.sound, [item.group for item in pending.open]) == (None, (), [ADDS])
    assert left_out(pending) == (
        f"1 test not known to prove what was reviewed; if that is intended: pk accept {ADDS} --weaker"
    )


def test_a_test_that_expects_another_result_is_said_to_prove_something_else(linked):
    atom = atom_of(linked)
    linked.replace(FILE, "== 3", "== 4")
    (row,) = [row for row in run(linked, check_repo, StateView()).findings if row.code == "PK115"]
    said = f"it no longer proves {atom}: it proves something else (another result is expected)"
    assert row.message == f"{said}; restore it, unless that is intended"


def outcomes(shop):
    return shop.world().pact.atoms[atom_of(shop)].outcomes


def test_a_draft_says_again_what_its_restored_test_asserts(linked):
    before = outcomes(linked)
    linked.replace(FILE, *LOOSE)
    run(linked, accept_tests, (ADDS,), AcceptedWords(weaker=True))
    assert outcomes(linked) != before
    linked.replace(FILE, *reversed(LOOSE))
    run(linked, accept_tests, (ADDS,), AcceptedWords())
    assert outcomes(linked) == before
    assert linked.reconcile().patch.ops == ()


TABLE = """\
from shop import add

PRICES = {"tea": 1, "jam": 2}


def test_adds_two_numbers():
    assert total(PRICES, "tea", "jam") == 3
"""


@pytest.fixture
def tabled(shop):
    """The shop with a committed test that asserts of a table."""
    shop.write(FILE, TABLE)
    shop.git("add", "-A")
    run(shop, accept_tests, (ADDS,), AcceptedWords(intent="A total is the sum of what was bought."))
    commit(shop, atom_of(shop))
    return shop


@pytest.mark.parametrize(
    ("entries", "severity"),
    [('"oil": 9, "tea": 1, "jam": 2', "warning"), ('"tea": 1, "jam": 3', "error"), ('"oil": 9, "tea": 1', "error")],
    ids=["one more", "another", "one less"],
)
def test_a_person_confirms_that_a_promise_holds_of_a_table_with_more_entries(tabled, entries, severity):
    tabled.replace(FILE, '"tea": 1, "jam": 2', entries)
    assert found(tabled) == [("PK115", severity)]
    if severity == "warning":
        run(tabled, accept_tests, (ADDS,), AcceptedWords())
        assert codes(tabled) == []


def test_an_atom_that_a_comment_names_is_reviewed_before_it_counts_as_proven(shop):
    atom = declare(shop, "Adds numbers.")
    commit(shop, atom)
    shop.replace(FILE, "def test_adds", f"# @atom {atom}\ndef test_adds")
    assert found(shop) == [("PK108", "error")]
    run(shop, accept_tests, (ADDS,), AcceptedWords())
    assert found(shop) == []
    shop.replace(FILE, *LOOSE)
    assert found(shop) == [("PK115", "error")]
