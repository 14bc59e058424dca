"""`pk evidence` and `pk attest` as a user runs them."""

import json
import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator

from pactkeeper.catalog.render import commitment_text
from pactkeeper.catalog.schema import commitment_path
from pactkeeper.intent.commitments import new_commitment
from pactkeeper.intent.signatures import attestation_schema
from pactkeeper.workspace import open_workspace

CASES = (
    ("tests.test_basket.TestBasket", "test_new_basket_is_empty", ""),
    ("tests.test_basket.TestBasket", "test_negative_quantity_is_rejected", '<failure message="boom"/>'),
    ("tests.test_basket", "test_gone", ""),
)
LOADED = (
    "import sys\nfrom pactkeeper.doors.cli.main import cli\ncli.main(['status'], standalone_mode=False)\n"
    "print('sqlalchemy' in sys.modules, file=sys.stderr)"
)


def with_report(project):
    """Put a report of a run into the project; git ignores reports and attestations."""
    project.write(".gitignore", "*.xml\n*.json\n!package.json\n")
    project.commit()
    body = "".join(f'<testcase classname="{c}" name="{n}" time="0.1">{o}</testcase>' for c, n, o in CASES)
    project.write("junit.xml", f'<testsuites><testsuite name="pytest">{body}</testsuite></testsuites>')
    return project


@pytest.fixture
def reported(project):
    """A project without a pact that has the report of a run."""
    return with_report(project)


@pytest.fixture
def declared(project):
    """A project with the smallest pact and the report of a run."""
    project.write("pact/pact.toml", "[pact]\nformat = 1\n")
    return with_report(project)


def test_import_says_what_it_stored_and_what_fits_no_test(reported):
    out = reported.pk("evidence", "import", "junit.xml").out
    head = reported.git("rev-parse", "HEAD")[:12]
    assert out.startswith(f"stored outcomes of 2 tests at commit {head}: 1 passed, 1 failed\n2 tests in no report\n")
    assert "1 of 3 cases match no test:\n  passed   tests.test_basket::test_gone  no test has this name" in out


def test_import_as_json_lists_everything(reported):
    found = reported.pk("evidence", "import", "junit.xml", "--json").document
    assert (found["stored"], found["counts"]["failed"], len(found["unmatched"])) == (2, 1, 1)


def test_show_names_what_fails_and_counts_the_rest(reported):
    reported.pk("evidence", "import", "junit.xml")
    out = reported.pk("evidence", "show").out
    assert out.startswith("failing  tests/test_basket.py::TestBasket::test_negative_quantity_is_rejected  failed at ")
    assert "4 tests: 1 proven, 1 failing, 2 none\n" in out


def test_failure_of_a_discarded_change_is_stale_once_the_change_is_gone(reported):
    reported.write("src/shop.py", "SOLD = False\n")
    reported.commit()
    reported.write("src/shop.py", "SOLD = True\n")
    (reported.root / "junit.xml").touch()
    reported.pk("evidence", "import", "junit.xml")
    assert reported.pk("evidence", "show").out.startswith("failing ")
    reported.git("checkout", "-q", "--", "src/shop.py")
    assert "it failed with uncommitted changes that are gone" in reported.pk("evidence", "show").out


def test_show_of_one_test_names_its_atom(adopted):
    reported = with_report(adopted)
    reported.pk("evidence", "import", "junit.xml")
    found = reported.pk(
        "evidence", "show", "tests/test_basket.py::TestBasket::test_new_basket_is_empty", "--json"
    ).document
    (test,), (atom,) = found["tests"], found["atoms"]
    assert (test["state"], test["outcome"], test["source"]) == ("proven", "passed", "junit.xml")
    assert (atom["state"], atom["status"]) == ("proven", "draft")


def test_show_of_an_atom_names_its_tests(adopted):
    reported = with_report(adopted)
    reported.pk("evidence", "import", "junit.xml")
    whole = reported.pk("evidence", "show", "--json").document
    atom = next(one for one in whole["atoms"] if one["state"] == "proven")
    found = reported.pk("evidence", "show", atom["id"], "--json").document
    assert [one["id"] for one in found["tests"]] == atom["tests"]["proven"]
    assert [one["id"] for one in found["atoms"]] == [atom["id"]]


def test_show_without_evidence_says_what_to_do(reported):
    done = reported.pk("evidence", "show")
    assert "pk evidence import FILE" in done.err


def test_show_of_an_unknown_test_is_an_input_error(reported):
    assert "no test has this name" in reported.pk("evidence", "show", "tests/none.py", code=2).err


def test_read_says_what_a_report_holds_and_stores_nothing(reported):
    out = reported.pk("evidence", "read", "junit.xml").out
    assert "2 passed, 1 failed in 0.3 s" in out
    assert "failed   tests.test_basket.TestBasket::test_negative_quantity_is_rejected  boom" in out
    assert reported.pk("evidence", "show", "--json").document["summary"]["tests"]["none"] == 4


def test_read_of_coverage_says_percent_and_where_most_is_left(reported):
    reported.write("c.info", "SF:shop.py\nDA:1,1\nDA:2,0\nDA:3,0\nend_of_record\n")
    out = reported.pk("evidence", "read", "--coverage", "c.info").out
    assert "33.3 %: 1 of 3 lines in 1 file" in out
    assert "33.3 %       2 left  shop.py" in out


def test_broken_report_is_an_input_error_with_file_and_line(reported):
    reported.write("junit.xml", "<testsuites>\n<testsuite>")
    assert "junit.xml:2: is not a complete XML document" in reported.pk("evidence", "import", "junit.xml", code=2).err


def test_text_of_a_report_does_not_drive_the_terminal(reported):
    reported.write(
        "j.json",
        json.dumps({"testResults": [{"name": "a", "assertionResults": [{"title": "x\x1b[2Jy", "status": "failed"}]}]}),
    )
    assert "\x1b" not in reported.pk("evidence", "read", "j.json").out


def test_status_tells_plausible_from_attested(declared):
    declared.pk("evidence", "import", "junit.xml")
    assert "plausible" in declared.pk("status").out
    declared.pk("attest", "--out", "att.json", "--results", "junit.xml")
    declared.pk("attest", "import", "att.json")
    assert "(HEAD)  claimed by" in declared.pk("status").out
    declared.write("notes.txt", "x")
    declared.commit()
    assert "(1 commit ago); plausible since" in declared.pk("status").out
    assert declared.pk("status", "--json").document["proof"]["attested"]["ago"] == 1


def test_attestation_fits_the_published_schema(declared):
    declared.pk("attest", "--out", "att.json", "--results", "junit.xml")
    Draft202012Validator(attestation_schema()).validate(json.loads(declared.read("att.json")))


def test_attest_says_what_it_wrote(declared):
    done = declared.pk("attest", "--out", "att.json", "--results", "junit.xml")
    assert done.out.startswith(f"wrote att.json: commit {declared.git('rev-parse', 'HEAD')[:12]}; drifted, 4 errors")
    assert "1 case of the reports match no test" in done.err


def test_attest_without_a_place_to_write_is_a_usage_error(declared):
    assert "pk attest --out FILE" in declared.pk("attest", code=2).err


def test_attest_to_a_place_that_cannot_be_written_is_said(declared):
    assert "'none/att.json' cannot be written" in declared.pk("attest", "--out", "none/att.json", code=2).err


def test_attestation_that_is_written_into_the_tree_does_not_make_it_dirty(declared):
    declared.pk("attest", "--out", "att.json")
    declared.pk("attest", "--out", "att.json")


def test_verify_of_an_unsigned_attestation_is_a_finding(declared):
    declared.pk("attest", "--out", "att.json")
    done = declared.pk("attest", "verify", "att.json", code=1)
    assert "it has no signature" in done.out
    assert declared.pk("attest", "verify", "att.json", "--json", code=1).document["holds"] is False


def test_status_without_history_loads_no_database(declared):
    done = subprocess.run([sys.executable, "-c", LOADED], cwd=declared.root, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "False"


def test_read_of_our_own_findings_names_them(declared):
    declared.pk("check", "--sarif", "own.sarif", code=1)
    out = declared.pk("evidence", "read", "--quality", "own.sarif").out
    assert "own.sarif  Pactkeeper  4 error" in out
    assert "PK101" in out


def test_cases_of_a_report_are_told_with_their_tests_and_atoms(reported):
    found = reported.pk("evidence", "cases", "junit.xml", "--json").document["cases"]
    placed = [one for one in found if one["test"]]
    assert placed
    assert all(one["reason"] == "" for one in placed)
    assert all(one["reason"] for one in found if not one["test"])
    assert placed[0]["test"] in reported.pk("evidence", "cases", "junit.xml").out


def test_what_is_about_to_be_frozen_says_that_its_only_test_fails(declared):
    name = "tests/test_basket.py::TestBasket::test_negative_quantity_is_rejected"
    declared.pk("accept", name, "--intent", "A negative quantity is rejected.")
    with open_workspace(declared.root, notice=print) as opened:
        (atom,) = opened.pact(opened.snapshot()).atoms
    assert "its only test" not in declared.pk("commit", atom, "--dry-run").out
    declared.pk("evidence", "import", "junit.xml")
    told = f"its only test failed when last run: {name} at "
    assert f"{atom}: {told}" in declared.pk("commit", atom, "--dry-run").out
    (row,) = declared.pk("commit", atom, "--dry-run", "--json").document["failing"]
    assert (row["id"], row["reason"].startswith(told)) == (atom, True)


def test_status_and_stand_up_say_that_a_committed_promise_fails(declared):
    name = "tests/test_basket.py::TestBasket::test_negative_quantity_is_rejected"
    declared.pk("accept", name, "--intent", "A negative quantity is rejected.")
    with open_workspace(declared.root, notice=print) as opened:
        atoms = list(opened.pact(opened.snapshot()).atoms.values())
    made = new_commitment(atoms, by="Ada", at="2030-01-01T00:00:00+00:00", assurance="terminal", overrides={}, after={})
    declared.write(commitment_path(made.id), commitment_text(made))
    declared.commit()
    line = "broken  1 committed promise fails in its last known run"
    assert line not in declared.pk("status").out
    declared.pk("evidence", "import", "junit.xml")
    assert line in declared.pk("status").out
    assert line in declared.pk("transcripts", "standup").out
