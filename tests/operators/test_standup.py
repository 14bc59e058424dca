"""The stand-up of a person whose board is a folder."""

from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pactkeeper.boards.writing import write
from pactkeeper.errors import BusyError, InputError, RefusedError
from pactkeeper.intent.actions import Conflict, ConflictSide, Suppressed
from pactkeeper.intent.board import CreateTask
from pactkeeper.ledger.health import COMPLETE, Health
from pactkeeper.ledger.model import ModelCall
from pactkeeper.operators.actions import look_around
from pactkeeper.operators.standup import (
    StandupVerdict,
    action_precision,
    alone,
    decide_actions,
    review_actions,
    see_actions,
    stand_up,
    undo_action,
)
from pactkeeper.personal import Personal
from pactkeeper.settings import Environment
from pactkeeper.store.actions import find_deed, save_reconciliation
from pactkeeper.store.runs import save_call
from tests.transcripts.actions import (
    LOW,
    complete_task,
    create_document,
    create_task,
    log_task,
    patch,
    proposal,
    tick,
    unsure,
    yes,
)

AT = "2026-03-02T09:00:00+00:00"
NOTES = "---\ntitle: Passports\n---\n\nFive weeks.\n\n- [ ] Call them\n- [ ] Pay\n"
D = "documents/passports.md"
PLAIN = create_task("Renew it")
ASKED = unsure(create_task("Ask for a photo", artifact="fp-2"))
PATCH = patch(D, "Five weeks", "Six weeks", artifact="fp-3")
TICK = tick(D, "Call them", artifact="fp-4")
STEERS = create_document("CLAUDE.md", artifact="fp-5")
UNSURE = replace(log_task("T-1", artifact="fp-6"), confidence=LOW)
ALL = proposal(PLAIN, ASKED, PATCH, TICK, STEERS, UNSURE)


@pytest.fixture
def personal(tmp_path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config/boards.toml").write_text(f"[boards.home]\nkind = 'local'\nfolder = '{tmp_path / 'board'}'\n")
    (tmp_path / "board/documents").mkdir(parents=True)
    (tmp_path / "board" / D).write_text(NOTES)
    surroundings = Environment(
        ci=False, plain=True, processes=1, personal=tmp_path / "data", preferences=tmp_path / "config"
    )
    with ExitStack() as closing:
        yield Personal(surroundings, print, lambda: datetime(2026, 3, 2, 9, tzinfo=UTC), closing)


@pytest.fixture
def stand(personal):
    """Stand up with this as what is proposed now."""

    def run(made=ALL, **options):
        def reconcile(opened):
            save_reconciliation(opened.history(make=True)[0], made)
            return made

        return stand_up(personal, reconcile=reconcile, **options)

    return run


@pytest.fixture
def files(tmp_path):
    def run():
        paths = sorted((tmp_path / "board").rglob("*.md"))
        return {path.relative_to(tmp_path / "board").as_posix(): path.read_text() for path in paths}

    return run


def ids(found):
    return [one.action.id for one in found]


def test_what_is_plain_is_done_and_the_rest_waits_or_is_only_shown(stand, files):
    found = stand()
    assert (ids(found.done), ids(found.asked), ids(found.shown)) == (
        [PLAIN.id],
        [ASKED.id, PATCH.id, TICK.id],
        [STEERS.id, UNSURE.id],
    )
    assert sorted(files()) == [D, "tasks/renew-it.md"]
    assert files()[D] == NOTES


def test_a_second_stand_up_does_nothing_twice(stand, files):
    stand()
    once = files()
    found = stand()
    assert files() == once
    assert PLAIN.id in found.suppressed[-1].reason


def test_a_dry_run_writes_to_no_board_and_keeps_no_deed(stand, files, personal):
    found = stand(dry_run=True)
    assert (ids(found.ready), found.done, list(files())) == ([PLAIN.id], (), [D])
    assert find_deed(personal.history()[0], PLAIN.id) is None


def test_saying_yes_to_one_leaves_the_others_waiting(stand, files, personal):
    stand()
    (done,) = decide_actions(personal, [StandupVerdict(PATCH.id, yes=True)])
    assert (done.standing, done.by) == ("done", personal.person())
    assert files()[D] == NOTES.replace("Five", "Six")
    assert ids(stand().asked) == [ASKED.id, TICK.id]


def test_yes_no_and_nothing_in_one_go(stand, files, personal):
    stand()
    told = decide_actions(
        personal, [StandupVerdict(PATCH.id, yes=False, reason="they said five"), StandupVerdict(TICK.id, yes=True)]
    )
    assert [(one.action.id, one.standing) for one in told] == [(PATCH.id, "rejected"), (TICK.id, "done")]
    assert files()[D] == NOTES.replace("[ ] Call", "[x] Call")
    found = stand()
    assert ids(found.asked) == [ASKED.id]
    assert any(PATCH.id in one.reason for one in found.suppressed)


def test_nothing_happens_where_one_of_the_answers_does_not_hold(stand, files, personal):
    stand()
    before = files()
    for bad in (
        StandupVerdict("op-000000000000", yes=True),
        StandupVerdict(STEERS.id, yes=True),
        StandupVerdict(TICK.id, yes=True, shown_hash="v1:x"),
    ):
        with pytest.raises((InputError, RefusedError)):
            decide_actions(personal, [StandupVerdict(PATCH.id, yes=True), bad])
    assert files() == before


def test_no_word_of_anybody_does_what_never_happens(stand, files, personal):
    stand()
    with pytest.raises(RefusedError, match="instructs people or agents"):
        decide_actions(personal, [StandupVerdict(STEERS.id, yes=True)])
    assert len(files()) == 2


def test_a_document_that_the_settings_protect_is_left_alone(stand, files, personal, tmp_path):
    (tmp_path / "config/transcripts.toml").write_text('[routing]\nactive_context = ["Passports"]\n')
    stand()
    with pytest.raises(RefusedError, match="instructs"):
        decide_actions(personal, [StandupVerdict(PATCH.id, yes=True)])
    assert files()[D] == NOTES


def test_what_an_agent_says_is_shown_and_decides_nothing(stand, files, personal):
    stand()
    before = files()
    found = review_actions(personal, [StandupVerdict(TICK.id, yes=True, reason="they were called")], by="claude")
    assert found.suggested[TICK.id].verdict == "accept"
    assert files() == before
    assert TICK.id in ids(stand().asked)


def test_an_action_that_needs_another_one_says_so(stand, personal):
    document = unsure(create_document("Visas", artifact="fp-7"))
    task = unsure(create_task("Read it", artifact="fp-7", depends_on=(document.id,)))
    stand(proposal(document, task))
    with pytest.raises(RefusedError, match=f"needs {document.id}"):
        decide_actions(personal, [StandupVerdict(task.id, yes=True)])
    told = decide_actions(personal, [StandupVerdict(task.id, yes=True), StandupVerdict(document.id, yes=True)])
    assert [(one.action.id, one.standing) for one in told] == [(document.id, "done"), (task.id, "done")]


def test_what_was_undone_stays_away_and_the_folder_is_as_it_was(stand, files, personal):
    before = files()
    stand()
    assert undo_action(personal, PLAIN.id).standing == "undone"
    assert {name: text for name, text in files().items() if not name.startswith("archive/")} == before
    assert undo_action(personal, PLAIN.id).standing == "undone"
    found = stand()
    assert ids(found.done) == []
    assert any("you undid it" in one.reason for one in found.suppressed)


def test_what_was_never_done_cannot_be_undone(stand, personal):
    stand()
    with pytest.raises(InputError, match="nothing was done"):
        undo_action(personal, ASKED.id)


def test_answers_count_as_precision(stand, personal):
    stand()
    decide_actions(personal, [StandupVerdict(PATCH.id, yes=False), StandupVerdict(TICK.id, yes=True)])
    asked = [("patchDocumentSection", "ask", 0, 1), ("tickTodo", "ask", 1, 0)]

    def told():
        return [(one.verb, one.kind, one.right, one.wrong) for one in action_precision(personal)]

    assert told() == asked
    see_actions(personal, [PLAIN.id])
    assert told() == [("createTask", "auto", 1, 0), *asked]
    undo_action(personal, PLAIN.id)
    assert told() == [("createTask", "auto", 0, 1), *asked]


def test_what_a_person_saw_is_no_news(stand, personal):
    see_actions(personal, ids(stand().done))
    assert stand().done == ()


def test_a_board_that_cannot_be_seen_gets_nothing(stand, tmp_path):
    (tmp_path / "board").rename(tmp_path / "away")
    (tmp_path / "board").write_text("no folder")
    found = stand()
    assert (found.done, found.asked) == ((), ())
    assert (tmp_path / "board").read_text() == "no folder"


def test_a_source_that_was_seen_in_part_leaves_everything_to_a_person(stand, files):
    part = replace(ALL.patch, sources={"board home": COMPLETE, "board team": Health("partial", "a page failed")})
    found = stand(replace(ALL, patch=part))
    assert (ids(found.done), list(files())) == ([], [D])
    assert PLAIN.id in ids(found.asked)


def test_a_repository_that_is_gone_keeps_nothing_else_from_happening(stand):
    part = replace(ALL.patch, sources={"board home": COMPLETE, "git /gone": Health("unavailable", "no such folder")})
    assert ids(stand(replace(ALL, patch=part)).done) == [PLAIN.id]


def test_conflicts_and_what_was_left_out_are_told(stand):
    conflict = Conflict(
        "fp-8", "price", ConflictSide("/chats/a.jsonl", "It is 5."), ConflictSide("Passports", "It is 6."), "numbers"
    )
    away = Suppressed("fp-9", "Old", "done already")
    found = stand(replace(ALL, conflicts=(conflict,), suppressed=(away,)))
    assert (found.conflicts, found.suppressed[0]) == ((conflict,), away)


def test_a_yes_of_which_nothing_came_is_carried_out_later(stand, files, personal, tmp_path):
    stand()
    (tmp_path / "board" / D).rename(tmp_path / "away.md")
    (failed,) = decide_actions(personal, [StandupVerdict(TICK.id, yes=True)])
    assert failed.standing == "failed"
    (tmp_path / "away.md").rename(tmp_path / "board" / D)
    stand()
    assert "[x] Call them" in files()[D]
    found = find_deed(personal.history()[0], TICK.id)
    assert found
    assert (found.standing, found.decision and found.decision.verdict) == ("done", yes(TICK).verdict)


def test_one_process_at_a_time_carries_out(stand, personal):
    with alone(personal, "busy", "actions"), pytest.raises(BusyError, match="another process"):
        stand()


def test_waiting_actions_are_told_without_looking_for_new_ones(stand, personal, files):
    assert review_actions(personal).asked == ()
    stand(dry_run=True)
    found = review_actions(personal)
    assert (ids(found.ready), ids(found.asked)) == ([PLAIN.id], [ASKED.id, PATCH.id, TICK.id])
    assert list(files()) == [D]


def test_much_money_in_a_day_is_told(stand, personal):
    assert stand().alert == ""
    call = ModelCall("", "qu-1", "mark_spans", "1", "m", "2026-03-02T08:00:00+00:00", 1, 1, 1_200_000, 5, "answered")
    save_call(personal.history()[0], call)
    assert stand().alert == "models cost $1.20 today, more than $1.00"
    save_call(personal.history()[0], replace(call, at="2026-03-01T23:00:00+00:00", money=10**9))
    assert "$1.20" in stand().alert


def test_our_own_remark_does_not_make_a_task_stale(stand, tmp_path, personal):
    (tmp_path / "config/transcripts.toml").write_text("[actions]\nauto.completeTask = 91\n")
    (tmp_path / "board/tasks").mkdir()
    (tmp_path / "board/tasks/passport.md").write_text("---\ntitle: Renew the passport\n---\n")
    version = personal.board("home").task("tasks/passport.md").version
    remark = log_task("tasks/passport.md")
    closing = complete_task("tasks/passport.md", version, artifact="fp-2")
    found = stand(proposal(remark, closing))
    assert {one.action.id for one in found.done} == {remark.id, closing.id}
    assert found.suppressed == ()


def test_a_failure_that_a_later_try_made_good_is_no_news(stand, personal, tmp_path):
    bound = patch(D, "Six weeks", "Seven weeks")
    stand(proposal(bound))
    (failed,) = decide_actions(personal, [StandupVerdict(bound.id, yes=True)])
    assert failed.standing == "failed"
    again = patch(D, "Five weeks", "Six weeks", target=bound.op.target)
    stand(proposal(again))
    decide_actions(personal, [StandupVerdict(again.id, yes=True)])
    assert stand(proposal()).failed == ()


def test_a_reconciliation_sees_which_text_of_a_task_a_thread_wrote(personal):
    board = personal.board("home")
    written = [
        write(board, CreateTask(title, "- [ ] one"), key, reservations=personal.reservations(board), at=AT)
        for title, key in (("Ask", "op-000001"), ("Pay", "thread-1"))
    ]
    seen = look_around(personal, personal.history(make=True)[0], ()).boards["home"]
    assert seen.tickets == {written[1].target: "- [ ] one"}
