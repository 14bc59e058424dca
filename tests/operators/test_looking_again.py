"""A run whose files change under its hands looks again, and in the end does without what never keeps still."""

from dataclasses import replace
from itertools import count

from pactkeeper.operators.driving import drive_of
from pactkeeper.operators.reconcile import reconcile_repo
from pactkeeper.operators.runs import show_run
from pactkeeper.reconcile.flow import MOST_LOOKS
from pactkeeper.reconcile.request import Request
from tests.operators.conftest import ADDS, REFUSED

OTHER = "tests/test_other.py"
SAYS = "def test_other_login_is_refused():\n    assert other.login({}).status_code == 403\n"


def reconcile_while(shop, disturb):
    """Reconcile everything; before the context is built, `disturb` is told how often that was."""
    shop.write(OTHER, SAYS.format(0))
    looks = count(1)

    def around(moment, node):
        if (moment, node) == ("before", "context"):
            disturb(next(looks))

    with shop.open() as workspace:
        made = reconcile_repo(workspace, Request(everything=True), drive=replace(drive_of(workspace), around=around))
        return made, [event.node for event in show_run(workspace, made.run.id).trace]


def test_a_file_that_changes_while_it_is_read_is_read_again(shop):
    made, nodes = reconcile_while(shop, lambda look: look == 1 and shop.write(OTHER, SAYS.format(7)))
    assert nodes.count("structure") == nodes.count("context") == 2
    (create,) = [op for op in made.patch.ops if op.verb == "createAtom" and op.group.startswith(OTHER)]
    assert "other.login(7)" in str(create.evidence)


def test_a_file_that_never_keeps_still_is_left_out_and_said_so(shop):
    made, nodes = reconcile_while(shop, lambda look: shop.write(OTHER, SAYS.format(look)))
    assert nodes.count("context") == MOST_LOOKS
    assert {op.group for op in made.patch.ops} == {ADDS, REFUSED}
    assert dict(made.left_out) == {"whose_file_keeps_changing": 1}


def test_the_tests_of_a_file_that_vanishes_are_not_called_tests_without_assertions(shop):
    made, _ = reconcile_while(shop, lambda _: (shop.root / OTHER).unlink(missing_ok=True))
    assert {op.group for op in made.patch.ops} == {ADDS, REFUSED}
    assert made.needs_words == ()
