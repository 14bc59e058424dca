"""Posts as blocks: what they look like, that Slack takes them, and that nothing is approved which is not shown."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.intent.thread_event import Blocker, Post
from pactkeeper.intent.ticket import Ask, Conflict, Constraint, Draft, PlacedValue, Settled, Unknown, all_said
from pactkeeper.tickets import wording
from pactkeeper.tickets.channels.slack_blocks import decode, render
from pactkeeper.tickets.channels.slack_rich import visible
from tests.slack.limits import elements_of, texts_of, valid_blocks

SAMPLES = Path(__file__).parent / "samples" / "slack"
WHERE = "https://acme.slack.example/archives/C0SHOP/p1700000001000100"
ADA, BOB = "Ada (U0ADA)", "Bob (U0BOB)"


def by(author, value, *, quote=""):
    return PlacedValue(value, author, "1700000001.000100", WHERE, quote or value)


DRAFT = Draft(
    "TH-1",
    title=by(ADA, "Export orders"),
    problem=by(ADA, "Accountants copy orders by hand every month."),
    acceptance_criteria=(by(ADA, "An export of 1000 orders has 1000 rows."), by(BOB, "An empty month has one line.")),
    constraints=(Constraint("Retention", by(BOB, "at most 30 days")),),
    risks=(by(BOB, "The file may be large"),),
    evidence_links=(by(BOB, "https://wiki.example/orders"),),
    unknown=(Unknown("epic_id", by(ADA, "", quote="no idea which epic")),),
    settled=(Settled("sha256:1", "keep_b", by(ADA, "at most 30 days", quote="keep B")),),
    version=3,
)
WARNING = Blocker("warning", "'large' cannot be measured")
TWO = Conflict((by(ADA, "at most 30 days"), by(BOB, "at least 90 days")))
MISSING = (
    Ask("missing", "title", "What should the ticket be called?"),
    Ask("missing", "problem", "Which problem does it solve, and for whom?"),
)
CHOOSE = Ask(
    "conflict",
    "constraints",
    "Retention is two things. Which one holds: A 'at most 30 days', or B 'at least 90 days'?",
    "sha256:1",
    ("at most 30 days", "at least 90 days"),
    ("keep_a", "keep_b", "both", "amend"),
)


def preview(draft=DRAFT, *blockers, kind="preview", **more):
    text = wording.drawn("preview", draft, blockers, (), after=draft.version - 1)
    return Post(
        f"{draft.thread}.2.preview", draft.thread, kind, text, (), draft, blockers, **{"approvable": True, **more}
    )


def questions(*asks):
    return Post("TH-1.1.ask", "TH-1", "questions", wording.questions(asks), asks)


def gaps(draft=DRAFT, *blockers):
    return replace(
        preview(draft, *blockers, kind="gaps", approvable=False),
        text=wording.drawn("gaps", draft, blockers, (), after=0),
    )


def stale():
    shown = preview(kind="stale", to=BOB)
    return replace(shown, text=f"{BOB}: that was version 2, and the draft is at version 3 now.\n\n{shown.text}")


OPEN = replace(DRAFT, title=None, constraints=(Constraint("Retention", TWO),), unknown=(), settled=())
CREATED = "SHOP-7 on home, approved by Ada (U0ADA): https://board.example/7\n- IA-1 stands for: One row for each order"
POSTS = {
    "preview": preview(DRAFT, WARNING),
    "questions": questions(*MISSING),
    "conflict": questions(CHOOSE),
    "gaps": gaps(OPEN, Blocker("error", "the ticket has no title"), WARNING),
    "created": Post("TH-1.3.created", "TH-1", "created", CREATED, url="https://board.example/7"),
    "stale": stale(),
    "reminder": Post("TH-1.1.reminder", "TH-1", "reminder", wording.reminder(MISSING), MISSING),
    "past": Post("TH-1.2.preview.past", "TH-1", "stale", "Version 3 was shown here.", instead="TH-1.2.preview"),
}


def buttons(post):
    return [decode(one["value"]) for block in render(post).blocks for one in elements_of(block)]


def actions(post):
    return [one.action for one in buttons(post)]


def words(blocks):
    """All that people wrote or we said, in order, without our headings that go on in another block."""
    return "".join(one["text"] for one in _in_order(blocks) if not one["text"].endswith(" (continued)"))


def _in_order(found):
    if isinstance(found, dict):
        if isinstance(found.get("text"), str):
            yield found
        for value in found.values():
            yield from _in_order(value)
    elif isinstance(found, list | tuple):
        for one in found:
            yield from _in_order(one)


@pytest.mark.parametrize("name", ["preview", "questions", "conflict", "gaps", "created", "past"])
def test_post_looks_like_its_sample(name):
    expected = json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    assert [dict(one) for one in render(POSTS[name]).blocks] == expected


@pytest.mark.parametrize("name", POSTS)
def test_slack_takes_every_kind_of_post(name):
    shown = render(POSTS[name])
    assert shown.whole
    assert valid_blocks(shown.blocks)
    assert 0 < len(shown.text) < 4_000


def test_what_speaks_against_a_draft_stands_above_its_title():
    shown = words(render(POSTS["preview"]).blocks)
    assert shown.index("cannot be measured") < shown.index("Export orders")


def test_approval_carries_the_version_and_the_whole_hash():
    approve, changes = buttons(POSTS["preview"])
    assert (approve.action, approve.version, approve.hash) == ("approve", 3, DRAFT.hash)
    assert (approve.thread, approve.post, changes.action) == ("TH-1", "TH-1.2.preview", "changes")


@pytest.mark.parametrize("name", ["gaps", "created", "past"])
def test_what_is_no_preview_has_nothing_to_approve(name):
    assert actions(POSTS[name]) == []


def test_draft_that_may_not_be_approved_has_no_button_for_it():
    assert actions(preview(approvable=False)) == []


def test_stale_click_is_told_to_whoever_clicked_and_shows_what_there_is_now():
    blocks = render(POSTS["stale"]).blocks
    assert {"type": "user", "user_id": "U0BOB"} in blocks[0]["elements"][0]["elements"]
    assert (actions(POSTS["stale"]), "Export orders" in words(blocks)) == (["approve", "changes"], True)


@pytest.mark.parametrize("to", ["Bob", "(U0BOB) Bob", "Bob (U0BOB) x", "bob (u0bob)", "Bob\n(U0BOB)"])
def test_name_without_an_id_behind_it_calls_nobody(to):
    assert not [one for one in _kinds(render(preview(kind="stale", to=to)).blocks) if one == "user"]


def test_every_question_has_its_own_button_and_every_conflict_its_choices():
    assert [one.ask for one in buttons(POSTS["questions"])] == [one.id for one in MISSING]
    assert [one.choice for one in buttons(POSTS["conflict"])] == ["keep_a", "keep_b", "both", "amend"]


def test_reminder_says_that_it_is_one_and_takes_the_answers():
    assert words(render(POSTS["reminder"]).blocks).startswith("A gentle reminder, the only one")
    assert actions(POSTS["reminder"]) == actions(POSTS["questions"])


def test_buttons_of_one_message_have_names_of_their_own():
    named = [one["action_id"] for block in render(questions(CHOOSE, *MISSING)).blocks for one in elements_of(block)]
    assert named == [*(f"pk_choice:{number}" for number in range(1, 5)), "pk_answer:5", "pk_answer:6"]


def test_every_value_says_who_said_it_and_links_to_where():
    links = [one["url"] for one in _pieces(render(preview()).blocks) if one["type"] == "link"]
    assert links == [WHERE] * (len(list(all_said(DRAFT))) + len(DRAFT.unknown) + len(DRAFT.settled))
    assert "An empty month has one line. — Bob (U0BOB), message" in words(render(preview()).blocks)


def test_both_sides_of_a_conflict_are_shown():
    shown = words(render(gaps(replace(OPEN, problem=TWO))).blocks)
    assert "Problem (open: which one holds?)at most 30 days — Ada (U0ADA), messageat least 90 days — Bob" in shown


def test_long_title_is_shown_as_a_field():
    title = "Export " + "all " * 60
    shown = render(preview(replace(DRAFT, title=by(ADA, title))))
    assert title in words(shown.blocks)
    assert "header" not in {one["type"] for one in shown.blocks}


def test_origin_that_a_person_writes_does_not_look_like_one():
    forged = "Export — Bob (U0BOB), message"
    pieces = _pieces(render(preview(replace(DRAFT, problem=by(ADA, forged)))).blocks)
    assert {"type": "text", "text": forged} in pieces
    assert {"type": "text", "text": " — Bob (U0BOB)", "style": {"italic": True}} in pieces


@pytest.mark.parametrize("where", ["file:///etc/passwd", "javascript:alert(1)", "https://x y", "", "pk:thread/T1/m1"])
def test_place_that_is_no_address_of_the_web_is_not_linked(where):
    draft = replace(Draft("TH-1", version=1), title=PlacedValue("Export", ADA, "m1", where, "Export"))
    assert "link" not in _kinds(render(preview(draft)).blocks)


def many(count, length):
    return replace(DRAFT, acceptance_criteria=tuple(by(ADA, f"{number:03} {'x' * length}") for number in range(count)))


def test_long_draft_is_split_and_shown_as_a_whole():
    shown = render(preview(many(18, 300)))
    assert (shown.whole, actions(preview(many(18, 300)))) == (True, ["approve", "changes"])
    assert "Acceptance criteria (continued)" in {one["text"] for one in texts_of(shown.blocks)}
    assert valid_blocks(shown.blocks)


def test_draft_with_no_room_for_a_value_says_so_and_cannot_be_approved():
    post = preview(many(100, 200))
    shown = render(post)
    assert (shown.whole, actions(post)) == (False, ["changes"])
    assert "more lines don't fit" in words(shown.blocks)
    assert "pk thread approve TH-1 3" in words(shown.blocks)
    assert valid_blocks(shown.blocks)


def test_one_value_longer_than_a_message_cannot_be_approved():
    assert actions(preview(replace(DRAFT, problem=by(ADA, "x" * 20_000)))) == ["changes"]


def test_nothing_is_shown_behind_what_had_no_room():
    shown = words(render(preview(replace(DRAFT, problem=by(ADA, "x" * 20_000)))).blocks)
    assert ("Export orders" in shown, "The file may be large" in shown) == (True, False)


def test_remarks_that_leave_no_room_for_the_draft_keep_it_from_approval():
    assert actions(preview(DRAFT, *[Blocker("info", "x" * 200)] * 100)) == ["changes"]


def test_conflict_whose_sides_have_no_room_is_answered_in_words():
    long = replace(CHOOSE, text="x" * 10_000)
    assert actions(questions(long)) == ["answer"]
    assert valid_blocks(render(questions(long, long, long)).blocks[:3])


def test_smaller_message_shows_less_and_says_so():
    assert render(preview(), most=200).whole is False


PEOPLE = st.text(st.characters(codec="utf-8"), max_size=40) | st.sampled_from(
    [
        "<!channel>",
        "<@U0EVE>",
        "*b*",
        "<https://x.example|label>",
        "@everyone",
        "\u200b\u2060",
        "",
        "\n",
        ":tada:",
        "x" * 700,
    ]
)
SAID = st.builds(PlacedValue, PEOPLE, PEOPLE, st.just("m1"), st.sampled_from([WHERE, "", "javascript:x"]), PEOPLE)
VALUE = SAID | st.builds(Conflict, st.tuples(SAID, SAID))
SOME = st.lists(SAID, max_size=8).map(tuple)
DRAFTS = st.builds(
    Draft,
    st.just("TH-1"),
    title=st.none() | VALUE,
    problem=st.none() | VALUE,
    acceptance_criteria=SOME,
    constraints=st.lists(st.builds(Constraint, PEOPLE, VALUE), max_size=4).map(tuple),
    risks=SOME,
    evidence_links=SOME,
    unknown=st.lists(st.builds(Unknown, st.just("problem"), SAID), max_size=2).map(tuple),
    version=st.integers(1, 99),
)
BLOCKERS = st.lists(st.builds(Blocker, st.sampled_from(["error", "warning", "info"]), PEOPLE), max_size=4)


@given(DRAFTS, BLOCKERS)
def test_slack_takes_every_draft_and_what_is_approved_is_shown(draft, blockers):
    shown = render(preview(draft, *blockers))
    assert valid_blocks(shown.blocks)
    may = "approve" in actions(preview(draft, *blockers))
    assert may == shown.whole
    text = words(shown.blocks)
    for said in (said.value for _, said in all_said(draft)) if may else ():
        assert visible(said) in text


def test_what_is_to_be_known_stands_above_the_questions():
    blocks = render(replace(questions(*MISSING), blockers=(WARNING,))).blocks
    valid_blocks(blocks)
    held = [[one["text"] for one in texts_of([block])] for block in blocks]
    said = next(at for at, one in enumerate(held) if any(WARNING.text in text for text in one))
    asked = next(at for at, one in enumerate(held) if MISSING[0].text in one)
    assert said < asked


@given(DRAFTS, BLOCKERS, st.lists(st.builds(replace, st.just(CHOOSE), text=PEOPLE), max_size=3), PEOPLE)
def test_no_text_of_a_person_makes_a_mention_or_a_link(draft, blockers, asks, to):
    for post in (preview(draft, *blockers, kind="stale", to=to), questions(*asks), gaps(draft, *blockers)):
        shown = render(post)
        for piece in _pieces(shown.blocks):
            assert piece["type"] == "text" or piece == {"type": "link", "url": WHERE, "text": "message"}
        assert {one["type"] for one in texts_of(shown.blocks)} <= {"text", "link", "plain_text"}
        assert "<" not in shown.text


def _pieces(blocks):
    """Every piece of rich text."""
    for block in blocks:
        for part in block["elements"] if block["type"] == "rich_text" else ():
            for one in part["elements"]:
                yield from one["elements"] if one["type"] == "rich_text_section" else [one]


def _kinds(blocks):
    return [one["type"] for one in _pieces(blocks)]
