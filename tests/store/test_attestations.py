from dataclasses import replace

from pactkeeper.store.attestations import Attestation, attestations, attested_commits, save_attestation
from tests.store.rows import AT, LATER

ONE = Attestation("c1", "v1:catalog", "ci", "runner", AT, '{"commit":"c1"}', "-----BEGIN SSH SIGNATURE-----")


def test_an_attestation_comes_back_with_every_field(history):
    save_attestation(history, ONE)
    assert attestations(history) == (ONE,)


def test_the_same_document_is_kept_once(history):
    save_attestation(history, ONE)
    save_attestation(history, replace(ONE, at=LATER))
    assert attestations(history) == (ONE,)


def test_the_latest_comes_first_and_one_commit_may_be_asked_for(history):
    newer = replace(ONE, commit="c2", at=LATER, text="{}", signature="")
    save_attestation(history, newer)
    save_attestation(history, ONE)
    assert attestations(history) == (newer, ONE)
    assert attestations(history, commit="c1") == (ONE,)


def test_two_repositories_attest_for_themselves(history, neighbour):
    save_attestation(neighbour, ONE)
    assert attestations(history) == ()


def test_each_attested_commit_is_named_once(history, neighbour):
    save_attestation(history, ONE)
    save_attestation(history, replace(ONE, text="{}"))
    save_attestation(neighbour, replace(ONE, commit="c9"))
    assert attested_commits(history) == {"c1"}
