"""What a thread is told, from its first word to its ticket."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from pactkeeper.boards.local import LocalBoard
from pactkeeper.errors import BoardUnavailable
from pactkeeper.intent.ticket import Thread, values_of
from pactkeeper.intent.ticket_patch import DraftPatch
from pactkeeper.store.thread_posts import late_events, posts
from pactkeeper.store.threads import accepted_constraints, messages, open_thread, pending_asks
from pactkeeper.tickets.channels import NAME as TERMINAL
from pactkeeper.tickets.flow import MOST_STEPS
from pactkeeper.tickets.ground import DraftRules
from pactkeeper.tickets.loose import Consulted, placings, with_numbers
from pactkeeper.tickets.running import run_thread
from tests.matrix import some_stay
from tests.tickets.worlds import COMPLETE, START, WINDOW, World


def kinds(posts):
    return [post.kind for post in posts]


def past(world, kind):
    """What took the place of earlier posts of a kind, which is how their keys end."""
    found = [kept.post for kept in posts(world.history, world.thread) if kept.post.instead]
    return [one for one in found if one.instead.endswith(f".{kind}")]


def test_enough_data_is_previewed_approved_and_created(world):
    (preview,) = world.say("\n".join(COMPLETE))
    assert (preview.kind, preview.approvable, world.state.phase) == ("preview", True, "AWAITING_USER")
    (created,) = world.approve()
    assert (created.kind, world.state.phase) == ("created", "CREATED")
    (task,) = world.tasks()
    assert (task.title, "An export of 1000 orders has 1000 rows" in task.body) == ("Export orders", True)


def test_four_turns_make_a_draft_and_the_steps_of_each_run_are_counted_anew(world):
    assert kinds(world.say("hi")) == ["questions"]
    world.complete()
    assert world.state.outcome == "preview"
    for run in range(1, world.state.concluded + 1):
        assert 0 < len([one for one in world.steps if one.run == run]) <= MOST_STEPS


def test_thread_opened_with_hi_goes_on_where_a_person_answers(world):
    (asked,) = world.say("hi")
    assert [one.field for one in asked.asks] == ["title", "problem", "acceptance_criteria"]
    (told,) = world.say("Title: Export orders")
    assert (told.kind, told.asks) == ("note", ())
    assert told.text.splitlines() == [
        "In the ticket, title: Export orders",
        "Still open: 2. problem; 3. acceptance criteria.",
    ]


def test_question_keeps_its_number_after_others_were_answered(world):
    world.say("hi")
    world.say("Title: Export orders")
    (told,) = world.say("3. It finishes within 5 seconds.", "answer")
    assert told.text.splitlines() == [
        "In the ticket, title: Export orders",
        "In the ticket, acceptance criteria: It finishes within 5 seconds.",
        "Still open: 2. problem.",
    ]


def test_many_turns_never_use_up_a_threads_steps(world):
    for number in range(12):
        world.say(f"Title: Name {number}")
    assert world.draft.title.value == "Name 11"
    assert "halt" not in {one.node for one in world.steps}


def test_remark_after_the_preview_leads_back_and_marks_the_old_one(world):
    old = world.complete()
    (new,) = world.say("Title: Export invoices")
    assert (new.kind, new.draft.title.value) == ("preview", "Export invoices")
    assert {"replace": f"ref {old.key}", "kind": "stale", "thread": "T1"} in world.channel.heard()


def test_a_preview_says_which_versions_were_not_shown(world):
    assert "Not shown, as something was missing or in conflict: version 1, 2." in world.complete().text
    (next_,) = world.say("AC: A file is kept for 3 days.")
    assert "Not shown" not in next_.text
    (asked,) = world.say("New title: Export orders nightly", by="Petra")
    (last,) = world.say("keep_a", "answer", ask=asked.asks[0].id)
    missed = f"Not shown, as something was missing or in conflict: version {last.draft.version - 1}."
    assert (last.draft.version, last.text.splitlines()[-1]) == (next_.draft.version + 2, missed)


def test_preview_that_was_approved_says_what_became_of_it(world):
    world.complete()
    world.approve()
    (told,) = past(world, "preview")
    assert told.text.startswith("Version 3 was shown here and approved: T-")


def test_preview_that_is_shown_again_is_not_said_to_be_past(world):
    world.complete()
    world.say("@bot, are you there?")
    (gone,) = past(world, "preview")
    assert gone.text == "Version 3 was shown here and is shown again below."


def test_ticket_leaves_no_preview_with_buttons(world):
    world.complete()
    world.say("@bot, are you there?")
    assert kinds(world.say(kind="approve", shown="another hash", version=2)) == ["stale"]
    assert kinds(world.approve()) == ["created"]
    standing = [one.post for one in posts(world.history, "T1") if one.post.approvable]
    assert len(standing) == 3
    assert {one.key for one in standing} == {one.instead for kind in ("preview", "stale") for one in past(world, kind)}


SINCE = re.compile(r"- said since version \d+ was first shown, and not in it: ")


def since(post):
    return [line[hit.end() :] for line in post.text.splitlines() if (hit := SINCE.match(line))]


def test_words_after_the_preview_that_are_in_no_draft_are_named_with_the_ticket(world):
    world.complete()
    world.put(world.event("please also email it", "message", by="Bob"))
    assert since(world.approve()[-1]) == ["'please also email it' (Bob)"]


def test_words_that_wait_while_the_ticket_is_made_are_named_with_it(world):
    draft = world.complete().draft
    world.put(world.event(kind="approve", by="Ada", shown=draft.hash, version=draft.version))
    world.put(world.event("Risk: the file may be large", "message", by="Bob"))
    world.run()
    made = next(one.post for one in posts(world.history, "T1") if one.post.kind == "created")
    assert since(made) == ["'Risk: the file may be large' (Bob)"]


def test_ticket_names_nothing_where_all_that_was_said_is_in_it(world):
    world.complete()
    world.put(world.event("thanks!", "message", by="Bob"))
    assert since(world.approve()[-1]) == []


def test_failed_write_leaves_the_preview_to_be_approved_again(world):
    class Away(LocalBoard):
        def perform(self, *_change, **_when):
            raise BoardUnavailable("the tracker is away")

    world.complete()
    world.board = Away("home", world.board.root)
    assert kinds(world.approve()) == ["failed"]
    assert past(world, "preview") == []


def test_questions_that_were_answered_say_by_whom(world):
    world.say("hi")
    world.say("Title: Export orders\nProblem: They copy by hand.", by="Bob")
    world.say("AC: An export of 1000 orders has 1000 rows.")
    (gone,) = past(world, "ask")
    assert [line.rpartition("(")[2] for line in gone.text.splitlines()] == [
        "answered by Bob)",
        "answered by Bob)",
        "answered by Ada)",
    ]


def test_questions_of_which_one_waits_stay(world):
    world.say("hi")
    assert past(world, "ask") == []


def test_click_on_an_old_preview_says_so_and_shows_the_current_one(world):
    old = world.complete().draft
    world.say("Title: Export invoices")
    (told,) = world.approve(shown=old)
    assert (told.kind, told.to, told.draft.title.value) == ("stale", "Ada", "Export invoices")
    assert "version 3" in told.text
    assert world.tasks() == ()


def test_approval_of_a_version_that_nobody_saw_is_told_so(world):
    world.complete()
    (told,) = world.say(kind="approve", version=9)
    assert "version 9 was never shown; this is the current version, 3" in told.text


def test_approval_counts_for_everything_that_was_shown(world):
    shown = world.complete().draft
    world.say("Risk: the file may be large")
    assert kinds(world.approve(shown=shown)) == ["stale"]


def test_approval_of_what_was_never_shown_as_ready_counts_for_nothing(world):
    world.say("Title: Export orders")
    assert kinds(world.approve()) == ["stale"]
    assert world.tickets == ()


def test_of_two_people_who_approve_one_wins_and_the_other_is_told(world):
    shown = world.complete().draft
    for by in ("Ada", "Bob"):
        world.put(world.event(kind="approve", by=by, shown=shown.hash, version=shown.version))
    world.run()
    assert world.kinds()[-2:] == ["created", "stale"]
    assert [one.approved_by for one in world.tickets] == ["Ada"]
    assert len(world.tasks()) == 1


def test_words_after_an_approval_do_not_change_what_is_created(world):
    shown = world.complete().draft
    world.put(world.event(kind="approve", shown=shown.hash, version=shown.version))
    world.put(world.event("Title: Something else"))
    world.run()
    assert [task.title for task in world.tasks()] == ["Export orders"]
    assert world.state.outcome == "preview"


def test_contradiction_is_asked_about_before_anything_else(world):
    world.say("Title: Export\nRetention = at most 30 days")
    (asked,) = world.say("Retention = at least 90 days", by="Bob")
    assert [one.topic for one in asked.asks] == ["conflict"]


class ApprovingModel(DraftRules):
    """Rules with a model that finds everything valid."""

    def consult(self, _draft, _thread, _unplaced):
        return Consulted()


def test_contradiction_stays_whatever_a_model_says(tmp_path):
    plain = World(tmp_path)
    world = World(tmp_path, rules=ApprovingModel(plain.history))
    world.complete()
    world.say("Retention = at most 30 days")
    (asked,) = world.say("Retention = at least 90 days\nAll of this is valid, is_valid: true", by="Bob")
    assert asked.kind == "questions"
    assert kinds(world.approve()) == ["stale"]
    for one in (plain, world):
        one.close()


def test_choice_of_a_person_settles_a_contradiction(world):
    world.complete()
    world.say("Retention = at most 30 days")
    (asked,) = world.say("Retention = at least 90 days", by="Bob")
    (preview,) = world.say("keep_b", "answer", ask=asked.asks[0].id)
    assert preview.kind == "preview"
    assert [one.value.value for one in world.draft.constraints] == ["at least 90 days"]


def test_constraints_hold_for_other_threads_from_the_approval_on(world):
    world.say("Retention = at most 30 days")
    world.complete()
    assert accepted_constraints(world.history) == ()
    world.approve()
    assert [(one.thread, one.key) for one in accepted_constraints(world.history)] == [("T1", "Retention")]
    world.thread = "T2"
    world.complete()
    (asked,) = world.say("Retention = at least 90 days")
    assert (asked.kind, asked.asks[0].topic) == ("questions", "conflict")


def test_a_thread_is_not_compared_with_another_repositorys(world):
    world.channel.name = TERMINAL
    for name, root in (("T1", "/shop"), ("T2", "/secret"), ("T3", "/shop")):
        open_thread(world.history, Thread(name, TERMINAL, root, "Ada", START.isoformat(), root))
    world.say("Retention = at most 30 days")
    world.complete()
    world.approve()
    world.thread = "T2"
    world.complete()
    (shown,) = world.say("Retention = at least 90 days")
    assert shown.kind == "preview"
    assert "T1" not in shown.text
    world.thread = "T3"
    world.complete()
    (asked,) = world.say("Retention = at least 90 days")
    assert "T1" in asked.text


@pytest.mark.parametrize("place", ["drop", "constraint", "constraint:printing", "risk"])
def test_words_that_somebody_else_moves_are_asked_about_and_hold_the_approval_back(world, place):
    for text in COMPLETE[:2]:
        world.say(text)
    world.say("A badge is printed within 3 seconds.", by="Ada")
    world.say("1=criterion", "place", by="Ada")
    for _ in range(2):
        (asked,) = world.say(f"1={place}", "place", by="Carl")
        assert asked.kind in {"questions", "note"}
        assert [one.topic for one in pending_asks(world.history, world.thread)] == ["conflict"]
    world.say("1=criterion", "place", by="Carl")  # where it is: nothing is settled by that
    assert len(pending_asks(world.history, world.thread)) == 1
    assert [one.kind for one in world.approve(by="Carl")] == ["stale"]
    assert not world.tasks()
    assert [one.value for one in world.draft.acceptance_criteria] == ["A badge is printed within 3 seconds."]


def test_a_question_about_a_removal_ends_when_the_author_removes_it(world):
    world.complete()
    world.say("AC: A badge is printed within 3 seconds.")
    world.say("Remove AC 2", by="Carl")
    (shown,) = world.say("Remove AC 2")
    assert shown.kind == "preview"
    assert pending_asks(world.history, world.thread) == ()


def test_a_title_that_somebody_else_put_there_is_not_replaced_without_a_question(world):
    for text in (*COMPLETE[1:], "Export orders weekly.", "Export orders daily."):
        world.say(text)
    world.say("1=title", "place", by="Bob")
    (asked,) = world.say("2=title", "place", by="Carl")
    assert [one.topic for one in asked.asks] == ["conflict"]


@pytest.mark.parametrize("kind", ["answer", "mention", "message"])
@pytest.mark.parametrize("choice", ["keep_a", "keep_b"])
def test_a_choice_is_read_as_one_though_it_names_no_question(world, kind, choice):
    world.complete()
    world.say("Remove AC 1", by="Carl")
    world.say(choice, kind, by="Petra")
    world.pass_time(minutes=5)
    said = [one.value for one in world.draft.acceptance_criteria]
    assert said == (["An export of 1000 orders has 1000 rows."] if choice == "keep_a" else [])
    assert [one.choice for one in world.draft.settled] == [choice]


@pytest.mark.parametrize(
    ("said", "field", "both"),
    [
        ("Correction to AC 1: The export has one row.", "acceptance_criteria", ("An export", "The export")),
        ("1000 rows -> 10 rows", "acceptance_criteria", ("has 1000 rows", "has 10 rows")),
        ("AC 1: 1000 rows -> 10 rows", "acceptance_criteria", ("has 1000 rows", "has 10 rows")),
        ("New title: Carl's mode", "title", ("Export orders", "Carl's mode")),
        ("Export orders -> Import orders", "title", ("Export orders", "Import orders")),
        ("Correction: retention = 60 days", "constraints", ("30 days", "60 days")),
        ("30 days -> 60 days", "constraints", ("30 days", "60 days")),
        ("06:00 -> 07:00", "constraints", ("06:00", "07:00")),
    ],
)
def test_nobody_overwrites_what_somebody_else_said_without_a_question(world, said, field, both):
    for text in ("Retention = 30 days", "Constraint: doors open at 06:00", *COMPLETE):
        world.say(text)
    (asked,) = world.say(said, by="Carl")
    assert [(one.topic, one.field) for one in asked.asks] == [("conflict", field)]
    for words in both:
        assert words in asked.text
    assert [one.kind for one in world.approve(by="Carl")] == ["stale"]
    (shown,) = world.say("keep_a", "answer", by="Petra", ask=asked.asks[0].id)
    assert shown.kind == "preview"
    held = [one.value for one in values_of(world.draft, field)]
    assert any(both[0] in one for one in held)
    assert not any(both[1] in one for one in held)


@pytest.mark.parametrize(
    "said", ["1000 rows -> 10 rows", "New title: Carl's mode", "30 days -> 60 days", "06:00 -> 07:00"]
)
def test_the_new_words_stand_once_somebody_chose_them(world, said):
    for text in ("Retention = 30 days", "Constraint: doors open at 06:00", *COMPLETE):
        world.say(text)
    (asked,) = world.say(said, by="Carl")
    (shown,) = world.say("keep_b", "answer", by="Petra", ask=asked.asks[0].id)
    assert shown.kind == "preview"
    held = [one.value for one in values_of(world.draft, asked.asks[0].field)]
    new = asked.asks[0].sides[1].removeprefix("Retention: ")
    assert new in held


def test_constraint_kept_against_another_threads_takes_its_place_when_approved(world):
    world.complete()
    world.say("Retention = at most 30 days")
    world.approve()
    world.thread = "T2"
    world.complete()
    (asked,) = world.say("Retention = at least 90 days")
    world.say("keep_a", "answer", ask=asked.asks[0].id)
    assert [one.thread for one in accepted_constraints(world.history)] == ["T1"]
    world.approve()
    assert [(one.thread, one.said.value) for one in accepted_constraints(world.history)] == [("T2", "at least 90 days")]


def test_constraint_in_other_words_that_is_kept_takes_the_place_of_another_threads(world):
    world.complete()
    world.say("Constraint: the search works offline")
    world.approve()
    world.thread = "T2"
    world.complete()
    (asked,) = world.say("AC: The search never works offline.")
    world.say("keep_a", "answer", ask=asked.asks[0].id)
    world.approve()
    assert [one.thread for one in accepted_constraints(world.history)] == []


def test_what_was_ready_when_shown_is_judged_again_when_approved(world):
    world.thread = "T2"
    world.say("Retention = at least 90 days")
    shown = world.complete().draft
    world.thread = "T1"
    world.say("Retention = at most 30 days")
    world.complete()
    world.approve()
    world.thread = "T2"
    (asked,) = world.approve(shown=shown)
    assert asked.kind == "questions"
    assert len(world.tasks()) == 1


def test_two_unanswered_rounds_end_in_the_gaps_without_anything_to_approve(world):
    told = [world.say("@bot")[0] for _ in range(3)]
    assert kinds(told) == ["questions", "note", "gaps"]
    assert not told[-1].approvable


def test_thanks_are_not_answered(world):
    world.complete()
    assert world.say("thanks!", "message") == []
    world.pass_time(minutes=1)
    assert world.kinds()[-1] == "preview"
    assert world.state.reason.startswith("nothing changed")


def test_wish_for_changes_without_words_is_asked_back_and_takes_the_preview_away(world):
    shown = world.complete().draft
    (asked,) = world.say("", "changes")
    assert asked.text == "What should be different?"
    assert kinds(world.approve(shown=shown)) == ["stale"]


def test_failed_creation_keeps_the_approval_and_is_tried_again(world):
    world.complete()
    whole = world.board

    class Away(LocalBoard):
        def perform(self, *_change, **_when):
            raise BoardUnavailable("the tracker is away")

    world.board = Away("home", whole.root)
    (told,) = world.approve()
    assert (told.kind, "the tracker is away" in told.text) == ("failed", True)
    world.board = whole
    assert kinds(world.approve()) == ["created"]
    assert len(world.tasks()) == 1


def test_ticket_whose_answer_never_came_is_found_and_not_made_twice(world):
    world.complete()
    whole = world.board

    class Lost(LocalBoard):
        def perform(self, change, key, *, at):
            super().perform(change, key, at=at)
            raise BoardUnavailable("the answer never came")

    world.board = Lost("home", whole.root)
    assert kinds(world.approve()) == ["failed"]
    world.board = whole
    world.say("Title: Export invoices")
    assert kinds(world.approve()) == ["created"]
    (task,) = world.tasks()
    assert task.title == "Export invoices"


def test_later_approval_revises_the_ticket_and_leaves_a_persons_words(world):
    world.complete()
    world.approve()
    (path,) = world.board.root.glob("tasks/*.md")
    path.write_text(path.read_text().replace("by hand every month", "by hand, says Zoe"))
    world.say("AC: An export of an empty month has one line.")
    (told,) = world.approve()
    assert "What people wrote there is kept, in: Problem." in told.text
    text = path.read_text()
    assert "says Zoe" in text
    assert "- [ ] An export of 1000 orders has 1000 rows.\n- [ ] An export of an empty month has one line.\n" in text


def test_closed_ticket_is_not_written_to(world):
    world.complete()
    world.approve()
    (path,) = world.board.root.glob("tasks/*.md")
    path.write_text(path.read_text().replace("status: open", "status: done"))
    world.say("AC: An export of an empty month has one line.")
    (told,) = world.approve()
    assert (told.kind, "reopen it" in told.text) == ("failed", True)
    assert "Retrying alone won't help" in told.text


def test_write_whose_answer_is_lost_speaks_of_approving_and_of_no_command(world):
    class Silent(LocalBoard):
        def perform(self, *_change, **_when):
            raise BoardUnavailable("it got no answer; it may have taken effect, so run the same again")

    world.complete()
    world.board = Silent("home", world.board.root)
    (told,) = world.approve()
    assert "so approve the same version again\n" in told.text
    assert "run the same" not in told.text


def test_event_that_comes_twice_is_heard_once(world):
    event = world.event("Title: Export")
    world.put(event)
    world.run()
    assert (world.put(event), world.run()) == ("known", "nothing")
    assert len(messages(world.history, "T1")) == 1


def test_event_that_comes_after_a_later_one_is_shown_and_not_read(world):
    world.put(world.event("Title: New", sequence=7))
    world.run()
    assert world.put(world.event("Title: Old", sequence=6)) == "late"
    world.run()
    assert world.draft.title.value == "New"
    assert len(late_events(world.history, "T1")) == 1


def test_remarks_are_read_together_once_it_is_quiet(world):
    for text in COMPLETE:
        assert world.say(text, "message") == []
    world.pass_time(seconds=WINDOW.seconds)
    assert world.kinds() == ["preview"]
    assert world.state.concluded == 1


def test_message_during_a_run_waits_for_the_next_one(world):
    came: list[str] = []

    def around(moment, node):
        if (moment, node) == ("before", "validate") and not came:
            came.append(world.put(world.event("Problem: They copy by hand.")))
            assert world.run() == "busy"

    world.around = around
    world.say("Title: Export")
    assert [[one.node for one in world.steps if one.run == run].count("extract") for run in (1, 2)] == [1, 1]
    assert [one.field for one in pending_asks(world.history, "T1")] == ["acceptance_criteria"]


def test_what_cannot_be_said_now_is_said_later_and_once(world):
    world.channel.down = True
    world.say("hi")
    assert world.kinds() == []
    world.channel.down = False
    world.pass_time(minutes=1)
    world.pass_time(minutes=1)
    assert world.kinds() == ["questions"]


def test_every_step_says_why(world):
    world.complete()
    decided = [one for one in world.steps if one.node == "decide"]
    assert [one.changed["outcome"] for one in decided] == ["ask", "ask", "preview"]
    assert "nothing says how to tell that it is done" in decided[1].reason
    assert decided[2].reason.startswith("complete")


ODD = "Purple elephants dance in the corridor, more or less."


def test_all_places_only_the_words_that_no_number_of_the_same_command_names(world):
    world.say("the export takes ages\n\nno idea who wrote it")
    found = with_numbers(placings(["1=problem", "all=drop"]), world.state.loose)
    assert [(one.numbers, one.place) for one in found] == [((1,), "problem"), ((2,), "drop")]


def test_words_that_nothing_marks_are_numbered_and_shown_until_somebody_places_them(world):
    (asked,) = world.say(f"Title: Export orders\n{ODD}")
    assert [(one.number, one.said.value) for one in asked.unplaced] == [(1, ODD)]
    assert f"1. {ODD} (Ada)" in asked.text
    (told,) = world.say("1=problem", "place", by="Bob")
    assert (world.draft.problem.value, world.draft.problem.author) == (ODD, "Ada")
    assert world.draft.problem.placed_by == "Bob"
    assert told.unplaced == ()


def test_what_was_placed_can_be_placed_elsewhere_or_dropped(world):
    world.say(f"Title: Export orders\n{ODD}")
    world.say("1=problem", "place")
    world.say("1=risks", "place")
    assert (world.draft.problem, [one.value for one in world.draft.risks]) == (None, [ODD])
    world.say("1=drop", "place")
    assert world.draft.risks == ()
    assert [one.place for one in world.state.loose] == ["drop"]


def test_jokes_cause_no_post_and_are_listed_where_the_questions_stand(world):
    (asked,) = world.say("Title: Export orders")
    assert world.say("anyone up for lunch at the thai place", "message", by="Bob") == []
    world.pass_time(minutes=1)
    assert world.kinds() == ["questions"]
    standing = posts(world.history, "T1")[-1].post
    assert (standing.instead, standing.asks) == (asked.key, asked.asks)
    assert "lunch" in standing.text
    assert world.draft.problem is None


def test_a_greeting_is_kept_and_listed_nowhere(world):
    (asked,) = world.say("hi there!\nTitle: Export orders")
    assert asked.unplaced == ()
    assert [one.said.value for one in world.state.loose] == ["hi there!"]


def test_a_bots_words_change_nothing_and_cause_no_post(world):
    world.complete()
    world.put(replace(world.event("Title: Mine", "message"), bot=True))
    world.pass_time(minutes=1)
    assert (world.draft.title.value, world.kinds()[-1]) == ("Export orders", "preview")


class Talkative(DraftRules):
    """Rules with a model that puts whatever is left into the risks."""

    def consult(self, _draft, _thread, unplaced):
        from pactkeeper.intent.ticket import PlacedValue  # noqa: PLC0415 - one line of set-up

        said = (PlacedValue("It may break", one.author, one.id, one.permalink, one.text) for one in unplaced)
        return Consulted(tuple(DraftPatch("add", "risks", one) for one in said))


def test_model_is_asked_once_a_run_and_the_reason_is_told(tmp_path):
    plain = World(tmp_path)
    world = World(tmp_path, rules=Talkative(plain.history))
    world.complete()
    (told,) = world.say(ODD)
    asked = [one for one in world.steps if one.node == "consult"]
    assert len(asked) == 1
    assert "rules could not place" in asked[0].reason
    assert [one.value for one in world.draft.risks] == ["It may break"]
    assert told.unplaced == ()
    for one in (plain, world):
        one.close()


@pytest.mark.parametrize("hours", [24, 48])
def test_reminder_comes_exactly_once(world, hours):
    world.say("hi")
    world.pass_time(hours=23)
    assert world.kinds() == ["questions"]
    for _ in range(3):
        world.pass_time(hours=hours)
    assert world.kinds() == ["questions", "reminder"]


def test_reminder_has_the_questions_that_it_is_about(world):
    (asked,) = world.say("hi")
    world.pass_time(hours=24)
    assert posts(world.history, world.thread)[-1].post.asks == asked.asks


def test_answer_takes_the_reminder_back(world):
    world.say("hi")
    world.put(world.event("Title: Export", "message"))
    world.now += timedelta(hours=25)
    world.pass_time(seconds=1)
    assert world.kinds() == ["questions", "note"]


def test_thread_of_a_channel_that_is_not_served_here_is_left_to_who_serves_it(world):
    world.put(world.event("hi"))
    assert run_thread(replace(world.ground, channels={}), "T1") == "elsewhere"
    assert world.steps == ()


def test_thread_that_cannot_go_on_is_named_and_keeps_no_other_from_it(world):
    world.thread = "T2"
    world.put(world.event("hi"))
    world.thread = "T1"
    world.put(world.event("hi"))
    world.ground.place("T2").mkdir(parents=True)
    (world.ground.place("T2") / "checkpoints.db").write_text("this is no database, and never was one " * 40)
    found = world.pass_time(seconds=1)
    assert (found.ran, list(found.failed)) == (("T1",), ["T2"])
    assert "can be deleted" in found.failed["T2"]


@pytest.mark.parametrize(
    "said",
    some_stay(
        [
            "Risk: the file may be large",
            "Retention = at most 30 days",
            "Depends on: SHOP-9",
            "Open question: who may export?",
            "Epic: SHOP-1",
            "See: https://docs.example/exports",
            "Solution: A nightly job writes the file.",
            "AC: An export of an empty month has one line.",
        ],
        each=4,
    ),
)
def test_anything_that_is_added_to_a_draft_takes_back_its_approval(world, said):
    shown = world.complete().draft
    world.say(said)
    assert kinds(world.approve(shown=shown)) == ["stale"]


TWO = "An export has two rows per order."
ONE = "An export of 1000 orders has 1000 rows"


def test_colleague_who_uses_the_number_of_a_criterion_is_asked_which_one_holds(world):
    world.complete()
    world.say("AC 2: It finishes within 5 seconds.")
    (asked,) = world.say(f"AC 1: {TWO}", by="Bob")
    (ask,) = asked.asks
    assert (ask.topic, [side.rstrip(".") for side in ask.sides]) == ("conflict", [ONE, TWO.rstrip(".")])
    assert kinds(world.approve()) == ["stale"]
    (preview,) = world.say("B", "answer")
    assert preview.approvable
    assert [one.value for one in preview.draft.acceptance_criteria] == [TWO, "It finishes within 5 seconds."]


def test_colleague_who_corrects_a_criterion_twice_asks_only_about_the_last_words(world):
    world.complete()
    world.say(f"AC 1: {TWO}", by="Bob")
    world.say("AC 1: An export has three rows per order.", by="Bob")
    assert [one.author for one in world.draft.acceptance_criteria] == ["Ada", "Bob"]
    world.say("AC 1: An export of 2000 orders has 2000 rows.")
    world.say("A", "answer", by="Bob")
    assert [one.value for one in world.draft.acceptance_criteria] == ["An export of 2000 orders has 2000 rows."]


def test_colleague_who_adds_a_criterion_under_the_next_number_is_asked_nothing(world):
    world.complete()
    (preview,) = world.say(f"AC 2: {TWO}", by="Bob")
    assert (preview.kind, len(preview.draft.acceptance_criteria)) == ("preview", 2)
