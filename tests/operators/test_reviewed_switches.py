"""What keeps a committed atom's test from judging, without a change of its assertions: `pk check` sees it as the guard does."""

import pytest

from pactkeeper.errors import UsageError
from pactkeeper.operators.accept import AcceptedWords, accept_tests
from pactkeeper.operators.check import check_repo
from pactkeeper.operators.guard import guard_tests
from pactkeeper.operators.view import StateView
from tests.operators.atoms import atom_of, commit, run
from tests.operators.conftest import ADDS, FILE, REFUSED

HOOK = "import pytest\n\n\ndef pytest_collection_modifyitems(items):\n    {}\n"
REPORT = "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    outcome = yield\n    {}\n"
NEAR, ROOT = "tests/conftest.py", "conftest.py"
OWN = {
    "flaky": ("def test_adds", "@pytest.mark.flaky(reruns=3)\ndef test_adds"),
    "flaky by its package": ("def test_adds", "@flaky(max_runs=5)\ndef test_adds"),
    "popped": ("def test_expired", "globals().pop('test_adds_two_numbers')\n\n\ndef test_expired"),
    "deleted from the globals": ("def test_expired", "del globals()['test_adds_two_numbers']\n\n\ndef test_expired"),
}
BESIDE = {
    "cleared": (NEAR, HOOK.format("items[:] = []")),
    "deselected": (ROOT, HOOK.format("items[:] = [one for one in items if 'adds' not in one.name]")),
    "skipped": (NEAR, HOOK.format("for one in items:\n        one.add_marker(pytest.mark.skip(reason='later'))")),
    "expected to fail": (NEAR, HOOK.format("for one in items:\n        one.add_marker(pytest.mark.xfail)")),
    "reported as passed": (ROOT, REPORT.format("outcome.get_result().outcome = 'passed'")),
    "results replaced": (NEAR, REPORT.format("outcome.force_result(None)")),
    "errors caught": (NEAR, "def pytest_pyfunc_call(pyfuncitem):\n    return True\n"),
    "an exit code": (ROOT, "def pytest_sessionfinish(session, exitstatus):\n    session.exitstatus = 0\n"),
    "files ignored": (NEAR, "def pytest_ignore_collect(collection_path):\n    return True\n"),
}
HARMLESS = {
    "of another test": (FILE, "def test_expired", "@pytest.mark.flaky(reruns=3)\ndef test_expired"),
    "in the text of a test": (FILE, "def test_expired", "OTHER = '@pytest.mark.flaky(reruns=3)'\n\n\ndef test_expired"),
    "another mark": (FILE, "def test_adds", "@pytest.mark.slow\ndef test_adds"),
    "under a condition": (
        NEAR, "", HOOK.format("if os.environ.get('CI'):\n        return\n    for one in items:\n        if 'slow' in one.keywords:\n"
                              "            one.add_marker(pytest.mark.skip(reason='slow'))"),
    ),
    "a stored report": (NEAR, "", REPORT.format("item.report = outcome.get_result()")),
    "an option": (ROOT, "", "def pytest_addoption(parser):\n    parser.addoption('--slow')\n"),
}  # fmt: skip


@pytest.fixture
def committed(linked):
    """The shop with the atom of one test committed."""
    commit(linked, atom_of(linked))
    linked.save("Promise")
    return linked


def findings(shop):
    return run(shop, check_repo, StateView()).findings


def found(shop, subject=ADDS):
    return {(row.code, row.severity) for row in findings(shop) if row.subject == subject}


def guarded(shop):
    report = run(shop, guard_tests, StateView(), since="HEAD")
    return {row.severity for row in report.findings}


@pytest.mark.parametrize(("old", "new"), OWN.values(), ids=OWN)
def test_what_a_test_file_does_to_the_test_of_a_promise_is_an_error(committed, old, new):
    committed.replace(FILE, old, new)
    assert "error" in guarded(committed)
    assert found(committed) == {("PK115", "error")}


def test_a_deleted_name_leaves_the_promise_without_its_test(committed):
    atom = atom_of(committed)
    committed.write(FILE, f"{committed.read(FILE)}\n\ndel test_adds_two_numbers\n")
    assert "error" in guarded(committed)
    assert found(committed, atom) == {("PK110", "error")}


@pytest.mark.parametrize(("path", "text"), BESIDE.values(), ids=BESIDE)
def test_what_a_hook_does_to_the_test_of_a_promise_is_an_error(committed, path, text):
    committed.write(path, text)
    assert "error" in guarded(committed)
    assert found(committed) == {("PK115", "error")}


@pytest.mark.parametrize(("path", "old", "new"), HARMLESS.values(), ids=HARMLESS)
def test_what_does_nothing_to_it_is_silent(committed, path, old, new):
    if old:
        committed.replace(path, old, new)
    else:
        committed.write(path, new)
    assert found(committed) == set()


def test_the_finding_names_the_hook_and_its_place(committed):
    committed.write(NEAR, HOOK.format("items[:] = []"))
    (row,) = (one for one in findings(committed) if one.subject == ADDS)
    assert f"a new hook of the test runner ({NEAR}:4)" in row.message
    assert (row.path, row.line) == (FILE, 1)
    assert "+ def pytest_collection_modifyitems(items):" in row.detail


def test_another_test_of_the_atom_does_not_excuse_it(committed):
    run(committed, accept_tests, (REFUSED,), AcceptedWords(atom=atom_of(committed)))
    committed.replace(FILE, "def test_adds", "@pytest.mark.flaky(reruns=3)\ndef test_adds")
    assert (found(committed), found(committed, REFUSED)) == ({("PK115", "error")}, set())


def test_what_stood_there_at_review_is_silent_and_so_is_what_was_taken_away(linked):
    linked.write(NEAR, HOOK.format("items[:] = items[:1]"))
    linked.replace(FILE, "def test_adds", "@flaky\ndef test_adds")
    linked.save("Flaky")
    run(linked, accept_tests, (ADDS, REFUSED), AcceptedWords(weaker=True))
    commit(linked, atom_of(linked))
    linked.replace(NEAR, "import pytest\n", "import os\nimport pytest\n")
    linked.replace(FILE, "== 3", "== 3\n    assert add(2, 2) == 4")
    assert found(linked) == set()
    linked.replace(FILE, "@flaky\n", "")
    assert found(linked) == set()


def test_a_mark_that_another_test_had_before_is_new_to_the_test_of_the_promise(committed):
    committed.replace(FILE, "def test_expired", "@flaky\ndef test_expired")
    committed.git("commit", "-qam", "Flaky")
    run(committed, accept_tests, (REFUSED,), AcceptedWords(weaker=True))
    committed.replace(FILE, "@flaky\n", "")
    committed.replace(FILE, "def test_adds", "@flaky\ndef test_adds")
    assert found(committed) == {("PK115", "error")}


def test_where_git_lacks_the_reviewed_text_it_is_a_warning_that_says_so(linked):
    path, new = "tests/test_new.py", "tests/test_new.py::test_subtracts"
    linked.write(path, "def test_subtracts():\n    assert subtract(3, 1) == 2\n")
    run(linked, accept_tests, (new,), AcceptedWords(intent="The difference of two numbers is returned."))
    commit(linked, *(link.atom for link in linked.world().by_id[new].links))
    linked.replace(path, "== 2", "== 2\n    assert subtract(2, 2) == 0")
    assert found(linked, new) == set()
    linked.replace(path, "def test", "@flaky\ndef test")
    (row,) = (one for one in findings(linked) if one.subject == new)
    assert (row.code, row.severity) == ("PK115", "warning")
    assert "it may prove less" in row.message
    assert "git lacks the text that was reviewed" in row.message


def test_under_a_draft_it_is_a_warning_that_takes_an_explicit_word(linked):
    linked.save("Links")
    linked.replace(FILE, "def test_adds", "@flaky\ndef test_adds")
    assert found(linked) == {("PK115", "warning")}
    with pytest.raises(UsageError, match="--weaker"):
        run(linked, accept_tests, (ADDS,), AcceptedWords())
    run(linked, accept_tests, (ADDS,), AcceptedWords(weaker=True))
    assert found(linked) == set()


SCRIPT, ADDING = "web/a.test.js", "web/a.test.js::adds"
SPOKEN = "import { expect, it } from 'vitest';\nimport { add } from './add.js';\n\nit('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n"


@pytest.mark.parametrize(("old", "new", "told"), [
    ("it('adds', ", "it('adds', { retry: 3 }, ", {("PK115", "error")}),
    ("\nit('adds', ", "\nvi.setConfig({ retry: 0 });\nit('adds', ", set()),
    ("\nit('adds', ", "\njest.retryTimes(2);\nit('adds', ", {("PK115", "error")}),
    ("});\n", "});\n\nit('subtracts', { retry: 3 }, () => {\n  expect(1).toBe(1);\n});\n", set()),
])  # fmt: skip
def test_a_test_in_javascript_that_is_tried_again_is_an_error(shop, old, new, told):
    shop.write("web/package.json", '{"devDependencies": {"vitest": "^3.0.0"}}\n')
    shop.write(SCRIPT, SPOKEN)
    shop.save("Adds")
    run(shop, accept_tests, (ADDING,), AcceptedWords(intent="The sum of two numbers is returned."))
    commit(shop, *(link.atom for link in shop.world().by_id[ADDING].links))
    shop.replace(SCRIPT, old, new)
    assert found(shop, ADDING) == told
