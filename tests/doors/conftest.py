import pytest

from tests.doors.projects import new_project


@pytest.fixture(scope="session")
def first_project(tmp_path_factory):
    """What every `project` is a copy of."""
    return new_project(tmp_path_factory.mktemp("first") / "project")


@pytest.fixture(scope="session")
def first_adopted(first_project, tmp_path_factory):
    """What every `adopted` is a copy of."""
    project = first_project.copy(tmp_path_factory.mktemp("adopted") / "project")
    project.pk("init")
    project.pk("reconcile", "--all")
    project.pk("apply", "--all")
    project.commit("Adopt the pact")
    return project


@pytest.fixture
def project(first_project, tmp_path):
    return first_project.copy(tmp_path / "project")


@pytest.fixture
def adopted(first_adopted, tmp_path):
    """The project with every test accepted and committed."""
    return first_adopted.copy(tmp_path / "project")


@pytest.fixture
def person(tmp_path):
    """Variables that name the folders of somebody who has kept nothing yet."""
    return {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_DATA_HOME": str(tmp_path / "data")}
