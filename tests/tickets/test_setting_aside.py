"""An event that no step can process stands in nobody's way: it is tried twice, set aside and reported."""

from typing import ClassVar

import pytest

from pactkeeper.errors import CatalogError, Problem, SettingsError, StoreUnavailable
from pactkeeper.store.thread_posts import aside_events, waiting_events
from pactkeeper.store.threads import thread_state
from pactkeeper.tickets.ground import DraftRules
from tests.tickets.worlds import WINDOW, World


class Choosy(DraftRules):
    """Rules that stumble over a word, and over what is amiss elsewhere."""

    tries: ClassVar[list] = []
    away: ClassVar[list] = []

    def read(self, draft, message, asks):
        if "poison" in message.text:
            self.tries.append(message.text)
            raise KeyError("ERROR")
        return super().read(draft, message, asks)

    def judge(self, *args, **named):
        if self.away:
            raise self.away[0]
        return super().judge(*args, **named)


@pytest.fixture
def world(tmp_path):
    found = World(tmp_path)
    found.rules = Choosy(found.history)
    yield found
    found.close()


def aside(world):
    return [one.text for one in aside_events(world.history, world.thread)]


def test_a_message_that_cannot_be_read_is_set_aside_after_its_second_failure_and_said(world):
    (note,) = world.say("poison")
    assert (aside(world), Choosy.tries) == (["poison"], ["poison"] * 2)
    assert note.kind == "note"
    assert "KeyError" in note.text
    assert "skipped" in note.text
    assert world.say("Title: Export orders")[-1].kind == "questions"
    assert world.draft.title.value == "Export orders"


def test_what_came_with_it_is_read(world):
    for text in ("Title: Export orders", "poison", "Problem: Clerks copy orders by hand."):
        world.put(world.event(text, "message"))
    world.now += WINDOW * 2
    world.run()
    assert aside(world) == ["poison"]
    assert not waiting_events(world.history, world.thread)
    assert world.draft.title.value == "Export orders"
    assert world.draft.problem.value.startswith("Clerks copy orders")


@pytest.mark.parametrize(
    "amiss",
    [
        StoreUnavailable("the database is away"),
        SettingsError("boards.toml:1: 'boards' is no table"),
        CatalogError((Problem("pact/debt.txt", 1, "is no debt"),)),
    ],
    ids=["database", "settings", "pact"],
)
def test_what_no_message_is_to_blame_for_is_raised_and_sets_nothing_aside(world, amiss):
    Choosy.away.append(amiss)
    world.put(world.event("Title: Export orders"))
    for _ in range(3):
        with pytest.raises(type(amiss)):
            world.run()
    Choosy.away.clear()
    world.run()
    assert aside(world) == []
    assert world.draft.title.value == "Export orders"


def test_a_thread_that_waits_for_settings_says_so_until_they_are_right(world):
    Choosy.away.append(SettingsError("boards.toml:1: 'boards' is no table"))
    world.put(world.event("Title: Export orders"))
    with pytest.raises(SettingsError):
        world.run()
    assert "waits: boards.toml:1" in thread_state(world.history, world.thread).reason
    Choosy.away.clear()
    world.run()
    assert "boards.toml" not in thread_state(world.history, world.thread).reason
