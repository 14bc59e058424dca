from dataclasses import replace

import pytest

from pactkeeper.intent.ticket import (
    Ask,
    Conflict,
    Draft,
    PlacedValue,
    draft_document,
    evidence,
    read_draft,
    sides_of,
    values_of,
)
from pactkeeper.intent.ticket_patch import DraftPatch, applied_one_by_one, apply
from pactkeeper.ledger.canonical import fields_of, from_fields

EMPTY = Draft("T1")


def said(value, author="Ada", message="m1"):
    return PlacedValue(value, author, message, f"https://chat.example/{message}", value)


def patch(verb, field, value, *, by="Ada", message="m1", **more):
    return DraftPatch(verb, field, said(value, by, message), **more)


def bound(key, value, **more):
    return patch("add", "constraints", value, key=key, **more)


def full():
    return apply(
        EMPTY,
        [
            patch("set", "title", "Export orders"),
            patch("set", "problem", "Clerks copy orders by hand."),
            patch("add", "acceptance_criteria", "An export holds every open order."),
            bound("retention", "30 days"),
            patch("add", "risks", "The disk may fill up."),
            patch("unknown", "epic_id", "no idea"),
        ],
    )


def test_a_second_title_is_held_beside_the_first():
    draft = apply(EMPTY, [patch("set", "title", "Export orders"), patch("set", "title", "Import orders", by="Bob")])
    assert isinstance(draft.title, Conflict)
    assert [(one.value, one.author) for one in draft.title.sides] == [
        ("Export orders", "Ada"),
        ("Import orders", "Bob"),
    ]


def test_a_repeated_fact_changes_nothing():
    draft = full()
    again = [
        patch("set", "title", "export orders.", by="Bob"),
        patch("add", "acceptance_criteria", "an export holds every open order", by="Bob"),
        bound("Retention", "30d"),
    ]
    assert apply(draft, again) is draft


def test_a_third_value_joins_a_conflict_and_a_repeated_side_does_not():
    first = apply(EMPTY, [patch("set", "title", "A"), patch("set", "title", "B"), patch("set", "title", "a")])
    assert len(sides_of(first.title)) == 2
    assert len(sides_of(apply(first, [patch("set", "title", "C")]).title)) == 3


def test_a_correction_takes_the_place_of_a_conflict():
    draft = apply(EMPTY, [patch("set", "title", "A"), patch("set", "title", "B"), patch("correct", "title", "C")])
    assert draft.title == said("C")


def test_a_corrected_criterion_keeps_its_place():
    listed = apply(EMPTY, [patch("add", "acceptance_criteria", text) for text in ("One.", "Two.", "Three.")])
    draft = apply(listed, [patch("correct", "acceptance_criteria", "Deux.", old="two")])
    assert [one.value for one in draft.acceptance_criteria] == ["One.", "Deux.", "Three."]


def test_a_correction_of_what_is_not_there_adds_it():
    draft = apply(EMPTY, [patch("correct", "acceptance_criteria", "Two.", old="One.")])
    assert [one.value for one in draft.acceptance_criteria] == ["Two."]


def test_values_of_one_constraint_that_differ_are_held_as_a_conflict():
    draft = apply(EMPTY, [bound("retention", "30 days"), bound("Retention", "14 days")])
    (constraint,) = draft.constraints
    assert [one.value for one in sides_of(constraint.value)] == ["30 days", "14 days"]


def test_a_least_and_a_most_of_one_thing_stand_side_by_side():
    draft = apply(EMPTY, [bound("password length", "at least 12"), bound("password length", "at most 64")])
    assert [sides_of(one.value)[0].value for one in draft.constraints] == ["at least 12", "at most 64"]


def test_a_corrected_constraint_is_found_by_its_old_value():
    draft = apply(EMPTY, [bound("retention", "30 days"), patch("correct", "constraints", "14 days", old="30d")])
    assert [(one.key, sides_of(one.value)[0].value) for one in draft.constraints] == [("retention", "14 days")]


def test_a_retracted_side_ends_a_conflict():
    draft = apply(EMPTY, [bound("retention", "30 days"), bound("retention", "14 days")])
    after = apply(draft, [patch("retract", "constraints", "14 days", key="retention", old="14 days")])
    assert after.constraints[0].value == said("30 days")


def test_a_retraction_of_what_is_not_there_does_nothing():
    draft = full()
    assert apply(draft, [patch("retract", "risks", "x", old="The moon falls.")]) is draft
    assert apply(draft, [patch("retract", "constraints", "x", old="14 days")]) is draft


def test_a_retracted_field_is_empty():
    draft = apply(full(), [patch("retract", "problem", "forget it"), patch("retract", "constraints", "forget them")])
    assert draft.problem is None
    assert draft.constraints == ()


def test_what_nobody_knew_is_known_once_it_is_said():
    draft = full()
    assert [one.field for one in draft.unknown] == ["epic_id"]
    assert apply(draft, [patch("set", "epic_id", "SHOP-1")]).unknown == ()


def test_a_word_on_a_conflict_replaces_an_earlier_one():
    draft = apply(EMPTY, [patch("settle", "title", "both", key="c1"), patch("settle", "title", "keep_a", key="c1")])
    assert [(one.conflict, one.choice) for one in draft.settled] == [("c1", "keep_a")]


def test_only_a_choice_settles():
    with pytest.raises(ValueError, match="'perhaps' settles nothing; choose one of keep_a"):
        patch("settle", "title", "perhaps", key="c1")


def test_a_constraint_without_a_key_stands_beside_others_and_counts_once():
    sentence = DraftPatch("add", "constraints", said("It must work offline."))
    other = DraftPatch("add", "constraints", said("Names stay in the EU."))
    draft = apply(Draft("T1"), [sentence, other, sentence])
    assert [getattr(one.value, "value", None) for one in draft.constraints] == [
        "It must work offline.",
        "Names stay in the EU.",
    ]


def test_the_version_counts_changes_and_not_patches():
    draft = full()
    assert draft.version == 1
    assert apply(draft, [patch("set", "title", "Export orders")]).version == 1
    assert apply(draft, [patch("add", "risks", "Another one."), patch("add", "risks", "A third one.")]).version == 2


@pytest.mark.parametrize(
    "changed",
    [
        bound("region", "EU"),
        patch("add", "risks", "Another one."),
        patch("unknown", "dependencies", "?"),
        patch("settle", "title", "both", key="c1"),
        patch("correct", "constraints", "30 days", key="retention", status="accepted"),
        patch("add", "evidence_links", "https://wiki.example/a"),
    ],
    ids=lambda one: one.field,
)
def test_the_hash_covers_everything_that_is_shown(changed):
    draft = full()
    assert apply(draft, [changed]).hash != draft.hash


@pytest.mark.parametrize("part", ["author", "permalink", "quote", "message"])
def test_the_hash_covers_who_said_it_where_and_how(part):
    draft = full()
    assert replace(draft, title=replace(draft.title, **{part: "other"})).hash != draft.hash


def test_the_hash_does_not_depend_on_the_way_that_led_there():
    draft = full()
    there_and_back = apply(apply(draft, [patch("add", "risks", "X.")]), [patch("retract", "risks", "no", old="X.")])
    assert there_and_back.hash == draft.hash
    assert there_and_back.version == draft.version + 2


def test_a_draft_comes_back_from_its_document():
    draft = apply(full(), [patch("set", "title", "Other"), bound("retention", "14 days"), bound("area", "EU")])
    assert read_draft(draft_document(draft)) == draft


def test_a_changed_document_is_refused():
    document = draft_document(full())
    with pytest.raises(ValueError, match="says the hash"):
        read_draft({**document, "risks": []})
    with pytest.raises(ValueError, match="has no 'titel'"):
        read_draft({**document, "titel": ""})


def test_questions_come_back():
    ask = Ask("conflict", "title", "Which one?", "c1", ("A", "B"), ("keep_a", "both"), urgent=True)
    assert from_fields(Ask, fields_of(ask)) == ask


def test_a_question_is_the_same_however_it_is_worded():
    assert Ask("missing", "title", "Title?").id == Ask("missing", "title", "What is the title?").id
    assert Ask("missing", "title", "Title?").id != Ask("missing", "problem", "Title?").id


def test_evidence_names_links_that_were_given_and_where_values_were_said():
    draft = apply(full(), [patch("add", "evidence_links", "https://wiki.example/a", message="m2")])
    assert tuple(evidence(draft)) == ("https://wiki.example/a", "https://chat.example/m1", "https://chat.example/m2")


def test_every_side_of_a_conflict_is_a_value_of_its_field():
    draft = apply(EMPTY, [bound("retention", "30 days"), bound("retention", "14 days"), bound("area", "EU")])
    assert [one.value for one in values_of(draft, "constraints")] == ["30 days", "14 days", "EU"]


def test_each_patch_says_whether_it_changed_anything():
    told = applied_one_by_one(
        EMPTY, [patch("set", "title", "A"), patch("set", "title", "a"), patch("set", "title", "B")]
    )
    assert [changed for _, changed in told] == [True, False, True]
