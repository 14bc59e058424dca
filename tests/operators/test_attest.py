"""Attesting a commit, and what is made of attestations afterwards."""

import json
from dataclasses import replace

import pytest

from pactkeeper.errors import InputError, PatchError, RefusedError, ReportError, UsageError
from pactkeeper.intent.signatures import Verified, catalog_hash, decode_attestation, encode_attestation
from pactkeeper.operators.attest import Ask, attest, import_attestation, verify_attestation
from pactkeeper.operators.evidence import import_evidence
from pactkeeper.operators.observe import get_statistics
from pactkeeper.operators.proof import latest_attested
from pactkeeper.repo.signing import sign
from tests.operators.atoms import run
from tests.operators.conftest import ADDS, FILE, REFUSED, Shop
from tests.operators.reports import junit
from tests.repo.keys import key, line

pytestmark = pytest.mark.slow

BOTH = ("test_adds_two_numbers", "test_expired_token_is_refused")


def commit(shop, message="Change"):
    shop.git("add", "--all")
    shop.git("commit", "--quiet", "--allow-empty", f"--message={message}")


@pytest.fixture
def kept(linked):
    """The shop with its atoms frozen, signers listed, and everything given to git."""
    atoms = {entry.test.id: entry.links[0].atom for entry in linked.world().linked}
    frozen = {name: linked.world().pact.atoms[name].frozen_hash() for name in atoms.values()}
    lines = "\n".join(f'{name} = "{value}"' for name, value in sorted(frozen.items()))
    linked.write(
        "pact/commitments/COM-1.toml",
        f'id = "COM-1"\nby = "Ada <ada@example.org>"\nat = "2026-01-01T00:00:00+00:00"\n\n[frozen]\n{lines}\n',
    )
    linked.write("pact/allowed_signers", line("ci@example.org", "ci", 'namespaces="pactkeeper-attestation"'))
    commit(linked)
    return linked


def made(shop, *, write="att.json", results=None, **fields):
    """Attest and write the document outside of the work tree."""
    place = shop.root.parent / f"{shop.root.name}-{write}"
    if results is not None:
        shop.write("junit.xml", results)
        fields["results"] = ("junit.xml",)
    found = run(shop, attest, Ask(**fields))
    place.write_text(found.text)
    return found, place


def held(shop, place, **options):
    return run(shop, verify_attestation, str(place), **options)


def keep(shop, place, **options):
    return run(shop, import_attestation, str(place), **options)


def latest(shop):
    return run(shop, latest_attested)


def test_committed_atoms_are_proven_by_the_tests_that_passed(kept):
    found, _ = made(kept, results=junit(BOTH[0], (BOTH[1], "failure")))
    proofs = {one.tests[0].test: (one.state, one.tests[0].outcome) for one in found.attestation.proofs}
    assert proofs == {ADDS: ("proven", "passed"), REFUSED: ("failing", "failed")}
    assert found.attestation.evidence == {"proven": 1, "failing": 1, "stale": 0, "none": 0}


def test_draft_atoms_are_counted_and_not_proven(linked):
    commit(linked)
    found, _ = made(linked, results=junit(*BOTH))
    assert (found.attestation.proofs, found.attestation.atoms) == ((), {"draft": 2})


def test_evidence_of_this_machine_takes_no_part(kept):
    kept.write("junit.xml", junit(*BOTH))
    run(kept, import_evidence, ["junit.xml"])
    (kept.root / "junit.xml").unlink()
    assert made(kept)[0].attestation.evidence["none"] == 2


def test_skipped_test_proves_nothing(kept):
    found, _ = made(kept, results=junit((BOTH[0], "skipped"), BOTH[1]))
    assert sorted(one.state for one in found.attestation.proofs) == ["none", "proven"]


def test_catalog_hash_is_that_of_the_files_of_the_pact(kept):
    found, _ = made(kept)
    files = {
        path.relative_to(kept.root).as_posix(): path.read_bytes()
        for path in (kept.root / "pact").rglob("*")
        if path.is_file()
    }
    assert (found.attestation.catalog, found.attestation.files) == (catalog_hash(files), len(files))


def test_reports_are_named_with_the_hash_of_their_bytes_and_what_fits_none(kept):
    found, _ = made(kept, results=junit(*BOTH, "test_gone"))
    (one,) = found.attestation.results
    assert (one.name, one.form, one.unmatched, one.hash[:3]) == ("junit.xml", "junit", 1, "v1:")


def test_coverage_is_summed_up(kept):
    kept.write("c.info", "SF:a.py\nDA:1,1\nDA:2,0\nend_of_record\n")
    found, _ = made(kept, coverage=("c.info",))
    (one,) = found.attestation.coverage
    assert (one.form, one.files, one.lines, one.hit) == ("lcov", 1, 2, 1)


def test_findings_are_counted_by_code(kept):
    kept.write("tests/test_new.py", "def test_new():\n    assert f() == 1\n")
    commit(kept)
    check = made(kept)[0].attestation.check
    assert (check.agrees, check.findings["PK101"]) == (False, 1)


@pytest.mark.parametrize("path", [FILE, "notes.txt"])
def test_tree_that_differs_from_its_commit_is_refused(kept, path):
    kept.write(path, "# changed\n")
    with pytest.raises(RefusedError, match=f"the working tree differs from its commit: '{path}'"):
        made(kept)


def test_difference_is_recorded_where_it_is_allowed(kept):
    kept.write("notes.txt", "x")
    said = made(kept, allow_dirty=True)[0].attestation
    assert said.changed == ("notes.txt",)


def test_commit_alone_is_attested_whatever_the_tree_has(kept):
    before = made(kept)[0].attestation
    kept.write(FILE, "")
    said = made(kept, at="HEAD")[0].attestation
    assert (said.commit, said.tests, said.changed) == (before.commit, before.tests, ())


def test_files_that_take_no_part_may_be_there(kept):
    kept.write("att.json", "")
    assert made(kept, results=junit(*BOTH), apart=("att.json",))[0].attestation.changed == ()


def test_what_ci_says_of_itself_is_a_claim(kept, monkeypatch):
    monkeypatch.setenv("GITLAB_CI", "true")
    monkeypatch.setenv("GITLAB_USER_LOGIN", "ada")
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    assert made(kept)[0].attestation.claims.items() >= {("ci", "gitlab"), ("actor", "ada")}


def test_broken_report_attests_nothing(kept):
    with pytest.raises(ReportError):
        made(kept, results="<testsuite>")


def test_repository_without_a_pact_is_not_attested(shop):
    with pytest.raises(InputError):
        made(shop)


def test_repository_without_a_commit_is_not_attested(tmp_path):
    empty = Shop(tmp_path / "empty")
    empty.root.mkdir()
    empty.git("init", "--quiet")
    empty.write("pact/pact.toml", "[pact]\nformat = 1\n")
    with pytest.raises(UsageError, match="no commit to attest"):
        made(empty, allow_dirty=True)


def test_signature_of_a_listed_signer_holds(kept):
    _, place = made(kept, key=key("ci"))
    found = held(kept, place)
    assert (isinstance(found.examined, Verified) and found.examined.principal, found.against) == ("ci@example.org", ())


def test_signature_that_was_given_for_another_purpose_does_not_hold(kept):
    found, place = made(kept)
    signature = sign(found.text.encode(), key("ci"), "pactkeeper-commitment")
    place.write_text(encode_attestation(found.attestation, signature))
    assert held(kept, place).against


def test_signer_that_nobody_lists_does_not_hold(kept):
    _, place = made(kept, key=key("stranger"))
    (reason,) = held(kept, place).against
    assert "no signer is listed" in reason


def test_list_of_signers_may_be_named(kept, tmp_path):
    _, place = made(kept, key=key("stranger"))
    signers = tmp_path / "signers"
    signers.write_text(line("eve@example.org", "stranger"))
    assert held(kept, place, allowed_signers=str(signers)).against == ()
    with pytest.raises(InputError, match="cannot be read"):
        held(kept, place, allowed_signers="nowhere")


def test_signature_does_not_carry_over_to_another_attestation(kept):
    signed = json.loads(made(kept, key=key("ci"))[0].text)
    commit(kept)
    other, place = made(kept, write="other.json")
    place.write_text(encode_attestation(other.attestation, signed["signature"]))
    assert held(kept, place).against


def test_nobody_vouches_for_what_is_not_signed(kept):
    (reason,) = held(kept, made(kept)[1]).against
    assert "no signature" in reason


def test_attestation_about_another_pact_does_not_hold(kept):
    _, place = made(kept, key=key("ci"))
    kept.write("pact/allowed_signers", kept.read("pact/allowed_signers") + "# more\n")
    commit(kept)
    with kept.open() as workspace:
        other = workspace.repository.head()
    said = replace(decode_attestation(place.read_text())[0], commit=other)
    place.write_text(encode_attestation(said))
    assert held(kept, place).catalog == "differs"
    with pytest.raises(RefusedError, match="has a different pact"):
        keep(kept, place)


def test_commit_that_this_clone_lacks_is_not_compared(kept):
    found, place = made(kept)
    place.write_text(encode_attestation(replace(found.attestation, commit="0" * 40)))
    assert held(kept, place).catalog == "no such commit here"


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b"hello"])
def test_file_that_is_no_attestation_is_refused(kept, tmp_path, content):
    place = tmp_path / "att.json"
    place.write_bytes(content)
    with pytest.raises(InputError):
        held(kept, place)


def test_forged_word_is_refused(kept):
    _, place = made(kept, key=key("ci"))
    place.write_text(place.read_text().replace('"waived": 0', '"waived": 1'))
    with pytest.raises(PatchError, match="hash"):
        keep(kept, place)


def test_signature_that_does_not_hold_is_not_kept(kept):
    with pytest.raises(RefusedError, match="nothing was kept"):
        keep(kept, made(kept, key=key("stranger"))[1])
    assert latest(kept) is None


def test_attestation_of_a_changed_tree_is_not_kept(kept):
    kept.write("notes.txt", "x")
    with pytest.raises(RefusedError, match="the working tree differed"):
        keep(kept, made(kept, allow_dirty=True, key=key("ci"))[1])


def test_kept_attestation_holds_for_exactly_its_commit(kept):
    keep(kept, made(kept, results=junit(*BOTH), key=key("ci"))[1])
    (kept.root / "junit.xml").unlink()
    now = latest(kept)
    assert (now.ago, now.current, now.verified, now.by) == (0, True, True, "ci@example.org")
    assert now.atoms == {"proven": 2, "failing": 0, "stale": 0, "none": 0}
    kept.write("notes.txt", "x")
    assert not latest(kept).current
    commit(kept)
    commit(kept)
    later = latest(kept)
    assert (later.commit, later.ago, later.current) == (now.commit, 2, False)


def test_unsigned_attestation_is_kept_as_a_claim(kept, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_ACTOR", "octo")
    keep(kept, made(kept)[1])
    assert (latest(kept).verified, latest(kept).by) == (False, "octo")


def test_signed_attestation_outweighs_a_later_claim(kept):
    keep(kept, made(kept, key=key("ci"))[1])
    keep(kept, made(kept, at="HEAD")[1])
    assert latest(kept).verified


def test_attested_commit_of_another_branch_says_nothing_here(kept):
    kept.git("switch", "--quiet", "--create", "side")
    commit(kept, "Side")
    keep(kept, made(kept, key=key("ci"))[1])
    kept.git("switch", "--quiet", "main")
    assert latest(kept) is None


def test_nearest_attested_commit_counts(kept):
    keep(kept, made(kept, key=key("ci"))[1])
    commit(kept)
    keep(kept, made(kept, write="b.json", key=key("ci"))[1])
    commit(kept)
    assert latest(kept).ago == 1


def test_status_knows_what_is_plausible_and_what_is_attested(kept):
    _, place = made(kept, results=junit(*BOTH), key=key("ci"))
    keep(kept, place)
    with kept.open() as workspace:
        import_evidence(workspace, ["junit.xml"])
        found = get_statistics(workspace).proof
    assert found is not None
    assert found.attested is not None
    assert (found.tests["proven"], found.atoms["proven"], found.attested.ago) == (2, 2, 0)


def test_status_of_a_repository_without_history_has_no_proof(untouched):
    with untouched.open() as workspace:
        assert get_statistics(workspace).proof is None
