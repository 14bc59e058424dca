"""What every kind of board keeps, whatever it is made of."""

from dataclasses import replace

import pytest

from pactkeeper.boards.port import Opening, open_board
from pactkeeper.boards.writing import preflight, undo, write
from pactkeeper.errors import BoardUnavailable, BusyError, InputError, RefusedError, StaleError
from pactkeeper.intent.board import (
    CHANGES,
    CompleteTask,
    CreateDocument,
    CreateTask,
    EnrichDocument,
    LogTask,
    PatchDocumentSection,
    ReviseTask,
    TickTodo,
    UpdateDocumentMeta,
)
from pactkeeper.settings.boards import KINDS
from tests.conformance.boards.targets import AT, ON_THE_WEB, REVISABLE, TARGETS, WITH_DOCUMENTS

TASK = CreateTask("Renew the passport", "It ends in May.\n\nAsk for a photo.", labels=("home",))
BODY = "A first line.\n\n## Steps\n\n- [ ] Ask Ada\n- [ ] Ask Bob\n\n## Notes\n\nThe price is 66 Euro.\n"
PAPER = CreateDocument("Research", "Research: Passports", BODY)


@pytest.fixture(params=TARGETS)
def target(request, tmp_path):
    made = TARGETS[request.param](tmp_path)
    yield made
    made.close()


@pytest.fixture(params=WITH_DOCUMENTS)
def library(request, tmp_path):
    made = TARGETS[request.param](tmp_path)
    yield made
    made.close()


@pytest.fixture(params=ON_THE_WEB)
def distant(request, tmp_path):
    made = TARGETS[request.param](tmp_path)
    made.add_task("Buy milk")
    yield made
    made.close()


def do(target, change, key="op-000001", board=None, reservations="reservations"):
    return write(board or target.board, change, key, reservations=target.reservations(reservations), at=AT)


def titles(target):
    return [task.title for task in target.board.snapshot(at=AT).tasks]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_in_the_settings_opens_and_has_a_target_here(kind):
    board = open_board(Opening("one", kind, {"folder": "/board"}, base_url="https://board.example"))
    assert board.kind == kind
    assert kind in {name.split()[0] for name in TARGETS}
    board.close()


def test_snapshot_shows_what_people_wrote_and_is_complete(target):
    target.add_task("Buy milk", "Two litres.")
    found = target.board.snapshot(at=AT)
    assert (found.health.status, found.at) == ("complete", AT)
    assert [(task.title, task.status) for task in found.tasks] == [("Buy milk", "open")]


def test_created_task_carries_words_labels_and_key(target):
    written = do(target, TASK)
    task = target.board.task(written.target)
    assert (task.title, task.status, task.labels, task.marker) == (TASK.title, "open", ("home",), "op-000001")
    assert TASK.body in task.body
    assert written.outcome == "written"


def test_same_key_twice_creates_once(target):
    first = do(target, TASK)
    again = do(target, TASK)
    assert (again.target, again.outcome) == (first.target, "found")
    assert titles(target) == [TASK.title]


def test_lost_reservations_create_no_second_task(target):
    first = do(target, TASK)
    assert do(target, TASK, reservations="empty").target == first.target
    assert titles(target) == [TASK.title]


def test_two_keys_create_two_tasks_of_one_title(target):
    do(target, TASK)
    do(target, TASK, "op-000002")
    assert titles(target) == [TASK.title] * 2


def test_task_whose_answer_was_lost_is_found_by_its_key(target):
    with pytest.raises(BoardUnavailable):
        do(target, TASK, board=target.losing())
    written = do(target, TASK)
    assert titles(target) == [TASK.title]
    assert (written.outcome, written.before) == ("written", None)


def test_remark_whose_answer_was_lost_stands_once(target):
    task = target.add_task("Buy milk")
    with pytest.raises(BoardUnavailable):
        do(target, LogTask(task, "Went to the shop."), board=target.losing())
    written = do(target, LogTask(task, "Went to the shop."))
    assert (written.outcome, written.after, written.undo) == ("written", "Went to the shop.", None)


OLD = "## Problem\n\nThey copy by hand.\n\n## Acceptance criteria\n\n- [ ] It has 1000 rows\n- [ ] It is quick\n"
NEW = OLD.replace("by hand", "by foot").replace("1000", "2000")


def revise(task, body=NEW, *, title="Buy two litres"):
    return ReviseTask(task, title, body, old_title="Buy milk", old_body=OLD)


@pytest.fixture(params=REVISABLE)
def ticket(request, tmp_path):
    made = TARGETS[request.param](tmp_path)
    yield made
    made.close()


def ours(target):
    return do(target, CreateTask("Buy milk", OLD)).target


def shown(target, task):
    found = target.board.task(task)
    return found.title, found.body.strip()


def test_revised_task_says_what_is_new_and_goes_back(ticket):
    task = ours(ticket)
    before = ticket.board.task(task)
    written = do(ticket, revise(task), "op-000002")
    assert shown(ticket, task) == ("Buy two litres", NEW.strip())
    undo(ticket.board, written, reservations=ticket.reservations(), at=AT)
    assert ticket.board.task(task) == replace(before, updated_at=ticket.board.task(task).updated_at)


def test_task_that_is_revised_stays_ours(ticket):
    task = ours(ticket)
    do(ticket, revise(task), "op-000002")
    assert ticket.board.task(task).marker == "op-000001"


def test_revision_keeps_what_people_wrote_and_ticked(ticket):
    task = ours(ticket)
    ticket.rewrite(task, "- [ ] It is quick", "- [x] It is quick\n- [ ] It is safe")
    do(ticket, revise(task), "op-000002")
    assert shown(ticket, task)[1] == NEW.replace("- [ ] It is quick", "- [x] It is quick\n- [ ] It is safe").strip()


def test_revision_of_what_people_changed_leaves_it_and_says_so(ticket):
    task = ours(ticket)
    ticket.rewrite(task, "by hand", "all night")
    written = do(ticket, revise(task, OLD.replace("by hand", "by foot"), title="Buy milk"), "op-000002")
    assert (written.outcome, written.undo) == ("found", None)
    assert written.after["conflicts"] == [{"section": "Problem", "text": "They copy by foot.", "dropped": False}]


def test_revision_whose_answer_was_lost_is_made_once(ticket):
    task = ours(ticket)
    with pytest.raises(BoardUnavailable):
        do(ticket, revise(task, NEW + "- [ ] It is safe\n"), "op-000002", board=ticket.losing())
    ticket.rewrite(task, "- [ ] It is quick", "- [x] It is quick")
    written = do(ticket, revise(task, NEW + "- [ ] It is safe\n"), "op-000002")
    assert (written.outcome, written.before["title"]) == ("written", "Buy milk")
    want = NEW.replace("- [ ] It is quick", "- [x] It is quick") + "- [ ] It is safe"
    assert shown(ticket, task) == ("Buy two litres", want)


def test_preflight_of_a_revision_tells_drift_from_conflict(ticket):
    task = ours(ticket)

    def state():
        return preflight(ticket.board, revise(task), "op-000002", at=AT).state

    found = [state()]
    do(ticket, LogTask(task, "Went to the shop."), "op-000003")
    found.append(state())
    ticket.rewrite(task, "- [ ] It is quick", "- [x] It is quick")
    found.append(state())
    ticket.rewrite(task, "by hand", "all night")
    found.append(state())
    assert found == ["ready", "ready", "safe drift", "conflict"]
    assert preflight(ticket.board, revise("999999"), "op-000002", at=AT).state == "impossible"


def test_text_of_a_revision_that_looks_like_our_marks_marks_nothing(ticket):
    task = ours(ticket)
    hostile = OLD + "\n<!-- pactkeeper:key op-000009 -->\n"
    do(ticket, revise(task, hostile), "op-000002")
    do(ticket, revise(task, hostile, title="Again"), "op-000003")
    assert ticket.board.task(task).marker == "op-000001"


def test_revising_is_refused_where_a_text_cannot_be_written_back(target):
    if "reviseTask" in target.board.capabilities.writes:
        assert preflight(target.board, revise("999999"), "op-000001", at=AT).state == "impossible"
        return
    task = target.add_task("Buy milk")
    with pytest.raises(RefusedError, match="reviseTask"):
        do(target, revise(task))


def test_done_task_goes_back_to_the_state_it_had(target):
    task = target.add_task("Buy milk")
    before = target.board.task(task)
    written = do(target, CompleteTask(task))
    assert target.board.task(task).status == "done"
    undo(target.board, written, reservations=target.reservations(), at=AT)
    after = target.board.task(task)
    assert (after.status, after.state) == (before.status, before.state)


def test_completing_what_is_done_writes_nothing_and_undoes_nothing(target):
    task = target.add_task("Buy milk")
    do(target, CompleteTask(task))
    again = do(target, CompleteTask(task), "op-000002")
    assert (again.outcome, again.undo) == ("found", None)


def test_completion_whose_answer_was_lost_keeps_the_state_before_it(target):
    task = target.add_task("Buy milk")
    before = target.board.task(task).state
    with pytest.raises(BoardUnavailable):
        do(target, CompleteTask(task), board=target.losing())
    assert do(target, CompleteTask(task)).before == {"status": "open", "state": before}


def test_task_that_changed_since_it_was_shown_is_not_completed(target):
    task = target.add_task("Buy milk")
    with pytest.raises(StaleError):
        do(target, CompleteTask(task, version="v1:another"))
    assert target.board.task(task).status == "open"


def test_created_task_that_is_taken_back_is_off_the_board(target):
    written = do(target, TASK)
    undo(target.board, written, reservations=target.reservations(), at=AT)
    assert [task.title for task in target.board.snapshot(at=AT).tasks if task.status != "done"] == []


def test_key_of_another_change_is_refused(target):
    do(target, TASK)
    with pytest.raises(RefusedError, match="another change"):
        do(target, CreateTask("Another"))
    assert titles(target) == [TASK.title]


def test_second_process_that_writes_is_told_to_wait(target):
    with target.reservations().alone(), pytest.raises(BusyError, match="another process"):
        do(target, TASK)
    assert titles(target) == []


def test_task_without_a_title_is_refused(target):
    with pytest.raises(RefusedError, match="no title"):
        do(target, CreateTask(" "))
    assert titles(target) == []


def test_unknown_task_is_named(target):
    with pytest.raises(InputError, match="no task"):
        target.board.task("999999")


def test_target_that_cannot_be_reached_says_so_and_is_never_empty(target):
    health = target.gone().snapshot(at=AT).health
    assert health.status == "unavailable"
    assert health.reason


def test_change_of_a_document_is_refused_where_there_are_none(target):
    if target.board.capabilities.documents:
        assert CHANGES.keys() - {"reviseTask"} == target.board.capabilities.writes - {"reviseTask"}
        return
    with pytest.raises(RefusedError, match="tickTodo"):
        do(target, TickTodo("x", "y"))


def test_preflight_tells_what_would_come_of_a_change_and_writes_nothing(target):
    task = target.add_task("Buy milk")
    changes = [CompleteTask(task), CompleteTask(task, version="v1:another"), CompleteTask("999999")]
    found = [preflight(target.board, change, "op-000001", at=AT).state for change in changes]
    assert found == ["ready", "conflict", "impossible"]
    assert target.board.task(task).status == "open"
    do(target, CompleteTask(task))
    assert preflight(target.board, CompleteTask(task), "op-000002", at=AT).state == "already so"


def test_text_that_looks_like_our_marks_marks_nothing(target):
    hostile = CreateTask("Hostile", "<!-- pactkeeper:key op-000009 -->\n<!-- pactkeeper:begin a b -->")
    assert target.board.task(do(target, hostile).target).marker == "op-000001"
    assert do(target, TASK, "op-000009").outcome == "written"


def test_created_document_lies_in_its_section(library):
    written = do(library, PAPER)
    found = library.board.document(written.target)
    assert (found.title, found.section, found.marker) == (PAPER.title, "Research", "op-000001")
    assert found.body.strip() == BODY.strip()


def test_document_whose_answer_was_lost_is_found_by_its_key(library):
    with pytest.raises(BoardUnavailable):
        do(library, PAPER, board=library.losing())
    do(library, PAPER)
    assert len(library.board.snapshot(at=AT).documents) == 1


def enrich(document, text="Found out."):
    return EnrichDocument(document, "session-1", "From a session", text)


def test_enriching_keeps_all_that_was_there_and_is_undone_without_a_trace(library):
    document = library.add_document("Passports", "Research", BODY)
    before = library.board.document(document).body
    written = do(library, enrich(document))
    after = library.board.document(document).body
    assert after.startswith(before.rstrip("\n"))
    assert "Found out." in after
    undo(library.board, written, reservations=library.reservations(), at=AT)
    assert library.board.document(document).body == before


def test_renewing_touches_our_section_only(library):
    document = library.add_document("Passports", "Research", BODY)
    do(library, enrich(document))
    library.edit(document, "A first line.", "A line of mine.")
    written = do(library, enrich(document, "Found out more."), "op-000002")
    after = library.board.document(document).body
    assert "A line of mine." in after
    assert "Found out more." in after
    assert "Found out.\n" not in after
    assert written.before == {"heading": "From a session", "text": "Found out."}


def test_section_that_was_renewed_since_is_not_taken_out_by_an_earlier_undo(library):
    document = library.add_document("Passports", "Research", BODY)
    first = do(library, enrich(document))
    second = do(library, enrich(document, "Found out more."), "op-000002")
    with pytest.raises(StaleError, match="updated since"):
        undo(library.board, first, reservations=library.reservations(), at=AT)
    undo(library.board, second, reservations=library.reservations(), at=AT)
    undo(library.board, first, reservations=library.reservations(), at=AT)
    assert "Found out" not in library.board.document(document).body


def test_enriching_whose_answer_was_lost_adds_one_section(library):
    document = library.add_document("Passports", "Research", BODY)
    with pytest.raises(BoardUnavailable):
        do(library, enrich(document), board=library.losing())
    do(library, enrich(document))
    assert library.board.document(document).body.count("Found out.") == 1


def test_section_that_a_person_edited_is_left_alone(library):
    document = library.add_document("Passports", "Research", BODY)
    do(library, enrich(document))
    library.edit(document, "Found out.", "Found out by me.")
    with pytest.raises(StaleError, match="by hand"):
        do(library, enrich(document, "New."), "op-000002")
    assert "Found out by me." in library.board.document(document).body


def test_patch_changes_one_place_and_goes_back(library):
    document = library.add_document("Passports", "Research", BODY)
    before = library.board.document(document).body
    written = do(library, PatchDocumentSection(document, "Notes", "66 Euro", "70 Euro"))
    assert library.board.document(document).body == before.replace("66 Euro", "70 Euro")
    undo(library.board, written, reservations=library.reservations(), at=AT)
    assert library.board.document(document).body == before


def test_patch_of_text_that_changed_meanwhile_is_stale(library):
    document = library.add_document("Passports", "Research", BODY)
    library.edit(document, "66 Euro", "68 Euro")
    with pytest.raises(StaleError):
        do(library, PatchDocumentSection(document, "Notes", "66 Euro", "70 Euro"))
    assert "68 Euro" in library.board.document(document).body


def test_patch_that_only_adds_words_is_done_once_when_its_answer_is_lost(library):
    document = library.add_document("Passports", "Research", BODY)
    change = PatchDocumentSection(document, "Notes", "66 Euro", "66 Euro and a photo")
    with pytest.raises(BoardUnavailable):
        do(library, change, board=library.losing())
    do(library, change)
    assert library.board.document(document).body.count("and a photo") == 1


def test_todo_is_ticked_alone_and_unticked(library):
    document = library.add_document("Passports", "Research", BODY)
    written = do(library, TickTodo(document, "Ask Ada"))
    after = library.board.document(document).body
    assert "- [x] Ask Ada" in after
    assert "- [ ] Ask Bob" in after
    undo(library.board, written, reservations=library.reservations(), at=AT)
    assert "- [ ] Ask Ada" in library.board.document(document).body


def test_metadata_is_set_and_goes_back(library):
    document = library.add_document("Passports", "Research", BODY)
    written = do(library, UpdateDocumentMeta(document, {"status": "final"}, expected={"status": "draft"}))
    assert library.board.document(document).meta["status"] == "final"
    undo(library.board, written, reservations=library.reservations(), at=AT)
    assert library.board.document(document).meta["status"] == "draft"


def test_metadata_that_changed_meanwhile_is_stale(library):
    document = library.add_document("Passports", "Research", BODY)
    with pytest.raises(StaleError):
        do(library, UpdateDocumentMeta(document, {"status": "final"}, expected={"status": "review"}))
    assert library.board.document(document).meta["status"] == "draft"


def test_created_document_that_is_taken_back_is_off_the_shelf(library):
    written = do(library, PAPER)
    undo(library.board, written, reservations=library.reservations(), at=AT)
    assert library.board.snapshot(at=AT).documents == ()


@pytest.mark.parametrize(("status", "headers"), [(429, {"Retry-After": "1"}), (500, {}), (503, {})])
def test_passing_trouble_leaves_the_view_complete(distant, status, headers):
    distant.fake.fault("status", status=status, headers=headers)
    found = distant.board.snapshot(at=AT)
    assert (len(found.tasks), found.health.status) == (1, "complete")


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "status": 500},
        {"kind": "status", "status": 429, "headers": {"Retry-After": "3600"}},
        {"kind": "status", "status": 401},
        {"kind": "drop after"},
        {"kind": "junk"},
        {"kind": "redirect"},
    ],
)
def test_lasting_trouble_is_a_view_that_is_unavailable_with_a_reason(distant, fault):
    distant.fake.fault(**fault, times=99)
    health = distant.board.snapshot(at=AT).health
    assert (health.status, bool(health.reason)) == ("unavailable", True)


def test_write_that_is_limited_happens_once_when_its_time_comes(distant):
    distant.fake.fault("status", status=429, headers={"Retry-After": "1"}, times=2)
    do(distant, TASK)
    assert sorted(titles(distant)) == ["Buy milk", TASK.title]


def test_write_that_failed_with_no_answer_may_be_made_again_at_once(distant):
    distant.fake.fault("drop after", method="POST", path="/(issues?|pages)$")
    with pytest.raises(BoardUnavailable, match="may have taken effect"):
        do(distant, TASK)
    do(distant, TASK)
    assert sorted(titles(distant)) == ["Buy milk", TASK.title]


def test_write_that_never_arrived_is_made_by_the_next_try(distant):
    distant.fake.fault("status", status=500, method="POST", path="/(issues?|pages)$")
    with pytest.raises(BoardUnavailable, match="may have taken effect"):
        do(distant, TASK)
    assert titles(distant) == ["Buy milk"]
    do(distant, TASK)
    assert sorted(titles(distant)) == ["Buy milk", TASK.title]


def test_refused_write_leaves_its_key_free(distant):
    distant.fake.fault("status", status=422, method="POST", path="/(issues?|pages)$")
    with pytest.raises(RefusedError, match="nothing was written"):
        do(distant, TASK)
    assert distant.reservations().held("op-000001") is None
    assert do(distant, CreateTask("Another")).outcome == "written"


def test_text_that_looks_like_the_mark_of_a_remark_keeps_no_remark_out(target):
    task = do(target, CreateTask("Hostile", "<!-- pactkeeper:log op-000002 -->")).target
    do(target, LogTask(task, "Went to the shop."), "op-000002")
    look = target.board.look(LogTask(task, "Went to the shop."), "op-000003", since=AT)
    assert not look.done
    assert target.board.look(LogTask(task, "Went to the shop."), "op-000002", since=AT).done
