"""A test that nobody has words for yet may not quietly get weaker either."""

import pytest

from pactkeeper.operators.adopt import change_debt, start_pact
from pactkeeper.operators.check import check_repo
from pactkeeper.operators.view import View
from tests.operators.atoms import accept, run
from tests.operators.conftest import ADDS, FILE, REFUSED

DEBT = "pact/debt.txt"


@pytest.fixture
def indebted(shop):
    """The shop with a new pact: both tests are debt."""
    run(shop, start_pact)
    return shop


def found(shop):
    return [(row.code, row.severity) for row in run(shop, check_repo, View()).findings if row.subject == ADDS]


def test_a_line_of_debt_says_how_strong_its_test_is(indebted):
    assert [line.partition(" ")[0].partition("~")[2] for line in indebted.read(DEBT).splitlines()] == ["9x1", "9x1"]


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        ("assert add(1, 2) == 3", "pass", ("PK116", "error")),
        ("assert add(1, 2) == 3", "add(1, 2)", ("PK116", "error")),
        ("def test_adds", "@pytest.mark.skip\ndef test_adds", ("PK116", "error")),
        ("== 3", "> 0", ("PK116", "warning")),
        ("== 3", "== 4", ("PK107", "warning")),
        ("== 3", "== 3\n    assert add(2, 2) == 4", ("PK107", "warning")),
    ],
    ids=["gutted", "calls alone", "skipped", "looser", "another result", "one assertion more"],
)
def test_debt_that_asserts_less_is_told_from_debt_that_changed(indebted, old, new, finding):
    assert found(indebted) == []
    indebted.replace(FILE, old, new)
    assert found(indebted) == [finding]


def test_recording_the_test_as_it_is_settles_it(indebted):
    indebted.replace(FILE, "== 3", "> 0")
    run(indebted, change_debt, "add", (ADDS,), reason="any positive sum will do")
    assert found(indebted) == []
    assert "~4x1 " in indebted.read(DEBT)


def test_debt_from_before_raises_no_alarm_and_is_marked_by_the_next_accept(indebted):
    indebted.write(DEBT, indebted.read(DEBT).replace("~9x1", ""))
    indebted.replace(FILE, "== 3", "> 0")
    assert found(indebted) == [("PK107", "warning")]
    indebted.replace(FILE, "> 0", "== 3")
    accept(indebted, REFUSED)
    assert indebted.read(DEBT).endswith(f"~9x1 {ADDS}\n")


def test_prune_marks_every_line(indebted):
    indebted.write(DEBT, indebted.read(DEBT).replace("~9x1", ""))
    run(indebted, change_debt, "prune")
    assert indebted.read(DEBT).count("~9x1 ") == 2
