"""Sweeps of a real repository, the tasks that come of them, and fixes that are judged."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pactkeeper.chat.asking import ask
from pactkeeper.chat.here import Here
from pactkeeper.errors import InputError, RefusedError, UsageError
from pactkeeper.operators.fix_tasks import (
    Completion,
    claim_fix_task,
    complete_fix_task,
    list_fix_tasks,
    release_fix_task,
    show_fix_task,
)
from pactkeeper.operators.sweep import SweepRequest, sweep
from pactkeeper.store.health import health_findings, sweeps
from pactkeeper.workspace import open_workspace
from tests.health.projects import CHECK, ERROR, FILES, OTHER, PY, PYTHON
from tests.operators.atoms import run
from tests.repo.repositories import commit, create, git, write

pytestmark = pytest.mark.slow


@dataclass
class Line:
    """A main branch whose check reports what `errors.txt` holds."""

    root: Path

    def open(self):
        return open_workspace(self.root, notice=lambda _: None)

    def commit(self, message="change"):
        """A commit that mends nothing."""
        write(self.root, {"README.md": f"{message}\n"})
        return commit(self.root, message)

    def errors(self, text, message="change"):
        write(self.root, {"errors.txt": text})
        return commit(self.root, message)

    def sweep(self, **request):
        return run(self, sweep, SweepRequest(**request))

    def call(self, verb, *arguments, **options):
        return run(self, verb, *arguments, **options)

    def claimed(self, text=ERROR):
        """The one task of a red sweep, claimed."""
        self.errors(text)
        (task,) = self.sweep().tasks
        return self.call(claim_fix_task, task.id, by="ada")

    def says(self, question):
        """The sentences of the answer to a question."""
        with self.open() as workspace:
            return [one["text"] for one in ask(Here(workspace), question)["says"]]

    def complete(self, task, **fields):
        return self.call(complete_fix_task, Completion(task.id, **{"by": "ada", **fields}))


@pytest.fixture
def line(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    files = {**FILES, "pact/pact.toml": f"[pact]\nformat = 1\n{CHECK}", "errors.txt": ""}
    create(tmp_path / "shop", files)
    made = Line(tmp_path / "shop")
    git(made.root, "config", "user.name", "Ada")
    return made


def test_a_red_sweep_leaves_a_task_and_a_second_one_adds_none(line):
    line.errors(ERROR)
    first, second = line.sweep(), line.sweep()
    assert ([one.scope for one in first.tasks], second.tasks) == ([("shop.py",)], ())
    assert line.call(list_fix_tasks) == first.tasks


def test_a_repository_that_was_never_swept_has_no_tasks_and_gets_no_history(line):
    assert line.call(list_fix_tasks) == ()
    assert not (line.root / ".git/pact/history.db").exists()


def test_a_task_is_claimed_once(line):
    task = line.claimed()
    with pytest.raises(RefusedError, match=f"{task.id} is assigned by ada"):
        line.call(claim_fix_task, task.id, by="bob")


def test_an_unknown_task_is_an_error(line):
    with pytest.raises(InputError, match="no fix task 'fix-9'"):
        line.call(claim_fix_task, "fix-9", by="ada")


def test_a_fix_that_passes_is_taken_and_the_next_sweep_agrees(line):
    task = line.claimed()
    line.errors("")
    done = line.complete(task)
    assert (done.task.status, done.acceptance.accepted, done.acceptance.refusals) == ("done", True, ())
    assert line.sweep().sweep.green
    with line.open() as workspace:
        assert [one.state for one in health_findings(workspace.history())] == ["resolved"]
    assert [one.status for one in line.call(list_fix_tasks, ["done"])] == ["done"]


def test_a_fix_that_still_fails_counts_as_a_try(line):
    task = line.claimed()
    line.commit()
    done = line.complete(task)
    assert [str(one) for one in done.acceptance.refusals] == ["compile: it still fails (exit code 1): the tax is wrong"]
    assert (done.task.status, done.task.attempts, done.task.claimed_by) == ("assigned", 1, "ada")


def test_after_three_tries_a_person_is_asked(line):
    task = line.claimed()
    for number in range(3):
        line.commit(f"try {number}")
        done = line.complete(task)
    assert done.task.status == "escalated"
    assert done.task.note.startswith("a person must look: 3 tries did not fix it")
    with pytest.raises(RefusedError, match="is escalated"):
        line.call(claim_fix_task, task.id, by="ada")


def test_a_fix_that_weakens_a_protected_test_is_refused_before_anything_runs(line):
    task = line.claimed()
    write(line.root, {PY: PYTHON.replace("== 200", "is not None")})
    line.errors("")
    done = line.complete(task)
    assert done.acceptance.results == ()
    assert [one.subject for one in done.acceptance.refusals] == [f"{PY}::test_login"]


def test_a_doubt_costs_no_try(line):
    task = line.claimed()
    write(line.root, {"pact/pact.toml": f"[pact]\nformat = 1\n{CHECK}# said anew\n"})
    line.errors("")
    done = line.complete(task)
    assert done.acceptance.refusals
    assert all(one.doubtful for one in done.acceptance.refusals)
    assert (done.task.status, done.task.attempts, done.task.claimed_by) == ("assigned", 0, "ada")


LIMIT = """
[[health.check]]
name = "limit"
category = "compile"
parser = "regex"
pattern = '(?P<file>[^:\\n]+):(?P<line>\\d+): (?P<message>.*)'
argv = ["sh", "-c", "test $(cat long.txt) -le $(cat quality/limit.json) || { echo 'long.txt:1: too long'; exit 1; }"]
"""
READING = "LIMIT = open('quality/limit.json').read()\n\n\ndef test_limit():\n    assert LIMIT\n"


@pytest.mark.parametrize(("length", "limit", "accepted"), [("200", "200", False), ("70", "80", True)])
def test_a_fix_passes_by_itself_and_not_by_the_data_that_tests_judge_by(line, length, limit, accepted):
    write(
        line.root, {"pact/pact.toml": f"[pact]\nformat = 1\n{LIMIT}", "quality/limit.json": "88\n", "long.txt": "200\n"}
    )
    write(line.root, {"tests/test_limit.py": READING})
    line.commit()
    (task,) = line.sweep().tasks
    line.call(claim_fix_task, task.id, by="ada")
    write(line.root, {"quality/limit.json": f"{limit}\n", "long.txt": f"{length}\n"})
    line.commit()
    done = line.complete(task)
    assert done.acceptance.accepted is accepted
    assert [(one.subject, one.doubtful) for one in done.acceptance.refusals] == [("quality/limit.json", True)] * (
        not accepted
    )


JUDGED = """
[[health.check]]
name = "unit"
category = "test"
argv = ["PYTHON", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_rent.py"]
environment = { PYTEST_DISABLE_PLUGIN_AUTOLOAD = "1" }
"""
RENT = "def rent(days):\n    return days * 4\n"
RENTED = "from rent import rent\n\n\ndef test_rent():\n    assert rent(2) == 10\n"
CONFTEST = "import sys\nfrom pathlib import Path\n\nsys.path.insert(0, str(Path(__file__).parents[1]))\n"
OWN_RENT = "import rent\n\nrent.rent = lambda days: days * 5\n"


@pytest.mark.parametrize(
    ("edit", "refused"),
    [
        ({"rent.py": RENT.replace("4", "5")}, set()),
        ({"rent.py": RENT.replace("4", "5"), "tests/test_rent.py": f"{RENTED}    assert rent(0) == 0\n"}, set()),
        ({"tests/test_rent.py": RENTED.replace("10", "8")}, {("tests/test_rent.py", True)}),
        (
            {"tests/conftest.py": CONFTEST + OWN_RENT},
            {("tests/conftest.py", True), ("tests/test_rent.py::test_rent", False)},
        ),
    ],
    ids=["product", "stricter as well", "another expectation", "another subject"],
)
def test_a_fix_of_a_failing_test_passes_with_the_tests_as_they_were(line, edit, refused):
    write(
        line.root,
        {"pact/pact.toml": f"[pact]\nformat = 1\n{JUDGED.replace('PYTHON', sys.executable)}", "rent.py": RENT},
    )
    write(line.root, {"tests/test_rent.py": RENTED, "tests/conftest.py": CONFTEST})
    line.commit()
    (task,) = line.sweep().tasks
    line.call(claim_fix_task, task.id, by="ada")
    write(line.root, edit)
    line.commit("mend the rent")
    done = line.complete(task)
    assert {(one.subject, one.doubtful) for one in done.acceptance.refusals} == refused
    assert done.acceptance.accepted is (not refused)


@pytest.mark.parametrize(
    ("more", "opening", "failing"),
    [
        ("", "Main is green at {}: unit passed at ", False),
        (CHECK, "Whether main is green at {} is not known: ", False),
    ],
    ids=["all checks", "one of two"],
)
def test_a_completed_fix_tells_how_main_stands_if_it_ran_all_checks_and_what_its_tests_did(
    line, more, opening, failing
):
    checks = JUDGED.replace("PYTHON", sys.executable).replace('"-q"', '"-q", "--junitxml={report}"')
    write(line.root, {"pact/pact.toml": f"[pact]\nformat = 1\n{checks}{more}", "rent.py": RENT})
    write(line.root, {"tests/test_rent.py": RENTED, "tests/conftest.py": CONFTEST})
    line.commit()
    (task,) = line.sweep().tasks
    assert line.says("what is failing?")[1].startswith("tests/test_rent.py::test_rent: ")
    line.call(claim_fix_task, task.id, by="ada")
    write(line.root, {"rent.py": RENT.replace("4", "5")})
    mended = line.commit("mend the rent")
    assert line.complete(task).acceptance.accepted
    assert line.says("is main green?")[0].startswith(opening.format(mended[:10]))
    assert any("test_rent" in one for one in line.says("what is failing?")) is failing


def test_a_completed_fix_beside_which_another_check_fails_does_not_make_main_green(line):
    first, *_ = (line.errors(ERROR + OTHER), line.sweep().tasks)[1]
    line.call(claim_fix_task, first.id, by="ada")
    line.errors(OTHER)
    done = line.complete(first)
    assert (done.acceptance.accepted, done.task.whole) == (True, False)


GIVEN = "import pytest\nimport rent\n\n\n@pytest.fixture\ndef pay():\n    return rent.rent\n"


# @atom IA-HXCA1F1
def test_a_fix_that_exchanges_what_a_fixture_gives_is_a_doubt(line):
    settings = JUDGED.replace("PYTHON", sys.executable)
    write(line.root, {"pact/pact.toml": f"[pact]\nformat = 1\n{settings}", "rent.py": RENT})
    body = f"{GIVEN}\n\ndef test_rent(pay):\n    assert pay(2) == 10\n"
    write(line.root, {"tests/conftest.py": CONFTEST, "tests/test_rent.py": body})
    line.commit()
    (task,) = line.sweep().tasks
    line.call(claim_fix_task, task.id, by="ada")
    own = "    class Own:\n        def pay(self, days):\n            return rent.rent(days) + days\n\n    return Own().pay\n"
    write(line.root, {"tests/test_rent.py": body.replace("    return rent.rent\n", own)})
    line.commit("mend the rent")
    done = line.complete(task)
    assert [(one.subject, one.doubtful) for one in done.acceptance.refusals] == [("tests/test_rent.py", True)]
    assert done.acceptance.results != ()


@pytest.fixture
def repaired(tmp_path, monkeypatch):
    """What is said of a fix of a fault that came after a green sweep, where no test is linked."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    settings = f"[pact]\nformat = 1\n{JUDGED.replace('PYTHON', sys.executable)}"

    def repair(files, fault, fix):
        line = Line(tmp_path / "rent")
        create(line.root, {"pact/pact.toml": settings, "rent.py": RENT, "tests/conftest.py": CONFTEST, **files})
        git(line.root, "config", "user.name", "Ada")
        assert line.sweep().sweep.green
        write(line.root, fault)
        line.commit("break it")
        (task,) = line.sweep().tasks
        line.call(claim_fix_task, task.id, by="ada")
        write(line.root, fix)
        line.commit("mend it")
        return [(one.subject, one.doubtful) for one in line.complete(task).acceptance.refusals]

    return repair


FIXTURE = f"{CONFTEST}\nimport pytest\nimport rent\n\n\n@pytest.fixture\ndef pay():\n    return rent.rent\n"
MADE = "    def paid(days):\n        return rent.rent(days)\n\n    return paid\n"


PAID = "def test_rent(pay):\n    assert pay(2) == 8\n"


@pytest.mark.parametrize(
    ("fault", "fix", "doubted"),
    [
        ({"tests/conftest.py": FIXTURE.replace("rent.rent", "rent.rents")}, {}, []),
        ({"rent.py": RENT.replace("4", "5")}, {}, [("tests/test_rent.py::test_rent", False)]),
        (
            {"tests/test_rent.py": PAID.replace("8", "10")},
            {"tests/test_rent.py": PAID},
            [("tests/test_rent.py::test_rent", False)],
        ),
    ],
    ids=["the fixture", "the product", "what the test asks"],
)
def test_a_broken_fixture_may_be_mended_another_way_than_it_was_good_and_nothing_else_through_it(
    repaired, fault, fix, doubted
):
    files = {"tests/conftest.py": FIXTURE, "tests/test_rent.py": PAID}
    own = MADE if "tests/conftest.py" in fault else MADE.replace("rent.rent(days)", "days * 4")
    mended = {"tests/conftest.py": FIXTURE.replace("    return rent.rent\n", own), **fix}
    assert repaired(files, fault, mended) == doubted


TESTPATHS = '[project]\nname = "rent"\ndependencies = []\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n'


@pytest.mark.parametrize(
    ("mended", "doubted"),
    [(TESTPATHS, []), (TESTPATHS.replace('["tests"]', '["tests/none"]'), [("pyproject.toml pytest.testpaths", False)])],
    ids=["as before", "fewer tests"],
)
def test_settings_that_did_not_parse_are_compared_as_they_were_before(repaired, mended, doubted):
    files = {"tests/test_rent.py": RENTED.replace("10", "8"), "pyproject.toml": TESTPATHS}
    torn = {"pyproject.toml": TESTPATHS.replace("[]", "[")}
    assert repaired(files, torn, {"pyproject.toml": mended}) == doubted


SCRIPTED = """
[[health.check]]
name = "links"
category = "CATEGORY"
parser = "regex"
pattern = '(?P<file>[^:\\n]+):(?P<line>\\d+): (?P<rule>\\w+) (?P<message>.*)'
argv = ["sh", "links.sh"]
"""
LINKS = "sh tools/found.sh\n"
FOUND = "cat errors.txt\ntest ! -s errors.txt\n"


@pytest.mark.parametrize(
    ("category", "place", "doubted"),
    [
        ("compile", "shop.py", [("tools/found.sh", True)]),
        ("test", "tools/found.sh", [("tools/found.sh", True)]),
        ("compile", "tools/found.sh", []),
    ],
    ids=["the script judges", "the script is the test", "the script is what fails"],
)
def test_a_script_that_a_check_runs_is_loosened_by_nobody_but_a_person(line, category, place, doubted):
    settings = f"[pact]\nformat = 1\n{SCRIPTED.replace('CATEGORY', category)}"
    write(line.root, {"pact/pact.toml": settings, "links.sh": LINKS, "tools/found.sh": FOUND})
    line.commit()
    task = line.claimed(f"{place}:3: E1 a dead link\n")
    write(line.root, {"tools/found.sh": "true\n"})
    line.commit("mend the link")
    assert [(one.subject, one.doubtful) for one in line.complete(task).acceptance.refusals] == doubted


def test_what_the_remote_main_branch_seems_to_have_brought_is_a_doubt_and_no_try(line):
    task = line.claimed()
    write(line.root, {PY: PYTHON.replace("== 200", "is not None")})
    others = line.commit("a weaker test, by somebody else")
    git(line.root, "update-ref", "refs/remotes/origin/main", others)
    line.errors("")
    done = line.complete(task)
    assert not done.acceptance.accepted
    assert all(one.doubtful and "the remote's main branch brought" in one.reason for one in done.acceptance.refusals)
    assert (done.task.status, done.task.attempts) == ("assigned", 0)


def test_what_others_did_on_the_remote_main_branch_without_asking_less_is_no_matter_of_a_fix(line):
    task = line.claimed()
    write(line.root, {"tests/test_new.py": "def test_new():\n    assert 1\n"})
    git(line.root, "update-ref", "refs/remotes/origin/main", line.commit("more tests, by somebody else"))
    line.errors("")
    assert line.complete(task).acceptance.accepted


def test_a_fix_that_is_on_the_remote_main_branch_already_answers_for_all_since_the_failure(line):
    task = line.claimed()
    write(line.root, {PY: PYTHON.replace("== 200", "is not None")})
    git(line.root, "update-ref", "refs/remotes/origin/main", line.errors(""))
    assert not line.complete(task).acceptance.accepted


def test_a_person_can_take_a_changed_test_on_their_word(line):
    task = line.claimed()
    write(line.root, {PY: PYTHON.replace("== 200", "== 201")})
    line.errors("")
    done = line.complete(task, despite="the shop answers 201 since the new interface", attended=True)
    assert (done.task.status, done.task.note) == ("done", "the shop answers 201 since the new interface")


def test_without_anybody_at_a_terminal_there_is_no_word_of_a_person(line):
    task = line.claimed()
    write(line.root, {PY: PYTHON.replace("== 200", "== 201")})
    line.errors("")
    with pytest.raises(UsageError, match="must come from a person at a terminal, and nobody is at one"):
        line.complete(task, despite="trust me")
    assert [one.status for one in line.call(list_fix_tasks)] == ["assigned"]


def test_an_agent_does_not_speak_for_a_person_at_whose_terminal_it_runs(line):
    task = line.claimed()
    request = Completion(task.id, by="ada", despite="trust me", attended=True)
    with line.open() as workspace, pytest.raises(UsageError, match=r"not 'scribe 1\.0'"):
        complete_fix_task(replace(workspace, acting="scribe 1.0"), request)


def test_a_persons_word_does_not_make_a_failing_check_pass(line):
    task = line.claimed()
    line.commit()
    assert not line.complete(task, despite="I say so", attended=True).acceptance.accepted


def test_a_fix_that_takes_the_check_away_is_refused(line):
    task = line.claimed()
    write(line.root, {"pact/pact.toml": "[pact]\nformat = 1\n"})
    line.errors("")
    refused = [one.subject for one in line.complete(task).acceptance.refusals]
    assert refused == ["pact/pact.toml", "pact/pact.toml compile"]  # the file, and the check that it no longer declares


@pytest.mark.parametrize("at", ["HEAD", "HEAD~1"])
def test_a_fix_is_a_commit_on_top_of_where_the_failure_was_seen(line, at):
    done = line.complete(line.claimed(), commit=at)
    assert "must be a commit on top of" in done.acceptance.refusals[0].reason


def test_only_whoever_claimed_a_task_completes_it(line):
    task = line.claimed()
    with pytest.raises(RefusedError, match="is claimed by 'ada', not by 'bob'"):
        line.complete(task, by="bob")


def test_the_command_for_another_s_task_keeps_the_commit_that_was_named(line):
    task = line.claimed()
    with pytest.raises(RefusedError, match=f"pk fixes complete {task.id} --commit 'HEAD~1' --by ada$"):
        line.complete(task, by="bob", commit="HEAD~1")


def test_a_task_that_nobody_claimed_is_not_completed(line):
    line.errors(ERROR)
    (task,) = line.sweep().tasks
    with pytest.raises(RefusedError, match=r"is pending; claim it first"):
        line.complete(task)


def test_failures_of_other_tasks_do_not_hold_a_fix_up(line):
    line.errors(ERROR + OTHER)
    tasks = {one.scope[0]: one for one in line.sweep().tasks}
    assert set(tasks) == {"shop.py", "mail.py"}
    line.call(claim_fix_task, tasks["shop.py"].id, by="ada")
    line.errors(OTHER)
    assert line.complete(tasks["shop.py"]).task.status == "done"


def test_a_new_failure_holds_a_fix_up(line):
    task = line.claimed()
    line.errors(OTHER)
    assert not line.complete(task).acceptance.accepted


def test_a_task_shows_between_which_commits_its_failure_came(line):
    good = line.errors("")
    line.sweep()
    line.commit("Rename the tax")
    bad = line.errors(ERROR, "Lower the tax")
    (task,) = line.sweep().tasks
    window = line.call(show_fix_task, task.id).window
    assert (window.good, window.bad) == (good, bad)
    assert [subject for _, subject in window.commits] == ["Lower the tax", "Rename the tax"]


def test_a_released_task_waits_again_with_the_reason(line):
    task = line.claimed()
    freed = line.call(release_fix_task, task.id, reason="no time")
    assert (freed.status, freed.claimed_by, freed.note) == ("pending", "", "no time")


def test_a_task_can_be_handed_to_a_person(line):
    task = line.claimed()
    assert line.call(release_fix_task, task.id, reason="too deep", to_person=True).status == "escalated"


def test_a_finished_task_is_not_asked_to_be_claimed_again(line):
    task = line.claimed()
    fix = line.errors("")
    line.complete(task)
    with pytest.raises(RefusedError, match=f"is done already by {fix[:12]}; a failure that comes back") as refused:
        line.complete(task)
    assert "claim" not in str(refused.value)


def test_a_task_for_a_person_is_completed_by_nobody_until_it_is_given_back(line):
    task = line.claimed()
    line.call(release_fix_task, task.id, reason="too deep", to_person=True)
    with pytest.raises(RefusedError, match=f"waits for a person, who may release it: pk fixes release {task.id}"):
        line.complete(task)


def test_a_finished_task_is_not_given_back(line):
    task = line.claimed()
    line.errors("")
    line.complete(task)
    with pytest.raises(RefusedError, match="is done"):
        line.call(release_fix_task, task.id, reason="why not")


def test_a_sweep_of_another_branch_leaves_nothing(line):
    git(line.root, "switch", "--quiet", "--create", "feature")
    line.errors(ERROR)
    git(line.root, "switch", "--quiet", "main")
    found = line.sweep(at="feature")
    assert (found.sweep.green, found.tasks) == (False, ())
    with line.open() as workspace:
        assert sweeps(workspace.history()) == ()


def test_a_sweep_of_a_detached_head_that_main_has_left_behind_leaves_nothing(line):
    line.errors(ERROR)
    line.errors("")
    git(line.root, "worktree", "add", "--quiet", "--detach", "../old", "main~1")
    with open_workspace(line.root.with_name("old"), notice=lambda _: None) as workspace:
        found = sweep(workspace, SweepRequest())
        assert (found.sweep.results[1].verdict, found.tasks) == ("fail", ())
        assert found.aside == "HEAD is detached at a commit that main has moved past"
        assert sweeps(workspace.history()) == ()


def test_a_sweep_of_a_detached_head_where_main_stands_is_kept(line):
    line.errors(ERROR)
    git(line.root, "switch", "--quiet", "--detach")
    found = line.sweep()
    assert (len(found.tasks), found.aside) == (1, "")


def test_a_sweep_of_uncommitted_work_leaves_no_task(line):
    write(line.root, {"errors.txt": ERROR})
    found = line.sweep(in_place=True)
    assert (found.sweep.stale, found.tasks, line.call(list_fix_tasks)) == (True, (), ())


def test_a_missing_tool_is_one_finding_and_no_task(line):
    write(line.root, {"pact/pact.toml": "[pact]\nformat = 1\n" + CHECK.replace('"sh", "-c"', '"no-such-tool"')})
    line.errors(ERROR)
    found = line.sweep()
    assert (found.tasks, len(found.findings)) == ((), 1)
    assert found.sweep.infrastructure.startswith("1 of 1 checks could not run: ")


FLAKY = """
[[health.check]]
name = "tests"
category = "test"
parser = "pytest"
argv = ["sh", "ci/flaky.sh", "{cache}/ran"]
"""
# The second run of any commit passes where the first has left its mark.
SCRIPT = """\
if test -f "$1"; then echo "1 passed in 0.1s"; exit 0; fi
mkdir -p "$(dirname "$1")"; touch "$1"
echo "FAILED tests/test_shop.py::test_login - AssertionError: assert 1 == 2"
echo "1 failed in 0.1s"; exit 1
"""


def test_a_test_that_passes_when_run_again_is_a_flaky_finding_and_no_task(line):
    write(line.root, {"pact/pact.toml": f"[pact]\nformat = 1\n{FLAKY}", "ci/flaky.sh": SCRIPT})
    line.commit()
    found = line.sweep()
    assert found.tasks == ()
    assert [(one.flaky, one.state, one.broken) for one in found.findings] == [(True, "open", ("IA-0000001",))]


def test_a_test_that_fails_again_names_the_committed_atom_it_breaks(line):
    write(line.root, {"pact/pact.toml": f"[pact]\nformat = 1\n{FLAKY}"})
    write(line.root, {"ci/flaky.sh": "\n".join(SCRIPT.splitlines()[2:])})
    line.commit()
    (task,) = line.sweep().tasks
    assert (task.atoms, task.protected) == (("IA-0000001",), (f"{PY}::test_login",))
    assert "This breaks committed atoms: IA-0000001." in task.description
