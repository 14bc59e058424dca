"""A run that is killed anywhere goes on as if nothing had happened."""

import shutil
from dataclasses import replace

import pytest

from pactkeeper.intent.board import LogTask, ReviseTask
from pactkeeper.store.thread_posts import posts
from pactkeeper.store.threads import save_ticket
from tests.tickets.dying import (
    NOTES,
    Death,
    killed,
    run,
    run_and_die_announcing,
    run_and_die_proposing,
    run_and_die_reserved,
    run_and_die_writing,
)
from tests.tickets.worlds import COMPLETE, WINDOW

pytestmark = pytest.mark.slow

ODD = "It is what it is, as we said in the corridor."
QUESTIONS = [("before", "take"), ("after", "take"), ("after", "extract"), ("after", "decide"), ("after", "ask")]


@pytest.mark.parametrize(("moment", "node"), [*QUESTIONS, ("before", "say"), ("after", "say")])
def test_run_that_is_killed_asks_once_and_loses_nothing(world, moment, node):
    world.put(world.event("Title: Export orders"))
    killed(run, world, Death(moment, node))
    world.run()
    assert world.kinds() == ["questions"]
    assert (world.draft.title.value, world.draft.version, world.state.concluded) == ("Export orders", 1, 1)


@pytest.mark.parametrize("node", ["extract", "consult", "validate"])
def test_words_that_no_rule_places_are_answered_after_a_death(world, node):
    shown = world.complete()
    before = world.channel.heard()
    world.put(world.event(ODD, "message"))
    world.now += WINDOW
    killed(run, world, Death("after", node))
    world.run()
    (listed,) = world.channel.heard()[len(before) :]
    assert listed == {"replace": f"ref {shown.key}", "kind": "preview", "thread": "T1"}
    stands = posts(world.history, world.thread)[-1].post
    assert [(one.number, one.said.value) for one in stands.unplaced] == [(1, ODD)]
    assert (stands.approvable, world.draft.hash) == (True, shown.draft.hash)
    assert [one.kind for one in world.approve(shown=shown.draft)] == ["created"]


@pytest.mark.parametrize(("moment", "node"), [("after", "take"), ("after", "create")])
def test_approval_that_is_killed_makes_one_ticket(world, moment, node):
    shown = world.complete().draft
    world.put(world.event(kind="approve", shown=shown.hash, version=shown.version))
    killed(run, world, Death(moment, node))
    world.run()
    assert len(world.tasks()) == 1
    assert [one.state for one in world.tickets] == ["created"]
    assert world.kinds()[-1] == "created"


@pytest.mark.parametrize(
    ("effect", "dies"), [("criteria", run_and_die_proposing), ("announcement", run_and_die_announcing)]
)
def test_approval_that_is_killed_at_one_of_its_effects_is_finished(world, effect, dies):
    shown = world.complete().draft
    world.put(world.event(kind="approve", shown=shown.hash, version=shown.version))
    killed(dies, world)
    assert world.tickets[0].missing[0] == effect
    world.run()
    assert world.tickets[0].missing == ()
    assert world.kinds()[-1] == "created"
    assert len(world.tasks()) == 1


def test_tick_and_a_repeated_approval_finish_what_a_lost_run_began(world):
    shown = world.complete().draft
    world.put(world.event(kind="approve", shown=shown.hash, version=shown.version))
    killed(run_and_die_proposing, world)
    shutil.rmtree(world.root / "threads")  # with its checkpoints
    world.pass_time(seconds=1)
    assert world.tickets[0].missing == ()
    assert world.kinds()[-1] == "created"


@pytest.mark.parametrize("lost", [False, True], ids=["goes on", "finished by tick"])
def test_what_a_killed_approval_did_not_say_is_said_by_the_next(world, lost):
    world.complete()
    world.approve()
    shown = world.say("AC: An export of an empty month has one line.")[-1].draft
    world.put(world.event(kind="approve", shown=shown.hash, version=shown.version))
    killed(run_and_die_announcing, world)
    assert (world.tickets[-1].missing, world.tickets[-1].notes) == (("announcement",), NOTES)
    if lost:
        shutil.rmtree(world.root / "threads")  # with its checkpoints
    world.pass_time(seconds=1)
    told = [one.post.text for one in posts(world.history, world.thread) if one.post.kind == "created"][-1]
    assert "Updated there: Acceptance criteria" in told
    assert NOTES[0] in told


def test_an_unfinished_ticket_that_no_event_waits_for_is_finished_by_tick(world):
    world.complete()
    world.approve()
    save_ticket(world.history, replace(world.tickets[0], done=("ticket",)))
    world.pass_time(seconds=1)
    assert world.tickets[0].missing == ()


def test_process_that_dies_when_the_tracker_has_the_ticket_leaves_one(world):
    shown = world.complete().draft
    world.put(world.event(kind="approve", shown=shown.hash, version=shown.version))
    killed(run_and_die_writing, world)
    world.run()
    assert len(world.tasks()) == 1
    assert [one.state for one in world.tickets] == ["created"]


@pytest.mark.parametrize("dies", [run_and_die_reserved, run_and_die_writing])
@pytest.mark.parametrize("kind", [ReviseTask, LogTask])
def test_revision_that_is_killed_is_made_once_and_remarked_on_once(world, kind, dies):
    world.complete()
    world.approve()
    (path,) = world.board.root.glob("tasks/*.md")
    path.write_text(path.read_text().replace("by hand every month", "by hand, says Zoe"))
    world.say("AC: An export of an empty month has one line.")
    world.say("Correction: problem: They copy orders all night")
    shown = world.draft
    world.put(world.event(kind="approve", shown=shown.hash, version=shown.version))
    killed(dies, world, kind)
    world.run()
    text = path.read_text()
    assert [text.count(one) for one in ("empty month", "says Zoe", "all night", "pactkeeper:log")] == [1, 1, 1, 1]
    assert [one.state for one in world.tickets] == ["created", "created"]
    assert world.kinds()[-1] == "created"


def test_thread_goes_on_without_its_checkpoints(world):
    for text in COMPLETE[:2]:
        world.say(text)
    shutil.rmtree(world.root / "threads")
    (preview,) = world.say(COMPLETE[2])
    assert preview.kind == "preview"
    assert world.kinds() == ["questions", "note", "preview"]


def test_process_that_died_does_not_keep_the_thread(world):
    world.put(world.event("hi"))
    killed(run, world, Death("before", "validate"))
    assert world.run() == "ran"
