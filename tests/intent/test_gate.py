from dataclasses import replace

import pytest

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.commitments import new_commitment
from pactkeeper.intent.gate import Gate, gate, refused_words
from pactkeeper.intent.invariants import CommitRequest, Facts, assessor
from pactkeeper.intent.pact import Invariant, Pact
from pactkeeper.intent.quality import AtomWords, assess
from pactkeeper.intent.quality.values import MOST, Dimension, Quality, verdict_of

AT = "2030-01-01T00:00:00+00:00"
GOOD = Atom(
    "IA-1",
    "A login with an expired token is refused.",
    "security",
    ("The response status is 401.",),
    ("A login with an expired token succeeds.",),
)


def a_pact(*atoms: Atom, **changes) -> Pact:
    return Pact(atoms={atom.id: atom for atom in (atoms or (GOOD,))}, **changes)


def scored(language: str = "", **lost: int):
    """A judge of words that takes the named points off, and nothing else."""
    off = {
        name.replace("_", "-") if name != "clear" else "clear success criteria": points for name, points in lost.items()
    }
    dimensions = tuple(Dimension(name, most - off.get(name, 0), most) for name, most in MOST.items())
    score = sum(one.points for one in dimensions)
    return lambda _atom: Quality(score, verdict_of(score), dimensions, language)


def passed(pact: Pact | None = None, *, assess=None, **changes) -> Gate:
    values = {"atoms": ("IA-1",), "by": "Ada <ada@example.org>", "actor": "person", "assurance": "terminal"}
    request = CommitRequest(**{**values, **changes})
    return gate(request, Facts(pact or a_pact(), linked=(), at=AT), assess=assess or scored())


def status(found: Gate, name: str) -> str:
    return next(one.status for one in found.checks if one.invariant == name)


def refused_by(found: Gate) -> list[str]:
    return [one.invariant for one in found.refusals]


def test_good_words_and_a_person_pass():
    found = passed()
    assert found.allowed
    assert refused_by(found) == []
    assert status(found, "quality") == "passed"


def test_to_give_up_takes_a_person_and_the_rules_about_commitments_alone():
    rules = {
        "INV-101": Invariant("INV-101", every="atom", needs={"min_tests": 1}),
        "INV-102": Invariant("INV-102", every="commitment", needs={"by": ("Grace",)}),
    }
    poor = a_pact(replace(GOOD, outcomes=(), falsified_by=()), invariants=rules)
    found = passed(poor, abandons="no use")
    assert [one.invariant for one in found.checks] == ["INV-001", "INV-004", "INV-006", "INV-102"]
    assert refused_by(found) == ["INV-102"]
    assert passed(a_pact(), abandons="no use").allowed
    assert refused_by(passed(a_pact(), abandons="no use", actor="agent")) == ["INV-006"]
    assert refused_by(passed(a_pact(), abandons="no use", assurance=None)) == ["INV-006"]


def test_a_terminal_asserts_who_commits_and_a_signature_shows_it():
    assert status(passed(), "INV-006") == "asserted"
    assert status(passed(assurance="signed"), "INV-006") == "passed"


@pytest.mark.parametrize("actor", ["agent", "ci", "timer"])
def test_nobody_but_a_person_passes_whatever_is_overridden_or_switched_off(actor):
    off = a_pact(invariants={"INV-006": Invariant("INV-006", enabled=False)})
    for pact in (a_pact(), off):
        found = passed(pact, actor=actor, assurance="signed", overrides={"INV-006": "trust me"})
        assert not found.allowed
        assert "INV-006" in refused_by(found)


def test_somebody_of_whom_nothing_is_known_does_not_pass():
    found = passed(assurance=None)
    assert status(found, "INV-006") == "not checked"
    assert refused_by(found) == ["INV-006"]


@pytest.mark.parametrize(("lost", "allowed"), [(20, True), (21, False)])
def test_quality_of_80_is_enough_and_79_is_not(lost, allowed):
    found = passed(assess=scored(implementation_agnostic=min(lost, 8), observable=min(lost - 8, 10), clear=lost - 18))
    assert found.allowed is allowed
    assert status(found, "quality") == ("passed" if allowed else "failed")


@pytest.mark.parametrize(
    ("intent", "refused"),
    [
        ("The list is usually shown fast and handles most errors.", []),
        ("Advice that somebody accepts is only noted.", []),
        ("The list is shown after TBD seconds.", ["INV-003"]),
        ("It is shown after 2 seconds.", ["INV-003"]),
    ],
    ids=["words that are often vague", "a guess at grammar", "a placeholder", "nothing named"],
)
def test_words_are_refused_for_what_is_certain_and_not_for_a_hint(intent, refused):
    pact = a_pact()
    atom = replace(pact.atoms["IA-1"], intent=intent)
    assert assess(AtomWords.of(atom)).deductions != ()
    found = refused_words(replace(pact, atoms={"IA-1": atom}), ("IA-1",), assessor(pact))
    assert [rule for one in found.values() for rule in one if rule != "INV-002"] == refused


def test_low_quality_refuses_by_the_rules_that_it_breaks():
    found = passed(assess=scored(unambiguous=6, clear=15))
    (quality,) = found.refusals
    assert quality.invariant == "quality"
    assert [(one.subject, one.invariant) for one in quality.findings] == [("IA-1", "INV-002"), ("IA-1", "INV-003")]
    assert status(found, "INV-008") == "passed"


@pytest.mark.parametrize(
    "lost", [{"observable": 5}, {"clear": 14, "unambiguous": 4, "observable": 8}, {"unambiguous": 9}]
)
def test_words_are_refused_alone_for_what_the_gate_refuses_them(lost):
    assess = scored(**lost)
    refused = {one.invariant for check in passed(assess=assess).refusals for one in check.findings}
    assert refused_words(a_pact(), ("IA-1",), assess).get("IA-1", {}).keys() == refused


def test_an_override_lifts_the_points_lost_by_the_rule_it_names_and_no_others():
    words = scored(unambiguous=6, clear=15)
    assert passed(assess=words, overrides={"INV-002": "the table of the norm"}).allowed
    assert not passed(assess=scored(unambiguous=6, implementation_agnostic=15), overrides={"INV-002": "no"}).allowed
    assert passed(assess=words, overrides={"INV-002": "x", "INV-003": "y"}).allowed


def test_a_rule_that_is_switched_off_takes_no_points():
    off = a_pact(invariants={"INV-002": Invariant("INV-002", enabled=False)})
    assert passed(off, assess=scored(unambiguous=6, clear=15)).allowed


def test_words_that_no_rule_reads_are_not_checked_and_never_passed():
    found = passed(assess=scored("German", unambiguous=15, observable=25))
    assert status(found, "quality") == "not checked"
    assert found.allowed


def test_a_broken_rule_of_the_project_refuses_until_it_is_overridden():
    rule = Invariant("INV-101", "Security has two tests.", "atom", {"category": ("security",)}, {"min_tests": 2})
    pact = a_pact(invariants={"INV-101": rule})
    assert refused_by(passed(pact)) == ["INV-101"]
    assert passed(pact, overrides={"INV-101": "the tests come with the release"}).allowed
    assert passed(a_pact(invariants={"INV-101": replace(rule, enabled=False)})).allowed
    assert passed(a_pact(invariants={"INV-101": replace(rule, blocking=False)})).allowed


@pytest.mark.parametrize("name", ["INV-001", "INV-004", "INV-006", "INV-008", "INV-999"])
def test_an_override_of_what_nothing_overrides_refuses(name):
    assert "INV-008" in refused_by(passed(overrides={name: "because"}))


def test_an_override_without_a_reason_refuses():
    assert "INV-008" in refused_by(passed(overrides={"INV-002": " "}))


def test_words_that_were_frozen_before_are_not_frozen_otherwise():
    other = replace(GOOD, outcomes=("The response status is 403.",))
    before = new_commitment([other], by="Ada", at=AT, assurance="terminal", overrides={}, after={})
    for switches in ({}, {"INV-004": Invariant("INV-004", enabled=False)}):
        found = passed(a_pact(commitments={before.id: before}, invariants=switches))
        assert refused_by(found) == ["INV-004"]


def test_an_unknown_atom_refuses():
    assert not passed(atoms=("IA-1", "IA-404")).allowed


def test_what_cannot_be_judged_here_is_said_to_be_not_checked():
    found = passed()
    assert {status(found, name) for name in ("INV-007", "INV-009", "R001", "R002", "R005")} == {"not checked"}
