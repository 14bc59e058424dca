"""Actions on a folder of a person, and on a tracker whose answers get lost."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from pactkeeper.boards.local import LocalBoard
from pactkeeper.boards.writing import FileReservations
from pactkeeper.errors import BoardUnavailable, RefusedError, SettingsError, StaleError
from pactkeeper.intent.actions import Deed
from pactkeeper.ledger.health import Health
from pactkeeper.store.actions import find_deed
from pactkeeper.transcripts.carrying import ExecutionGround, carry_out, settle, take_back
from tests.conformance.boards.targets import GitHubTarget, Losing
from tests.transcripts.actions import (
    AT,
    LATER,
    action,
    complete_task,
    create_document,
    create_task,
    enrich,
    log_task,
    patch,
    set_meta,
    tick,
    yes,
)

TASK = "---\ntitle: Renew the passport\nstatus: backlog\n---\n\nIt ends in May.\n"
NOTES = """\
---
title: Passports
status: draft
---

Five weeks, they said.

## To do

- [ ] Call them
- [ ] Pay
"""


@dataclass
class Home:
    """A board in a folder with what a person keeps there."""

    folder: Path
    ground: ExecutionGround
    losing: list = field(default_factory=list)

    @property
    def files(self):
        paths = sorted(self.folder.rglob("*.md"))
        return {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in paths}

    def file(self, name):
        return self.folder / name

    def do(self, one, seen=None, **more):
        return carry_out(self.ground, Deed(one, "begun", AT, **more), seen)


@pytest.fixture
def home(history, tmp_path):
    folder = tmp_path / "board"
    for name, text in {"tasks/passport.md": TASK, "documents/Research/passports.md": NOTES}.items():
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(text)
    board = LocalBoard("home", folder)
    made = Home(
        folder,
        ExecutionGround(history, lambda _: board, lambda _: FileReservations(tmp_path / "kept.jsonl"), lambda: AT),
    )
    made.ground = replace(made.ground, board=lambda _: Losing(board) if made.losing else board)
    return made


T, D = "tasks/passport.md", "documents/Research/passports.md"
EVERY = [
    create_task(),
    create_document(),
    complete_task(T),
    enrich(D),
    patch(D, "Five weeks", "Six weeks"),
    tick(D, "Call them"),
    set_meta(D, {"status": "final"}, {"status": "draft"}),
]


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.verb)
def test_what_was_done_is_taken_back_to_the_same_bytes(home, one):
    before = home.files
    done = home.do(one)
    assert done.standing == "done"
    assert home.files != before
    undone = take_back(home.ground, done, by="Ada")
    assert (undone.standing, undone.by, undone.automatic) == ("undone", "Ada", done.automatic)
    assert {name: text for name, text in home.files.items() if not name.startswith("archive/")} == before


@pytest.mark.parametrize("one", [*EVERY, log_task(T)], ids=lambda one: one.verb)
def test_what_was_done_is_not_done_twice(home, one):
    home.do(one)
    once = home.files
    with pytest.raises(RefusedError, match="cannot be 'begun'"):
        home.do(one)
    assert home.files == once


def test_a_remark_stays_and_says_so(home):
    done = home.do(log_task(T))
    with pytest.raises(RefusedError, match="nothing that can be undone"):
        take_back(home.ground, done, by="Ada")
    assert find_deed(home.ground.history, done.action.id) == done


@pytest.mark.parametrize("one", [*EVERY, log_task(T)], ids=lambda one: one.verb)
def test_a_write_whose_answer_was_lost_is_found_and_not_repeated(home, one):
    home.losing.append("next")
    assert home.do(one).standing == "begun"
    written = home.files
    home.losing.clear()
    (done,) = settle(home.ground)
    assert done.standing == "done"
    assert done.written
    assert home.files == written
    assert settle(home.ground) == ()


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.verb)
def test_taking_back_whose_answer_was_lost_is_finished_later(home, one):
    before = home.files
    done = home.do(one)
    home.losing.append("next")
    with pytest.raises(BoardUnavailable, match="run it again"):
        take_back(home.ground, done, by="Ada")
    home.losing.clear()
    (undone,) = settle(home.ground)
    assert undone.standing == "undone"
    assert {name: text for name, text in home.files.items() if not name.startswith("archive/")} == before


def test_what_was_cut_short_before_anything_was_written_may_be_proposed_again(home):
    one = create_task()
    unreachable = replace(home.ground, board=_raise(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        carry_out(unreachable, Deed(one, "begun", AT))
    before = home.files
    (failed,) = settle(home.ground)
    assert (failed.standing, home.files) == ("failed", before)
    assert home.do(one).standing == "done"


def _raise(error):
    def run(_):
        raise error

    return run


def test_words_that_a_person_changed_meanwhile_stay(home):
    home.file(D).write_text(NOTES.replace("Five weeks", "Seven weeks"))
    before = home.files
    failed = home.do(patch(D, "Five weeks", "Six weeks"))
    assert failed.standing == "failed"
    assert "0 times" in failed.reason
    assert home.files == before


def test_what_a_person_changed_after_us_is_not_taken_back(home):
    done = home.do(enrich(D))
    path = home.file(D)
    path.write_text(path.read_text().replace("What was found.", "What we found, and more."))
    mine = home.files
    with pytest.raises(StaleError):
        take_back(home.ground, done, by="Ada")
    assert home.files == mine
    found = find_deed(home.ground.history, done.action.id)
    assert found
    assert found.standing == "done"


def test_what_a_person_went_on_with_is_not_put_away(home):
    done = home.do(create_task())
    path = home.file("tasks/renew-it.md")
    path.write_text(path.read_text().replace("status: open", "status: doing"))
    mine = home.files
    with pytest.raises(StaleError, match="has changed since it was created"):
        take_back(home.ground, done, by="Ada")
    assert home.files == mine


def test_a_task_that_a_person_made_meanwhile_is_not_made_again(home):
    home.file("tasks/mine.md").write_text("---\ntitle: renew  IT\n---\n")
    seen = home.ground.board("home").snapshot(at=AT)
    failed = home.do(create_task(title="[daemon] Renew it"), seen)
    assert (failed.standing, len(home.files)) == ("failed", 3)
    assert "already exists" in failed.reason


def test_nothing_is_created_where_the_fresh_view_is_not_complete(home):
    seen = replace(home.ground.board("home").snapshot(at=AT), health=Health("partial", "a page failed"))
    before = home.files
    assert home.do(create_task(), seen).standing == "failed"
    assert home.files == before


def test_a_document_that_turns_out_to_steer_agents_is_left_alone(home):
    home.file(D).write_text(NOTES.replace("title: Passports", "title: Active Context"))
    before = home.files
    failed = home.do(patch(D, "Five weeks", "Six weeks"), decision=yes(patch(D, "Five weeks", "Six weeks")))
    assert failed.standing == "failed"
    assert "instructs" in failed.reason
    assert home.files == before


def test_a_board_that_is_no_longer_set_up_stops_nothing_else(home):
    home.losing.append("next")
    home.do(create_task())
    gone = replace(home.ground, board=_raise(SettingsError("there is no board 'home'")))
    (left,) = settle(gone)
    assert (left.standing, "no board" in left.reason) == ("begun", True)


def test_secrets_do_not_reach_a_board(home):
    token = "gh" + "p_" + "aB3dE5gH7jK9mN1pQ2sT4vW6yZ8bC0dF"
    home.do(create_task(body=f"[daemon] use {token}"))
    home.do(enrich(D, text=f"[daemon] use {token}"))
    assert token.encode() not in b"".join(home.files.values())


def test_advice_is_only_noted(home):
    before = home.files
    fields = {"tool": "board", "wrongUsage": "create --text", "error": "no such option", "correctUsage": "log"}
    one = action("proposeSkillFix", fields, target="skill:board")
    assert home.do(one).standing == "done"
    assert home.files == before


@pytest.mark.parametrize("kind", ["drop after", "slow"])
def test_a_tracker_that_is_not_heard_after_it_has_written_has_one_issue(history, tmp_path, kind):
    target = GitHubTarget(tmp_path)
    try:
        kept = target.reservations()
        ground = ExecutionGround(history, lambda _: target.board, lambda _: kept, lambda: AT)
        target.fake.fault(kind, method="POST", path="issues$")
        assert carry_out(ground, Deed(create_task(), "begun", AT)).standing == "begun"
        assert len(target.fake.issues) == 1
        (done,) = settle(replace(ground, now=lambda: LATER))
        assert (done.standing, len(target.fake.issues)) == ("done", 1)
    finally:
        target.close()


def test_a_tracker_that_was_never_reached_leaves_nothing_unclear(history, tmp_path):
    target = GitHubTarget(tmp_path)
    try:
        ground = ExecutionGround(history, lambda _: target.gone(), lambda _: target.reservations(), lambda: AT)
        assert carry_out(ground, Deed(create_task(), "begun", AT)).standing == "failed"
        assert settle(ground) == ()
    finally:
        target.close()
