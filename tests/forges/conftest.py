from dataclasses import dataclass

import pytest

from tests.boards.fakes import TOKEN
from tests.doors.conftest import first_adopted, first_project  # noqa: F401 - fixtures of the doors serve here as well
from tests.doors.projects import Project
from tests.forges.fakes import FakeForge, FakeGitHubPulls, FakeGitLab

FORGES = {"github": FakeGitHubPulls, "gitlab": FakeGitLab}
NEW_TEST = '''

def test_basket_forgets_what_is_removed():
    """@everyone look at https://evil.example."""
    basket = Basket()
    basket.add("box", 1)
    basket.remove("box")
    assert basket.count == 0
'''


@dataclass
class Site:
    """A forge with one pull request, and the clone that CI made of it."""

    forge: FakeForge
    clone: Project
    author: Project

    def pk(self, *arguments, code=0, **more):
        base = {"GITHUB_API_URL": self.forge.url, "CI_API_V4_URL": self.forge.url}
        named = {**base, self.forge.variable: self.forge.repository, "PACTKEEPER_FORGE_TOKEN": TOKEN, **more}
        return self.clone.pk("pr", *arguments, "--forge", self.forge.kind, code=code, env=named)

    def push(self, message="Change", *, branch="topic"):
        """What the author does; the forge keeps the head under its own ref as well."""
        self.author.commit(message)
        self.author.git("push", "--quiet", "origin", f"HEAD:refs/heads/{branch}")
        self.sync(branch)

    def sync(self, branch="topic"):
        origin = Project(self.forge.origin)
        head = origin.git("rev-parse", f"refs/heads/{branch}")
        self.forge.at(origin.git("rev-parse", "refs/heads/main"), head)
        for ref in ("refs/pull/7/head", "refs/merge-requests/7/head"):
            origin.git("update-ref", ref, head)


@pytest.fixture(params=sorted(FORGES))
def site(request, first_adopted, tmp_path):  # noqa: F811 - the fixture of that name
    made = make_site(request.param, first_adopted, tmp_path)
    yield made
    made.forge.close()


def make_site(kind, first_adopted, tmp_path, make=None):  # noqa: F811 - the fixture of that name
    author = first_adopted.copy(tmp_path / "author")
    origin = tmp_path / "srv" / "shop.git"
    origin.parent.mkdir()
    author.git("clone", "--quiet", "--bare", str(author.root), str(origin))
    Project(origin).git("config", "http.receivepack", "true")
    author.git("remote", "add", "origin", str(origin))
    author.git("switch", "--quiet", "--create", "topic")
    forge = (make or FORGES[kind])(origin)
    url = forge.url.replace("://", f"://oauth2:{TOKEN}@") + "/git/shop.git"
    author.git("clone", "--quiet", "--branch", "main", "--single-branch", url, str(tmp_path / "clone"))
    made = Site(forge, Project(tmp_path / "clone"), author)
    author.write("tests/test_basket.py", author.read("tests/test_basket.py") + NEW_TEST)
    made.push()
    return made
