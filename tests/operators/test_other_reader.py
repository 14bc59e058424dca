"""An upgrade reads tests in another way; what an older reader noted of them neither raises nor hides an alarm."""

import shutil
import subprocess
from pathlib import Path

import pytest

import pactkeeper
from pactkeeper.operators.accept import AcceptedWords, accept_tests
from pactkeeper.operators.adopt import change_debt
from pactkeeper.operators.check import check_repo
from pactkeeper.operators.view import StateView
from pactkeeper.repo.strength.reading import reader
from tests.doors.forking import SERVER
from tests.operators.atoms import commit, run
from tests.operators.conftest import Shop

TABLE, CODEC = "repo/languages/python/claims/comparisons.py", "intent/strength/codec.py"
# an older version took `>` for `==` and did not see `in`
OLDER = (
    (TABLE, '">": ("greater", False)', '">": ("equals", False)'),
    (CODEC, "for fact in facts:", 'for fact in (one for one in facts if one.claim.relation != "contains"):'),
)
RUN = """\
import sys
for name in [name for name in sys.modules if name.split(".")[0] == "pactkeeper"]:
    del sys.modules[name]
sys.path.insert(0, sys.argv[1])
from pactkeeper.doors.cli.main import cli
for line in sys.argv[2:]:
    cli.main(line.split(), prog_name="pk", standalone_mode=False)
"""
FILE, DEBT = "tests/test_cart.py", "pact/debt.txt"
SOURCE = """\
from cart import add, names


def test_adds_two_numbers():
    assert add(1, 2) > 2
    assert "sum" in names()


def test_no_numbers_are_nothing():
    assert add() == 0


def test_negative_numbers_are_refused():
    assert add(-1) > 4


def test_names_are_listed():
    assert names() == ["sum"]
"""
ADDS, NOTHING, OWED, LATER = (f"{FILE}::{line[4:-3]}" for line in SOURCE.splitlines() if line.startswith("def "))


@pytest.fixture(scope="session")
def older(tmp_path_factory):
    """The program with a reader of its own: a copy, compiled as it is, in which two lines differ."""
    place = tmp_path_factory.mktemp("older") / "pactkeeper"
    shutil.copytree(Path(pactkeeper.__file__).parent, place)
    for path, line, other in OLDER:
        text = (place / path).read_text()
        assert line in text
        (place / path).write_text(text.replace(line, other))
    return place.parent


@pytest.fixture(scope="session")
def first_upgraded(first_shop, older, tmp_path_factory):
    """What every `upgraded` is a copy of."""
    made = first_shop.copy(tmp_path_factory.mktemp("upgraded"))
    made.write(FILE, SOURCE)
    made.save("Cart")
    lines = ("init", f"accept {ADDS}", f"accept {NOTHING}")
    subprocess.run(SERVER.program("-c", RUN, older, *lines), cwd=made.root, check=True)
    (link,) = made.world().by_id[ADDS].links
    commit(made, link.atom)
    made.save("Pact")
    return made


@pytest.fixture
def upgraded(first_upgraded, tmp_path):
    """A shop whose links and debt an older version noted; the atom of one test is committed."""
    return first_upgraded.copy(tmp_path)


def found(shop, name=ADDS):
    report = run(shop, check_repo, StateView())
    return [(row.code, row.severity) for row in report.findings if row.subject == name]


def noted(shop, name):
    """The reader that the link of a test names, and what it noted."""
    (record,) = (one for one in shop.world().pact.links.values() if one.test == name)
    return record.rests[0], record.asserts


def shallow(shop, place):
    """A clone of the shop with its last commit alone."""
    shop.save("Change")
    shop.git("clone", "--quiet", "--depth=1", shop.root.as_uri(), str(place))
    return Shop(place)


def test_the_older_version_noted_something_else(upgraded):
    assert noted(upgraded, ADDS)[0] != reader()
    assert noted(upgraded, ADDS)[1] == ("equals(add(1, 2), 2)",)
    assert found(upgraded) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [("add() == 0", "add() == 1"), ("assert add(1, 2) > 2", "result = add(1, 2)\n    assert 2 < result")],
    ids=["another test of its file changed", "the test says the same in other words"],
)
def test_an_upgrade_alone_makes_no_test_weaker(upgraded, old, new):
    upgraded.replace(FILE, old, new)
    assert found(upgraded) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [("> 2", "> 0"), ('    assert "sum" in names()\n', "")],
    ids=["what both versions see", "what the older version did not see"],
)
def test_a_weakening_beside_an_upgrade_is_an_error(upgraded, old, new):
    upgraded.replace(FILE, old, new)
    assert found(upgraded) == [("PK115", "error")]


def test_without_the_text_that_was_reviewed_a_difference_is_a_warning_that_says_so(upgraded, tmp_path):
    upgraded.replace(FILE, "add() == 0", "add() == 1")
    clone = shallow(upgraded, tmp_path / "shallow")
    (row,) = (row for row in run(clone, check_repo, StateView()).findings if row.subject == ADDS)
    assert (row.code, row.severity) == ("PK115", "warning")
    assert "may prove less" in row.message
    assert "git lacks that text: fetch the history" in row.message


def test_a_difference_that_nobody_can_tell_from_a_weakening_is_confirmed_by_a_person(upgraded, tmp_path):
    upgraded.replace(FILE, "add() == 0", "add() == 1")
    clone = shallow(upgraded, tmp_path / "shallow")
    clone.git("config", "user.name", "Ada")
    clone.git("config", "user.email", "ada@example.org")
    run(clone, accept_tests, (ADDS,), AcceptedWords())
    assert found(clone) == []
    assert noted(clone, ADDS)[0] == reader()


def test_the_next_link_in_a_file_notes_the_others_anew(upgraded):
    run(upgraded, accept_tests, (LATER,), AcceptedWords())
    assert noted(upgraded, ADDS) == (reader(), ("contains(names(), 'sum')", "greater(add(1, 2), 2)"))


def test_a_link_whose_test_got_weaker_is_not_noted_anew(upgraded):
    upgraded.replace(FILE, "> 2", "> 0")
    run(upgraded, accept_tests, (LATER,), AcceptedWords())
    assert found(upgraded) == [("PK115", "error")]
    assert noted(upgraded, ADDS)[0] != reader()


def test_a_link_notes_the_files_as_they_are_once_its_test_proves_as_much_with_them(upgraded):
    upgraded.replace(FILE, "add() == 0", "add() == 0, 'nothing'")
    run(upgraded, accept_tests, (LATER,), AcceptedWords())
    (record,) = (one for one in upgraded.world().pact.links.values() if one.test == NOTHING)
    upgraded.save("Change")
    with upgraded.open() as workspace:
        assert record.rests[1] == f"{FILE} {workspace.snapshot().identity(FILE)[:12]}"


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        ("add() == 0", "add() == 1", []),
        ("> 4", "> 4, 'refused'", []),
        ("> 4", "> 5", [("PK107", "warning")]),
        ("assert add(-1) > 4", "assert add(-1)", [("PK116", "warning")]),
        ("assert add(-1) > 4", "pass", [("PK116", "error")]),
    ],
    ids=["another test changed", "a message", "another result", "looser", "gutted"],
)
def test_debt_is_held_against_its_text_as_well(upgraded, old, new, finding):
    upgraded.replace(FILE, old, new)
    assert found(upgraded, OWED) == finding


def test_debt_whose_text_is_not_in_the_clone_is_a_warning(upgraded, tmp_path):
    upgraded.replace(FILE, "assert add(-1) > 4", "pass")
    assert found(upgraded, OWED) == [("PK116", "error")]
    assert found(shallow(upgraded, tmp_path / "shallow"), OWED) == [("PK116", "warning")]


def test_prune_notes_the_reader_of_every_line(upgraded):
    run(upgraded, change_debt, "prune")
    assert {line.split()[0].split("~")[2] for line in upgraded.read(DEBT).splitlines() if "::" in line} == {reader()}


# @atom IA-A9K8YSC
def test_what_was_found_to_prove_as_much_is_weighed_again_where_the_code_changes(upgraded):
    upgraded.replace(FILE, "assert add(1, 2) > 2", "result = add(1, 2)\n    assert 2 < result")
    assert found(upgraded) == []
    assert found(upgraded) == []
    upgraded.replace(FILE, "assert 2 < result", "assert 0 < result")
    assert found(upgraded) == [("PK115", "error")]
