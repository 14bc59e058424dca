"""Plans that a person refuses become nothing."""

from dataclasses import replace

import pytest

from pactkeeper.intent.conversation import Block, ConversationEntry, RecordPlace
from pactkeeper.transcripts.extraction.extract import extract
from tests.transcripts.worlds import proposed, seen, verbs

STEPS = "## Steps\n\n1. Raise the pool to 50.\n2. Add an alarm.\n3. Retry a query once.\n\nOk?"
OTHER = "## Steps\n\n1. Rotate the keys.\n2. Tell the customers.\n3. Write it down.\n\nOk?"


def entries(*texts):
    """What the agent (every first) and a person (every second) said."""
    return tuple(
        ConversationEntry(
            f"u{at}",
            "",
            "user" if at % 2 else "assistant",
            f"2026-03-01T09:0{at}:00Z",
            (Block("text", text),),
            RecordPlace("/chats/a.jsonl", 100 * at, 100 * at + 99),
        )
        for at, text in enumerate(texts)
    )


def found(*texts):
    given = entries(*texts)
    return proposed(*map(seen, extract((), given, fresh=frozenset(one.uuid for one in given))))


def planned(*texts):
    return [title for _, title in verbs(found(*texts))]


@pytest.mark.parametrize(
    "text",
    [
        "No.",
        "Nein.",
        "No, we won't do any of that.",
        "Nein, so nicht.",
        "Non, pas maintenant.",
        "No, gracias.",
        "Hmm, not sure. Don't start anything.",
    ],
)
def test_a_plan_that_the_next_message_refuses_yields_nothing(text):
    assert planned(STEPS, text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Yes, no problem.",
        "Ja, genau so machen wir das.",
        "Interesting.",
        "Why not 60?",
        "1 and 3 please. No alarm.",
        "We take Postgres, because Redis has no disk.",
    ],
)
def test_a_plan_that_nobody_refuses_is_proposed(text):
    assert len(planned(STEPS, text)) == 3


def test_a_later_message_that_drops_the_plan_drops_the_one_before_it_alone():
    left = planned(OTHER, "Good.", STEPS, "thanks, later maybe", "ok", "forget that plan, we won't do it")
    assert left == ["Rotate the keys", "Tell the customers", "Write it down"]


def test_a_refusal_that_is_read_later_drops_the_plan_all_the_same():
    first, second = entries(STEPS, "No.")
    before = extract((), (first,), fresh=frozenset({first.uuid}))
    after = extract((first,), (second,), fresh=frozenset({second.uuid}))
    assert verbs(proposed(*map(seen, (*before, *after)))) == []


@pytest.mark.parametrize(
    "text", ["Yes, do it. But leave out the alarm for now.", "Step 2 can wait.", "Step 2 isn't clear."]
)
def test_an_answer_that_may_leave_out_a_step_stands_beside_every_step(text):
    actions = found(STEPS, text).actions
    assert [[part.quote for part in one.op.evidence][1:] for one in actions] == [[text]] * 3


def test_a_plain_yes_is_no_answer_to_show():
    assert [len(one.op.evidence) for one in found(STEPS, "Yes, do it.").actions] == [1, 1, 1]


def approved(*later):
    """A plan that a person approved when the agent submitted it, and what they said afterwards."""
    call = Block("call", STEPS, "c1", "ExitPlanMode")
    answer = Block("result", "User has approved your plan.", "c1")
    given = (
        replace(entries("")[0], uuid="asked", blocks=(call,)),
        replace(entries("", "")[1], uuid="answered", role="tool", blocks=(answer,)),
        *(one for one in entries("", "", *later) if one.uuid not in {"u0", "u1"}),
    )
    return proposed(*map(seen, extract((), given, fresh=frozenset(one.uuid for one in given)))).actions


def test_an_approved_plan_needs_nobody():
    assert [one.tier for one in approved("Done.", "Thanks!")] == [1, 1, 1]


@pytest.mark.parametrize("text", ["Actually scrap that whole thing.", "Only 80 percent, not 100.", "Was kostet das?"])
def test_whatever_a_person_says_after_an_approved_plan_is_shown_and_they_decide(text):
    actions = approved("Created.", text)
    assert [one.tier for one in actions] == [2, 2, 2]
    assert {one.op.evidence[-1].quote for one in actions} == {text}
    assert all("a person said more afterwards" in one.why for one in actions)


ALL = ["Raise the pool to 50", "Add an alarm", "Retry a query once"]


@pytest.mark.parametrize(
    "text",
    [
        "Done with step 2: the alarm rings.",
        "The build is green. Step 2 is done, now step 3.",
        "Step 2 is done and step 3 isn't.",
        "Schritt 2 ist erledigt.",
    ],
)
@pytest.mark.parametrize("before", [("Go on.",), ("Go on.", "Fine.")])
def test_a_step_that_somebody_says_is_done_is_left_alone_with_those_words(text, before):
    proposal = found(STEPS, *before, text)
    assert [title for _, title in verbs(proposal)] == [ALL[0], ALL[2]]
    (left,) = [one for one in proposal.suppressed if one.title == ALL[1]]
    assert left.reason.startswith("it was said of it: ")


@pytest.mark.parametrize(
    "text",
    [
        "Step 2 is not done.",
        "Is step 2 done?",
        "Once step 2 is done I'll write to you.",
        "Step 2 is nearly done.",
        "Step 1 or 2 is done.",
        "All steps but 2 are done.",
        "Step 7 is done.",
        "Next is step 2.",
    ],
)
def test_a_step_that_nobody_says_is_done_is_proposed(text):
    assert planned(STEPS, "Go on.", text) == ALL


@pytest.mark.parametrize(
    "text",
    [
        "Steps 1 and 3 are done.",
        "Steps 1 and 3 are done; the rest (step 2) is still open.",
        "Step 1 is done, step 3 is done.",
        "Die Schritte 1 und 3 sind erledigt.",
    ],
)
def test_each_of_several_steps_that_are_said_to_be_done_is_left_alone(text):
    assert planned(STEPS, "Go on.", text) == [ALL[1]]


@pytest.mark.parametrize("text", ["Steps 1-3 are done.", "Steps 1, 2 and 3 are done.", "Steps 1, 2, 3 are done."])
def test_all_steps_of_a_range_or_a_list_are_left_alone(text):
    assert planned(STEPS, "Go on.", text) == []


def test_a_step_that_is_done_is_one_of_the_plan_before_it():
    assert planned(STEPS, "And the keys?", OTHER, "Good.", "Done with step 1.") == [*ALL, *planned(OTHER)[1:]]
    both = "## Plan\n\n" + STEPS.replace("## Steps", "### Now") + "\n\n" + OTHER.replace("## Steps", "### Later")
    assert planned(both, "Go on.", "Done with step 1.") == planned(both)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Fine, but leave out step 2, that's another ticket. Do step 1 today.", [1, 3]),
        ("Yes, but leave step 2 out.", [1, 3]),
        ("Yes, but not 2", [1, 3]),
        ("Yes, but please skip steps 2 and 3.", [1]),
        ("Yes, without step 2.", [1, 3]),
        ("Ja, aber ohne Schritt 2.", [1, 3]),
        ("Oui, mais pas l'étape 2.", [1, 3]),
        ("We don't need step 2.", [1, 3]),
        ("Step 2 isn't.", [1, 2, 3]),
        ("We could skip step 2.", [1, 2, 3]),
        ("Skip step 2?", [1, 2, 3]),
        ("Don't skip step 2.", [1, 2, 3]),
        ("Don't forget step 2.", [1, 2, 3]),
        ("Step 2 is not clear.", [1, 2, 3]),
        ("Not 2 weeks, please.", [1, 2, 3]),
        ("Not only step 2.", [1, 2, 3]),
        ("Skip step 2 if it rains.", [1, 2, 3]),
    ],
)
def test_a_step_that_a_person_leaves_out_by_its_number_is_left_alone(text, left):
    titles = {1: "Raise the pool to 50", 2: "Add an alarm", 3: "Retry a query once"}
    assert planned(STEPS, text) == [titles[number] for number in left]
    reasons = [one.reason for one in found(STEPS, text).suppressed if "it was said of it: " in one.reason]
    assert len(reasons) == 3 - len(left)


@pytest.mark.parametrize("text", ["Changed my mind, keep step 2.", "Step 2 stays in.", "Actually do steps 2 and 3."])
def test_a_step_that_is_named_again_after_it_was_left_out_is_proposed_with_both_sentences(text):
    proposal = found(STEPS, "Skip step 2.", "It is left out.", text)
    assert [title for _, title in verbs(proposal)] == ALL
    quotes = [one.quote for action in proposal.actions for one in action.op.evidence if one.quote]
    assert text in quotes
