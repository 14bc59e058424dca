"""What may happen by itself, what is asked and what never happens."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pactkeeper.intent.actions import BOARD_VERBS, Confidence
from pactkeeper.intent.board import Document
from pactkeeper.intent.routing import RoutedSection, Routing
from pactkeeper.ledger.health import COMPLETE, Health
from pactkeeper.ledger.op import Op
from pactkeeper.settings.transcripts import Restraint
from pactkeeper.transcripts.sorting import AUTOMATIC, SourcesHealth, forbidden, forbidden_in, rule_on, steers
from tests.transcripts.actions import (
    LOW,
    MEDIUM,
    SAID,
    action,
    complete_task,
    create_document,
    create_task,
    enrich,
    log_task,
    patch,
    set_meta,
    tick,
)
from tests.transcripts.worlds import event, proposed, seen, spoken, world

SEEN = SourcesHealth(COMPLETE, COMPLETE)
FREE = Restraint(auto={})
PARTIAL, GONE = Health("partial", "a page failed"), Health("unavailable", "no network")
PLAIN = [
    create_task(),
    log_task("T-1"),
    complete_task("T-1"),
    create_document(),
    enrich("D-1"),
    set_meta("D-1", {"status": "done"}, {"status": "draft"}),
]


def by_verb(one):
    return one.verb if hasattr(one, "verb") else None


def ruled(action, view=SEEN, restraint=FREE, **more):
    return rule_on(action, view, restraint, **more).permission


@pytest.mark.parametrize("action", PLAIN, ids=by_verb)
def test_what_a_tool_shows_plainly_happens_by_itself(action):
    assert ruled(action) == "auto"


def test_whether_a_task_is_done_is_asked_unless_the_settings_let_it_happen():
    closing = next(one for one in PLAIN if one.verb == "completeTask")
    assert rule_on(closing, SEEN, Restraint()).why == "whether a task is done is yours to say"
    assert ruled(closing, restraint=Restraint()) == "ask"
    assert ruled(closing, restraint=Restraint(auto={"completeTask": 91})) == "auto"


@pytest.mark.parametrize("action", PLAIN, ids=by_verb)
@pytest.mark.parametrize("less", [{"confidence": MEDIUM}, {"machine": False}, {"tier": 2}], ids=str)
def test_what_is_less_plain_is_asked(action, less):
    assert ruled(replace(action, **less)) == "ask"


@pytest.mark.parametrize("action", PLAIN, ids=by_verb)
def test_what_somebody_said_is_asked_however_sure_it_is(action):
    assert ruled(replace(action, op=replace(action.op, evidence=(SAID,)))) == "ask"


def test_what_is_plain_but_old_says_that_it_is_old():
    asked = rule_on(replace(create_task(), confidence=Confidence(95, 100, 75, 50)), SEEN, FREE)
    assert asked.why == "it happened more than 3 days ago, and only newer things happen unasked"


@pytest.mark.parametrize(
    ("evidence", "points", "sources", "why"),
    [
        (SAID, 95, COMPLETE, "people wrote something around it, which is shown with it"),
        (None, 95, PARTIAL, f"its sources were not seen completely: {PARTIAL.reason}"),
        (None, 90, COMPLETE, "it has 90 points of 100, and happens by itself only above 90"),
    ],
)
def test_the_reason_to_ask_is_the_one_that_is_in_the_way(evidence, points, sources, why):
    plain = create_task()
    op = replace(plain.op, evidence=(evidence,)) if evidence else plain.op
    given = replace(plain, op=op, confidence=Confidence(points, points, points, points))
    asked = rule_on(given, SourcesHealth(COMPLETE, sources), FREE)
    assert (asked.permission, asked.why) == ("ask", why)


@pytest.mark.parametrize("action", [patch("D-1", "five", "six"), tick("D-1", "Call them")], ids=by_verb)
def test_words_of_a_person_change_only_after_a_yes(action):
    assert ruled(action) == "ask"


@pytest.mark.parametrize("action", [*PLAIN, patch("D-1", "five", "six")], ids=by_verb)
def test_what_is_unsure_is_only_shown(action):
    assert ruled(replace(action, confidence=LOW)) == "deny"


@pytest.mark.parametrize("action", PLAIN, ids=by_verb)
def test_nothing_is_written_on_a_board_that_could_not_be_seen(action):
    assert ruled(action, SourcesHealth(GONE, GONE)) == "deny"


@pytest.mark.parametrize("action", [create_task(), create_document()], ids=by_verb)
def test_nothing_is_created_on_a_board_that_was_seen_in_part(action):
    assert ruled(action, SourcesHealth(PARTIAL, PARTIAL)) == "deny"


@pytest.mark.parametrize("action", PLAIN, ids=by_verb)
def test_a_source_that_was_seen_in_part_makes_everything_a_question(action):
    assert ruled(action, SourcesHealth(COMPLETE, PARTIAL)) == "ask"


@pytest.mark.parametrize(
    "name",
    [
        "Active Context",
        "active-context.md",
        "CLAUDE.md",
        "docs/AGENTS.md",
        "ＣＬＡＵＤＥ．md",
        "SOUL.md",
        ".claude/commands/ship.md",
        "skills/board/notes.md",
        "documents\\SKILL.md",
    ],
)
def test_documents_that_steer_agents_are_known_by_any_spelling(name):
    assert steers(name)


@pytest.mark.parametrize("name", ["Claude pricing", "Agents at work", "Context", "Research: skills of buyers", ""])
def test_documents_about_agents_steer_nobody(name):
    assert not steers(name)


@pytest.mark.parametrize(
    "action",
    [
        create_document(title="CLAUDE.md"),
        create_document(section="skills"),
        create_document(section="Archive"),
        create_document(section="archive/2024"),
        enrich("Active Context"),
        patch("docs/AGENTS.md", "never", "always"),
        tick("SOUL.md", "Obey"),
        set_meta("skills/board/SKILL.md", {"status": "done"}, {"status": "draft"}),
        create_task(body="Buy milk"),
        log_task("T-1", "done"),
    ],
    ids=lambda one: f"{one.verb} {one.op.target}",
)
def test_the_third_tier_never_happens_whatever_is_sure_and_allowed(action):
    assert forbidden(action)
    assert ruled(action, restraint=Restraint(auto={action.verb: 0}, ask={action.verb: 0}, per_run=10**6)) == "deny"


def test_verbs_of_other_rooms_never_reach_a_board():
    op = Op("detachTest", "test:a", "v1:" + "0" * 64, {"testId": "a"})
    assert "may not be done because of a conversation" in forbidden(replace(create_task(), op=op))


@pytest.mark.parametrize(
    "document",
    [
        Document("D-1", "Active Context", "", ""),
        Document("D-1", "Notes", "", "", url="documents/CLAUDE.md"),
        Document("D-1", "Notes", "Archive", ""),
        Document("D-1", "Notes", "skills", ""),
    ],
)
def test_a_document_is_judged_by_what_it_is_and_not_by_what_it_is_called_in_the_action(document):
    assert forbidden_in(enrich("D-1"), document)


def test_what_a_persons_routing_keeps_from_being_written_to_is_never_written_to():
    routing = Routing(context=("What holds",), never=("Legal",))
    for one in (enrich("What holds"), create_document(section="Legal"), create_document("What Holds.md")):
        assert forbidden(one, routing)
        assert ruled(one, SourcesHealth(COMPLETE, COMPLETE, routing)) == "deny"
        assert not forbidden(one)
    assert forbidden(enrich("Active Context"), routing)
    assert forbidden_in(enrich("D-1"), Document("D-1", "what holds", "", ""), routing)


def test_replacing_most_of_a_document_is_rewriting_it():
    body = "word " * 200
    document = Document("D-1", "Notes", "Research", body)
    assert "would rewrite" in forbidden_in(patch("D-1", body[:600], "other"), document)
    assert not forbidden_in(patch("D-1", body[:100], "other"), document)


@pytest.mark.parametrize(
    ("text", "permission"),
    [
        ("[daemon] as @ada said", "ask"),
        ("[daemon] @team/leads, please look", "ask"),
        ("[daemon] write to ada@example.org", "auto"),
        ("[daemon] nobody", "auto"),
    ],
)
def test_naming_somebody_is_asked(text, permission):
    assert ruled(log_task("T-1", text)) == permission


def test_settings_only_make_it_stricter():
    one = create_task()
    assert ruled(one, restraint=Restraint(auto={"createTask": 0})) == "auto"
    assert ruled(one, restraint=Restraint(auto={"createTask": 101})) == "ask"
    assert ruled(replace(one, confidence=MEDIUM), restraint=Restraint(ask={"createTask": 75})) == "deny"
    assert ruled(replace(one, confidence=LOW), restraint=Restraint(ask={"createTask": 0})) == "deny"


@pytest.mark.parametrize(
    ("restraint", "more"),
    [
        (Restraint(), {"used": {"plain-createTask": 10}}),
        (Restraint(per_run=3), {"used": {"plain-logTask": 3}}),
        (Restraint(per_day=3), {"today": 3}),
    ],
    ids=["of the verb", "of the run", "of the day"],
)
def test_above_a_cap_a_person_is_asked(restraint, more):
    assert ruled(create_task(), restraint=restraint, **more) == "ask"


@pytest.mark.parametrize(("accepted", "tier"), [(True, 1), (False, 2)])
def test_steps_of_an_accepted_plan_become_tasks_by_themselves(accepted, tier):
    text = "# Trip\n\n1. Renew the passport\n2. Book the train\n3. Tell the neighbours"
    facts = {"steps": 3, "form": "plan", "accepted": accepted}
    found = proposed(seen(spoken("plan", "Trip", text, signals=(95, 100), facts=facts)), world=world())
    assert [(one.verb, one.tier) for one in found.actions] == [("createTask", tier)] * 3


LIST = "# Trip\n\n1. Renew the passport\n2. Book the train\n3. Tell the neighbours\n"


@pytest.mark.parametrize(
    ("text", "tiers"),
    [
        (LIST + "\n## Risks\n\n1. Strikes of the trains\n2. Snow in the mountains\n", {1}),
        (LIST.replace("the neighbours", "everybody when the house is done"), {1}),
        (LIST + "\n## Rollback\n\n1. Cancel the train\n2. Call the hotel\n", {2}),
        (
            "# Trip\n\nOption A:\n\n1. Take the train\n2. Rent a car\n\nOption B:\n\n1. Fly to Lisbon\n2. Take a taxi\n",
            {2},
        ),
        (LIST.replace("Renew the passport", "~~Renew the passport~~"), {2}),
        (LIST.replace("Book the train", "Book the train (done last week)"), {2}),
        (LIST + "\nStep 3 will probably be dropped.\n", {2}),
    ],
)
def test_steps_happen_by_themselves_only_if_the_plan_has_one_list_of_open_ones(text, tiers):
    facts = {"steps": 3, "form": "plan", "accepted": True}
    found = proposed(seen(spoken("plan", "Trip", text, signals=(95, 100), facts=facts)), world=world())
    assert {one.tier for one in found.actions} == tiers
    assert not [one for one in found.actions if "~~" in str(one.op.payload["title"])]


def test_the_documentation_lists_exactly_what_happens_by_itself():
    page = (Path(__file__).parents[2] / "docs" / "standup.md").read_text(encoding="utf-8")
    part = page.partition("## What happens by itself")[2].partition("## ")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \|.*\| (\d+) \|$", part, re.MULTILINE))
    assert {name: int(most) for name, most in rows.items()} == AUTOMATIC
    assert {name for name in BOARD_VERBS if ruled(_plain(name)) == "auto"} == set(rows)


def _plain(verb):
    reopen = action("reopenTask", {"task": "T-1", "title": "", "state": "open", "old": "done"})
    known = {one.verb: one for one in (*PLAIN, reopen, patch("D-1", "850 €", "900 €"), tick("D-1", "Renew it"))}
    return known.get(verb) or action(verb, {"tool": "konban", "wrongUsage": "a", "error": "b", "correctUsage": "c"})


REASONS = "The train is cheaper in March, and the passport office needs six weeks for every request. " * 5
TRIP = f"# Trip to Lisbon\n\n{REASONS}\n\n1. Renew the passport\n2. Book the train\n3. Tell the neighbours"


def accepted_trip():
    facts = {"steps": 3, "form": "plan", "accepted": True}
    return seen(spoken("plan", "Trip to Lisbon", TRIP, signals=(95, 100), facts=facts))


def by_themselves(found):
    return {one.verb for one in found.actions if one.tier == 1}


def test_an_accepted_plan_with_its_reasons_becomes_a_document_and_tasks_by_itself():
    routing = Routing(tasks="home", documents="home", sections=(RoutedSection("Travel", ("trip", "train")),))
    found = proposed(accepted_trip(), world=world(routing=routing))
    assert by_themselves(found) == {"createDocument", "createTask"}


def test_an_accepted_plan_enriches_its_document_and_its_status_by_itself():
    known = Document("D-1", "Trip to Lisbon", "Travel", "We want to go.", {"status": "draft"}, version="v1:D-1")
    found = proposed(accepted_trip(), world=world(known))
    assert by_themselves(found) == {"enrichDocument", "updateDocumentMeta", "createTask"}
    (meta,) = [one.op.payload for one in found.actions if one.verb == "updateDocumentMeta"]
    assert (meta["values"], meta["expected"]) == ({"status": "accepted"}, {"status": "draft"})


def test_a_deploy_that_names_a_document_says_so_in_its_status_and_nowhere_else():
    known = Document("D-1", "Login tokens", "Product", "Tokens run out.", {"status": "planned"}, version="v1:D-1")
    bare = Document("D-2", "Login tokens", "Product", "Tokens run out.", version="v1:D-2")
    shipped = event("deploy", "deploy", "deployed", subject="Login tokens")
    assert by_themselves(proposed(shipped, world=world(known))) == {"updateDocumentMeta"}
    assert by_themselves(proposed(shipped, world=world(bare))) == set()
