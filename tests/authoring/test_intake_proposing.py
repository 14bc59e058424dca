"""From what was taken in to a patch, held against the catalog."""

import dataclasses

import pytest

from pactkeeper.authoring.source import Shelf, Source, propose
from pactkeeper.authoring.taking import take_in
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.ids import authored_id
from pactkeeper.intent.pact import Pact, Settings
from pactkeeper.ledger.patch import decode_patch, encode_patch

NOTE = "- The total must be shown.\n- The list must be empty.\n"


def shelf(*atoms, settings=None, taken_ids=()):
    pact = Pact(settings=settings or Settings(), atoms={one.id: one for one in atoms})
    return Shelf(pact, frozenset({*pact.atoms, *taken_ids}), topic="docs/note.md", base="abc", source="docs/note.md")


def intake(text, *atoms, **options):
    return propose(take_in(Source("docs/note.md", text)), shelf(*atoms, **options))


def test_op_carries_words_lines_and_source():
    first = intake(NOTE).proposals[0]
    said = first.op.payload
    assert said["sourceSpan"] == {
        "filePath": "docs/note.md",
        "line": 1,
        "endLine": 1,
        "quote": "- The total must be shown.",
    }
    assert (said["source"], said["status"], said["topic"]) == ("intake", "proposed", "docs/note.md")
    assert (said["description"], said["falsifiedBy"]) == ("The total must be shown.", [])
    assert [one.quote for one in first.op.evidence] == ["- The total must be shown."]


def test_patch_survives_writing_and_reading():
    patch = intake(NOTE).patch
    assert decode_patch(encode_patch(patch)) == patch


def test_two_people_who_take_in_one_sentence_get_one_id():
    assert intake(NOTE).proposals[0].op.payload["atomId"] == authored_id("The total must be shown.")


def test_sequential_ids_follow_those_in_use():
    settings = Settings(id_style="sequential", atom_prefix="REQ")
    found = intake(NOTE, settings=settings, taken_ids=("REQ-041",))
    assert [one.op.payload["atomId"] for one in found.proposals] == ["REQ-042", "REQ-043"]


@pytest.mark.parametrize("status", ["draft", "proposed", "abandoned"])
def test_sentence_that_the_catalog_has_is_named_and_not_proposed(status):
    found = intake(NOTE, Atom("IA-1", "the total must be  SHOWN", status=status))
    assert [one.words.intent for one in found.proposals] == ["The list must be empty."]
    (known,) = found.known
    assert (known.atom, known.status, known.span.place) == ("IA-1", status, "docs/note.md:1")


def test_sentence_that_is_nearly_the_same_is_proposed_with_its_like():
    found = intake("- The total must be shown.\n", Atom("IA-1", "The totals are shown."))
    (one,) = found.proposals
    assert [near.atom.id for near in one.alike] == ["IA-1"]
    assert found.known == ()


def test_superseded_atoms_are_no_likes():
    old = Atom("IA-1", "The totals are shown.")
    new = Atom("IA-2", "Something else is said.", supersedes="IA-1")
    assert intake("- The total must be shown.\n", old, new).proposals[0].alike == ()


def test_sentence_said_twice_is_proposed_once_with_both_places():
    (one,) = intake("- The total must be shown.\n\nText.\n\n- The TOTAL must be shown.\n").proposals
    assert [span.start for span in one.spans] == [1, 5]
    assert len(one.op.evidence) == 2


def test_outcomes_of_both_places_are_kept():
    text = "- [ ] The total is shown\n  - the value is 3\n- [ ] The total is shown\n  - the unit is kg\n"
    (one,) = intake(text).proposals
    assert one.words.outcomes == ("The value is 3.", "The unit is kg.")


def test_score_is_told_and_keeps_nothing_out():
    (one,) = intake("- The page must be fast.\n").proposals
    assert one.quality.verdict == "revise"
    assert one.op.payload["qualityScore"] == one.quality.score


def test_vague_words_of_the_project_count():
    settings = dataclasses.replace(Settings(), quality_vague_words=("shown",))
    assert intake(NOTE, settings=settings).proposals[0].quality.score < intake(NOTE).proposals[0].quality.score


def test_category_is_the_one_that_a_tag_names():
    text = "Feature: Login\n\n  @security\n  Scenario: An expired token is refused\n    Then the status is 401\n"
    (one,) = propose(take_in(Source("docs/login.feature", text), feature=True), shelf()).proposals
    assert one.words.category == "security"


def test_each_proposal_is_decided_by_itself():
    first, second = intake("- The order must be paid.\n- An invoice must be sent.\n").proposals
    assert first.op.group != second.op.group


def test_text_without_a_behaviour_gives_an_empty_patch():
    found = intake("# Notes\n\nNothing to see.\n")
    assert (found.patch.ops, found.proposals, len(found.not_taken)) == ((), (), 1)


def test_a_proposal_says_under_which_heading_its_lines_are():
    found = intake("The total must be shown.\n\n## Rejected\n\n- A customer must pay in advance.\n").proposals
    assert [one.under for one in found] == ["", "Rejected"]
    assert [one.op.payload["reasoning"] for one in found] == ["duty", "duty; under 'Rejected'"]
