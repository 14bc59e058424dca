"""`pk repos` as a process."""

import pytest


@pytest.fixture
def server(tmp_path):
    """Where the data of a server goes."""
    return {"XDG_DATA_HOME": str(tmp_path / "data"), "XDG_CONFIG_HOME": str(tmp_path / "config")}


def test_a_repository_is_added_listed_fetched_and_removed(project, server):
    added = project.pk("repos", "add", "shop", ".", env=server).out
    assert added.startswith(f"shop: {project.root} at ")
    (listed,) = project.pk("repos", "list", "--json", env=server).document["repositories"]
    assert (listed["name"], listed["commit"]) == ("shop", project.git("rev-parse", "HEAD"))
    assert project.pk("repos", "fetch", "shop", env=server).out == f"shop is at {listed['commit'][:12]}\n"
    project.pk("repos", "remove", "shop", env=server)
    assert project.pk("repos", "list", env=server).out == "0 repositories\n"


def test_a_repository_that_is_not_there_is_told_with_what_to_do(project, server):
    said = project.pk("repos", "fetch", "shop", env=server, code=2).err
    assert said == "pk: this server has no repository 'shop'; pk repos list names all\n"
