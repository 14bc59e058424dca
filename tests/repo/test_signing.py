import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from pactkeeper.errors import MissingProgram, SigningFailed
from pactkeeper.intent.signatures import Unverified, Verified
from pactkeeper.repo.signing import Claim, read_armor, sign, verify_many
from tests.repo.keys import key, line

SPACE, AT = "pactkeeper-commitment", "2030-01-01T00:00:00+00:00"
DATA = b"what was signed"


@pytest.fixture
def signers(tmp_path):
    place = tmp_path / "allowed_signers"
    place.write_text(line("ada@example.org", "ada") + line("*@lab.example.org", "lab"))
    return place


def claimed(data, signature, signers, *, at=AT, identity=None, namespace=SPACE):
    (found,) = verify_many([Claim(data, signature, at, identity)], signers.read_bytes(), namespace=namespace)
    return found


def refused(*arguments, **options):
    found = claimed(*arguments, **options)
    assert isinstance(found, Unverified), found
    return found


def flaw_of(*arguments, **options):
    return refused(*arguments, **options).flaw


def test_a_signature_says_who_gave_it_and_with_which_key(signers):
    found = claimed(DATA, sign(DATA, key("ada"), SPACE), signers)
    printed = subprocess.run(["ssh-keygen", "-l", "-f", key("ada")], capture_output=True, text=True, check=True).stdout
    assert isinstance(found, Verified)
    assert found.principal == "ada@example.org"
    assert found.key in printed.split()


def test_a_pattern_of_principals_covers_an_identity(signers):
    signature = sign(DATA, key("lab"), SPACE)
    asked = claimed(DATA, signature, signers, identity="eve@lab.example.org")
    assert isinstance(asked, Verified)
    assert asked.principal == "eve@lab.example.org"
    assert flaw_of(DATA, signature, signers, identity="eve@example.org") == "other signer"


def test_another_content_is_forged(signers):
    assert flaw_of(b"something else", sign(DATA, key("ada"), SPACE), signers) == "forged"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "junk",
        "-----BEGIN SSH SIGNATURE-----\n####\n-----END SSH SIGNATURE-----",
        "-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAQAAAP8=\n-----END SSH SIGNATURE-----",
    ],
)
def test_what_is_no_signature_is_forged(text, signers):
    assert flaw_of(DATA, text, signers) == "forged"


def test_a_damaged_signature_is_forged(signers):
    good = sign(DATA, key("ada"), SPACE)
    lines = good.splitlines()
    lines[-2] = lines[-2][:4] + ("AAAA" if lines[-2][4:8] != "AAAA" else "BBBB") + lines[-2][8:]
    assert flaw_of(DATA, "\n".join(lines), signers) == "forged"


def test_a_signature_for_another_purpose_has_the_wrong_namespace(signers):
    assert flaw_of(DATA, sign(DATA, key("ada"), "git"), signers) == "wrong namespace"


def test_a_key_that_nobody_lists_is_an_unknown_signer(signers):
    assert flaw_of(DATA, sign(DATA, key("mallory"), SPACE), signers) == "unknown signer"


def test_a_key_that_is_commented_out_is_an_unknown_signer(signers):
    signers.write_text("# " + line("ada@example.org", "ada"))
    assert flaw_of(DATA, sign(DATA, key("ada"), SPACE), signers) == "unknown signer"


def test_a_key_listed_for_another_namespace_only_is_an_unknown_signer(signers):
    signers.write_text(line("ada@example.org", "ada", 'namespaces="git"'))
    found = refused(DATA, sign(DATA, key("ada"), SPACE), signers, identity="ada@example.org")
    assert found.flaw == "unknown signer"
    assert "not for the namespace 'pactkeeper-commitment'" in found.reason


def test_somebody_elses_key_is_named_as_theirs(signers):
    found = refused(DATA, sign(DATA, key("ada"), SPACE), signers, identity="bob@example.org")
    assert found.flaw == "other signer"
    assert "belongs to ada@example.org" in found.reason


def test_a_key_counts_only_while_it_was_valid(signers):
    signers.write_text(line("ada@example.org", "ada", 'valid-after="20290101",valid-before="20300101000001"'))
    signature = sign(DATA, key("ada"), SPACE)
    assert isinstance(claimed(DATA, signature, signers), Verified)
    assert flaw_of(DATA, signature, signers, at="2030-01-01T00:00:02+00:00") == "expired"
    assert flaw_of(DATA, signature, signers, at="2028-12-31T23:59:59+00:00", identity="ada@example.org") == "expired"


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00+14:00", "0001-01-02T00:00:00+00:00", "9999-12-31T23:59:59-14:00"])
def test_a_time_at_the_edge_of_the_calendar_is_no_time_at_which_a_key_is_valid(signers, at):
    signers.write_text(line("ada@example.org", "ada", 'valid-after="20290101",valid-before="20300101"'))
    assert flaw_of(DATA, sign(DATA, key("ada"), SPACE), signers, at=at) == "expired"


def test_times_without_a_zone_are_utc_wherever_the_machine_stands(signers, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    signers.write_text(line("ada@example.org", "ada", 'valid-before="20300101000001"'))
    at = "2030-01-01T09:00:00+09:00"
    assert isinstance(claimed(DATA, sign(DATA, key("ada"), SPACE), signers, at=at), Verified)


def test_an_identity_that_no_list_can_hold_is_unknown(signers):
    assert flaw_of(DATA, sign(DATA, key("ada"), SPACE), signers, identity="ada\0@example.org") == "unknown signer"


def test_many_answers_come_in_the_order_asked(signers):
    good = [Claim(f"{n}".encode(), sign(f"{n}".encode(), key("ada"), SPACE), AT) for n in range(5)]
    claims = [*good, Claim(b"other", good[0].signature, AT), Claim(b"0", "junk", AT)]
    found = verify_many(claims, signers.read_bytes(), namespace=SPACE, processes=3)
    assert [type(one) for one in found] == [Verified] * 5 + [Unverified] * 2


def test_a_missing_program_says_what_to_install(signers, monkeypatch):
    signature = sign(DATA, key("ada"), SPACE)
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(MissingProgram, match=r"`ssh-keygen` was not found on PATH; install OpenSSH"):
        claimed(DATA, signature, signers)
    with pytest.raises(MissingProgram, match="install OpenSSH"):
        sign(DATA, key("ada"), SPACE)


def test_a_program_that_is_too_old_is_no_verdict_on_the_signature(signers, monkeypatch, tmp_path):
    signature = sign(DATA, key("ada"), SPACE)
    old = tmp_path / "bin" / "ssh-keygen"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho 'unknown option -- Y' >&2\nexit 1\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", str(old.parent) + os.pathsep + os.environ["PATH"])
    with pytest.raises(MissingProgram, match="cannot `-Y find-principals`"):
        claimed(DATA, signature, signers)


def test_a_key_file_that_is_not_there_is_named():
    with pytest.raises(SigningFailed, match="no key file '/nonexistent/key'"):
        sign(DATA, Path("/nonexistent/key"), SPACE)


def test_a_key_that_cannot_be_used_says_why(tmp_path):
    place = tmp_path / "key"
    place.write_text("no key")
    place.chmod(0o600)
    with pytest.raises(SigningFailed, match="ssh-add"):
        sign(DATA, place, SPACE)


def _answering(program: str, answer: str) -> int:
    """Run Python at a terminal of its own, where somebody types the answer."""
    child, terminal = pty.fork()
    if not child:
        os.execv(sys.executable, [sys.executable, "-c", program])  # noqa: S606 - the child of the terminal
    seen = b""
    while b"passphrase" not in seen:
        seen += os.read(terminal, 1000)
    os.write(terminal, answer.encode() + b"\n")
    try:
        while os.read(terminal, 1000):
            pass
    except OSError:
        pass  # the terminal closes with its last process
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize(("answer", "code"), [("secret", 0), ("wrong", 7)])
def test_a_passphrase_is_asked_for_at_the_terminal(answer, code):
    program = (
        "import sys\nfrom pathlib import Path\nfrom pactkeeper.errors import SigningFailed\n"
        "from pactkeeper.repo.signing import sign\n"
        f"try: sign(b'x', Path({str(key('locked', 'secret'))!r}), 'test')\n"
        "except SigningFailed as error: sys.exit(7 if 'incorrect passphrase' in str(error) else 8)\n"
    )
    assert _answering(program, answer) == code


def test_a_passphrase_is_asked_for_by_the_program_that_ssh_names(tmp_path, monkeypatch, signers):
    asking = tmp_path / "ask"
    asking.write_text("#!/bin/sh\necho secret\n")
    asking.chmod(0o755)
    monkeypatch.setenv("SSH_ASKPASS", str(asking))
    monkeypatch.setenv("SSH_ASKPASS_REQUIRE", "force")
    signature = sign(DATA, key("locked", "secret"), SPACE)
    assert flaw_of(DATA, signature, signers) == "unknown signer"


def test_nothing_is_left_in_the_temporary_folder(signers, tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    verify_many([Claim(DATA, sign(DATA, key("ada"), SPACE), AT)], signers.read_bytes(), namespace=SPACE)
    verify_many([Claim(DATA, "junk", AT)], signers.read_bytes(), namespace=SPACE)
    assert list(scratch.iterdir()) == []


def test_armor_tells_namespace_and_key_without_trusting_them():
    armor = read_armor(sign(DATA, key("ada"), "git"))
    assert armor is not None
    assert armor.namespace == "git"
    assert armor.is_listed(line("anybody", "ada").encode())
    assert not armor.is_listed(line("anybody", "bob").encode())
