"""What the pages say of a main line that is red, and of promises that fail."""

import pytest

from tests.doors.web.page.conftest import app_for, reader_of

PACT = """\
[pact]
format = 1

[[health.check]]
name = "build"
category = "build"
parser = "go"
argv = ["sh", "-c", "test ! -e broken.txt"]
"""
ATOM = """[IA-EMPTY01]
intent = "A new basket is empty."
status = "draft"
origin = "tests/test_basket.py::TestBasket::test_new_basket_is_empty"
"""
TEST = "tests/test_basket.py::TestBasket::test_new_basket_is_empty"
FAILED = """<testsuite><testcase classname="tests.test_basket.TestBasket" name="test_new_basket_is_empty">
<failure message="not empty"/></testcase></testsuite>"""


@pytest.fixture
def failing(adopted):
    """A project with a red sweep and an atom whose test failed, and the pages of it."""
    adopted.write("pact/atoms/more.toml", ATOM)
    adopted.pk("accept", TEST, "--atom", "IA-EMPTY01")
    adopted.write("pact/pact.toml", PACT)
    adopted.write("broken.txt", "1")
    adopted.write(".gitignore", "*.xml\n")
    adopted.commit()
    adopted.pk("health", "trust", "--hash", adopted.pk("health", "trust", "--json", code=None).document["declaration"])
    adopted.pk("health", "sweep", code=None)
    adopted.write("junit.xml", FAILED)
    adopted.pk("evidence", "import", "junit.xml")
    return reader_of(app_for(adopted), adopted, "told once")


def test_the_first_page_says_that_main_is_red_before_anything_else(failing):
    assert '<h1><span class="lamp red" aria-hidden="true"></span> Main is red.' in failing.open("")


def test_the_pact_marks_an_atom_that_fails(failing):
    assert '<span class="chip bad">draft, failing</span>' in failing.open("/pact")
    assert '<span class="chip bad">draft, failing</span>' in failing.open("/pact/IA-EMPTY01")


def test_health_says_that_commits_came_since_the_last_sweep(failing):
    failing.project.write("more.txt", "1")
    failing.project.commit()
    assert "1 commit since the last sweep, which was red" in failing.open("/health")


def test_health_says_nothing_of_every_sweep_where_a_later_run_passed(failing):
    assert "In every sweep of " in failing.open("/health")
    failing.project.git("rm", "--quiet", "broken.txt")
    failing.project.commit()
    (task,) = failing.project.pk("fixes", "--json").document["fixTasks"]
    failing.project.pk("fixes", "claim", task["id"])
    failing.project.pk("fixes", "complete", task["id"])
    shown = failing.open("/health")
    assert "Main is green at " in shown
    assert "In every sweep of " not in shown


def test_health_names_the_commit_from_which_main_is_green_and_marks_later_sweeps_of_earlier_ones(failing):
    red = failing.project.git("rev-parse", "HEAD")
    failing.project.git("rm", "--quiet", "broken.txt")
    failing.project.commit()
    green = failing.project.git("rev-parse", "HEAD")
    failing.project.pk("health", "sweep", code=None)
    failing.project.pk("health", "sweep", "--at", red, code=None)
    shown = failing.open("/health")
    assert f"In every sweep of <code>{green[:12]}</code> and later commits. Last swept at " in shown
    rows = [row for row in shown.split("<tr>") if "<td><code>" in row]
    assert [(green[:12] in row, "newer commits followed" in row) for row in rows[:2]] == [(False, True), (True, False)]
