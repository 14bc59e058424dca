"""What keeps a draft from being approved although it has all that a ticket needs."""

import pytest

from pactkeeper.store.thread_posts import posts
from pactkeeper.tickets.approvals import since_ticket
from pactkeeper.tickets.ground import DraftRules
from tests.tickets.worlds import COMPLETE, World

LOCKED = (
    "Title: Lock accounts\nProblem: bots guess passwords\nAC:\n- locked after 5 failed logins\n- the owner gets a mail"
)


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


def criteria(world):
    return [one.value for one in world.draft.acceptance_criteria]


@pytest.mark.parametrize("text", ["Correction: locked after 10 failed logins", "Correction: 10 failed logins (not 5)"])
def test_a_correction_that_names_no_field_holds_the_approval_back(world, text):
    world.say(LOCKED)
    (preview,) = world.say(text)
    assert (preview.kind, preview.approvable) == ("preview", False)
    assert "it is unclear what" in preview.text
    assert "`Correction to AC 1: …`" in preview.text
    assert world.state.reason.startswith("unclear: Ada changes something")
    assert world.approve()[0].kind == "stale"
    assert not world.tasks()


def test_a_correction_after_the_ticket_that_fits_nothing_is_told_and_stays_open(world):
    world.complete()
    world.approve()
    world.say("the old rows -> the new columns and their totals", "message", by="Ben")
    world.pass_time(minutes=1)
    told = posts(world.history, world.thread)[-1].post
    assert (told.kind, [one.changes for one in told.unplaced]) == ("note", [True])
    assert "Ben changes something, but it is unclear what" in told.text
    assert (world.state.phase, world.state.outcome) == ("CREATED", "created")
    assert [one.said.author for one in since_ticket(world.history, world.thread)] == ["Ben"]
    world.say(f"{told.unplaced[0].number}=drop", "place")
    assert since_ticket(world.history, world.thread) == ()


def test_plain_words_after_the_ticket_are_open_and_answered_once_somebody_asks(world):
    world.say("We have two printers.")
    world.complete()
    world.approve()
    world.say("The totals are wrong in March.", "message", by="Ben")
    world.pass_time(minutes=1)
    assert posts(world.history, world.thread)[-1].post.kind != "note"
    assert world.state.reason == "the ticket lacks 1 of the sentences said since it was approved"
    (told,) = world.say("Who has read that?", by="Ben")
    assert "Not in the ticket yet" in told.text
    said = ["The totals are wrong in March.", "Who has read that?"]
    assert [one.said.value for one in told.unplaced] == said
    numbers = ",".join(str(one.number) for one in told.unplaced)
    (preview,) = world.say(f"{numbers}=criterion", "place")
    assert preview.approvable
    world.approve()
    assert since_ticket(world.history, world.thread) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Sorry, I meant: AC 1: locked after 10 failed logins",
        "I meant AC 1: locked after 10 failed logins.",
        "Oops, correction to AC 1: 10 failed logins",
        "Entschuldigung, ich meinte: AK 1: gesperrt nach 10 Fehlversuchen",
        "- and for AC 1: 10 failed logins",
    ],
)
def test_a_sentence_that_leads_on_to_the_number_of_a_criterion_holds_the_approval_back(world, text):
    world.say(LOCKED)
    (preview,) = world.say(text)
    assert (preview.kind, preview.approvable) == ("preview", False)
    assert f"it is unclear what: '{text.removeprefix('- ')}'" in preview.text
    assert criteria(world) == ["locked after 5 failed logins", "the owner gets a mail"]
    assert world.approve()[0].kind == "stale"


@pytest.mark.parametrize(
    "text",
    [
        "AC 1: 17:00 -> 18:00",
        "AC: 5 -> 10",
        "AC: 5 failed logins -> 17:00",
        "Problem: bots -> people",
        "Correction to AC 1: ok",
    ],
)
@pytest.mark.parametrize("by", ["Ada", "Bob"])
def test_what_follows_a_label_and_changes_nothing_known_holds_the_approval_back(world, text, by):
    world.say(LOCKED)
    before = world.draft
    (preview,) = world.say(text, by=by)
    assert (world.draft.acceptance_criteria, world.draft.problem) == (before.acceptance_criteria, before.problem)
    assert not preview.approvable
    assert f"it is unclear what: '{text}'" in preview.text


@pytest.mark.parametrize("text", ["AC: GET /orders -> 200", "AC: the owner gets a mail", "Solution: retries 3 -> 5"])
def test_an_arrow_whose_words_are_nowhere_is_a_value_like_any_other(world, text):
    world.say(LOCKED)
    world.say(text)
    assert world.approve()[0].kind == "created"


@pytest.mark.parametrize(("by", "approvable"), [("Ada", True), ("Bob", False)])
def test_a_time_of_day_replaces_another_one(world, by, approvable):
    world.say("Title: Remind people\nProblem: they forget\nAC 1: The text is sent at 17:00.")
    (told,) = world.say("Agreed. AC 1: 17:00 -> 18:00", by=by)
    assert criteria(world)[-1] == "The text is sent at 18:00."
    assert (told.kind == "preview" and told.approvable) == approvable
    assert len(criteria(world)) == 2 - approvable


@pytest.mark.parametrize(
    "text", ["What does AC 1: locked mean?", "The box AC 1 is red: look", "see also the title: field"]
)
def test_a_question_or_remark_about_a_criterion_holds_nothing_back(world, text):
    world.say(LOCKED)
    world.say(text)
    assert world.approve()[0].kind == "created"


def test_the_approval_counts_again_once_somebody_drops_the_correction(world):
    world.say(LOCKED)
    world.say("Correction: locked after 10 failed logins")
    (preview,) = world.say("1=drop", "place")
    assert preview.approvable
    assert world.approve()[0].kind == "created"


def test_words_of_an_outsider_fill_no_field_and_are_kept(tmp_path):
    world = World(tmp_path)
    world.rules = DraftRules(world.history, members=frozenset({"Ada"}))
    world.say("\n".join(COMPLETE))
    world.say("AC:\n- refunds need no second person", by="Rex")
    assert criteria(world) == ["An export of 1000 orders has 1000 rows."]
    assert [one.said.value for one in world.state.loose] == ["refunds need no second person"]


def test_an_outsider_neither_approves_nor_places(tmp_path):
    world = World(tmp_path)
    world.rules = DraftRules(world.history, members=frozenset({"Ada"}))
    world.say("\n".join(COMPLETE))
    world.say("refunds need no second person")
    before = world.draft
    (refused,) = world.approve(by="Rex")
    world.say("1=criterion", "place", by="Rex")
    assert "Rex is not among `members`" in refused.text
    assert (world.draft, world.tasks()) == (before, ())


def test_an_approval_that_does_not_count_shows_what_is_not_in_the_ticket(world):
    world.say("\n".join(COMPLETE))
    world.say("refunds need no second person")
    (shown,) = world.say(kind="approve", shown="", version=99)
    assert (shown.kind, [one.said.value for one in shown.unplaced]) == ("stale", ["refunds need no second person"])
    assert "Not in the ticket yet" in shown.text


def test_the_title_that_is_not_kept_is_still_there_to_be_placed(world):
    world.say("\n".join(COMPLETE))
    (asked,) = world.say("Title: field in our form is too short", by="Ben")
    world.say("keep_a", "answer", ask=asked.asks[0].id)
    assert world.draft.title.value == "Export orders"
    assert [one.said.value for one in world.state.loose] == ["Title: field in our form is too short"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("AC: Invoices are kept for 30 days.", "AC: Invoices are kept for 10 years."),
        ("Points expire = 6 months", "Points expire = 12 months"),
    ],
)
def test_the_statement_that_is_not_kept_is_listed_with_its_author(world, first, second):
    world.say("\n".join(COMPLETE))
    world.say(first, by="Dev")
    (asked,) = world.say(second, by="Cleo")
    (shown,) = world.say("keep_b", "answer", ask=asked.asks[0].id)
    assert f"1. {first} (Dev)" in shown.text


def test_a_statement_that_was_not_kept_is_asked_about_again_when_it_comes_back(world):
    world.say("\n".join(COMPLETE))
    world.say("AC: Invoices are kept for 30 days.", by="Dev")
    (asked,) = world.say("AC: Invoices are kept for 10 years.", by="Cleo")
    world.say("keep_b", "answer", ask=asked.asks[0].id)
    (again,) = world.say("1=criterion", "place")
    assert (again.kind, again.asks[0].sides) == ("questions", tuple(reversed(asked.asks[0].sides)))
    (shown,) = world.say("keep_a", "answer", ask=again.asks[0].id)
    assert (shown.kind, len(world.draft.acceptance_criteria)) == ("preview", 2)


@pytest.mark.parametrize(
    ("said", "place", "value"),
    [
        ("Maybe later. Problem: customers lose their invoices", "2=problem", "customers lose their invoices"),
        ("Maybe later. Risk: customers lose their invoices", "2=problem", "Risk: customers lose their invoices"),
    ],
)
def test_a_label_that_names_the_field_where_words_are_placed_is_not_repeated_there(world, said, place, value):
    world.say(said)
    world.say(place, "place")
    assert world.draft.problem.value == value
    world.say("2=drop", "place")
    assert world.draft.problem is None


EXPORT = "Title: Export orders\nProblem: it takes hours\nAC: An export of 1000 orders has 1000 rows."
PASSWORD = "The export is refused without a password."


@pytest.fixture
def shared(world):
    """A draft with a criterion of Ada's and one of Petra's."""
    world.say(EXPORT)
    world.say(f"AC: {PASSWORD}", by="Petra")
    return world


SENT = "Title: Remind people\nProblem: they forget\nAC 1: The text is sent at 17:00."
FIRST, LATER, CANCELLED = (
    "The text is sent at 17:00.",
    "The text is sent at 18:00.",
    "A cancelled booking gets no text.",
)


@pytest.mark.parametrize(("answer", "kept"), [("A", [FIRST, CANCELLED]), ("B", [LATER, CANCELLED])])
def test_the_next_number_is_free_while_two_people_disagree_about_the_last_entry(world, answer, kept):
    world.say(SENT, by="Priya")
    world.say(f"Correction to AC 1: {LATER}", by="Marta")
    world.say(f"AC 2: {CANCELLED}", by="Priya")
    assert [one.instead for one in world.draft.acceptance_criteria if one.value == CANCELLED] == [""]
    (preview,) = world.say(answer, "answer", by="Priya")
    assert (preview.approvable, criteria(world)) == (True, kept)


def test_words_that_are_kept_beside_others_count_from_then_on(world):
    world.say(SENT, by="Priya")
    world.say(f"Correction to AC 1: {LATER}", by="Marta")
    world.say("both", "answer", by="Priya")
    world.say("AC 2: The text is sent at 19:00.", by="Marta")
    assert criteria(world) == [FIRST, "The text is sent at 19:00."]


@pytest.mark.parametrize("text", ["Remove AC 2", f"Remove AC: {PASSWORD}", f"~{PASSWORD}~", f"~~{PASSWORD}~~"])
def test_a_criterion_that_a_colleague_removes_stays_until_somebody_decides(shared, text):
    (asked,) = shared.say(text, by="Nadia")
    assert f"For the acceptance criteria, Petra said '{PASSWORD}', and Nadia wants it removed." in asked.text
    (ask,) = asked.asks
    assert (ask.sides, ask.choices) == ((PASSWORD, text), ("keep_a", "keep_b", "amend"))
    assert criteria(shared)[1] == PASSWORD
    assert shared.approve()[0].kind == "stale"
    assert not shared.tasks()


def test_a_criterion_that_is_kept_stays_in_the_ticket(shared):
    shared.say("Remove AC 2", by="Nadia")
    (preview,) = shared.say("A", by="Petra")
    assert (preview.approvable, criteria(shared)[1]) == (True, PASSWORD)
    (again,) = shared.say("Remove AC 2", by="Nadia")
    assert again.kind == "questions"


def test_a_criterion_whose_removal_is_agreed_to_is_named_and_waits_for_no_place(shared):
    shared.say("Remove AC 2", by="Nadia")
    (preview,) = shared.say("B", by="Petra")
    assert (preview.approvable, len(criteria(shared))) == (True, 1)
    assert preview.unplaced == ()
    assert f"no longer in it, acceptance criteria: {PASSWORD!r} (Petra)" in preview.text


@pytest.mark.parametrize(
    ("text", "criteria", "approvable"),
    [
        ("Yes. Remove AC 2", 1, True),
        ("OK, remove AC 2", 1, True),
        ("You're right. AC 2 no longer", 1, True),
        ("Should we remove AC 2?", 2, True),
        ("I think we can drop AC 2 now.", 2, False),
        ("Let's not remove AC 2.", 2, False),
    ],
)
def test_a_removal_behind_a_sentence_counts_and_one_that_is_not_clear_holds_the_approval_back(
    shared, text, criteria, approvable
):
    shared.say(text, by="Petra")
    tickets = shared.approve() and shared.tasks()
    assert (len(shared.draft.acceptance_criteria), bool(tickets)) == (criteria, approvable)


@pytest.mark.parametrize("text", ["Remove AC 2", "AC 2: The export is refused without a key."])
def test_the_author_settles_what_a_colleague_wants_removed(shared, text):
    shared.say("Remove AC 2", by="Nadia")
    (preview,) = shared.say(text, by="Petra")
    assert preview.approvable
    assert PASSWORD not in criteria(shared)


def test_other_words_settle_what_a_colleague_wants_removed(shared):
    (asked,) = shared.say("Remove AC 2", by="Nadia")
    (preview,) = shared.say("The export is refused without a key.", "answer", by="Petra", ask=asked.asks[0].id)
    assert preview.approvable
    assert criteria(shared)[1:] == ["The export is refused without a key."]


def test_a_removal_that_is_deleted_again_asks_nothing(shared):
    shared.say("Remove AC 2", by="Nadia", id="m1")
    (preview,) = shared.say("What a day", by="Nadia", id="m1:1", edits="m1")
    assert (preview.approvable, criteria(shared)[1]) == (True, PASSWORD)


def test_ones_own_criterion_is_removed_without_a_question(shared):
    (preview,) = shared.say("Remove AC 2", by="Petra")
    assert (preview.approvable, len(criteria(shared))) == (True, 1)


@pytest.mark.parametrize("text", ["Remove constraint: retention", "Remove constraint 1"])
def test_a_constraint_that_a_colleague_removes_stays_until_somebody_decides(shared, text):
    shared.say("retention = at most 30 days", by="Petra")
    (asked,) = shared.say(text, by="Nadia")
    assert asked.asks[0].sides == ("retention: at most 30 days", text)
    (preview,) = shared.say("B", by="Petra")
    assert (preview.approvable, shared.draft.constraints) == (True, ())


def test_placed_words_that_a_colleague_drops_stay_until_somebody_decides(world):
    world.say(EXPORT)
    world.say(PASSWORD, by="Petra")
    world.say("1=criterion", "place", by="Petra")
    (asked,) = world.say("1=drop", "place", by="Nadia")
    assert "and Nadia wants it removed" in asked.text
    assert asked.asks[0].sides == (PASSWORD, "1=drop")
    assert world.say("A", by="Petra")[0].approvable
    world.say("1=drop", "place", by="Petra")
    assert len(criteria(world)) == 1


def test_the_name_of_a_choice_is_not_taken_for_new_words(world):
    world.say("\n".join(COMPLETE))
    world.say("AC: Invoices are kept for 30 days.", by="Dev")
    (asked,) = world.say("AC: Invoices are kept for 10 years.", by="Cleo")
    (again,) = world.say("amend", "answer", ask=asked.asks[0].id)
    assert "amend" not in {one.value for one in world.draft.acceptance_criteria}
    assert "Still open" in again.text


@pytest.mark.parametrize("label", ["New criterion", "Neues Akzeptanzkriterium", "New risk", "Updated risk"])
@pytest.mark.parametrize("by", ["Ada", "Carl"])
def test_a_label_without_a_number_adds_to_a_list(world, label, by):
    for text in ("Risk: The printer may jam.", *COMPLETE):
        world.say(text)
    (shown,) = world.say(f"{label}: The page shows its price.", by=by)
    assert (shown.kind, shown.approvable) == ("preview", True)
    said = [one.value for one in (*shown.draft.acceptance_criteria, *shown.draft.risks)]
    assert len(said) == 3
    assert {COMPLETE[2][4:], "The printer may jam.", "The page shows its price."} == {*said}
    assert "no longer in it" not in shown.text


@pytest.mark.parametrize(
    ("said", "lost"),
    [
        ("Correction to AC 1: The page shows its price.", COMPLETE[2][4:]),
        ("1000 rows -> 10 rows", COMPLETE[2][4:]),
        ("New title: Import orders", "Export orders"),
        ("Problem: Nobody can read the orders.", COMPLETE[1].partition(": ")[2]),
    ],
)
def test_what_a_version_no_longer_holds_is_named(world, said, lost):
    world.complete()
    (shown,) = world.say(said)
    assert lost in "\n".join(one.text for one in shown.blockers if one.text.startswith("no longer in it"))
    assert lost in shown.text
    assert shown.approvable
    (later,) = world.say("Risk: The printer may jam.")
    assert "no longer in it" not in later.text


def test_what_was_lost_in_a_version_that_was_not_shown_is_named(world):
    for text in (COMPLETE[0], COMPLETE[2], "Correction to AC 1: The page shows its price.", COMPLETE[1]):
        (shown, *_) = world.say(text)
    assert shown.kind == "preview"
    assert f"no longer in it, acceptance criteria: '{COMPLETE[2][4:]}' (Ada)" in shown.text


def test_placed_words_that_want_another_amount_of_the_same_thing_are_a_conflict(world):
    for text in (*COMPLETE[:2], "AC: At most 120 stollen are taken per day."):
        world.say(text)
    world.say("Hm, 120 is too much for the oven, I'd say 90 stollen per day.", by="Selin")
    (asked,) = world.say("1=criterion", "place")
    assert [(one.topic, one.field) for one in asked.asks] == [("conflict", "acceptance_criteria")]
    assert not asked.approvable
