"""What the environment says."""

import pytest

from pactkeeper.settings import environment

MARKERS = ("CI", "GITHUB_ACTIONS", "GITLAB_CI", "BUILDKITE", "CIRCLECI", "TF_BUILD", "JENKINS_URL")


@pytest.fixture
def surroundings(monkeypatch):
    for marker in MARKERS:
        monkeypatch.delenv(marker, raising=False)
    return monkeypatch


def test_nothing_is_claimed_outside_of_ci(surroundings):
    surroundings.setenv("GITHUB_ACTOR", "ada")
    assert environment().claims == {}


@pytest.mark.parametrize(
    ("marker", "variable", "claims"),
    [
        ("GITHUB_ACTIONS", "GITHUB_ACTOR", {"ci": "github", "actor": "ada"}),
        ("GITLAB_CI", "GITLAB_USER_LOGIN", {"ci": "gitlab", "actor": "ada"}),
        ("BUILDKITE", "BUILDKITE_BUILD_CREATOR", {"ci": "buildkite", "actor": "ada"}),
        ("CIRCLECI", "CIRCLE_USERNAME", {"ci": "circleci", "actor": "ada"}),
        ("TF_BUILD", "BUILD_REQUESTEDFOR", {"ci": "azure", "actor": "ada"}),
        ("JENKINS_URL", "BUILD_ID", {"ci": "jenkins", "run": "ada"}),
    ],
)
def test_each_ci_system_says_who_acts_in_its_own_words(surroundings, marker, variable, claims):
    surroundings.setenv(marker, "true")
    surroundings.setenv(variable, "ada")
    assert environment().claims.items() >= claims.items()


def test_ci_that_is_not_known_is_unnamed(surroundings):
    surroundings.setenv("CI", "1")
    assert environment().claims == {"ci": "unnamed"}
