from dataclasses import replace

import pytest

from pactkeeper.health.absence import telling
from pactkeeper.health.changes import Changed
from pactkeeper.health.concluding import case_of, proofs
from pactkeeper.health.sweeping import narrowed
from pactkeeper.health.triage import Scene, blamed, fault, flaky, owned, suspicious
from pactkeeper.intent.atoms import Atom, Commitment
from pactkeeper.intent.binding import Files
from pactkeeper.intent.health import CheckResult, Diagnostic, HealthCheck, HealthFinding, Output
from pactkeeper.intent.links import link_tests
from pactkeeper.intent.pact import LinkRecord, Pact
from pactkeeper.intent.results import Case
from pactkeeper.intent.tests import Test, test_id


def wrong(test, **fields):
    return Diagnostic("test", "test", "error", "assert 1 == 2", test=test, **fields)


def result(*diagnostics, verdict="fail", check="test", category="test", **fields):
    return CheckResult(check, category, verdict, diagnostics=diagnostics, **fields)


def unable(check, reason="the network does not respond"):
    return result(verdict="could not run", check=check, reason=reason)


def absent(file, module="httpx", **fields):
    rule = {"rule": "ModuleNotFoundError", **fields}
    return Diagnostic("test", "test", "error", f"No module named {module!r}", file=file, symbol=module, **rule)


def test_most_checks_that_cannot_run_are_a_fault_of_the_surroundings():
    found = fault([unable("build"), unable("test"), result(verdict="pass", check="tsc")], {})
    assert found == "2 of 3 checks could not run: the network does not respond"


def test_one_check_of_several_that_cannot_run_is_no_fault_of_the_surroundings():
    assert fault([unable("build"), result(verdict="pass"), result(verdict="pass", check="tsc")], {}) == ""


def test_checks_that_do_not_apply_say_nothing_of_the_surroundings():
    results = [result(verdict="not applicable", check=name) for name in "abc"]
    assert fault([*results, result(verdict="pass")], {}) == ""


def blame(*diagnostics, **scene):
    return set(blamed([result(*diagnostics)], Scene(**scene)).values())


def test_a_declared_package_that_is_missing_is_a_fault_of_the_machine():
    reason = "the package 'httpx' is declared but not installed"
    assert blame(absent("tests/test_a.py"), declared=frozenset({"httpx"})) == {reason}
    results = [result(*(absent(f"tests/test_{name}.py") for name in "abc"))]
    found = fault(results, blamed(results, Scene(declared=frozenset({"httpx"}))))
    assert found == f"{reason}; 3 failures"


def test_a_check_that_only_misses_declared_packages_could_not_run():
    (found,) = owned([result(absent("a.py"), absent("b.py"))], Scene(declared=frozenset({"httpx"})))
    assert (found.verdict, found.diagnostics) == ("could not run", ())
    assert found.reason == "the package 'httpx' is declared but not installed"
    mixed = result(absent("a.py"), wrong("b"))
    assert owned([mixed], Scene(declared=frozenset({"httpx"}))) == (mixed,)


@pytest.mark.parametrize(
    ("module", "package"), [("yaml", "pyyaml"), ("dateutil", "python-dateutil"), ("my_lib", "my-lib")]
)
def test_a_package_may_be_imported_by_another_name(module, package):
    assert blame(absent("a.py", module), declared=frozenset({package}))


@pytest.mark.parametrize("declared", [frozenset({"requests"}), None])
def test_a_package_that_is_not_declared_is_a_failure_of_the_commit(declared):
    assert blame(*(absent(f"tests/test_{name}.py") for name in "abc"), declared=declared) == set()


@pytest.mark.parametrize("path", ["httpx.py", "src/httpx/__init__.py"])
def test_a_module_that_the_repository_has_itself_is_a_failure_of_the_commit(path):
    assert blame(absent("tests/test_a.py"), declared=frozenset({"httpx"}), paths=frozenset({path})) == set()


def test_a_path_that_cannot_be_imported_is_a_failure_of_the_commit():
    assert blame(absent("src/a.ts", "./models", rule="TS2307"), declared=frozenset({"models"})) == set()


REFUSED = Diagnostic("test", "test", "error", "ConnectionRefusedError: [Errno 111] connect to db:5432", test="t")


def test_a_refused_connection_is_a_matter_of_the_surroundings_unless_a_change_brought_the_port_in():
    refused = replace(REFUSED, message="connection refused: db:5432")
    assert blame(refused) == {"the network does not respond"}
    assert blame(refused, changes={"settings.py": Changed(told=frozenset({"5432"}))}) == set()
    assert blame(refused, changes={"readme.md": Changed(told=frozenset({"unrelated"}))})


def test_the_message_that_an_assertion_hands_on_tells_of_the_surroundings():
    message = "AssertionError: upload: Connection refused\n\nassert 254 == 0\n +  where 254 = run()"
    assert blame(replace(REFUSED, rule="AssertionError", message=message)) == {"the network does not respond"}


def test_what_a_test_expects_may_speak_of_anything():
    assert blame(replace(REFUSED, rule="AssertionError", message="assert 'Connection refused' in ''")) == set()


def test_a_commit_that_was_green_fails_by_its_surroundings():
    assert blame(wrong("a"), green_at="2026-03-02T08:00:00+00:00") == {
        "the same commit was green at 2026-03-02T08:00:00+00:00"
    }


@pytest.mark.parametrize(
    ("message", "came", "owned_by"),
    [
        ("connect ECONNREFUSED 10.0.0.7:5433", {"5433"}, "commit"),
        ("connect ECONNREFUSED 10.0.0.7:5432", {"5433"}, "machine"),
        ("getaddrinfo ENOTFOUND db.staging", {"staging"}, "commit"),
        ("ENOSPC: no space left, write '/srv/out/report.csv'", {"report", "csv"}, "machine"),
        ("ENOSPC: no space left, write '/dev/full'", {"dev", "full"}, "commit"),
        ("ConnectionRefusedError: [Errno 111] Connection refused", {"2026"}, "machine"),
        ("ConnectionRefusedError: [Errno 111] Connection refused", {"connection", "refused"}, "machine"),
    ],
)
def test_what_cannot_be_reached_is_the_commits_where_it_brought_the_address(message, came, owned_by):
    found = blame(replace(REFUSED, message=message), changes={"settings.py": Changed(told=frozenset(came))})
    assert bool(found) == (owned_by == "machine")


@pytest.mark.parametrize(
    "message", ["OSError: [Errno 98] Address already in use", "ENOSPC: no space left on device, write"]
)
@pytest.mark.parametrize(("lines", "owned_by"), [({9}, "commit"), ({3}, "machine"), (set(), "machine")])
def test_trouble_without_an_address_is_the_commits_only_where_new_code_raised_it(message, lines, owned_by):
    raised = replace(REFUSED, message=message, file="feed.py", line=9)
    changed = Changed(frozenset({"old"}), frozenset({"renamed"}), frozenset(lines))
    assert bool(blame(raised, changes={"feed.py": changed})) == (owned_by == "machine")


@pytest.mark.parametrize(
    ("path", "fields", "owned_by"),
    [
        ("settings.py", {"ports": frozenset({"5433"})}, "commit"),
        ("feed.py", {"passed": frozenset({"5433"})}, "commit"),
        ("serve.py", {"passed": frozenset({"5433"})}, "commit"),
        ("report.py", {"passed": frozenset({"2026"})}, "machine"),
    ],
)
def test_a_number_counts_as_a_port_by_its_name_or_on_the_way_to_the_error(path, fields, owned_by):
    raised = replace(REFUSED, message="OSError: [Errno 98] Address in use", file="feed.py", related=("serve.py",))
    assert bool(blame(raised, changes={path: Changed(**fields)})) == (owned_by == "machine")


def test_what_documents_name_was_not_brought_in_by_them():
    refused = replace(REFUSED, message="connect ECONNREFUSED 10.0.0.7:5433")
    assert blame(refused, changes={"docs/db.md": Changed(told=frozenset({"5433"}), lines=frozenset({1}))})


def test_a_name_that_is_not_defined_is_no_trouble_of_the_machine():
    assert blame(replace(REFUSED, rule="NameError", message="name 'ConnectionRefusedError' is not defined")) == set()


def lost(name="mkdocz"):
    return replace(unable("docs", f"the command {name!r} is not found"), output=Output("sh: 1: mkdocz: not found\n"))


def test_a_program_that_a_change_names_and_nobody_has_is_the_commits_failure():
    changes = {"Makefile": Changed(frozenset({"mkdocs"}), frozenset({"mkdocz"}))}
    (found,) = owned([lost()], Scene(changes=changes))
    assert (found.verdict, found.diagnostics[0].file) == ("fail", "Makefile")
    assert "sh: 1: mkdocz: not found" in found.diagnostics[0].message


def test_a_program_that_no_change_names_is_missing_on_the_machine():
    assert owned([lost()], Scene(changes={"a.py": Changed(frozenset(), frozenset({"command", "found"}))})) == (lost(),)


REFUSES = 'Error: Head "https://registry.example.org/v2/base/manifests/13": denied\n'


def test_a_place_that_a_change_names_and_that_does_not_answer_is_the_commits_failure():
    pulled = replace(unable("image", "a server refuses or fails"), output=Output(REFUSES))
    told = Changed(told=frozenset({"13"}))
    (found,) = owned([pulled], Scene(changes={"Dockerfile": told}))
    assert (found.verdict, found.diagnostics[0].file) == ("fail", "Dockerfile")
    assert owned([pulled], Scene(changes={"Dockerfile": Changed(told=frozenset({"14"}))})) == (pulled,)


UNLOCKED = "npm error code EUSAGE\nnpm error\nnpm error `npm ci` can only install packages\nnpm error Missing: tax\n"


def unprepared(text, code=1):
    failed = unable("test", "preparing it failed: `npm ci` ended with code 1: npm error `npm ci` can only")
    return replace(failed, code=code, output=Output(text + "npm error usage\n" * 30))


def test_a_manifest_that_changed_without_its_lock_file_is_the_commits_failure():
    changes = {"package.json": Changed(), "index.js": Changed()}
    (found,) = owned([unprepared(UNLOCKED)], Scene(changes=changes))
    (one,) = found.diagnostics
    assert (found.verdict, one.file) == ("fail", "package.json")
    assert "Missing: tax" in one.message


@pytest.mark.parametrize(
    ("text", "code", "path"),
    [
        ("npm error code ENOTFOUND\n", 1, "package.json"),
        (UNLOCKED, None, "package.json"),
        (UNLOCKED, 127, "package.json"),
        (UNLOCKED, 1, "index.js"),
    ],
    ids=["no network", "npm is not there", "a program is not there", "no manifest changed"],
)
def test_a_preparation_that_fails_for_another_reason_is_the_machines(text, code, path):
    failed = unprepared(text, code)
    assert owned([failed], Scene(changes={path: Changed()})) == (failed,)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a\n\nerror: the lock file is old\nb\nc\nd\ne\n", ["error: the lock file is old", "b", "c"]),
        ("a\nb\nc\nd\n", ["b", "c", "d"]),
        ("a\nb\nerror: it is not there\n", ["a", "b", "error: it is not there"]),
        ("", []),
    ],
)
def test_what_is_wrong_is_shown_rather_than_the_advice_below_it(text, told):
    assert telling(text, 3) == told


@pytest.mark.parametrize("verdict", ["could not tell", "not applicable"])
def test_a_check_that_passed_and_shows_no_result_any_more_says_so(verdict):
    silent = result(verdict=verdict, reason="no tests ran", code=0)
    (found,) = owned([silent], Scene(passed=frozenset({"test"})))
    assert found.verdict == "could not tell"
    assert found.diagnostics[0].message == "no tests ran, but this check passed at the last green commit"
    assert owned([silent], Scene()) == (silent,)


def test_a_missing_submodule_is_told_as_that():
    (reason,) = blame(absent("shop/a.py", "vendored"), submodules=("third_party/vendored",))
    assert reason.startswith("the submodule 'third_party/vendored' is not checked out")


def test_a_module_is_looked_for_in_a_submodule_that_settings_search():
    (reason,) = blame(absent("tests/test_geo.py", "geo_core"), searched="vendor/geo")
    assert reason.startswith("the submodule 'vendor/geo' is not checked out")
    came = {"tests/test_geo.py": Changed(frozenset(), frozenset({"geo_core"}))}
    assert blame(absent("tests/test_geo.py", "geo_core"), searched="vendor/geo", changes=came) == set()


def test_new_failures_are_run_again_and_only_so_many():
    assert suspicious([result(wrong("a"), wrong("b"), wrong("c"))], {}, most=2) == {"test": ("a", "b")}


def test_a_failure_that_a_sweep_has_seen_before_is_settled():
    known = {wrong("a").fingerprint: HealthFinding(wrong("a"), "assigned", "s1", "s1")}
    assert suspicious([result(wrong("a"), wrong("b"))], known, most=5) == {"test": ("b",)}


@pytest.mark.parametrize("fields", [{"flaky": True}, {"state": "resolved"}])
def test_a_failure_that_was_flaky_or_gone_is_run_again(fields):
    finding = replace(HealthFinding(wrong("a"), "open", "s1", "s1"), **fields)
    assert suspicious([result(wrong("a"))], {wrong("a").fingerprint: finding}, most=5) == {"test": ("a",)}


def test_nothing_is_run_again_where_that_is_switched_off():
    assert suspicious([result(wrong("a"))], {}, most=0) == {}


def test_a_test_that_passes_at_the_same_commit_is_flaky():
    again = result(wrong("b"))
    assert flaky([result(wrong("a"), wrong("b"))], [again], {"test": ("a", "b")}) == {wrong("a").fingerprint}


def test_a_test_that_was_not_run_again_is_not_flaky():
    assert flaky([result(wrong("a"), wrong("b"))], [result(verdict="pass")], {"test": ("a",)}) == {
        wrong("a").fingerprint
    }


@pytest.mark.parametrize(
    "again",
    [
        result(verdict="not applicable"),
        result(verdict="could not run"),
        result(verdict="timed out"),
        result(),
        result(Diagnostic("test", "test", "error", "no such test")),
        result(wrong("b"), output=Output("a", "z", 9)),
    ],
    ids=["no tests", "could not run", "timed out", "failed silently", "failed outside of tests", "cut off"],
)
def test_a_rerun_that_may_not_have_run_the_test_shows_nothing(again):
    assert flaky([result(wrong("a"))], [again], {"test": ("a",)}) == frozenset()


@pytest.mark.parametrize(
    ("parser", "argv", "tests", "expected"),
    [
        ("pytest", "pytest -q", ["api/tests/a.py::test_x[1]"], ["pytest", "-q", "tests/a.py::test_x[1]"]),
        ("unittest", "python -m unittest discover -v", ["t.A.test_x (n=1)"], ["python", "-m", "unittest", "t.A.test_x"]),
        ("vitest", "npm test", ["a.test.ts > cart > sums (1+1)"], ["npm", "test", "--", "-t", r"^(cart\ sums\ \(1\+1\))$"]),
        ("jest", "pnpm test", ["a.test.js › sums", "b.test.js › adds"], ["pnpm", "test", "-t", "^(sums|adds)$"]),
        ("mocha", "npm test -- --reporter json", ["cart"], ["npm", "test", "--", "--reporter", "json", "--grep", "^(cart)$"]),
        ("go", "go test ./...", ["x.org/s.TestA/one", "x.org/s.TestA/two"], ["go", "test", "./...", "-run", "^(TestA)$"]),
        ("cargo", "cargo test", ["tests::a"], ["cargo", "test", "--", "--exact", "tests::a"]),
        ("maven", "mvn test", ["A.b"], ["mvn", "test"]),
    ],
)  # fmt: skip
def test_runners_are_told_which_tests_to_run(parser, argv, tests, expected):
    check = HealthCheck("test", tuple(argv.split()), "test", parser, directory="api")
    assert list(narrowed(check, tests)) == expected


@pytest.mark.parametrize(
    ("diagnostic", "case"),
    [
        (wrong("tests/test_a.py::TestA::test_x[1]"), Case(("TestA", "test_x[1]"), file="tests/test_a.py")),
        (wrong("web/a.test.ts > cart > sums"), Case(("cart", "sums"), file="web/a.test.ts")),
        (wrong("tests.test_a.TestA.test_x (n=1)"), Case(("tests.test_a.TestA", "test_x"), joined=True)),
        (wrong("cart sums", file="a.test.js"), Case(("cart sums",), file="a.test.js", joined=True)),
    ],
)
def test_the_names_of_runners_become_cases(diagnostic, case):
    assert case_of(diagnostic) == case


def declared(name):
    file = "tests/test_a.py"
    return Test(test_id(file, (), name), file, (), name, 1, 1, 2, "python", "pytest", f"b1:{name}")


def test_a_failing_test_names_the_atoms_it_proves_and_the_committed_ones_among_them():
    tests = [declared("test_x"), declared("test_y")]
    atoms = {name: Atom(name, "It works.") for name in ("IA-1", "IA-2")}
    pact = Pact(
        atoms=atoms,
        links={tests[0].id: LinkRecord(tests[0].id, ("IA-1", "IA-2"), body=tests[0].body_hash)},
        commitments={"COM-1": Commitment("COM-1", {"IA-1": "v1:0"}, "Ada", "2026-01-02T03:04:05+00:00")},
    )
    failing = wrong("tests/test_a.py::test_x[case]"), wrong("tests/test_a.py::test_y"), wrong("tests/test_a.py::gone")
    found = proofs(
        failing, link_tests(tests, pact), Files(["tests/test_a.py"], "/project"), committed=pact.committed_ids
    )
    first = failing[0].fingerprint
    assert (found.proves, found.broken) == ({first: ("IA-1", "IA-2")}, {first: ("IA-1",)})
    assert [found.tests[one.fingerprint] for one in failing] == [(tests[0].id,), (tests[1].id,), ()]
