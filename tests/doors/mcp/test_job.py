"""The main job over MCP alone: reconcile, answer, review, apply, check, undo."""

import pytest

from tests.doors.mcp.conftest import OLDER_IS_SLOW

ANSWER = {
    "intent": "A run of the shop reports no error.",
    "category": "functional",
    "outcomes": ["A run returns 0."],
    "quotes": ["assert run() == 0"],
    "confidence": 90,
    "ambiguity": ["generic_name"],
}


async def prepare(agent):
    """Everything up to the moment at which a person is asked; returns the patch with what confirms it."""
    await agent.call("reconcile_repo", everything=True)
    (question,) = (await agent.call("pending_questions"))["questions"]
    taken = await agent.call("answer_question", question=question["id"], answer=ANSWER)
    assert taken["by"] == "scripted 7 for Ada Lovelace <ada@example.org>"
    patch = taken["made"]["patch"]
    return patch, await agent.accept_all(patch)


@pytest.mark.parametrize("mode", OLDER_IS_SLOW)
def test_an_agent_brings_tests_and_pact_into_agreement_and_takes_it_back(shop, mode):
    async def job(agent):
        patch, _ = await prepare(agent)
        applied = await agent.call("apply_patch", patch=patch)
        agrees = (await agent.call("check_repo"))["agrees"]
        undone = await agent.call("undo")
        return applied, agrees, undone, agent.asked

    applied, agrees, undone, asked = shop.talk(job, mode=mode, says="yes")
    assert (applied["status"], agrees, undone["status"]) == ("applied", True, "undone")
    assert "A run of the shop reports no error." in asked[0]
    assert shop.project.status() == ""


@pytest.mark.parametrize("mode", OLDER_IS_SLOW)
def test_where_nobody_can_be_asked_a_person_confirms_by_the_command_that_is_told(shop, mode):
    async def job(agent):
        patch, _ = await prepare(agent)
        return await agent.call("apply_patch", patch=patch)

    pending = shop.talk(job, mode=mode)
    assert pending["status"] == "pending"
    assert shop.project.status() == ""
    (task,) = shop.project.pk("gaps", "--kind", "proposal", "--json").document["tasks"]
    program, *arguments = task["command"].split()
    assert program == "pk"
    shop.project.pk(*arguments)
    assert shop.project.pk("check", "--json").document["agrees"]


@pytest.mark.parametrize("mode", OLDER_IS_SLOW)
@pytest.mark.parametrize("says", ["no", "decline", "cancel"])
def test_whoever_does_not_say_yes_applies_nothing(shop, mode, says):
    async def job(agent):
        made = await agent.call("reconcile_repo", everything=True)
        await agent.accept_all(made["patch"])
        return await agent.call("apply_patch", patch=made["patch"]), agent.asked

    declined, asked = shop.talk(job, mode=mode, says=says)
    assert declined["status"] == "declined"
    assert len(asked) == 1
    assert shop.project.status() == ""


def test_a_confirmation_holds_for_what_was_shown_and_nothing_else(shop):
    async def propose(agent):
        made = await agent.call("reconcile_repo", everything=True)
        first = await agent.accept_all(made["patch"])
        op = (await agent.call("get_patch", patch=made["patch"]))["ops"][0]
        verdict = {"op": op["id"], "shown_hash": op["shown_hash"], "verdict": "reject"}
        return first, await agent.call("decide_ops", patch=made["patch"], decisions=[verdict])

    first, second = shop.talk(propose)
    refused = shop.project.pk("apply", first["patch"], "--confirm", first["proposal"], code=2)
    assert f"pk apply {second['patch']} --confirm {second['proposal']}" in refused.err
    assert shop.project.status() == ""


def test_a_refused_answer_says_why_and_may_be_given_again(shop):
    async def job(agent):
        await agent.call("reconcile_repo", everything=True)
        (question,) = (await agent.call("pending_questions"))["questions"]
        made_up = {**ANSWER, "quotes": ["assert total == 3"]}
        reason = await agent.refusal("answer_question", question=question["id"], answer=made_up)
        return reason, await agent.call("answer_question", question=question["id"], answer=ANSWER)

    reason, taken = shop.talk(job)
    assert "'assert total == 3' does not occur in the source" in reason
    assert taken["made"]["questions"] == 0


def test_an_edit_is_applied_in_the_words_of_the_agent(shop):
    async def job(agent):
        made = await agent.call("reconcile_repo", everything=True)
        shown = await agent.call("get_patch", patch=made["patch"], limit=200)
        op = next(one for one in shown["ops"] if one["verb"] == "createAtom")
        edited = {**op["payload"], "description": "A basket that nobody filled is empty."}
        said = {"op": op["id"], "shown_hash": op["shown_hash"], "verdict": "edit", "edited": edited}
        await agent.call("decide_ops", patch=made["patch"], decisions=[said])
        await agent.call("apply_patch", patch=made["patch"])
        assert f"no test will be linked to {op['payload']['atomId']}" in agent.asked[-1]
        return await agent.call("list_atoms")

    (atom,) = shop.talk(job, says="yes")["atoms"]
    assert atom["intent"] == "A basket that nobody filled is empty."


def test_what_a_person_decided_is_applied_without_asking_again(shop):
    shop.project.pk("reconcile", "--all")
    shop.project.pk("recommendations", "accept", "--all")
    applied = shop.talk(lambda agent: agent.call("apply_patch"))
    assert applied["status"] == "applied"


def test_what_was_taken_back_is_not_applied_again_without_a_new_yes(shop):
    async def job(agent):
        made = await agent.call("reconcile_repo", everything=True)
        await agent.accept_all(made["patch"])
        await agent.call("apply_patch", patch=made["patch"])
        await agent.call("undo")
        return made["patch"]

    patch = shop.talk(job, says="yes")
    assert shop.talk(lambda agent: agent.call("apply_patch", patch=patch))["status"] == "pending"
    assert shop.project.status() == ""
