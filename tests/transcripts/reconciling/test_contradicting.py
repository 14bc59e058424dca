from dataclasses import replace

import pytest

from pactkeeper.intent.conversation import KeptItem, KnowledgeItem, Provenance
from pactkeeper.transcripts.reconciling.reconcile import reconcile
from tests.transcripts.worlds import (
    NOW,
    YESTERDAY,
    decision,
    document,
    event,
    proposed,
    seen,
    spoken,
    task,
    update,
    world,
)

EARLIER, LATER = "2026-02-01T09:00:00Z", "2026-03-02T07:00:00Z"


def said(text, at=YESTERDAY):
    return seen(spoken("statement", text, text, at=at, signals=(60, 70), value="low"))


def flagged(proposal):
    return [(one.said.quote, one.stands.place, one.stands.quote) for one in proposal.conflicts]


def known(text, kind="fact", at=EARLIER):
    return KeptItem(KnowledgeItem(kind, "Rent", text, Provenance(text, at), "ada"), at)


RENT = "The rent is 900 €."


def test_both_sides_are_shown_with_their_words_and_places():
    found = proposed(said(RENT), world=world(document("Office", "# Office\n\nThe key is with Jo.\nThe rent is 850 €.")))
    (conflict,) = found.conflicts
    assert (conflict.said.place, conflict.said.quote) == ("/chats/a.jsonl", RENT)
    assert (conflict.stands.place, conflict.stands.quote) == ("document “Office”", "The rent is 850 €.")
    assert conflict.why == "900 € here, 850 € there"


def test_a_flagged_conflict_proposes_no_change():
    found = proposed(said(RENT), world=world(document("Office", "The rent is 850 €.")))
    assert found.conflicts
    assert found.actions == ()


def test_a_key_under_a_heading_belongs_to_it():
    body = "## Trial\n\n- Length: 14 days\n\n## Password\n\n- Length: 12 characters"
    found = proposed(said("The trial length is 30 days."), world=world(document("Shop", body)))
    assert [quote for _, _, quote in flagged(found)] == ["- Length: 14 days"]


def test_code_in_a_document_says_nothing():
    found = proposed(said(RENT), world=world(document("Office", "```\nThe rent is 850 €.\n```")))
    assert found.conflicts == ()


def test_a_document_in_a_closed_section_says_nothing():
    found = proposed(said(RENT), world=world(document("Office", "The rent is 850 €.", "Archive")))
    assert found.conflicts == ()


def test_a_fact_that_is_known_is_compared():
    fact = known("The rent is 850 €.")
    found = proposed(said(RENT), world=world(known=(fact,)))
    assert flagged(found) == [(RENT, f"fact {fact.item.id}", "The rent is 850 €.")]


def test_what_was_learnt_after_it_was_said_is_no_conflict():
    found = proposed(said(RENT), world=world(known=(known("The rent is 850 €.", at=LATER),)))
    assert found.conflicts == ()


def test_a_task_with_another_date_is_flagged_while_it_is_open():
    moved = said("The audit report is due on 20 March.")
    board = [task("Audit report", "T-1", due="2026-04-10"), task("Audit report", "T-2", "done", due="2026-04-10")]
    assert [place for _, place, _ in flagged(proposed(moved, world=world(*board)))] == ["home/T-1"]


@pytest.mark.parametrize(
    "words", ["Sorry, T-0003 moves to 2026-12-22 instead.", "T-0003 is planned for 22 December 2026."]
)
def test_another_day_for_a_task_named_by_its_id_is_flagged_in_any_words(words):
    found = proposed(said(words), world=world(task("Send reminders by email", "T-0003", due="2026-12-01")))
    assert [place for _, place, _ in flagged(found)] == ["home/T-0003"]
    assert found.conflicts[0].why.endswith("here, due 2026-12-01 there")


@pytest.mark.parametrize(
    "words",
    ["T-0003 is due on 2026-12-01.", "T-0003 goes from 2026-12-01 to 2026-12-22.", "The fair is on 2026-12-22."],
)
def test_the_same_day_several_days_and_another_subject_are_no_contradiction_of_a_task(words):
    found = proposed(said(words), world=world(task("Send reminders by email", "T-0003", due="2026-12-01")))
    assert found.conflicts == ()


@pytest.mark.parametrize("words", ["Children under 14 pay no late fees.", "Children pay late fees."])
def test_what_a_task_is_called_is_a_wish_and_only_its_due_date_can_be_contradicted(words):
    found = proposed(said(words), world=world(task("Children pay no late fees", "T-0004", due="2026-12-01")))
    assert found.conflicts == ()


def test_many_values_of_one_subject_are_told_to_be_several_things():
    body = "\n".join(f"The rent is {number} €." for number in (500, 600, 700, 800))
    found = proposed(said(RENT), world=world(document("Flats", body)))
    assert found.conflicts == ()
    assert [one.reason for one in found.suppressed] == ["4 lines differ, so they are about several things"]


def test_lines_of_two_projects_on_a_word_of_both_are_several_things():
    deadline = said("The deadline is 3 May.")
    one, two = (
        document("Garden", "The deadline is 15 July."),
        document("Kitchen", "The deadline is 1 June.", name="D-2"),
    )
    assert len(proposed(deadline, world=world(one)).conflicts) == 1
    assert proposed(deadline, world=world(one, two)).conflicts == ()


def test_two_documents_that_say_the_same_are_both_flagged():
    one, two = document("Plan", "The launch is on 29 May."), document("Letter", "The launch is on May 29.", name="D-2")
    assert len(proposed(said("The launch is on 12 June."), world=world(one, two)).conflicts) == 2


def test_a_moved_date_is_flagged_and_its_change_still_asked():
    moved = update("reschedule", "The launch is moved to 12 June.")
    found = proposed(moved, world=world(document("Roadmap", "The launch is on 29 May.")))
    assert [quote for _, _, quote in flagged(found)] == ["The launch is on 29 May."]
    assert [(one.verb, one.tier) for one in found.actions] == [("patchDocumentSection", 2)]


def test_what_is_said_twice_is_flagged_once_with_the_later_words():
    twice = (said("The rent is 900 €.", EARLIER), said("The rent is now 900 €.", YESTERDAY))
    found = proposed(*twice, world=world(document("Office", "The rent is 850 €.")))
    assert [quote for quote, _, _ in flagged(found)] == ["The rent is now 900 €."]


def test_what_was_said_later_replaces_a_statement():
    twice = (said("The rent is 900 €.", EARLIER), said("The rent is 850 €.", YESTERDAY))
    found = proposed(*twice, world=world(document("Office", "The rent is 850 €.")))
    assert found.conflicts == ()
    assert [one.reason.split(" of ")[0][:13] for one in found.suppressed] == ["superseded by"]


def test_a_statement_on_another_thing_replaces_nothing():
    twice = (said("The rent is 900 €.", EARLIER), said("The fee is 850 €.", YESTERDAY))
    assert proposed(*twice, world=world(document("Office", "The rent is 850 €."))).conflicts


def test_a_decision_that_a_document_denies_is_not_learnt():
    held = world(document("Office", "The rent is 850 €."))
    found = reconcile((decision("We agreed on the flat: the rent is 900 €, because heating is in it."),), held)
    assert found.proposal.conflicts
    assert found.learnt == ()


DEPLOY = {"subject": "Deploy the tax fix"}


def failed(at=YESTERDAY):
    return event("deploy", "fly deploy  # TAX-12", "Error: aborted", "failed", at=at, **DEPLOY)


def test_a_task_that_is_done_although_its_deployment_failed_is_flagged():
    done = task("Deploy the tax fix", "TAX-12", "done")
    assert [place for _, place, _ in flagged(proposed(failed(), world=world(done)))] == ["home/TAX-12"]


def test_a_deployment_that_succeeded_later_says_nothing_against_the_task():
    done = task("Deploy the tax fix", "TAX-12", "done")
    again = event("deploy", "fly deploy  # TAX-12", "deployed", at=LATER, **DEPLOY)
    assert proposed(failed(), again, world=world(done)).conflicts == ()


def test_a_task_that_was_changed_after_the_failure_is_believed():
    done = replace(task("Deploy the tax fix", "TAX-12", "done"), updated_at=NOW)
    assert proposed(failed(), world=world(done)).conflicts == ()
