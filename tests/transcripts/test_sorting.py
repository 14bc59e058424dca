"""What was proposed against what became of actions so far."""

from dataclasses import replace

import pytest

from pactkeeper.intent.actions import Deed, Suppressed
from pactkeeper.ledger.health import COMPLETE
from pactkeeper.ledger.patch import Patch
from pactkeeper.settings.transcripts import Restraint
from pactkeeper.transcripts.sorting import SourcesHealth, sort_actions
from tests.transcripts.actions import LATER, create_document, create_task, log_task, proposal, tick, unsure, yes

VIEW = SourcesHealth(COMPLETE, COMPLETE)


def sort(made, deeds=(), restraint=Restraint(per_run=2)):  # noqa: B008 - a value that nobody changes
    return sort_actions(made, deeds, lambda _: VIEW, restraint)


def ids(ruled):
    return [one.action.id for one in ruled]


def test_every_action_is_in_one_place_in_the_order_of_the_proposal():
    plain, ticked, wrong = create_task(), tick("D-1", "Call"), create_document("CLAUDE.md")
    found = sort(proposal(ticked, wrong, plain))
    assert (ids(found.automatic), ids(found.asked), ids(found.shown)) == ([plain.id], [ticked.id], [wrong.id])


@pytest.mark.parametrize("standing", ["begun", "done", "rejected", "undoing", "undone"])
def test_what_became_of_an_action_keeps_it_away_and_is_said(standing):
    one = create_task()
    found = sort(proposal(one), [Deed(one, standing, LATER)])
    assert ids((*found.automatic, *found.asked, *found.shown)) == []
    assert [(away.title, one.id in away.reason, "2026-03-03" in away.reason) for away in found.suppressed] == [
        ("Renew it", True, True)
    ]


def test_a_no_holds_for_other_words_about_the_same_from_the_same_source():
    no = Deed(create_task(), "rejected", LATER)
    reworded = create_task(body="[daemon] other words", target=no.action.op.target)
    assert sort(proposal(reworded), [no]).automatic == ()


def test_a_no_does_not_hold_once_something_else_says_it():
    no = Deed(create_task(), "rejected", LATER)
    again = create_task(body="[daemon] other words", target=no.action.op.target, artifact="fp-2")
    assert ids(sort(proposal(again), [no]).automatic) == [again.id]


def test_what_the_reconciliation_left_out_stays_listed():
    away = Suppressed("fp-9", "Old", "done already")
    assert sort(replace(proposal(), suppressed=(away,))).suppressed == (away,)


def test_above_the_cap_of_a_run_the_rest_is_asked():
    tasks = [create_task(f"Task {number}") for number in range(3)]
    found = sort(proposal(*tasks))
    assert (len(found.automatic), len(found.asked)) == (2, 1)


def test_what_depends_on_a_question_is_a_question():
    document = unsure(create_document())
    task = create_task(depends_on=(document.id,))
    made = replace(proposal(), patch=Patch("v1:b", (document.op, task.op)), actions=(document, task))
    found = sort(made)
    assert ids(found.asked) == [document.id, task.id]
    assert found.asked[1].needs == (document.id,)
    assert ids(sort(made, [Deed(document, "done", LATER)]).automatic) == [task.id]


def test_a_yes_of_which_nothing_came_still_counts_for_exactly_what_was_shown():
    one = unsure(log_task("T-1"))
    failed = Deed(one, "failed", LATER, decision=yes(one))
    assert [ruled.decision for ruled in sort(proposal(one), [failed]).automatic] == [yes(one)]
    other = replace(one, op=replace(one.op, confidence="0.70"))
    assert ids(sort(proposal(other), [failed]).asked) == [one.id]
