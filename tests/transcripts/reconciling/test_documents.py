import pytest

from pactkeeper.boards.sections import with_section
from pactkeeper.intent.routing import Routing
from pactkeeper.ledger.question import Answer
from pactkeeper.transcripts.reconciling.proposing import phantoms
from tests.transcripts.worlds import AWAY, NOW, document, outcomes, proposed, reasons, seen, spoken, task, verbs, world

WORDS = "We compared what clients do to mails in dark mode, and what other senders do about it. " * 7
RECOMMENDED = f"""# Gmail dark mode research

{WORDS}
| client | inverts |
|---|---|
| iOS | everything |

## Recommendations

1. Put logos on a plate of their own
2. Test mails on iOS before campaigns
"""


def analysis(text=RECOMMENDED, title="Gmail dark mode research", kind="analysis", **fields):
    return seen(spoken(kind, title, text.strip(), **fields))


def created(found):
    return next(one.op for one in found.actions if one.verb == "createDocument")


def test_reasons_become_one_document_and_recommendations_tasks_that_name_each_other():
    found = proposed(analysis())
    assert verbs(found) == [
        ("createDocument", "Research: Gmail dark mode research"),
        ("createTask", "Put logos on a plate of their own"),
        ("createTask", "Test mails on iOS before campaigns"),
    ]
    why, *tasks = (one.op for one in found.actions)
    assert all(why.id in one.depends_on and one.payload["document"] == why.target for one in tasks)
    assert all("Research: Gmail dark mode research" in one.payload["body"] for one in tasks)
    assert why.payload["tasks"] == [one.target for one in tasks]
    assert all(f"- {one.payload['title']}\n" in why.payload["body"] for one in tasks)


def test_a_document_holds_every_word_after_a_line_that_says_where_it_is_from():
    op = created(proposed(analysis()))
    assert op.payload["body"].startswith("> [daemon] From a conversation with a coding agent of 2026-03-01; who had it")
    assert RECOMMENDED.strip() in op.payload["body"]
    assert op.payload["section"] == "Research"


def test_a_document_of_that_name_is_enriched_and_no_second_one_made():
    there = document("Research: Gmail dark mode research", "Old words.", name="D-7")
    found = proposed(analysis(), world=world(there))
    assert [one.verb for one in found.actions] == ["enrichDocument", "createTask", "createTask"]
    op = found.actions[0].op
    assert (op.payload["document"], op.precondition) == ("D-7", None)
    assert RECOMMENDED.strip() in op.payload["text"]


def test_a_document_that_holds_every_word_is_left_alone():
    there = document("Research: Gmail dark mode research", f"Before.\n\n{RECOMMENDED}\nAfter.")
    tasks = (task("Put logos on a plate of their own", "T-1"), task("Test mails on iOS before campaigns", "T-2"))
    found = proposed(analysis(), world=world(there, *tasks))
    assert found.actions == ()
    assert {outcome for outcome, _ in outcomes(found)} == {"exists"}


def test_a_document_that_was_made_of_an_artifact_is_found_again_whatever_it_is_called():
    said = analysis(title="Research: Gmail dark mode research")
    body = created(proposed(said)).payload["body"]
    tasks = (task("Put logos on a plate of their own", "T-1"), task("Test mails on iOS before campaigns", "T-2"))
    for title in ("Research: Gmail dark mode research", "Something else"):
        found = proposed(said, world=world(document(title, body), *tasks))
        assert (found.actions, found.patch.questions) == ((), ())


def test_a_section_prefix_in_what_was_said_does_not_make_another_document():
    there = document("Research: Gmail dark mode", "Old words.", name="D-7")
    found = proposed(analysis(title="Research: Gmail dark mode"), world=world(there))
    assert found.actions[0].op.payload["document"] == "D-7"


def test_a_second_time_only_our_own_section_is_renewed():
    first = proposed(analysis(), world=world(document("Gmail dark mode research", "Old.")))
    said = first.actions[0].op.payload
    body = with_section("Old.\n", mark=said["mark"], key="op-3f9a2b20", heading=said["heading"], text=said["text"])
    later = RECOMMENDED.replace("iOS | everything", "iOS | almost everything")
    found = proposed(analysis(later), world=world(document("Gmail dark mode research", body)))
    op = found.actions[0].op
    assert (op.verb, op.target) == ("enrichDocument", first.actions[0].op.target)
    assert op.precondition is not None
    assert op.payload["old"] == said["text"].strip("\n")


def test_a_section_that_a_person_edited_is_theirs():
    first = proposed(analysis(), world=world(document("Gmail dark mode research", "Old.")))
    said = first.actions[0].op.payload
    body = with_section("Old.\n", mark=said["mark"], key="op-3f9a2b20", heading="Mine", text="Other words.")
    edited = body.replace("Other words.", "My words.")
    found = proposed(analysis(), world=world(document("Gmail dark mode research", edited)))
    assert "enrichDocument" not in [one.verb for one in found.actions]
    assert any("a person edited" in reason for reason in reasons(found))


def test_a_document_that_may_be_the_same_is_asked_about():
    found = proposed(analysis(), world=world(document("Dark mode in Gmail and Outlook", "Old.")))
    assert [one.kind for one in found.patch.questions] == ["same_work"]
    assert "createDocument" not in [one.verb for one in found.actions]
    assert [one.verb for one in found.actions] == ["createTask", "createTask"]


def test_the_active_context_and_the_archive_are_no_targets():
    there = (
        document("Gmail dark mode research", "Old.", section="Archive", name="D-1"),
        document("Active Context", "We send mails.", section="Strategy", name="D-2"),
    )
    found = proposed(analysis(title="Gmail dark mode research"), analysis(title="Active Context"), world=world(*there))
    assert {one.op.payload.get("document") for one in found.actions if one.verb == "enrichDocument"} == set()


@pytest.mark.parametrize(
    ("title", "section"),
    [
        ("Positioning: why we are here", "Strategy"),
        ("Billing playbook", "Operations"),
        ("Onboarding feature spec", "Product"),
        ("User interview themes", "Research"),
        ("Interview synthesis: onboarding", "Research"),
        ("Onboarding: what interviews say", "Product"),
    ],
)
def test_the_table_of_the_design_routes_documents(title, section):
    assert created(proposed(analysis(WORDS, title))).payload["section"] == section


def test_a_document_that_belongs_nowhere_is_asked_about_and_goes_where_somebody_said():
    asked = proposed(analysis(WORDS, "Colours"))
    (question,) = asked.patch.questions
    assert question.options == ("Strategy", "Operations", "Product", "Research")
    answers = {question.id: Answer(question.id, "Product", "person", "ada", NOW)}
    assert created(proposed(analysis(WORDS, "Colours"), world=world(answers=answers))).payload["section"] == "Product"


def test_what_is_short_is_no_document():
    found = proposed(analysis("# Market research\n\nNothing new.", "Market research"))
    assert found.actions == ()
    assert any("500" in reason for reason in reasons(found))


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("It includes a table.", ("table",)),
        ("It includes a table.\n\n| a |\n|---|", ()),
        ("See the appendix.", ("appendix",)),
        ("See the appendix.\n\n## Appendix\n\nHere.", ()),
        ("As in section “Costs”.\n\n## Costs\n\n3", ()),
        ("As in section “Costs”.", ("section “Costs”",)),
        ("It contains two architecture diagrams.", ("diagrams",)),
        ("A table would help.", ()),
    ],
)
def test_nothing_is_promised_that_is_not_there(text, missing):
    assert phantoms(text) == missing


def test_a_document_that_promises_what_it_lacks_is_not_proposed():
    found = proposed(analysis(f"# Market research\n\n{WORDS}\nThis includes a diagram.", "Market research"))
    assert found.actions == ()
    assert any("diagram" in reason for reason in reasons(found))


def test_what_the_session_wrote_down_itself_is_left_alone():
    found = proposed(analysis(persistence="persisted", evidence="Write c1: 100 % of its lines"))
    assert (found.actions, outcomes(found)) == ((), [("exists", "Gmail dark mode research")])


def test_a_board_without_documents_gets_none():
    made = world()
    board = made.boards["home"]
    plain = type(board)("home", board.snapshot, board.writes - {"createDocument", "enrichDocument"})
    found = proposed(analysis(), world=type(made)(NOW, made.routing, {"home": plain}, health=made.health))
    assert verbs(found)[0][0] == "createTask"
    assert "the board 'home' cannot take createDocument" in reasons(found)


def test_nothing_is_missing_from_documents_that_could_not_be_read():
    found = proposed(analysis(), health=AWAY)
    assert (found.actions, found.patch.questions, outcomes(found)) == ((), (), [])


def test_a_closed_section_of_the_settings_gets_nothing():
    routing = Routing(tasks="home", documents="home", never=("Archive", "Research"))
    found = proposed(analysis(WORDS, "User interview themes"), world=world(routing=routing))
    assert found.actions == ()
