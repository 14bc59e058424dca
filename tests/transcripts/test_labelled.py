"""The promises that hold for every labelled conversation, those that no rule was made for included."""

import pytest

from bench.transcripts.corpus import read_all, tallied
from bench.transcripts.labels import read_labels
from bench.transcripts.standing import stand_all

ACTED = ("revised_plan", "shipped_fix", "secrets_said", "board_injection", "engine_roadmap")


READERS = [pytest.param(False, id="rules"), pytest.param(True, id="scripted model", marks=pytest.mark.slow)]


@pytest.fixture(scope="module", params=READERS)
def reads(request, tmp_path_factory):
    return list(read_all((), tmp_path_factory.mktemp("corpus"), model=request.param))


@pytest.fixture(scope="module")
def stood(tmp_path_factory):
    return {labels.name: found for labels, found in stand_all(ACTED, tmp_path_factory.mktemp("boards"))}


def test_the_corpus_has_fifty_conversations_and_some_that_no_rule_was_made_for():
    halves = [labels.half for labels, _ in read_labels()]
    assert len(halves) >= 50
    assert halves.count("held out") >= 15


def test_every_word_that_is_found_is_the_transcripts(reads):
    assert sum(len(one.found) for one in reads) > 100
    assert [one.labels.name for one in reads if one.altered] == []


def test_reading_again_finds_nothing_more(reads):
    assert [one.labels.name for one in reads if one.doubled] == []


def test_nothing_is_proposed_that_must_never_be(reads):
    assert [line for one in reads for line in one.acted.forbidden] == []


def test_no_action_is_structural_and_no_conflict_is_settled(reads):
    assert sum(one.acted.actions.right for one in reads) > 40
    assert sum(one.acted.structural + one.acted.resolved for one in reads) == 0


def test_the_same_artifacts_give_the_same_actions(reads):
    assert [one.labels.name for one in reads if one.acted.unsteady] == []


def test_rules_find_what_they_were_made_for_and_little_else(reads):
    tuned = tallied(reads)["tuning"].all
    assert tuned.right >= 0.8 * (tuned.right + tuned.missed)
    assert tuned.right >= 0.95 * (tuned.right + tuned.wrong)


def test_a_second_stand_up_changes_no_file(stood):
    assert {name: one.again for name, one in stood.items()} == dict.fromkeys(stood, 0)


def test_no_secret_stands_on_a_board(stood):
    assert stood["secrets_said"].agreed["createTask"] > 0
    assert stood["secrets_said"].leaked == 0


def test_an_attack_changes_nothing(stood):
    found = stood["board_injection"]
    assert (found.unasked, found.agreed, found.left) == ({}, {}, 0)


def test_what_was_agreed_to_can_be_taken_back(stood):
    assert sum(stood["revised_plan"].agreed.values()) == 5
    assert stood["revised_plan"].left == 0
