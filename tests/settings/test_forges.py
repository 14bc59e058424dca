"""Which forge CI runs for."""

import pytest

from pactkeeper.errors import UsageError
from pactkeeper.settings.forges import forge_setup

GITHUB = {
    "GITHUB_ACTIONS": "true",
    "GITHUB_API_URL": "https://github.example/api/v3/",
    "GITHUB_REPOSITORY": "acme/shop",
    "GITHUB_TOKEN": "secret",
}
GITLAB = {
    "GITLAB_CI": "true",
    "CI_API_V4_URL": "https://gitlab.example/api/v4",
    "CI_PROJECT_ID": "43",
    "CI_MERGE_REQUEST_PROJECT_ID": "42",
    "CI_MERGE_REQUEST_IID": "7",
    "GITLAB_TOKEN": "secret",
}


def test_github_actions_says_all_but_the_number():
    found = forge_setup(variables=GITHUB)
    assert (found.kind, found.base_url, found.repository, found.token, found.number) == (
        *("github", "https://github.example/api/v3", "acme/shop", "secret"),
        0,
    )


def test_gitlab_names_the_target_and_not_the_fork():
    found = forge_setup(variables=GITLAB)
    assert (found.kind, found.repository, found.number) == ("gitlab", "42", 7)


def test_a_token_of_our_own_outweighs_that_of_ci():
    found = forge_setup(variables=GITHUB | {"PACTKEEPER_FORGE_TOKEN": "ours"})
    assert (found.token, found.variable) == ("ours", "PACTKEEPER_FORGE_TOKEN")
    assert "ours" not in repr(found)


def test_what_is_missing_is_asked_for():
    with pytest.raises(UsageError, match="which forge"):
        forge_setup(variables={})
    with pytest.raises(UsageError, match="which repository"):
        forge_setup("github", variables={})
