import pytest

from pactkeeper.intent.ticket import CHOICES, Ask, Conflict, Said
from tests.tickets.threads import Talk

TITLE = Ask("missing", "title", "Title?")
PROBLEM = Ask("missing", "problem", "Problem?")
WHOLE = "Title: Export\nProblem: Clerks copy orders.\nAC: An export holds every order."
CRITERION = Ask("missing", "acceptance_criteria", "Criterion?")


def dispute(field="constraints", sides=("30 days", "14 days"), key="retention"):
    return Ask("conflict", field, "Which one?", "cf-1", sides, CHOICES, key=key)


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("Title: Export orders", "title", "Export orders"),
        ("*Title:* _Export orders_", "title", "Export orders"),
        ("title = Export orders", "title", "Export orders"),
        ("Problem — clerks copy orders", "problem", "clerks copy orders"),
        ("## Problem\nClerks copy orders", "problem", "Clerks copy orders"),
        ("Titel: Bestellungen", "title", "Bestellungen"),
        ("Problème : trop lent", "problem", "trop lent"),
        ("Título: Pedidos", "title", "Pedidos"),
        ("AC 2: An order is shown", "acceptance_criteria", "An order is shown"),
        ("Riesgos: datos antiguos", "risks", "datos antiguos"),
        ("Epic: SHOP-12 (checkout)", "epic_id", "SHOP-12"),
    ],
)
def test_a_label_names_the_field(text, field, value):
    assert Talk(text).values(field) == [value]


def test_a_value_keeps_who_said_it_where_and_in_which_words():
    said = Talk().say("Title: *Export* orders", by="Bob").draft.title
    assert said == Said("Export orders", "Bob", "m1", "https://chat.example/m1", "Title: *Export* orders")


def test_a_paragraph_goes_on_below_its_label():
    talk = Talk("Problem: Clerks copy orders\nby hand.\n\nTitle: Export")
    assert talk.values("problem") == ["Clerks copy orders by hand."]
    assert talk.values("title") == ["Export"]


@pytest.mark.parametrize("mark", ["- ", "* ", "1. ", "2) ", "• ", "- [ ] ", "- [x] "])
def test_items_below_a_label_are_its_values(mark):
    talk = Talk(f"Acceptance criteria:\n{mark}An order is shown\n{mark}An order is kept")
    assert talk.values("acceptance_criteria") == ["An order is shown", "An order is kept"]


def test_boxes_are_criteria_without_a_label():
    assert Talk("- [ ] An order is shown").values("acceptance_criteria") == ["An order is shown"]


def test_a_duty_above_a_list_begins_each_item():
    talk = Talk("The export must:\n- hold all orders\n- name the customer")
    assert talk.values("acceptance_criteria") == [
        "The export must hold all orders",
        "The export must name the customer",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Given a basket\nWhen I pay\nThen an order exists",
        "```\nScenario: paying\n  Given a basket\n  When I pay\n  Then an order exists\n```",
        "Given a basket\nAnd a card\nWhen I pay\nThen an order exists\nBut no receipt",
    ],
)
def test_a_scenario_is_one_criterion(text):
    (criterion,) = Talk(text).values("acceptance_criteria")
    assert criterion.startswith("Given a basket, ")
    assert "when I pay, then an order exists" in criterion


def test_two_scenarios_are_two_criteria():
    text = "Given a\nWhen b\nThen c\nGiven d\nWhen e\nThen f"
    assert Talk(text).values("acceptance_criteria") == ["Given a, when b, then c.", "Given d, when e, then f."]


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("The response time must be under 2 seconds.", ("response time", ["under 2 seconds"])),
        ("report size must not exceed 5 MB", ("report size", ["at most 5 MB"])),
        ("retention: 30 days", ("retention", ["30 days"])),
        ("data must stay in the EU", ("data stay", ["in the EU"])),
        ("Constraints: no downtime", ("downtime", ["no"])),
        ("Constraints:\n- max 5 MB per file", ("file", ["max 5 MB"])),
        ("Die Antwortzeit muss höchstens 2 Sekunden betragen", None),
    ],
)
def test_a_bound_is_a_constraint(text, bound):
    assert Talk(text).bounds == ([bound] if bound else [])


@pytest.mark.parametrize(
    "text",
    [
        "Search results must appear within 2 seconds.",
        "A client should see the order",
        "I think that a client should see the order",
        "Make sure that a client sees the order",
        "it's done when a client sees the order",
        "Die App soll die Bestellung zeigen",
        "Le client doit voir la commande",
        "El cliente debe ver el pedido",
    ],
)
def test_what_must_hold_is_a_criterion(text):
    assert len(Talk(text).values("acceptance_criteria")) == 1


@pytest.mark.parametrize("text", ["We should ask legal", "you must see this movie", "I need to leave"])
def test_duties_of_people_are_no_criteria(text):
    assert Talk(text).values("acceptance_criteria") == []


@pytest.mark.parametrize(
    "text",
    ["hi", "Hello everyone!", "thanks a lot", "+1", "👍", ":tada:", "ok thanks!", "lol", "let me check", "bonjour",
     "Moin zusammen", "gracias", "hello? anyone there?", "@bot", "<@U123> please create a ticket"],
)  # fmt: skip
def test_noise_changes_nothing(text):
    talk = Talk(text)
    assert talk.last.noise
    assert (talk.last.patches, talk.last.unplaced) == ((), ())


@pytest.mark.parametrize(
    "text",
    [
        "> Title: Export",
        "On Tue, 3 Mar 2026, Bob wrote:\n> Title: Export",
        "```\nTitle: Export\n```",
        "&gt; Title: Export",
    ],
)
def test_words_of_others_and_code_are_not_taken_for_the_speakers(text):
    assert Talk(text).last.patches == ()


def test_a_bot_says_nothing():
    assert Talk().say("Title: Export", bot=True).last.patches == ()


def test_two_people_who_disagree_are_both_held():
    talk = Talk().say("Title: Export", by="Ada").say("Title: Import", by="Bob")
    assert isinstance(talk.draft.title, Conflict)
    assert [one.author for one in talk.draft.title.sides] == ["Ada", "Bob"]


def test_somebody_elses_duty_is_held_beside_a_bound():
    talk = Talk().say("retention: 30 days").say("The retention should be 7 days", by="Bob")
    assert talk.bounds == [("retention", ["30 days", "7 days"])]


def test_the_speakers_own_duty_puts_a_bound_right():
    assert Talk("retention: 30 days", "The retention should be 7 days").bounds == [("retention", ["7 days"])]


@pytest.mark.parametrize(
    "text",
    [
        "change the title to Order list",
        "Please rename it to “Order list”",
        "wait, change the title to: Order list",
        "the title should be Order list",
        "let's call it Order list",
        "ändere den Titel zu Order list",
        "change le titre en Order list",
        "cambia el título a Order list",
        "correct the title from Export to Order list",
    ],
)
def test_a_title_is_put_right(text):
    assert Talk("Title: Export", text).values("title") == ["Order list"]


@pytest.mark.parametrize(
    "text",
    [
        "actually it's 14 days, not 30",
        "not 30 but 14 days",
        "sorry, I meant 14 days",
        "make that 14 days",
        "14 days instead of 30 days",
        "change the retention to 14 days",
        "nicht 30, sondern 14 Tage",
    ],
)
def test_an_amount_is_put_right(text):
    ((key, values),) = Talk("retention: 30 days", text).bounds
    assert key == "retention"
    assert values[0] in {"14 days", "14 Tage"}


def test_an_amount_that_could_be_any_of_several_puts_none_right():
    talk = Talk("Constraints:\n- retention: 30 days\n- trial: 7 days", "actually 14 days")
    assert talk.bounds == [("retention", ["30 days"]), ("trial", ["7 days"])]
    assert [one.text for one in talk.last.unplaced] == ["actually 14 days"]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("drop the second criterion", ["One is shown", "Three is shown"]),
        ("remove AC 1 please", ["Two is shown", "Three is shown"]),
        ("forget the last criterion", ["One is shown", "Two is shown"]),
        ("change the first criterion to: Nil is shown", ["Nil is shown", "Two is shown", "Three is shown"]),
        ("drop the criterion about two", ["One is shown", "Three is shown"]),
        ("drop the ninth wave", ["One is shown", "Two is shown", "Three is shown"]),
    ],
)
def test_a_criterion_is_named_by_its_place_or_its_words(text, left):
    talk = Talk("AC:\n- One is shown\n- Two is shown\n- Three is shown", text)
    assert talk.values("acceptance_criteria") == left


def test_a_sentence_about_the_product_corrects_no_field():
    talk = Talk("Title: Weekly summary", "The summary must be sent every Monday at 8:00.")
    assert talk.values("title") == ["Weekly summary"]
    assert talk.values("acceptance_criteria") == ["The summary must be sent every Monday at 8:00."]


def test_the_asked_field_is_known():
    talk = Talk("people give up after ten seconds", asks=[PROBLEM])
    assert talk.values("problem") == ["People give up after ten seconds"]
    assert talk.last.answered == (PROBLEM.id,)


def test_one_message_answers_several_questions():
    talk = Talk("1. Faster search\n2. People give up.\n3. Results are shown at once.", asks=[TITLE, PROBLEM, CRITERION])
    assert [talk.values(one) for one in ("title", "problem", "acceptance_criteria")] == [
        ["Faster search"],
        ["People give up."],
        ["Results are shown at once."],
    ]
    assert set(talk.last.answered) == {TITLE.id, PROBLEM.id, CRITERION.id}


def test_labels_answer_the_questions_about_their_fields():
    talk = Talk("problem: people give up\ntitle: Faster search", asks=[TITLE, PROBLEM, CRITERION])
    assert set(talk.last.answered) == {TITLE.id, PROBLEM.id}


@pytest.mark.parametrize(
    "text", ["I don't know", "no idea yet", "Keine Ahnung", "je ne sais pas", "no sé", "not sure yet"]
)
def test_not_knowing_is_an_answer(text):
    talk = Talk(text, asks=[PROBLEM])
    assert [one.field for one in talk.draft.unknown] == ["problem"]
    assert talk.last.answered == (PROBLEM.id,)


@pytest.mark.parametrize("text", ["ok", "let me check", "thanks", "hm"])
def test_noise_answers_no_question(text):
    assert Talk(text, asks=[PROBLEM]).last.answered == ()


def test_a_question_back_is_no_answer():
    talk = Talk("what do you mean by that?", asks=[PROBLEM])
    assert talk.draft.problem is None
    assert talk.last.answered == ()


def test_a_remark_of_somebody_else_does_not_answer():
    talk = Talk("it depends on the billing team", asks=[PROBLEM])
    assert (talk.values("dependencies"), talk.draft.problem) == (["the billing team"], None)
    assert talk.last.answered == ()


@pytest.mark.parametrize(
    ("text", "value", "choice"),
    [
        ("30 days", "30 days", "keep_a"),
        ("the first one", "30 days", "keep_a"),
        ("keep B", "14 days", "keep_b"),
        ("let's go with 14 days", "14 days", "keep_b"),
        ("neither, 20 days", "20 days", "amend"),
    ],
)
def test_a_reply_settles_a_conflict(text, value, choice):
    talk = Talk().say("retention: 30 days").say("retention: 14 days", by="Bob")
    talk.asks = [dispute()]
    talk.say(text)
    assert talk.bounds == [("retention", [value])]
    assert [(one.conflict, one.choice) for one in talk.draft.settled] == [("cf-1", choice)]


def test_both_sides_may_stay():
    talk = Talk().say("retention: 30 days").say("retention: 14 days", by="Bob")
    talk.asks = [dispute()]
    assert talk.say("both").bounds == [("retention", ["30 days", "14 days"])]


def test_a_settled_bound_puts_right_the_criterion_that_denied_it():
    talk = Talk("retention: 30 days\nAC: The retention of logs ends after 14 days.")
    talk.asks = [dispute()]
    talk.say("A")
    assert talk.values("acceptance_criteria") == ["The retention of logs ends after 30 days."]


def test_words_that_no_rule_places_are_left_over():
    talk = Talk("Purple elephants dance.")
    assert [one.text for one in talk.last.unplaced] == ["Purple elephants dance."]
    assert not talk.last.noise


def test_reading_a_message_again_changes_nothing():
    talk = Talk("Title: Export\nProblem: Slow\nAC:\n- One is shown\nConstraints:\n- retention: 30 days\nRisks: rain")
    before = talk.draft
    assert (
        talk.say("Title: Export\nProblem: Slow\nAC:\n- One is shown\nConstraints:\n- retention: 30d\nRisks: rain").draft
        is before
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "- ",
        ">",
        "```",
        "```\n",
        ":",
        "**",
        "#",
        "1.",
        "Title:",
        "\x00",
        "Title: \x00",
        "((((" * 2000,
        "<@U1> " * 2000,
        "please " * 2000,
    ],
)
def test_odd_messages_are_read_without_complaint(text):
    assert Talk(text).draft.title is None or "\x00" in text


def test_a_bound_is_denied_in_whatever_words():
    talk = Talk(WHOLE, "Password length must be at least 12 characters").say("I'd say password length 8", by="Bob")
    assert talk.bounds == [("Password length", ["at least 12 characters", "8"])]


def test_a_criterion_is_denied_in_whatever_words():
    talk = Talk(WHOLE, "AC: Guests can download reports.").say("guests cannot download reports", by="Bob")
    assert talk.values("acceptance_criteria")[-1] == "guests cannot download reports"


def test_one_sentence_answers_the_first_of_several_questions():
    talk = Talk("the list of cases is there after 40 s of looking at it", asks=[PROBLEM, CRITERION])
    assert (talk.last.answered, talk.values("acceptance_criteria")) == ((PROBLEM.id,), [])


def test_a_bound_stays_one_where_criteria_were_asked_for():
    talk = Talk("retention: 10 years", "The retention must be 6 years", asks=[CRITERION])
    assert talk.bounds == [("retention", ["6 years"])]
    assert talk.values("acceptance_criteria") == []


def test_a_duty_with_an_amount_answers_the_question_for_criteria():
    talk = Talk("The response time must be under 2 seconds", asks=[CRITERION])
    assert talk.values("acceptance_criteria") == ["The response time must be under 2 seconds"]
