from dataclasses import replace

import pytest

from pactkeeper.intent.actions import action_fingerprint
from pactkeeper.ledger.question import Answer
from pactkeeper.transcripts.reconciling import GIT, Commit
from pactkeeper.transcripts.reconciling.tasks import task_target
from tests.transcripts.worlds import (
    AWAY,
    NOW,
    document,
    outcomes,
    plan,
    proposed,
    reasons,
    seen,
    spoken,
    task,
    verbs,
    world,
)

THREE = ("Renew the passport", "Book a flight to Lisbon", "Tell the neighbours about the cat")


def answered(proposal, verdict):
    (question,) = proposal.patch.questions
    return {question.id: Answer(question.id, {"verdict": verdict, "quotes": []}, "person", "ada", NOW)}


def test_a_step_that_no_board_has_becomes_a_task_with_its_words_and_source():
    found = proposed(plan(*THREE))
    assert verbs(found) == [("createTask", title) for title in THREE]
    body = found.actions[0].op.payload["body"]
    said = "From a conversation with a coding agent of 2026-03-01; who had it reads it with:"
    assert body.startswith(f"[daemon] {said} pk transcripts show cv-000000000001\n\n")
    assert "1. Renew the passport" in body


def test_a_step_that_a_board_has_is_left_alone():
    found = proposed(plan(*THREE), world=world(task("Renew passport"), task("Book flight to Lisbon", "T-2", "done")))
    assert verbs(found) == [("createTask", THREE[2])]
    assert outcomes(found)[:2] == [("exists", THREE[0]), ("stale", THREE[1])]


def test_an_agents_plan_is_never_sure_enough_to_act_on():
    assert {one.tier for one in proposed(plan(*THREE)).actions} == {2}


def test_what_may_be_the_same_work_is_asked_and_not_proposed():
    found = proposed(plan("Renew the passport"), world=world(task("Passport renewal appointment")))
    assert verbs(found) == []
    (question,) = found.patch.questions
    assert (question.kind, question.context["existing"]) == ("same_work", "Passport renewal appointment")


@pytest.mark.parametrize("title", ["Passport renewal appointment", "Plan for T-aaaaaa"])
def test_a_step_of_the_plan_of_a_task_is_not_asked_to_be_that_task(title):
    steps = ("Renew the passport", "Book a flight to Lisbon")
    found = proposed(plan(*steps, title=title), world=world(task("Passport renewal appointment")))
    assert (verbs(found), found.patch.questions) == ([("createTask", one) for one in steps], ())


def test_a_yes_means_that_it_exists():
    seen = world(task("Passport renewal appointment"))
    asked = proposed(plan("Renew the passport"), world=seen)
    found = proposed(
        plan("Renew the passport"), world=world(*seen.boards["home"].snapshot.tasks, answers=answered(asked, "yes"))
    )
    assert (verbs(found), found.patch.questions) == ([], ())
    assert outcomes(found) == [("exists", "Renew the passport")]


def test_a_no_means_that_it_is_new():
    items = (task("Passport renewal appointment"),)
    asked = proposed(plan("Renew the passport"), world=world(*items))
    found = proposed(plan("Renew the passport"), world=world(*items, answers=answered(asked, "no")))
    assert verbs(found) == [("createTask", "Renew the passport")]


def test_an_unsure_answer_leaves_the_question():
    items = (task("Passport renewal appointment"),)
    asked = proposed(plan("Renew the passport"), world=world(*items))
    found = proposed(plan("Renew the passport"), world=world(*items, answers=answered(asked, "unsure")))
    assert found.patch.questions == asked.patch.questions


def test_a_board_that_cannot_be_reached_lets_nothing_be_missing():
    found = proposed(plan(*THREE), health=AWAY)
    assert (verbs(found), outcomes(found)) == ([], [])
    assert all("30 seconds" in reason for reason in reasons(found))
    assert len(reasons(found)) == len(THREE)


def test_a_repository_that_cannot_be_read_counts_in_its_own_folder_only():
    away = {"board home": world().health["board home"], f"{GIT}/work/shop": AWAY}
    elsewhere = {"board home": world().health["board home"], f"{GIT}/work/other": AWAY}
    assert verbs(proposed(plan(*THREE), world=_with(away))) == []
    assert len(verbs(proposed(plan(*THREE), world=_with(elsewhere)))) == len(THREE)


def _with(health):
    made = world()
    return type(made)(made.now, made.routing, made.boards, health=health)


def test_what_a_commit_says_to_be_done_is_not_proposed():
    commits = {"/work/shop": (Commit("abcdef1234567890", "feat(travel): renew the passport (#12)", NOW),)}
    found = proposed(plan(*THREE), world=world(commits=commits))
    assert outcomes(found)[0] == ("stale", "Renew the passport")
    assert "abcdef123456" in found.judged[0].reason


def test_a_commit_that_may_have_done_it_is_asked_about():
    commits = {"/work/shop": (Commit("abcdef1234567890", "Renew passport and driving licence", NOW),)}
    found = proposed(plan("Renew the passport"), world=world(commits=commits))
    assert [one.context["item"] for one in found.patch.questions] == ["commit abcdef123456"]


@pytest.mark.parametrize(
    ("subject", "at", "asked"),
    [
        ("Word the reminder", NOW, True),
        ("Word the reminder", "2026-02-28T09:00:00+00:00", False),
        ("Reminders", NOW, False),
    ],
)
def test_a_commit_made_since_that_says_less_than_a_step_is_asked_about(subject, at, asked):
    commits = {"/work/shop": (Commit("abcdef1234567890", subject, at),)}
    found = proposed(plan("Word the reminder text"), world=world(commits=commits))
    assert bool(found.patch.questions) == asked
    assert verbs(found) == ([] if asked else [("createTask", "Word the reminder text")])


def test_a_ticked_step_is_done():
    found = proposed(plan("[x] Renew the passport", "[ ] Book a flight to Lisbon"))
    assert verbs(found) == [("createTask", "Book a flight to Lisbon")]


@pytest.mark.parametrize("step", ["Test", "Deploy it", "Do it"])
def test_a_step_that_says_nothing_outside_of_its_plan_is_no_task(step):
    found = proposed(plan(step, "Book a flight to Lisbon"))
    assert verbs(found) == [("createTask", "Book a flight to Lisbon")]
    assert reasons(found) == ["it says too little to be a task of its own"]


def test_what_was_decided_before_is_not_proposed_again_and_said():
    target = task_target("home", "Renew the passport")
    said = plan("Renew my passport")
    key = (action_fingerprint("createTask", target), said.artifact.fingerprint)
    found = proposed(said, world=world(settled={key: "rejected by Ada"}))
    assert (verbs(found), reasons(found)) == ([], ["rejected by Ada"])


def test_what_the_active_context_puts_aside_is_a_conflict_with_both_sides_quoted():
    context = document("Active Context", "Profile depth is deprioritized until May.", "Strategy")
    found = proposed(plan("Implement profile depth scoring", "Book a flight to Lisbon"), world=world(context))
    assert verbs(found) == [("createTask", "Book a flight to Lisbon")]
    (conflict,) = found.conflicts
    assert conflict.said.quote == "1. Implement profile depth scoring"
    assert conflict.stands.quote == "Profile depth is deprioritized until May."


def test_two_plans_with_one_step_propose_it_once():
    first = plan(*THREE)
    second = plan("Renew the passport", "Water all plants", title="Holiday plan")
    found = proposed(first, second)
    assert [title for _, title in verbs(found)].count("Renew the passport") == 1


def test_a_secret_in_a_step_does_not_leave():
    found = proposed(plan("Rotate the key ghp_abcdefghijklmnopqrstuvwxyz0123456789 at the host"))
    assert "ghp_abc" not in str([one.op.payload for one in found.actions])
    assert "[redacted" in str(found.actions[0].op.payload["body"])


@pytest.mark.parametrize(
    ("given", "who"),
    [
        ({"signals": (85, 60)}, "stated by the agent 60"),
        ({"signals": (85, 80)}, "stated by a person 80"),
        ({"signals": (95, 90)}, "stated by the agent 90"),
        ({"signals": (95, 100)}, "tool result 100"),
        ({"signals": (60, 55), "marked": True}, "found by a model 55"),
    ],
)
def test_the_reason_says_whose_words_a_plan_is(given, who):
    made = plan("Renew the passport of Ada", signals=given["signals"])
    if "marked" in given:
        made = replace(made, artifact=replace(made.artifact, facts={"marked_by": "model"}))
    (action,) = proposed(made).actions
    assert who in action.why


@pytest.mark.parametrize(("title", "shown"), [("Plan", False), ("The docs plan:", True), ("**Plan**", False)])
def test_a_message_that_only_says_plan_is_not_about_every_plan(title, shown):
    text = "Plan the docs fix and do the release notes."
    remark = seen(spoken("remark", text, text, at=NOW), conversation="cv-000000000002")
    (action,) = proposed(plan("Renew the passport of Ada", title=title), remark).actions
    assert (text in [one.quote for one in action.op.evidence]) == shown


def test_of_several_tasks_the_one_that_shares_most_words_with_a_step_is_asked_about():
    step = "Refuse orders for 24 December after 20 December 18:00"
    criterion = "- [ ] Orders for 24 December are refused after 20 December 18:00."
    standing = task("Standing orders", "T-1111111", body="A customer orders the same bread for every Saturday.")
    early = task("Close orders for 24 December early", "T-2222222", body=f"## Criteria\n\n{criterion}\n")
    (asked,) = proposed(plan(step, "Add a table of special cutoffs"), world=world(standing, early)).patch.questions
    assert asked.context["existing"] == "Close orders for 24 December early"
    assert "Orders for 24 December are refused" in asked.context["why"]
