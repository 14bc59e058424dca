from dataclasses import replace

import pytest

from pactkeeper.intent.commitments import commitment_hash, new_commitment, tips
from pactkeeper.intent.pact import Pact, Settings
from pactkeeper.intent.signatures import Unverified, Verified
from pactkeeper.reconcile.commitments import Base, CommitmentFacts, commitment_findings
from tests.reconcile.worlds import a_commitment, an_abandonment, an_atom

ONE = an_atom("IA-1", outcomes=("The status is 200.",), falsified_by=())
TWO = an_atom("IA-2", "A logout works.", supersedes="IA-1")
VERIFIED = Verified("ada@example.org", "SHA256:x")


def pact_of(*atoms, commitments, **settings):
    return Pact(
        Settings(**settings), {atom.id: atom for atom in atoms}, commitments={one.id: one for one in commitments}
    )


def signed(*atoms, by="Ada <ada@example.org>"):
    at = "2026-01-01T00:00:00+00:00"
    made = new_commitment(atoms, by=by, at=at, assurance="signed", overrides={}, after={})
    return replace(made, signature="…")


def found(pact, known=None):
    return [entry.finding for entry in commitment_findings(pact, known)]


def codes(pact, known=None):
    return [one.code for one in found(pact, known)]


def test_a_commitment_and_its_atom_as_they_were_are_no_finding():
    assert codes(pact_of(ONE, commitments=[a_commitment(ONE)]), CommitmentFacts()) == []


def test_a_changed_atom_shows_what_was_frozen_and_what_is_there():
    pact = pact_of(replace(ONE, intent="A login may work.", outcomes=()), commitments=[a_commitment(ONE)])
    (finding,) = found(pact)
    assert finding.code == "PK201"
    assert finding.evidence[0].quote.splitlines() == [
        "-intent: A login works.",
        "+intent: A login may work.",
        "-outcome: The status is 200.",
    ]


def test_a_removed_atom_shows_the_words_that_were_frozen():
    (finding,) = found(pact_of(commitments=[a_commitment(ONE)]))
    assert finding.code == "PK202"
    assert finding.evidence[0].quote.splitlines()[0] == "-intent: A login works."


def test_tags_origin_and_place_of_a_committed_atom_are_not_frozen():
    moved = replace(ONE, tags=("new",), origin="tests/x.py::y", path="pact/atoms/elsewhere.toml")
    assert codes(pact_of(moved, commitments=[a_commitment(ONE)])) == []


def test_the_same_words_frozen_twice_are_told_once():
    both = [a_commitment(ONE), a_commitment(ONE, by="Bob")]
    assert codes(pact_of(commitments=both)) == ["PK202"]


def test_two_commitments_of_different_words_name_each_other():
    other = replace(ONE, intent="A login may work.")
    first, second = a_commitment(ONE), a_commitment(other)
    (finding,) = found(pact_of(other, commitments=[first, second]))
    assert finding.message == f"differs from what {first.id} froze; the current text was frozen by {second.id}"


def test_a_file_that_says_something_else_than_its_id_is_tampered_with():
    made = replace(a_commitment(ONE), by="Eve <eve@example.org>")
    assert codes(pact_of(ONE, commitments=[made])) == ["PK401"]


@pytest.mark.parametrize(
    ("flaw", "code"),
    [
        ("forged", "PK402"),
        ("expired", "PK403"),
        ("unknown signer", "PK404"),
        ("wrong namespace", "PK405"),
        ("other signer", "PK406"),
    ],
)
def test_every_flaw_of_a_signature_has_its_own_code_and_remedy(flaw, code):
    made = signed(ONE)
    pact = pact_of(ONE, commitments=[made])
    (finding,) = found(pact, CommitmentFacts({made.id: Unverified(flaw, "so", "SHA256:x")}))
    assert finding.code == code
    assert finding.severity == "error"
    assert finding.message.endswith(": so")
    assert "{" not in finding.fix


@pytest.mark.parametrize("flaw", ["expired", "unknown signer", "wrong namespace", "other signer"])
def test_who_signs_the_same_words_again_answers_for_a_signature_that_does_not_hold(flaw):
    old, again = signed(ONE), signed(ONE, by="Bob <bob@example.org>")
    pact = pact_of(ONE, commitments=[old, again])
    assert codes(pact, CommitmentFacts({old.id: Unverified(flaw, "so"), again.id: VERIFIED})) == []
    assert codes(pact, CommitmentFacts({old.id: Unverified("forged", "so"), again.id: VERIFIED})) == ["PK402"]


def test_nothing_is_said_of_signatures_that_nobody_looked_at():
    assert codes(pact_of(ONE, commitments=[signed(ONE)], require_signed=True)) == []


def test_signatures_that_could_not_be_looked_at_are_one_warning_and_an_error_where_required():
    made = [signed(ONE), signed(ONE, by="Bob")]
    known = CommitmentFacts(dict.fromkeys((one.id for one in made), Unverified("not checked", "no ssh-keygen")))
    for required, severity in ((False, "warning"), (True, "error")):
        (finding,) = found(pact_of(ONE, commitments=made, require_signed=required), known)
        assert (finding.code, finding.severity) == ("PK408", severity)
        assert finding.message == "2 signatures were not checked: no ssh-keygen"


def test_an_unsigned_commitment_is_an_error_only_where_signatures_are_required():
    made = a_commitment(ONE)
    assert codes(pact_of(ONE, commitments=[made]), CommitmentFacts()) == []
    assert codes(pact_of(ONE, commitments=[made], require_signed=True), CommitmentFacts()) == ["PK407"]


def test_a_signature_that_holds_for_the_same_words_answers_for_an_unsigned_commitment():
    made, again = a_commitment(ONE, TWO), signed(ONE, TWO)
    pact = pact_of(ONE, TWO, commitments=[made, again], require_signed=True)
    assert codes(pact, CommitmentFacts({again.id: VERIFIED})) == []
    assert sorted(codes(pact, CommitmentFacts({again.id: Unverified("forged", "so")}))) == ["PK402", "PK407"]
    partly = signed(ONE)
    pact = pact_of(ONE, TWO, commitments=[made, partly], require_signed=True)
    assert codes(pact, CommitmentFacts({partly.id: VERIFIED})) == ["PK407"]


def test_a_commitment_that_an_earlier_state_has_and_that_is_gone_is_shown_with_its_content():
    gone = a_commitment(ONE)
    base = Base("commit abc", {gone.id: gone})
    (finding,) = found(pact_of(ONE, commitments=[]), CommitmentFacts(base=base))
    assert (finding.code, finding.subject) == ("PK409", gone.id)
    assert finding.message == "commit abc has this commitment of IA-1, but it is gone"
    assert '-IA-1 = "' in finding.evidence[0].quote


def test_the_fix_of_a_commitment_that_is_gone_names_the_way_to_take_its_promise_back():
    gone = a_commitment(ONE)
    facts = CommitmentFacts(base=Base("commit abc", {gone.id: gone}))
    (finding,) = found(pact_of(ONE, commitments=[]), facts)
    assert "with all of pact/" in finding.fix
    assert finding.fix.endswith("revert code and tests only, then: pk atom supersede IA-1 --intent 'One sentence.'")


def test_a_commitment_that_an_earlier_state_has_otherwise_is_shown_with_the_difference():
    before = a_commitment(ONE)
    now = replace(before, at="2026-02-02T00:00:00+00:00")
    known = CommitmentFacts(base=Base("commit abc", {before.id: before}))
    detail = {one.code: one.evidence[0].quote for one in found(pact_of(ONE, commitments=[now]), known)}
    assert sorted(detail) == ["PK401", "PK410"]
    assert detail["PK410"].splitlines() == ['-at = "2026-01-01T00:00:00+00:00"', '+at = "2026-02-02T00:00:00+00:00"']


def test_another_layout_of_the_same_commitment_is_no_change():
    made = a_commitment(ONE)
    known = CommitmentFacts(base=Base("commit abc", {made.id: replace(made, line=7, path="elsewhere")}))
    assert codes(pact_of(ONE, commitments=[made]), known) == []


def test_a_commitment_that_a_later_one_was_made_on_top_of_is_missed_without_any_history():
    first = a_commitment(ONE)
    later = a_commitment(TWO, after=tips([first]))
    assert codes(pact_of(ONE, TWO, commitments=[first, later])) == []
    (finding,) = found(pact_of(ONE, TWO, commitments=[later]))
    assert (finding.code, finding.subject, finding.about) == ("PK409", first.id, later.id)


def test_a_change_under_a_later_commitment_shows_even_where_the_file_fits_itself():
    first = signed(ONE)
    later = a_commitment(TWO, after={first.id: commitment_hash(first)})
    resigned = replace(first, signature="another")
    assert codes(pact_of(ONE, TWO, commitments=[resigned, later])) == ["PK410"]


def test_a_missing_commitment_is_told_once_however_many_miss_it():
    first = a_commitment(ONE)
    later = [a_commitment(TWO, by=by, after=tips([first])) for by in ("Ada", "Bob")]
    base = Base("commit abc", {first.id: first})
    assert codes(pact_of(ONE, TWO, commitments=later)) == ["PK409"]
    assert codes(pact_of(ONE, TWO, commitments=later), CommitmentFacts(base=base)) == ["PK409"]


def test_a_promise_given_up_since_the_base_is_shown_with_what_it_said():
    made, act = a_commitment(ONE), an_abandonment(ONE, by="Bob", why="no use")
    pact = pact_of(ONE, commitments=[made, act])
    (finding,) = found(pact, CommitmentFacts(base=Base("commit abc", {}, ids=frozenset({made.id}))))
    assert (finding.code, finding.severity, finding.subject, finding.about) == ("PK413", "warning", "IA-1", act.id)
    assert finding.message == "since commit abc, Bob gave up this committed atom: no use"
    assert finding.evidence[0].quote.splitlines()[0] == "-intent: A login works."
    assert codes(pact, CommitmentFacts(base=Base("commit abc", {}, ids=frozenset({made.id, act.id})))) == []
    assert codes(pact) == []


@pytest.mark.parametrize(("first", "then"), [(None, "no use"), ("no use", None)])
def test_a_signature_answers_only_for_the_same_act(first, then):
    typed = an_abandonment(ONE, why=first)
    made = new_commitment(
        [ONE], by="Ada", at=typed.at, assurance="signed", overrides={}, after={}, abandons=then
    )  # fmt: skip
    pact = pact_of(ONE, commitments=[typed, replace(made, signature="…")], require_signed=True)
    assert codes(pact, CommitmentFacts({made.id: VERIFIED})) == ["PK407"]


def test_a_change_of_who_may_sign_is_shown():
    known = CommitmentFacts(base=Base("commit abc", {}, signers_changed=True))
    (finding,) = found(pact_of(ONE, commitments=[]), known)
    assert (finding.code, finding.severity, finding.subject) == ("PK411", "warning", "pact/allowed_signers")


def test_a_succession_that_was_written_into_a_committed_atom_afterwards_is_an_error():
    plain = replace(TWO, supersedes=None)
    agreed = pact_of(ONE, TWO, commitments=[a_commitment(ONE), a_commitment(TWO)])
    slipped_in = pact_of(ONE, TWO, commitments=[a_commitment(ONE), a_commitment(plain)])
    assert codes(agreed) == []
    (finding,) = found(slipped_in)
    assert (finding.code, finding.subject, finding.about) == ("PK412", "IA-2", "IA-1")


def test_a_succession_that_was_taken_out_again_is_no_finding():
    plain = replace(TWO, supersedes=None)
    assert codes(pact_of(ONE, plain, commitments=[a_commitment(ONE), a_commitment(TWO)])) == []
