"""What reconciling finds, as a pull request that follows its target branch."""

import pytest

from tests.doors.projects import Project

pytestmark = pytest.mark.slow

BRANCH = "refs/heads/pactkeeper/reconcile"


@pytest.fixture
def drifted(site):
    """The target branch has a test without intent."""
    titled = site.author.read("tests/test_basket.py").replace(
        "@everyone look at https://evil.example.", "A removed box is not counted."
    )
    site.author.write("tests/test_basket.py", titled)
    site.author.commit("Say what it is for")
    site.author.git("push", "--quiet", "origin", "HEAD:refs/heads/main")
    site.sync()
    return site


def origin(site, *arguments):
    return Project(site.forge.origin).git(*arguments)


def test_it_opens_follows_and_closes(drifted):
    assert drifted.pk("propose").out == "pull request 8: opened\n"
    assert "A removed box is not counted." in drifted.forge.proposals["8"]["text"]
    assert drifted.pk("propose").out == "pull request 8: current\n"
    drifted.author.write("README.md", "A shop.\n")
    drifted.author.commit("Describe")
    drifted.author.git("push", "--quiet", "origin", "HEAD:refs/heads/main")
    assert drifted.pk("propose").out == "pull request 8: updated\n"
    assert origin(drifted, "rev-parse", f"{BRANCH}^") == origin(drifted, "rev-parse", "refs/heads/main")
    origin(drifted, "update-ref", "refs/heads/main", BRANCH)
    drifted.author.git("fetch", "--quiet", "origin")
    drifted.author.git("reset", "--quiet", "--hard", "origin/main")
    drifted.author.write("README.md", "A better shop.\n")
    drifted.author.commit("Describe it better")
    drifted.author.git("push", "--quiet", "origin", "HEAD:refs/heads/main")
    assert drifted.pk("propose").out == "pull request 8: closed\n"
    assert (drifted.forge.proposals["8"]["open"], origin(drifted, "branch", "--list", "pactkeeper/*")) == (False, "")
    assert drifted.pk("propose").out == "nothing to propose\n"


def test_the_clone_and_its_history_stay_as_they_were(drifted):
    drifted.pk("propose")
    assert (drifted.clone.status(), drifted.clone.git("worktree", "list").count("\n")) == ("", 0)
    assert not (drifted.clone.root / ".git" / "pact" / "history.db").exists()


def test_a_branch_that_somebody_committed_to_is_left_alone(drifted):
    drifted.pk("propose")
    drifted.author.git("fetch", "--quiet", "origin", BRANCH)
    drifted.author.git("switch", "--quiet", "--detach", "FETCH_HEAD")
    drifted.author.write("README.md", "Mine.\n")
    drifted.author.commit("Mine")
    drifted.author.git("push", "--quiet", "origin", f"HEAD:{BRANCH}")
    assert "somebody committed" in drifted.pk("propose", code=2).err


def test_a_proposal_that_was_closed_with_its_branch_kept_is_not_opened_again(drifted):
    drifted.pk("propose")
    drifted.forge.proposals["8"]["open"] = False
    describe(drifted)
    assert "delete that branch" in drifted.pk("propose").out
    assert len(drifted.forge.proposals) == 1


@pytest.mark.slow
def test_a_branch_that_was_merged_and_kept_is_used_again(drifted):
    drifted.pk("propose")
    drifted.forge.proposals["8"] |= {"open": False, "merged": True}
    describe(drifted)
    assert drifted.pk("propose").out == "pull request 9: opened\n"


def test_a_branch_whose_pull_request_was_never_opened_gets_one(drifted):
    drifted.forge.fault("status", method="POST", path="pulls$|merge_requests$", status=403)
    drifted.pk("propose", code=2)
    assert drifted.forge.proposals == {}
    assert drifted.pk("propose").out == "pull request 8: opened\n"


def test_a_proposal_whose_closing_was_cut_short_is_closed_and_not_taken_for_declined(drifted):
    drifted.pk("propose")
    origin(drifted, "update-ref", "refs/heads/main", BRANCH)
    drifted.forge.fault("status", method="PATCH|PUT", path="(pulls|merge_requests)/8$", status=403)
    drifted.pk("propose", code=2)
    drifted.pk("propose")
    assert drifted.forge.proposals["8"]["open"] is False
    assert drifted.pk("propose").out == "nothing to propose\n"


def describe(site):
    site.author.write("README.md", "A shop.\n")
    site.author.commit("Describe")
    site.author.git("push", "--quiet", "origin", "HEAD:refs/heads/main")
