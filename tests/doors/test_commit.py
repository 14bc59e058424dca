"""`pk commit` and `pk commitment` as a person, a script and an agent meet them."""

import re
import tomllib

import pytest

from pactkeeper.doors.cli.commit import command
from tests.doors.committing import (
    ADA,
    INTERRUPT,
    KEY,
    at_terminal,
    atom,
    commitment_file,
    declare,
    only_git,
    sign,
    start,
)
from tests.matrix import some_stay

ONE, TWO, THREE = (atom(number).id for number in (1, 2, 3))


@pytest.fixture
def drafts(tmp_path):
    return start(tmp_path / "drafts")


def test_a_person_sees_everything_and_types_the_word(drafts):
    code, screen = at_terminal(drafts, "commit", ONE, TWO, answer="commit\n")
    assert code == 0, screen
    for said in (
        "A basket with 1 boxes costs 5 euros.",
        "• The basket total is 5 euros.",
        "not: The basket total is not 5 euros.",
        "passed      INV-001",
        "asserted    INV-006",
        "not checked: INV-007",
        f"who     Ada <{ADA}>, typed at this terminal",
        "freezes 2 atoms as COM-",
        "Type commit to freeze these 2 atoms",
        "committed 2 atoms: pact/commitments/COM-",
    ):
        assert said in screen
    written = tomllib.loads(commitment_file(drafts).read_text())
    assert written["assurance"] == "terminal"
    assert set(written["frozen"]) == {ONE, TWO}
    assert written["words"][ONE]["intent"] == "A basket with 1 boxes costs 5 euros."
    assert drafts.codes() == []


@pytest.mark.parametrize("answer", some_stay(["\n", "y\n", "yes\n", "Commit!\n"], these={"yes\n"}))
def test_anything_but_the_word_commits_nothing(drafts, answer):
    code, screen = at_terminal(drafts, "commit", ONE, answer=answer)
    assert code == 2
    assert "nothing was committed: 'commit' was not typed" in screen
    assert drafts.status() == ""


def test_leaving_at_the_question_commits_nothing(drafts):
    code, _ = at_terminal(drafts, "commit", ONE, answer=INTERRUPT)
    assert code == 130
    assert drafts.status() == ""


def test_without_a_terminal_nothing_is_committed_whatever_is_piped_in(drafts):
    done = drafts.pk("commit", ONE, feed="commit\n", code=2)
    assert "only a person can commit, and this is not a terminal" in done.err
    assert drafts.status() == ""


def test_there_is_no_option_to_say_yes_beforehand():
    options = {name for parameter in command.params for name in parameter.opts}
    assert options.isdisjoint({"--yes", "-y", "--force", "--no-input"})


def test_a_terminal_in_ci_is_nobody(drafts):
    done = drafts.pk("commit", ONE, code=2, env={"CI": "true"})
    assert "this is not a terminal" in done.err


def test_a_signature_commits_without_a_terminal_and_is_verified_by_check(drafts):
    name = sign(drafts, ONE)
    written = tomllib.loads(commitment_file(drafts, name).read_text())
    assert written["assurance"] == "signed"
    assert written["signature"].startswith("-----BEGIN SSH SIGNATURE-----")
    assert drafts.codes() == []
    summary = drafts.pk("check", "--json").document["summary"]
    assert summary["commitments"] == {"signed": 1}


def test_only_ci_calls_a_signature_verified_by_ci(drafts):
    sign(drafts, ONE)
    drafts.commit()
    document = drafts.pk("check", "--json", "--at", "HEAD", env={"CI": "true"}).document
    assert document["summary"]["commitments"] == {"ci-verified": 1}
    assert b"ci-verified" not in commitment_file(drafts).read_bytes()


def test_a_person_at_a_terminal_is_asked_before_signing(drafts):
    code, screen = at_terminal(drafts, "commit", "--sign", str(KEY), ONE, answer="no\n")
    assert (code, drafts.status()) == (2, "")
    code, screen = at_terminal(drafts, "commit", "--sign", str(KEY), ONE, answer="commit\n")
    assert code == 0, screen
    assert f"signed with {KEY}" in screen
    assert 'assurance = "signed"' in commitment_file(drafts).read_text()


@pytest.mark.parametrize(
    ("signers", "reason"),
    [
        (None, "without a list of allowed signers 'pact/allowed_signers'"),
        ("", "no signer is listed with the key"),
        ("other", "belongs to somebody@example.org"),
        ("past", "was not valid at"),
        ("git", "not for the namespace"),
    ],
)
def test_a_signature_that_would_not_hold_is_never_written(tmp_path, signers, reason):
    project = start(tmp_path / "project", signers=False)
    public = KEY.with_suffix(".pub").read_text()
    lines = {
        "": "",
        "other": f"somebody@example.org {public}",
        "past": f'{ADA} valid-before="20200101" {public}',
        "git": f'{ADA} namespaces="git" {public}',
    }
    if signers is not None:
        project.write("pact/allowed_signers", lines[signers])
    done = project.pk("commit", "--sign", str(KEY), ONE, code=2)
    assert reason in done.err
    assert not (project.root / "pact/commitments").exists()


def test_a_project_that_requires_signatures_takes_no_typed_word(tmp_path):
    project = start(tmp_path / "project", settings="[commitments]\nrequire_signed = true\n")
    code, screen = at_terminal(project, "commit", ONE)
    assert code == 2
    assert "requires signed commitments" in screen
    sign(project, ONE)
    assert project.codes() == []


def test_what_was_typed_can_be_signed_later_and_then_answers(drafts):
    at_terminal(drafts, "commit", ONE, answer="commit\n")
    drafts.write("pact/pact.toml", "[pact]\nformat = 1\n[commitments]\nrequire_signed = true\n")
    assert drafts.codes() == ["PK407"]
    sign(drafts, ONE)
    assert drafts.codes() == []
    assert drafts.pk("check", "--json").document["summary"]["commitments"] == {"signed": 1, "terminal": 1}


def test_a_dry_run_shows_the_ceremony_to_anybody_and_writes_nothing(drafts):
    done = drafts.pk("commit", "--dry-run", ONE)
    assert "passed      quality" in done.out
    assert "nothing was committed: --dry-run" in done.out
    assert "no terminal, so a commit is refused without --sign" in done.out
    document = drafts.pk("commit", "--dry-run", "--json", ONE).document
    assert (document["committed"], document["allowed"], document["file"]) == (False, True, None)
    assert document["commitment"] is None  # its id follows from the time, so nobody can know it yet
    assert "COM-" not in done.out
    assert {check["check"] for check in document["checks"]} >= {"quality", "INV-001", "INV-009", "R005"}
    assert [line for line in done.out.splitlines() if "R005" in line] == [
        "not checked: INV-007, INV-009, R001, R002, R005, which apply to runs and writes (pk invariant show)"
    ]
    assert drafts.status() == ""


def test_the_gate_says_why_and_exits_1(drafts):
    declare(drafts, atom(4, falsified_by=(), outcomes=()))
    done = drafts.pk("commit", "--sign", str(KEY), atom(4).id, code=1)
    assert "failed      INV-002" in done.out
    assert "fix:" in done.out
    assert "the gate refuses this: " in done.out
    assert not (drafts.root / "pact/commitments").exists()


def test_what_was_inferred_from_tests_passes_the_gate(adopted):
    names = re.findall(r"^(IA-\w+)\.intent", adopted.read("pact/atoms/tests/test_basket.py.toml"), re.MULTILINE)
    document = adopted.pk("commit", "--dry-run", "--json", *names).document
    assert len(document["atoms"]) == 3
    assert document["allowed"]
    assert next(one for one in document["checks"] if one["check"] == "quality")["status"] == "passed"


def test_evidence_that_a_rule_asks_for_is_looked_up_at_the_gate(adopted):
    adopted.write("pact/invariants.toml", '[INV-101]\nevery = "atom"\nneeds = { proven = true }\ncode = "ACME101"\n')
    name = re.findall(r"IA-\w+", adopted.read("pact/atoms/tests/test_basket.py.toml"))[0]
    document = adopted.pk("commit", "--dry-run", "--json", name, code=None).document
    assert next(one for one in document["checks"] if one["check"] == "INV-101")["status"] != "passed"


def test_what_passes_can_be_committed_without_the_rest(drafts):
    poor = atom(4, falsified_by=(), outcomes=())
    declare(drafts, poor)
    document = drafts.pk("commit", "--json", "--passing", "--sign", str(KEY), ONE, poor.id, TWO).document
    assert [one["id"] for one in document["atoms"]] == [ONE, TWO]
    (left,) = document["left_out"]
    assert left["id"] == poor.id
    assert re.match(r"the gate refuses it: .*INV-002", left["reason"])
    drafts.pk("commit", "--passing", "--sign", str(KEY), poor.id, code=1)


def test_an_override_names_one_rule_with_a_reason_and_is_kept(drafts):
    declare(drafts, atom(4, falsified_by=(), outcomes=()))
    for arguments in (
        ("--override", "INV-002"),
        ("--reason", "x"),
        ("--override", "INV-002", "--override", "INV-003", "--reason", "x"),
        ("--override", "INV-002", "--reason", " "),
        ("--override", "INV-002", "--reason", "x", "--override", "INV-002", "--reason", "y"),
    ):
        assert drafts.pk("commit", "--dry-run", atom(4).id, *arguments, code=2).out == ""
    drafts.pk("commit", "--dry-run", atom(4).id, code=1)
    name = sign(drafts, atom(4).id, "--override", "INV-002", "--reason", "the norm says so")
    assert tomllib.loads(commitment_file(drafts, name).read_text())["overrides"] == {"INV-002": "the norm says so"}
    assert "override INV-002: the norm says so" in drafts.pk("commitment", "show", name).out


def test_people_commit_cannot_be_overridden_or_switched_off(drafts):
    done = drafts.pk("commit", "--dry-run", ONE, "--override", "INV-006", "--reason", "trust me", code=1)
    assert "INV-006: cannot be overridden" in done.out
    drafts.write("pact/invariants.toml", "[INV-006]\nenabled = false\n")
    assert "asserted    INV-006" in drafts.pk("commit", "--dry-run", ONE).out


def test_a_molecule_is_committed_as_one_and_says_what_is_left_out(drafts):
    inner = f'M-2.name = "Two"\nM-2.atoms = ["{TWO}"]\n'
    drafts.write(
        "pact/molecules.toml",
        f'M-1.name = "Basket"\nM-1.atoms = ["{ONE}", "{THREE}"]\nM-1.molecules = ["M-2"]\n{inner}',
    )
    first = sign(drafts, ONE)
    declare(drafts, atom(3, status="abandoned"))
    document = drafts.pk("commit", "--json", "--sign", str(KEY), "--molecule", "Basket").document
    assert [one["id"] for one in document["atoms"]] == [TWO]
    assert document["left_out"] == [
        {"id": ONE, "reason": f"{first} already committed it"},
        {"id": THREE, "reason": "it is abandoned"},
    ]


def test_what_a_molecule_holds_is_frozen_together_or_not_at_all(drafts):
    declare(drafts, atom(4, falsified_by=(), outcomes=()))
    drafts.write("pact/molecules.toml", f'M-1.name = "Change"\nM-1.atoms = ["{ONE}", "{atom(4).id}"]\n')
    drafts.pk("commit", "--sign", str(KEY), "--molecule", "M-1", code=1)
    assert not (drafts.root / "pact/commitments").exists()


def test_names_that_mean_nothing_are_all_told_with_what_is_close(drafts):
    done = drafts.pk("commit", "--dry-run", "IA-000001", "IA-XYZ", code=2)
    assert f"'IA-000001'; did you mean {ONE}" in done.err
    assert "'IA-XYZ'; to find it: pk atom search WORDS" in done.err
    assert "there is no molecule 'M-X'" in drafts.pk("commit", "--dry-run", "--molecule", "M-X", code=2).err
    assert "name the atoms to commit" in drafts.pk("commit", "--dry-run", code=2).err


def test_what_is_committed_already_is_nothing_to_commit(drafts):
    name = sign(drafts, ONE)
    done = drafts.pk("commit", "--sign", str(KEY), ONE, code=2)
    assert f"there is nothing to commit\n  {ONE}: {name} already committed it" in done.err


def test_a_successor_says_what_it_replaces_and_takes_over_with_the_commitment(drafts):
    sign(drafts, ONE)
    new = atom(4, supersedes=ONE)
    declare(drafts, new)
    assert f"replaces {ONE}, which it retires" in drafts.pk("commit", "--dry-run", new.id).out
    name = sign(drafts, new.id)
    rows = drafts.pk("commitment", "list", "--json").document["commitments"]
    assert {(row["id"] == name, row["status"]) for row in rows} == {(True, "standing"), (False, "superseded")}
    assert f"{new.id}  committed, replaces {ONE}" in drafts.pk("commitment", "show", name).out


def test_a_missing_program_stops_signing_and_is_a_warning_in_check(drafts, tmp_path):
    sign(drafts, ONE)
    drafts.commit()
    without = only_git(tmp_path / "tools")
    assert "`ssh-keygen` was not found on PATH; install OpenSSH" in sign(drafts, TWO, code=2, env=without).err
    for place in (drafts.root / ".git/pact").glob("cache*"):
        place.unlink()
    document = drafts.pk("check", "--json", env=without).document
    (finding,) = document["findings"]
    assert (finding["code"], finding["severity"]) == ("PK408", "warning")
    assert "install OpenSSH" in finding["message"]
    assert document["summary"]["commitments"] == {"not checked": 1}
    assert drafts.codes() == []


def test_a_signature_that_was_verified_once_is_remembered(drafts, tmp_path):
    sign(drafts, ONE)
    assert drafts.codes() == []
    drafts.write("tests/test_new.py", "x = 1\n")
    assert drafts.codes() == []
    drafts.write("tests/test_new.py", "x = 2\n")
    document = drafts.pk("check", "--json", env=only_git(tmp_path / "tools")).document
    assert document["summary"]["commitments"] == {"signed": 1}


def test_commitments_are_found_by_atom_status_and_day(drafts):
    first, second = sign(drafts, ONE), sign(drafts, TWO, THREE)

    def listed(*options):
        rows = drafts.pk("commitment", "list", "--json", *options).document["commitments"]
        return [row["id"] for row in rows]

    assert set(listed()) == {first, second}
    assert listed("--atom", TWO) == [second]
    assert set(listed("--status", "standing")) == {first, second}
    assert listed("--status", "broken") == []
    assert listed("--until", "2001-01-01") == listed("--since", "2999-01-01") == []
    assert set(listed("--since", "2001-01-01", "--until", "2999-01-01")) == {first, second}
    assert (
        "has no atom 'IA-9'; to find it: pk atom search"
        in drafts.pk("commitment", "list", "--atom", "IA-9", code=2).err
    )
    (shown,) = drafts.pk("commitment", "show", THREE, "--json").document["commitments"]
    assert shown["id"] == second
    assert shown["why"].startswith(f"{ADA} with the key SHA256:")
    assert [one["id"] for one in shown["atoms"]] == [TWO, THREE]


def test_a_broken_commitment_says_what_is_broken(drafts):
    name = sign(drafts, ONE)
    drafts.replace("pact/atoms/basket.toml", "costs 5 euros", "costs 6 euros")
    out = drafts.pk("commitment", "show", name).out
    assert f"{ONE} differs from what was frozen" in out
    assert [row["status"] for row in drafts.pk("commitment", "list", "--json").document["commitments"]] == ["broken"]
