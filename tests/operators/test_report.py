"""What a report says of a repository: every test on one rung, the pact at its commits, the same each time."""

from dataclasses import replace

import pytest

from pactkeeper.operators.evidence import import_evidence
from pactkeeper.operators.report import RUNGS, make_report, rung
from pactkeeper.published.report import report_markdown, report_page
from tests.operators.atoms import commit, declare, run
from tests.operators.conftest import ADDS, FILE
from tests.operators.reports import junit


def report(shop, **options):
    return run(shop, make_report, **options)


def test_every_test_stands_on_one_rung(linked):
    assert report(linked).tests == {"proven": 0, "committed": 0, "linked": 2, "unknown": 0}


def test_a_committed_atom_with_a_passing_test_is_proven(linked):
    world = linked.world()
    entry = next(one for one in world.linked if one.test.id == ADDS)
    commit(linked, entry.links[0].atom)
    world = linked.world()
    entry = next(one for one in world.linked if one.test.id == ADDS)
    assert rung(entry, world.pact, frozenset()) == "committed"
    assert rung(entry, world.pact, frozenset({ADDS})) == "proven"
    weakened = replace(entry, links=tuple(replace(one, state="suspect") for one in entry.links))
    assert rung(weakened, world.pact, frozenset({ADDS})) == "unknown"


def test_the_pact_is_told_at_each_commit_that_changed_it(linked):
    linked.save("Adopt")
    declare(linked, "An invoice is sent.")
    linked.save("Declare")
    found = report(linked)
    assert [(one.atoms, one.committed) for one in found.points] == [(2, 0), (3, 0)]
    assert found.alone != ()


def test_a_commit_whose_pact_cannot_be_read_is_counted(linked):
    linked.save("Adopt")
    good = linked.read("pact/pact.toml")
    linked.write("pact/pact.toml", "[broken")
    linked.save("Break")
    linked.write("pact/pact.toml", good)
    linked.save("Mend")
    found = report(linked)
    assert (len(found.points), found.unread) == (2, 1)


def test_folders_are_put_together_where_there_are_too_many(shop):
    for number in range(25):
        shop.write(f"tests/part{number:02d}/test_it.py", "def test_it_works():\n    assert 1\n")
    shop.write("tests/part00/test_more.py", "def test_more_is_more():\n    assert 1\n")
    [area] = report(shop).areas
    assert (area.name, sum(area.tests.values())) == ("tests", 28)


def test_a_repository_without_a_pact_has_a_report(shop):
    found = report(shop)
    assert found.tests["unknown"] == 2
    assert (found.points, found.sweeps, found.attested) == ((), (), None)


@pytest.mark.parametrize("folder", ["linked", "shop"])
def test_the_same_repository_gives_the_same_report(folder, request):
    shop = request.getfixturevalue(folder)
    assert report(shop) == report(shop)
    assert sum(report(shop).tests[one] for one in RUNGS) == 2
    assert FILE.startswith(report(shop).areas[0].name)


def test_a_committed_atom_that_no_test_proves_is_marked_and_counted(linked):
    linked.save("Adopt")
    atom = declare(linked, "An invoice is sent.")
    commit(linked, atom)
    found = report(linked)
    assert found.unbacked == 1
    assert (found.behaviours[0].atom.id, found.behaviours[0].backing.lacks) == (atom, "no test is linked to it")
    assert all(row.backing.backed for row in found.behaviours[1:])


def test_a_behaviour_that_passed_with_other_product_code_says_at_which_commit(linked):
    linked.save("Adopt")
    linked.write("junit.xml", junit("test_adds_two_numbers"))
    with linked.open() as workspace:
        commit_tested = import_evidence(workspace, ["junit.xml"]).commit
    assert {row.backing.mark for row in report(linked).behaviours} == {"passed", "backed, never run"}
    linked.write("product.py", "LIMIT = 101\n")
    marks = {row.backing.mark for row in report(linked).behaviours}
    assert marks == {f"passed at {commit_tested[:12]}, before other files changed", "backed, never run"}
    told = report_markdown(report(linked))
    assert f"1 test passed at {commit_tested[:12]}; 1 file besides tests and pact has changed since" in told


def test_proven_means_the_same_in_the_report_as_in_the_list_of_evidence(linked):
    linked.save("Adopt")
    linked.write("junit.xml", junit("test_adds_two_numbers"))
    run(linked, import_evidence, ["junit.xml"])
    told = report_markdown(report(linked))
    assert "| tests | committed and proven | committed, not proven | linked, not committed | unknown |" in told
    assert "1 test passed at " in told


def test_page_lists_every_atom_and_the_summary_the_first_twenty(linked):
    for number in range(30):
        declare(linked, f"Invoice {number} is sent on day {number}.")
    found = report(linked)
    page = report_page(found)
    assert all(f"Invoice {number} is sent" in page for number in range(30))
    assert "pk atom list</code>" not in page
    assert f"and {found.live - 20} more" in report_markdown(found)
