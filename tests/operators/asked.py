"""Runs that ask a scripted model."""

from pactkeeper.operators.driving import drive_of, running, steps_of
from pactkeeper.operators.history import new_run
from pactkeeper.operators.reconcile import reconciled
from pactkeeper.reconcile.request import Request
from pactkeeper.store.runs import add_run
from tests.reconcile.asking import PLENTY


def reconcile_asking(shop, asker, *, budget=PLENTY, molecules=False):
    """Reconcile everything in a shop, asking what rules leave open."""
    with shop.open() as workspace, running(workspace) as held:
        at = workspace.now().isoformat(timespec="microseconds")
        run = new_run(workspace, Request(everything=True, molecules=molecules), at=at)
        add_run(workspace.history(), run)
        return drive_on(workspace, held, run, asker, budget=budget)


def drive_on(workspace, held, run, asker, *, budget=PLENTY):
    """Take a run on with a scripted model."""
    steps = steps_of(workspace, held, run)
    steps.asker, steps.budget = asker, budget
    drive_of(workspace).go(steps)
    return reconciled(steps)
