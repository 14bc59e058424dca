from dataclasses import replace

import pytest

from pactkeeper.errors import InputError, RefusedError, UsageError
from pactkeeper.ledger.patch import encode_patch
from pactkeeper.operators.apply import undo_apply
from pactkeeper.operators.decide import decide, load_pending, save_decisions
from pactkeeper.operators.proposals import AgentVerdict, confirm_proposal, decide_ops, load_proposal
from tests.operators.conftest import ADDS

AGENT = "scripted 7"


@pytest.fixture
def patch(shop):
    return shop.reconcile().patch


def accept(patch, **fields):
    return [replace(AgentVerdict(op.id, op.shown_hash, "accept"), **fields) for op in patch.ops]


def test_what_an_agent_proposes_leaves_everything_to_be_decided(shop, patch):
    with shop.open() as workspace:
        decide_ops(workspace, patch.id, accept(patch))
        assert len(load_pending(workspace, patch.id).open) == 2


def test_a_proposal_about_something_else_than_is_shown_is_refused_whole(shop, patch):
    good, *rest = accept(patch)
    with shop.open() as workspace:
        with pytest.raises(RefusedError, match="review it again"):
            decide_ops(workspace, patch.id, [good, replace(rest[0], shown_hash="v1:other")])
        assert load_proposal(workspace, patch.id).proposed == ()


def test_pages_of_proposals_add_up_and_can_be_taken_back(shop, patch):
    first, second, *_ = accept(patch)
    with shop.open() as workspace:
        decide_ops(workspace, patch.id, [first])
        assert [one.op for one in decide_ops(workspace, patch.id, [second]).proposed] == [first.op, second.op]
        left = decide_ops(workspace, patch.id, [replace(first, verdict=None)])
    assert [one.op for one in left.proposed] == [second.op]


def test_a_proposal_has_another_name_as_soon_as_anything_differs(shop, patch):
    with shop.open() as workspace:
        before = decide_ops(workspace, patch.id, accept(patch))
        assert load_proposal(workspace, patch.id).name == before.name
        after = decide_ops(workspace, patch.id, accept(patch, reason="It reads well.")[:1])
    assert before.name != after.name


def test_only_the_proposal_that_was_confirmed_is_applied(shop, patch):
    with shop.open() as workspace:
        proposal = decide_ops(workspace, patch.id, accept(patch))
        with pytest.raises(RefusedError, match=proposal.name):
            confirm_proposal(workspace, proposal, confirmed="pr-000000000000")
        with pytest.raises(UsageError, match="nothing is accepted"):
            confirm_proposal(workspace, proposal)
        assert len(confirm_proposal(workspace, proposal, confirmed=proposal.name).planned.ops) == len(patch.ops)


def test_the_word_of_a_person_goes_before_that_of_an_agent(shop, patch):
    with shop.open() as workspace:
        pending = load_pending(workspace, patch.id)
        (item,) = [one for one in pending.items if one.group == ADDS]
        save_decisions(workspace, patch, decide(workspace, item, "reject"))
        proposal = decide_ops(workspace, patch.id, accept(patch))
    assert {one.op for one in proposal.decided} == {op.id for op in item.ops}
    assert {one.op for one in proposal.proposed} == {op.id for op in patch.ops} - {op.id for op in item.ops}


def test_what_was_undone_waits_for_a_new_word(shop, patch):
    shop.decide(patch, "accept")
    with shop.open() as workspace:
        undo_apply(workspace)
        proposal = load_proposal(workspace, patch.id)
    assert proposal.decided == ()
    assert {one.op for one in proposal.asked} == {op.id for op in patch.ops}


def test_what_the_policy_denies_to_agents_a_person_may_still_confirm(shop, patch):
    shop.write(
        "pact/pact.toml",
        '[pact]\nformat = 1\n\n[[policy.rule]]\nname = "people"\npermission = "deny"\nwhy = "people write"\nactors = ["agent"]\n',
    )
    with shop.open() as workspace:
        proposal = decide_ops(workspace, patch.id, accept(patch))
        assert len(proposal.denied) == len(patch.ops)
        with pytest.raises(RefusedError, match="people write"):
            confirm_proposal(replace(workspace, acting=AGENT), proposal, confirmed=proposal.name)
        assert confirm_proposal(workspace, proposal, confirmed=proposal.name).entry is not None


def test_a_file_that_is_called_like_a_patch_is_none_to_an_agent(shop, patch, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "patch-123").write_text(encode_patch(patch), encoding="utf-8")
    with shop.open() as workspace:
        assert load_pending(workspace, "patch-123").patch == patch
        with pytest.raises(UsageError, match="no patch 'patch-123'"):
            load_pending(replace(workspace, acting=AGENT), "patch-123")


def test_proposal_stays_confirmable_after_a_person_failed_to_apply(shop, patch):
    with shop.open() as workspace:
        name = decide_ops(workspace, patch.id, accept(patch)).name
    shop.write("pact/pact.toml", "format = ")
    with pytest.raises(InputError):
        shop.decide(patch, "accept")
    shop.git("clean", "-dfq", "pact")
    with shop.open() as workspace:
        proposal = load_proposal(workspace, patch.id)
        assert (proposal.name, len(proposal.asked)) == (name, len(patch.ops))
