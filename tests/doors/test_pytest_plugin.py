"""The plugin in a pytest of its own, found by the entry point that pyproject.toml declares."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
TESTS = """\
import os
import pytest


@pytest.mark.atom("IA-7F3KQ9T", "IA-2M8QD1R")
def test_box_has_a_lid():
    assert os.sep == "lid"


@pytest.mark.parametrize("count", [1, 2])
def test_box_has_a_weight(count):
    assert count


@pytest.fixture
def late():
    yield
    raise RuntimeError("late")


def test_box_is_closed(late):
    assert late is None


@pytest.mark.skip
def test_box_is_red():
    assert os.sep


@pytest.mark.xfail
def test_box_is_blue():
    assert not os.sep


def test_box_holds_parts(subtests):
    with subtests.test("first"):
        assert not os.sep
    with subtests.test("second"):
        assert os.sep
"""
OUTCOMES = {
    "test_box_has_a_lid": "failed",
    "test_box_has_a_weight[1]": "passed",
    "test_box_has_a_weight[2]": "passed",
    "test_box_is_closed": "error",
    "test_box_is_red": "skipped",
    "test_box_is_blue": "xfailed",
    "test_box_holds_parts": "failed",
}
BOX = "tests/test_box.py"
ALONE, TWO = (), ("-p", "xdist", "-n", "2")


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """A folder to import from, with the entry points of a distribution as pyproject.toml declares them."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    place = tmp_path_factory.mktemp("installed") / "pactkeeper_here-0.dist-info"
    place.mkdir()
    rows = "\n".join(f"{name} = {value}" for name, value in declared["pytest11"].items())
    (place / "entry_points.txt").write_text(f"[pytest11]\n{rows}\n")
    (place / "METADATA").write_text("Metadata-Version: 2.1\nName: pactkeeper-here\nVersion: 0\n")
    return os.pathsep.join((str(place.parent), str(ROOT / "src")))


@pytest.fixture
def run(installed):
    """Run pytest with the plugin and none that happens to be installed; the exit code must be the expected one."""

    def started(folder, *arguments, code=1):
        known = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        surroundings = known | {"PYTHONPATH": installed, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        command = [sys.executable, "-m", "pytest", "-p", "pactkeeper", "-q", "--tb=no", "--strict-markers", *arguments]
        done = subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    return started


def told(folder, name="report.json"):
    """The tests of a report, by id."""
    return {one["nodeid"]: one for one in json.loads((folder / name).read_text(encoding="utf-8"))["tests"]}


@pytest.mark.parametrize("workers", [ALONE, TWO])
def test_what_came_of_each_test_is_written_with_the_atoms_of_the_marker(tmp_path, run, workers):
    (tmp_path / "tests").mkdir()
    (tmp_path / BOX).write_text(TESTS)
    out = run(tmp_path, *workers, "--pact-report", "out/report.json")
    tests = told(tmp_path, "out/report.json")
    assert {name: one["outcome"] for name, one in tests.items()} == {
        f"{BOX}::{name}": outcome for name, outcome in OUTCOMES.items()
    }
    lid = tests[f"{BOX}::test_box_has_a_lid"]
    assert (lid["atoms"], lid["lineno"]) == (["IA-2M8QD1R", "IA-7F3KQ9T"], 4)
    assert f"failing  {BOX}::test_box_has_a_lid  IA-2M8QD1R, IA-7F3KQ9T" in out
    assert "atoms of markers only: " in out


@pytest.mark.parametrize("workers", [ALONE, TWO])
def test_atoms_come_from_every_link_and_evidence_takes_the_report(adopted, run, workers):
    adopted.write("tests/shop.py", "class Basket:\n    count = 0\n")
    adopted.commit("Add a shop")
    run(adopted.root / "tests", *workers, "--rootdir=.", "--pact-report=report.json")
    tests = told(adopted.root / "tests")
    empty = "test_basket.py::TestBasket::test_new_basket_is_empty"
    atoms = adopted.pk("evidence", "show", f"tests/{empty}", "--json").document["atoms"]
    assert tests[empty]["atoms"] == [one["id"] for one in atoms]
    assert all(one["atoms"] for one in tests.values())
    adopted.pk("evidence", "import", "tests/report.json")
    states = adopted.pk("evidence", "show", "tests", "--json").document["tests"]
    assert {one["id"]: one["state"] for one in states} == {
        f"tests/{empty}": "proven",
        "tests/test_basket.py::TestBasket::test_negative_quantity_is_rejected": "failing",
        "tests/test_basket.py::test_total_adds_prices": "failing",
    }


@pytest.mark.parametrize("workers", [ALONE, TWO])
def test_a_file_that_cannot_be_loaded_is_told(tmp_path, run, workers):
    (tmp_path / "test_box.py").write_text("import no_such_module\n")
    run(tmp_path, *workers, "--pact-report=report.json", code=2 if workers == ALONE else 1)
    (broken,) = json.loads((tmp_path / "report.json").read_text())["collectors"]
    assert (broken["nodeid"], "no_such_module" in broken["longrepr"]) == ("test_box.py", True)


def test_an_inherited_test_has_the_atoms_of_the_class_that_defines_it(adopted, run):
    adopted.write("tests/shop.py", "class Basket:\n    count = 0\n")
    adopted.replace("tests/test_basket.py", "class TestBasket:", "class Emptiness:")
    adopted.write(
        "tests/test_basket.py", adopted.read("tests/test_basket.py") + "\n\nclass TestBox(Emptiness):\n    pass\n"
    )
    run(adopted.root, "--pact-report=report.json", "tests")
    assert told(adopted.root)["tests/test_basket.py::TestBox::test_new_basket_is_empty"]["atoms"] == []
    adopted.pk("accept", "tests/test_basket.py::Emptiness::test_new_basket_is_empty")
    run(adopted.root, "--pact-report=report.json", "tests")
    assert len(told(adopted.root)["tests/test_basket.py::TestBox::test_new_basket_is_empty"]["atoms"]) == 1


def test_a_test_that_ends_its_worker_is_an_error(tmp_path, run):
    (tmp_path / "test_box.py").write_text("import os\n\n\ndef test_box():\n    os._exit(3)\n")
    run(tmp_path, *TWO, "--pact-report=report.json")
    assert told(tmp_path)["test_box.py::test_box"]["outcome"] == "error"


def test_a_test_that_was_cut_off_is_left_out(tmp_path, run):
    text = "def test_lid():\n    assert True\n\n\ndef test_box():\n    raise KeyboardInterrupt\n"
    (tmp_path / "test_box.py").write_text(text)
    run(tmp_path, "--pact-report=report.json", code=2)
    assert list(told(tmp_path)) == ["test_box.py::test_lid"]


def test_junit_xml_has_the_atoms_of_the_marker_too(tmp_path, run):
    (tmp_path / "test_box.py").write_text(TESTS)
    run(tmp_path, "--junitxml=junit.xml")
    assert '<property name="atom" value="IA-7F3KQ9T" />' in (tmp_path / "junit.xml").read_text()


def test_a_folder_is_refused_before_anything_runs(tmp_path, run):
    assert "'.' is a folder; name the file to write" in run(tmp_path, "--pact-report=.", code=4)


def test_without_a_report_nothing_heavy_is_imported():
    code = "import sys, pactkeeper.doors.pytest_plugin as one; print(*(m for m in sys.modules if m.startswith('pactkeeper')))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["pactkeeper", "pactkeeper.doors", "pactkeeper.doors.pytest_plugin"]
