"""What a later approval makes of a ticket that people work on."""

import shutil
from dataclasses import dataclass, replace

import pytest

from pactkeeper.boards.local import LocalBoard
from pactkeeper.boards.port import Capabilities
from pactkeeper.errors import BoardUnavailable, RefusedError, WriteFailed
from pactkeeper.intent.board import CHANGES, LogTask, ReviseTask
from pactkeeper.store.threads import accepted_constraints
from pactkeeper.tickets import wording
from pactkeeper.tickets.creating import create
from pactkeeper.tickets.ground import DraftRules, ProposedCriteria
from tests.tickets.worlds import World

EMPTY = "AC: An export of an empty month has one line."
SMALL = "AC: The file is smaller than 10 MB."
LOST = BoardUnavailable("the answer never came")
LONG = "Correction: problem: They copy orders all night."


@pytest.fixture(scope="module")
def first_made(empty_history, tmp_path_factory):
    """What every `made` is a copy of."""
    root = tmp_path_factory.mktemp("made")
    shutil.copy(empty_history, root)
    world = World(root)
    world.complete()
    world.approve()
    world.close()
    return world


@pytest.fixture
def made(first_made, tmp_path):
    """A thread whose first version is a ticket."""
    shutil.copytree(first_made.root, tmp_path, dirs_exist_ok=True)
    found = World(tmp_path, now=first_made.now, count=first_made.count)
    yield found
    found.close()


def ticket_body(draft):
    return wording.ticket_body(draft, by="Ada")


def file_of(world):
    (path,) = world.board.root.glob("tasks/*.md")
    return path


def body(world):
    (task,) = world.tasks()
    return world.board.task(task.id).body.lstrip("\n")


def edit(world, old, new):
    path = file_of(world)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def approved(world, *said):
    """Say something, approve what comes of it, and give what is told."""
    for text in said:
        world.say(text)
    return world.approve()[-1]


def preflights(world):
    """What preflight said of each approval."""
    return [
        one.reason.partition(": ")[2]
        for one in world.steps
        if one.node == "create" and one.reason.startswith("preflight")
    ]


@dataclass(frozen=True, slots=True)
class RemarksOnly(LocalBoard):
    """A board whose tickets cannot be rewritten."""

    @property
    def capabilities(self):
        return Capabilities(frozenset(CHANGES) - {"reviseTask"}, documents=True, marker="front matter")


@dataclass(frozen=True, slots=True)
class Failing(LocalBoard):
    """A board that fails at one kind of change: before it is made, or when it was."""

    at: type = ReviseTask
    error: Exception = LOST
    late: bool = False

    def perform(self, change, key, *, at):
        fails = isinstance(change, self.at)
        if fails and not self.late:
            raise self.error
        target = LocalBoard.perform(self, change, key, at=at)
        if fails:
            raise self.error
        return target


def test_ticket_that_nobody_edited_says_exactly_what_was_approved(made):
    told = approved(made, EMPTY, LONG)
    assert body(made) == ticket_body(made.draft)
    assert "Updated there: Problem, Acceptance criteria, Where it was said." in told.text
    assert preflights(made)[-1] == "ready"


def test_what_people_added_ticked_and_set_stays(made):
    edit(made, "status: open", "status: doing\nassignee: Zoe")
    edit(made, "- [ ] An export of 1000", "- [x] An export of 1000")
    edit(made, "## Acceptance", "## Notes\n\nAsk Zoe first.\n\n## Acceptance")
    told = approved(made, EMPTY, LONG)
    text = file_of(made).read_text()
    for kept in ("status: doing\nassignee: Zoe", "- [x] An export of 1000", "## Notes\n\nAsk Zoe first.\n"):
        assert kept in text
    assert "They copy orders all night" in text
    assert "- [ ] An export of an empty month has one line." in text
    assert "What people wrote there is kept, in: Notes, Acceptance criteria." in told.text
    assert preflights(made)[-1] == "safe drift"


def test_part_that_both_changed_stays_and_the_approved_words_are_a_remark(made):
    edit(made, "by hand every month", "by hand, says Zoe")
    told = approved(made, EMPTY, LONG)
    text = file_of(made).read_text()
    assert "Accountants copy orders by hand, says Zoe." in text
    assert "- Problem says: They copy orders all night. <!--" in text
    assert text.count("pactkeeper:log") == 1
    assert "- [ ] An export of an empty month has one line." in text
    assert "- Problem: not as approved, because people changed it there." in told.text
    assert preflights(made)[-1] == "conflict"


def test_title_that_people_changed_stays_and_ours_is_a_remark(made):
    edit(made, "title: Export orders", "title: Export of orders")
    told = approved(made, "Title: Export invoices")
    assert [task.title for task in made.tasks()] == ["Export of orders"]
    assert "- The title: Export invoices" in body(made)
    assert "- The title: not as approved" in told.text


def test_title_that_nobody_changed_is_renewed(made):
    told = approved(made, "Title: Export invoices")
    assert [task.title for task in made.tasks()] == ["Export invoices"]
    assert "Updated there: the title, Where it was said." in told.text


def test_change_starts_from_the_version_that_was_written_last(made):
    approved(made, EMPTY)
    edit(made, "- [ ] An export of an empty", "- [x] An export of an empty")
    approved(made, SMALL)
    assert body(made) == ticket_body(made.draft).replace("[ ] An export of an empty", "[x] An export of an empty")
    assert preflights(made) == ["ready", "ready", "safe drift"]


def test_criterion_that_people_took_out_does_not_come_back_with_the_next_version(made):
    edit(made, "- [ ] An export of 1000 orders has 1000 rows.\n", "")
    approved(made, EMPTY)
    assert "1000 rows" not in body(made)


def test_ticket_that_people_brought_up_to_date_themselves_is_already_so(made):
    made.say("Title: Export invoices")
    file_of(made).write_text(
        file_of(made).read_text().replace("title: Export orders", "title: Export invoices").split("\n\n## ", 1)[0]
        + "\n\n"
        + ticket_body(made.draft)
    )
    (told,) = made.approve()
    assert "Nothing had to be changed" in told.text
    assert preflights(made)[-1] == "already so"


def test_approval_that_is_carried_out_twice_changes_the_ticket_once(made):
    edit(made, "by hand every month", "by hand, says Zoe")
    approved(made, EMPTY, LONG)
    before = file_of(made).read_bytes()
    again = create(made.ground, made.draft, by="Ada")
    assert (again.preflight, again.ticket.state) == ("already so", "created")
    assert file_of(made).read_bytes() == before


def test_ticket_that_is_gone_is_said_to_be_and_not_made_anew(made):
    file_of(made).unlink()
    told = approved(made, EMPTY)
    assert (told.kind, "open a new thread" in told.text) == ("failed", True)
    assert made.tasks() == ()


def test_ticket_on_another_board_is_not_looked_for_on_this_one(made):
    made.board = replace(made.board, name="team")
    told = approved(made, EMPTY)
    assert told.kind == "failed"
    assert "is on 'home', and threads go to 'team' now" in told.text


def test_board_that_cannot_be_written_keeps_the_approval(made):
    made.board = Failing("home", made.board.root, error=WriteFailed("the disk is full"))
    told = approved(made, EMPTY)
    assert (told.kind, "the disk is full" in told.text) == ("failed", True)
    made.board = LocalBoard("home", made.board.root)
    assert made.approve()[-1].kind == "created"
    assert body(made) == ticket_body(made.draft)


def test_revision_whose_answer_never_came_is_the_base_of_the_next_one(made):
    made.board = Failing("home", made.board.root, late=True)
    assert approved(made, LONG).kind == "failed"
    made.board = LocalBoard("home", made.board.root)
    assert approved(made, EMPTY, "Correction: problem: They copy orders every day.").kind == "created"
    assert body(made) == ticket_body(made.draft)
    assert [one.state for one in made.tickets] == ["created"] * 3


def test_revision_that_never_happened_is_in_the_next_one(made):
    made.board = Failing("home", made.board.root)
    assert approved(made, LONG).kind == "failed"
    made.board = LocalBoard("home", made.board.root)
    assert approved(made, EMPTY).kind == "created"
    assert body(made) == ticket_body(made.draft)
    assert [one.state for one in made.tickets] == ["created", "failed", "created"]


def test_remark_that_is_refused_is_told_in_the_thread(made):
    edit(made, "by hand every month", "by hand, says Zoe")
    made.board = Failing("home", made.board.root, at=LogTask, error=RefusedError("the conversation is locked"))
    told = approved(made, LONG)
    assert told.kind == "created"
    assert "the conversation is locked" in told.text
    assert "- Problem says: They copy orders all night" in told.text


def test_version_that_says_what_an_earlier_one_said_can_be_approved_again(made):
    first = body(made)
    approved(made, "Risk: The file may be large")
    assert approved(made, "Remove risk 1").kind == "created"
    assert body(made) == first


def test_preview_of_a_later_version_does_not_take_its_own_ticket_for_another(made):
    made.rules = DraftRules(made.history, tickets=made.tasks)
    (preview,) = made.say("Title: Export all orders")
    assert [one.text for one in preview.blockers] == ["no longer in it, title: 'Export orders' (Ada)"]


def test_second_approval_of_one_version_is_told_who_was_first(made):
    approved(made, EMPTY)
    (told,) = made.approve(by="Bob")
    assert (told.kind, "Ada approved version 4 first" in told.text) == ("stale", True)


def test_second_approval_by_the_same_person_says_that_it_was_theirs(made):
    approved(made, EMPTY)
    (told,) = made.approve(by="Ada")
    assert "you approved version 4 already, and it is a ticket" in told.text


def test_constraint_that_a_later_version_takes_back_holds_no_longer(made):
    approved(made, "Retention = at most 30 days")
    assert [one.key for one in accepted_constraints(made.history)] == ["Retention"]
    approved(made, "Retention = at most 90 days")
    assert [one.said.value for one in accepted_constraints(made.history)] == ["at most 90 days"]


def test_board_whose_tickets_are_not_revised_gets_a_remark_on_what_is_new_since_the_last(made):
    made.board = RemarksOnly("home", made.board.root)
    approved(made, EMPTY)
    told = approved(made, SMALL)
    assert "does not allow changing a ticket's text" in told.text
    last = body(made).rpartition("- 2026-")[2]
    assert "now: [ ] The file is smaller than 10 MB" in last
    assert "empty month" not in last
    assert preflights(made) == ["ready", "ready", "ready"]


def test_edits_on_a_board_whose_tickets_are_not_revised_are_told(made):
    made.board = RemarksOnly("home", made.board.root)
    edit(made, "by hand every month", "by hand, says Zoe")
    assert "was edited since; those edits are kept" in approved(made, EMPTY).text
    assert preflights(made)[-1] == "safe drift"


def test_ticket_that_had_only_remarks_is_brought_up_to_date_by_the_first_revision(made):
    made.board = RemarksOnly("home", made.board.root)
    approved(made, EMPTY)
    made.board = LocalBoard("home", made.board.root)
    approved(made, LONG)
    assert body(made).startswith(ticket_body(made.draft))


def test_new_criteria_get_atoms_and_those_that_are_none_any_more_are_named(made):
    def propose(draft, _ticket):
        return ProposedCriteria({said.value: f"atom {len(said.value)}" for said in draft.acceptance_criteria})

    made.say(EMPTY)
    ground = replace(made.ground, propose=propose)
    first = create(ground, made.draft, by="Ada")
    assert len(first.ticket.criteria) == 2
    made.say("Remove AC 2")
    made.say(SMALL)
    second = create(ground, made.draft, by="Ada")
    assert "The file is smaller than 10 MB." in second.ticket.criteria
    (note,) = second.ticket.notes
    assert "no longer a criterion: An export of an empty month has one line." in note
    assert "pk atom abandon atom" in note


def test_a_constraint_is_accepted_in_the_ticket_that_accepts_it(world):
    world.complete()
    (shown,) = world.say("Retention = at most 30 days")
    assert "- Retention: at most 30 days (proposed)" in shown.text
    world.approve()
    assert "- Retention: at most 30 days (accepted)" in body(world)


def test_a_ticket_names_who_said_it_and_who_approved_it(tmp_path):
    world = World(tmp_path)
    world.complete()
    world.say("AC: The file is smaller than 10 MB.", by="Cleo")
    world.approve(by="Dev")
    assert body(world).startswith("Said by Ada, Cleo; approved by Dev.\n")


def test_a_preview_names_who_proposed_a_constraint_and_who_gave_a_link(tmp_path):
    world = World(tmp_path)
    world.complete()
    world.say("Retention = 30 days\nEvidence: https://example.org/law", by="Ben")
    shown = world.say("go on")[-1].text
    assert "- Retention: 30 days (proposed) (Ben)" in shown
    assert "- https://example.org/law (Ben)" in shown
