import pytest

from pactkeeper.errors import InputError
from pactkeeper.intent.actions import BOARD_VERBS
from pactkeeper.intent.pact import Pact
from pactkeeper.ledger.op import Op
from pactkeeper.reconcile.edits import FileDraft
from pactkeeper.reconcile.world import World
from tests.reconcile.worlds import a_scan


def test_what_is_for_a_board_cannot_be_written_into_a_pact():
    op = Op("createTask", "home/task/1", None, {"board": "home", "title": "Renew the passport", "body": ""})
    assert op.verb in BOARD_VERBS
    with pytest.raises(InputError, match="'createTask' changes no pact"):
        FileDraft(World.of(a_scan(), Pact())).take(op)
