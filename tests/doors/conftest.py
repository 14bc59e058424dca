import pytest

from tests.doors.projects import new_project


@pytest.fixture
def project(tmp_path):
    return new_project(tmp_path / "project")


@pytest.fixture
def adopted(project):
    """The project with every test accepted and committed."""
    project.pk("init")
    project.pk("reconcile", "--all")
    project.pk("apply", "--all")
    project.commit("Adopt the pact")
    return project
