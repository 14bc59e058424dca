"""What `pk check` says after people, merges, rebases and forgers have been at commitments."""

import subprocess

import pytest

from tests.doors.committing import ADA, ATOMS, KEY, atom, commitment_file, declare, sign, start
from tests.repo.keys import key, line

ONE, TWO, THREE = (atom(number).id for number in (1, 2, 3))


@pytest.fixture
def project(tmp_path):
    return start(tmp_path / "project")


@pytest.fixture
def signed(project):
    """The first atom committed with a signature, and the commitment in git."""
    sign(project, ONE)
    project.commit("Commit the first")
    return project


def findings(project, *arguments):
    return project.pk("check", "--json", *arguments, code=None).document["findings"]


def the_finding(project, *arguments):
    (found,) = findings(project, *arguments)
    return found


def resign(project, data_of, *, name="ada", namespace="pactkeeper-commitment"):
    """Replace the signature in the only commitment by another over other bytes."""
    place = commitment_file(project)
    command = ["ssh-keygen", "-Y", "sign", "-f", key(name), "-n", namespace]
    armor = subprocess.run(command, input=data_of, capture_output=True, check=True).stdout.decode()
    head, _, tail = place.read_text().partition('signature = "')
    place.write_text(f'{head}signature = "{armor.replace(chr(10), chr(92) + "n")}"{tail[tail.index(chr(10)) :]}')


def test_a_changed_committed_atom_shows_the_difference(signed):
    signed.replace(ATOMS, "costs 5 euros", "costs 6 euros")
    found = the_finding(signed)
    assert found["code"] == "PK201"
    assert found["detail"] == [
        "-intent: A basket with 1 boxes costs 5 euros.",
        "+intent: A basket with 1 boxes costs 6 euros.",
    ]
    out = signed.pk("check", code=1).out
    assert "    -intent: A basket with 1 boxes costs 5 euros." in out


def test_the_difference_shows_in_a_clone_without_history(signed, tmp_path):
    signed.replace(ATOMS, "costs 5 euros", "costs 6 euros")
    signed.commit("Sneak it in")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", "--depth=1", f"file://{signed.root}", clone], check=True)
    shallow = type(signed)(clone)
    assert the_finding(shallow, "--at", "HEAD")["detail"][0] == "-intent: A basket with 1 boxes costs 5 euros."


def test_a_removed_committed_atom_shows_its_words(signed):
    signed.write(ATOMS, signed.read(ATOMS)[signed.read(ATOMS).index(TWO) :])
    found = the_finding(signed)
    assert (found["code"], found["subject"]) == ("PK202", ONE)
    assert found["detail"][0] == "-intent: A basket with 1 boxes costs 5 euros."


def test_a_tampered_commitment_is_an_error_of_its_own(signed):
    signed.replace(f"pact/commitments/{commitment_file(signed).name}", f"Ada <{ADA}>", f"Ada  <{ADA}>")
    assert [one["code"] for one in findings(signed)] == ["PK401", "PK402", "PK410"]


def test_a_forged_signature_is_an_error_of_its_own(signed):
    resign(signed, b"something else")
    assert [one["code"] for one in findings(signed, "--at", "HEAD")] == []
    assert [one["code"] for one in findings(signed)] == ["PK402", "PK410"]


def test_a_signature_for_another_purpose_is_an_error_of_its_own(signed):
    resign(signed, b"x", namespace="git")
    assert findings(signed)[0]["code"] == "PK405"


@pytest.mark.parametrize(
    ("signers", "code", "said"),
    [
        (f'{ADA} valid-before="20200101" {{ada}}', "PK403", "was not valid at"),
        ("", "PK404", "no signer is listed with the key"),
        (f'{ADA} namespaces="git" {{ada}}', "PK404", "not for the namespace"),
        ("eve@example.org {ada}", "PK406", "belongs to eve@example.org"),
    ],
)
def test_what_the_list_of_signers_says_decides_and_its_change_is_shown(signed, signers, code, said):
    public = KEY.with_suffix(".pub").read_text()
    signed.write("pact/allowed_signers", signers.format(ada=public))
    found = {one["code"]: one for one in findings(signed)}
    assert set(found) == {code, "PK411"}
    assert said in found[code]["message"]
    assert found["PK411"]["severity"] == "warning"


def test_a_commitment_whose_signer_is_gone_can_be_signed_again_by_somebody_listed(signed):
    signed.write("pact/allowed_signers", line("bob@example.org", "bob"))
    signed.commit("Bob for Ada")
    assert signed.codes() == ["PK404"]
    signed.git("config", "user.email", "bob@example.org")
    sign(signed, ONE, name="bob")
    assert signed.codes() == []


def test_a_key_that_expired_after_the_commitment_still_counts(signed):
    public = KEY.with_suffix(".pub").read_text()
    signed.write("pact/allowed_signers", f'{ADA} valid-before="29990101" {public}')
    assert [one["code"] for one in findings(signed)] == ["PK411"]


def test_without_a_list_of_signers_nothing_is_verified(signed):
    (signed.root / "pact/allowed_signers").unlink()
    found = {one["code"]: one["severity"] for one in findings(signed)}
    assert found == {"PK408": "warning", "PK411": "warning"}
    signed.write("pact/pact.toml", "[pact]\nformat = 1\n[commitments]\nrequire_signed = true\n")
    assert {one["code"]: one["severity"] for one in findings(signed)}["PK408"] == "error"


def test_the_list_of_the_commit_that_is_looked_at_decides(signed):
    signed.write("pact/allowed_signers", "")
    signed.commit("Remove Ada")
    assert signed.codes("--at", "HEAD") == ["PK404"]
    assert signed.codes("--at", "HEAD~1") == []


def test_the_list_may_lie_elsewhere_in_the_repository(tmp_path):
    settings = '[commitments]\nallowed_signers = ".github/signers"\n'
    project = start(tmp_path / "project", signers=False, settings=settings)
    project.write(".github/signers", line(ADA, "ada"))
    project.commit("List Ada")
    sign(project, ONE)
    assert project.codes() == []


def test_a_deleted_commitment_is_missed_before_it_is_committed_to_git(signed):
    commitment_file(signed).unlink()
    found = the_finding(signed)
    assert found["code"] == "PK409"
    assert f'-{ONE} = "' in "\n".join(found["detail"])
    signed.git("add", "--all")
    assert signed.codes("--staged") == ["PK409"]


def test_a_deleted_commitment_is_missed_against_the_branch_it_came_from(signed):
    signed.git("checkout", "--quiet", "-b", "work")
    commitment_file(signed).unlink()
    signed.commit("Forget")
    assert signed.codes("--at", "HEAD") == []
    assert signed.codes("--at", "HEAD", "--since", "main") == ["PK409"]


def test_a_deleted_commitment_is_missed_by_one_that_came_after_it_even_without_history(signed, tmp_path):
    first = commitment_file(signed)
    sign(signed, TWO)
    first.unlink()
    signed.commit("Forget")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", "--depth=1", f"file://{signed.root}", clone], check=True)
    found = the_finding(type(signed)(clone), "--at", "HEAD")
    assert (found["code"], found["subject"]) == ("PK409", first.stem)


def test_status_counts_what_check_finds_of_commitments(signed):
    commitment_file(signed).unlink()
    assert "check   1 error, 0 warnings" in signed.pk("status").out


def test_a_commitment_that_git_never_had_can_be_thrown_away(project):
    sign(project, ONE)
    commitment_file(project).unlink()
    sign(project, TWO)
    assert project.codes() == []


def test_what_came_to_the_other_branch_meanwhile_is_not_missed(signed):
    signed.git("branch", "work")
    sign(signed, TWO)
    signed.commit("Commit the second")
    signed.git("checkout", "--quiet", "work")
    assert signed.codes("--at", "HEAD", "--since", "main") == []


# None of the following is a finding.


def test_renaming_and_splitting_the_files_of_atoms_is_no_finding(signed):
    text = signed.read(ATOMS)
    signed.write("pact/atoms/moved/first.toml", text[: text.index(TWO)])
    signed.write(ATOMS, "# the rest\n" + text[text.index(TWO) :])
    signed.git("mv", ATOMS, "pact/atoms/renamed.toml")
    assert signed.codes() == []
    signed.commit("Move")
    assert signed.codes("--at", "HEAD", "--since", "HEAD~1") == []


def test_another_layout_of_the_same_atom_is_no_finding(signed):
    text = signed.read(ATOMS)
    entry = text[: text.index(TWO)]
    table = f"\n[{ONE}]  # as a table\n" + entry.replace(f"{ONE}.", "")
    signed.write(ATOMS, text[text.index(TWO) :] + table)
    assert signed.codes() == []


def test_windows_line_ends_are_no_finding(signed):
    place = commitment_file(signed)
    place.write_bytes(place.read_bytes().replace(b"\n", b"\r\n"))
    signed.write(ATOMS, (signed.root / ATOMS).read_bytes().replace(b"\n", b"\r\n"))
    assert signed.codes() == []


def branches(project, *, left, right):
    """Two branches from here, each changed by its function and committed; leaves the right one checked out."""
    for name, change in (("left", left), ("right", right)):
        project.git("checkout", "--quiet", "-b", name, "main")
        change()
        project.commit(f"On {name}")


def commits_fourth(project):
    declare(project, atom(4), path="pact/atoms/left.toml")
    sign(project, atom(4).id)


def commits_second_and_replaces_first(project):
    sign(project, TWO)
    new = atom(5, supersedes=ONE)
    declare(project, new, path="pact/atoms/right.toml")
    sign(project, new.id)


@pytest.mark.parametrize("way", ["merge", "rebase", "squash"])
def test_two_branches_that_create_commit_and_supersede_come_together_cleanly(signed, way):
    branches(signed, left=lambda: commits_fourth(signed), right=lambda: commits_second_and_replaces_first(signed))
    if way == "merge":
        signed.git("merge", "--quiet", "--no-edit", "left")
    elif way == "rebase":
        signed.git("rebase", "--quiet", "left")
    else:
        signed.git("merge", "--quiet", "--squash", "left")
        signed.git("commit", "--quiet", "--message", "All in one")
    assert signed.codes() == []
    assert signed.codes("--at", "HEAD", "--since", "main") == []
    rows = signed.pk("commitment", "list", "--json").document["commitments"]
    assert sorted(row["status"] for row in rows) == ["standing", "standing", "standing", "superseded"]


def test_the_same_atoms_committed_on_two_branches_agree(project):
    branches(project, left=lambda: sign(project, ONE, TWO), right=lambda: sign(project, TWO, THREE))
    project.git("merge", "--quiet", "--no-edit", "left")
    assert project.codes() == []
    assert len(list((project.root / "pact/commitments").iterdir())) == 2


def test_different_words_of_one_atom_committed_on_two_branches_are_named_precisely(project):
    def reworded():
        project.replace(ATOMS, "A basket with 1 boxes costs 5 euros.", "A basket with one box costs 5 euros.")
        sign(project, ONE)

    branches(project, left=reworded, right=lambda: sign(project, ONE))
    project.git("merge", "--quiet", "--no-edit", "left")
    found = the_finding(project)
    assert (found["code"], found["subject"]) == ("PK201", ONE)
    assert "the current text was frozen by COM-" in found["message"]
    assert found["detail"][0].startswith("-intent: A basket with 1 boxes")


def test_two_successors_of_one_atom_from_two_branches_are_a_precise_finding(signed):
    def replaced_by(number):
        new = atom(number, supersedes=ONE)
        declare(signed, new, path=f"pact/atoms/new{number}.toml")
        sign(signed, new.id)

    branches(signed, left=lambda: replaced_by(8), right=lambda: replaced_by(9))
    signed.git("merge", "--quiet", "--no-edit", "left")
    (found,) = [one for one in findings(signed) if one["severity"] == "error"]
    assert (found["code"], found["subject"]) == ("PK130", ONE)


def test_a_rebase_onto_a_newer_main_in_several_steps_is_no_finding(signed):
    signed.git("checkout", "--quiet", "-b", "work")
    for name in (TWO, THREE):
        sign(signed, name)
        signed.commit(f"Commit {name}")
    signed.git("checkout", "--quiet", "main")
    commits_fourth(signed)
    signed.commit("Meanwhile")
    signed.git("checkout", "--quiet", "work")
    signed.git("rebase", "--quiet", "main")
    assert signed.codes("--at", "HEAD", "--since", "main") == []
    assert signed.codes() == []
