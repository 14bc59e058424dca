from pactkeeper.ledger.decision import Review
from pactkeeper.store.decisions import decisions_of, proposal_of, save_proposal
from tests.store.rows import decide, kept_patch


def test_a_proposal_comes_back_as_it_was_made(history):
    patch = kept_patch(history)
    review = Review(patch.hash, (decide(patch.ops[0], actor="agent", reason="it reads well"),))
    save_proposal(history, patch.id, review)
    assert proposal_of(history, patch.id) == review


def test_a_proposal_decides_nothing(history):
    patch = kept_patch(history)
    save_proposal(history, patch.id, Review(patch.hash, (decide(patch.ops[0], actor="agent"),)))
    assert decisions_of(history, patch.id) == ()


def test_the_newest_proposal_for_a_patch_holds(history):
    patch = kept_patch(history)
    first, second = (Review(patch.hash, (decide(patch.ops[0], verdict),)) for verdict in ("accept", "reject"))
    save_proposal(history, patch.id, first)
    save_proposal(history, patch.id, second)
    assert proposal_of(history, patch.id) == second


def test_nothing_is_proposed_for_a_new_patch(history):
    assert proposal_of(history, kept_patch(history).id) is None
