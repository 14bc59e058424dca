from dataclasses import replace
from pathlib import Path

import pytest

from pactkeeper.errors import RefusedError, StaleError
from pactkeeper.intent.commitments import commitment_hash
from pactkeeper.operators.commit import Ask, Consent, commit_atoms, prepare_commit
from pactkeeper.workspace import open_workspace
from tests.doors.committing import ATOMS, KEY, atom, declare, sign, start

ONE, TWO = atom(1).id, atom(2).id


@pytest.fixture
def project(tmp_path):
    return start(tmp_path / "project")


@pytest.fixture
def workspace(project):
    with open_workspace(project.root, notice=print) as opened:
        yield opened


def agreed(ceremony):
    return Consent(ceremony.commitment.id, ceremony.key)


def commitments(project):
    return sorted(path.stem for path in (project.root / "pact/commitments").glob("*"))


def test_what_was_shown_is_what_is_written(project, workspace):
    ceremony = prepare_commit(workspace, Ask((ONE,)))
    done = commit_atoms(workspace, ceremony, agreed(ceremony))
    assert done.commitment == ceremony.commitment
    assert commitments(project) == [ceremony.commitment.id]


@pytest.mark.parametrize("consent", [Consent("COM-0000000"), Consent("", KEY)])
def test_consent_to_something_else_commits_nothing(project, workspace, consent):
    ceremony = prepare_commit(workspace, Ask((ONE,)))
    with pytest.raises(RefusedError, match="as it was shown"):
        commit_atoms(workspace, ceremony, replace(consent, commitment=consent.commitment or ceremony.commitment.id))
    assert commitments(project) == []


def test_consent_does_not_get_past_a_gate_that_refuses(project, workspace):
    declare(project, atom(4, outcomes=(), falsified_by=()))
    ceremony = prepare_commit(workspace, Ask((atom(4).id,)))
    with pytest.raises(RefusedError, match="the gate refuses this"):
        commit_atoms(workspace, ceremony, agreed(ceremony))
    assert commitments(project) == []


@pytest.mark.parametrize("path", [ATOMS, "pact/pact.toml", "pact/allowed_signers"])
def test_a_file_that_was_judged_and_changed_while_the_person_read_stops_the_commit(project, workspace, path):
    ceremony = prepare_commit(workspace, Ask((ONE,)))
    project.write(path, project.read(path) + "# so\n")
    with pytest.raises(StaleError, match=path):
        commit_atoms(workspace, ceremony, agreed(ceremony))
    assert commitments(project) == []


def test_a_rule_that_was_declared_while_the_person_read_stops_the_commit(project, workspace):
    ceremony = prepare_commit(workspace, Ask((ONE,)))
    project.write("pact/invariants.toml", '[INV-101]\nevery = "atom"\nneeds = { min_tests = 1 }\n')
    with pytest.raises(StaleError, match="invariants"):
        commit_atoms(workspace, ceremony, agreed(ceremony))


def test_of_two_people_who_prepared_at_the_same_time_the_second_looks_again(project, workspace):
    with open_workspace(project.root, notice=print) as other:
        first, second = prepare_commit(workspace, Ask((ONE,))), prepare_commit(other, Ask((ONE, TWO)))
        commit_atoms(workspace, first, agreed(first))
        with pytest.raises(StaleError, match="somebody committed meanwhile"):
            commit_atoms(other, second, agreed(second))
        again = prepare_commit(other, Ask((ONE, TWO)))
    assert [one.id for one in again.atoms] == [TWO]


def test_an_edit_elsewhere_in_the_repository_does_not_stop_the_commit(project, workspace):
    ceremony = prepare_commit(workspace, Ask((ONE,)))
    declare(project, atom(4), path="pact/atoms/other.toml")
    project.write("src/code.py", "x = 1\n")
    commit_atoms(workspace, ceremony, agreed(ceremony))
    assert commitments(project) == [ceremony.commitment.id]


def test_a_commitment_names_those_that_git_has_and_no_others(project, workspace):
    earlier = sign(project, ONE)
    assert prepare_commit(workspace, Ask((TWO,))).commitment.after == {}
    project.commit()
    pact = workspace.pact(workspace.snapshot())
    assert prepare_commit(workspace, Ask((TWO,))).commitment.after == {
        earlier: commitment_hash(pact.commitments[earlier])
    }


def test_a_project_without_any_git_commit_can_commit(tmp_path):
    project = start(tmp_path / "fresh")
    project.git("update-ref", "-d", "HEAD")
    assert sign(project, ONE) in commitments(project)


def test_looking_settles_nothing(project, workspace):
    prepare_commit(workspace, Ask((ONE,), only_look=True))
    assert not Path(workspace.state, "journal").exists()
    assert commitments(project) == []
