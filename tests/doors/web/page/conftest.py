"""A person at a browser, without one: pages as they are sent, forms as a browser sends them back."""

import re
import time
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from pactkeeper.doors.web.app import application
from pactkeeper.doors.web.entering import Tokens
from pactkeeper.verbs.listening import Address
from tests.doors.projects import Project
from tests.doors.web.conftest import URL

FORM = re.compile(r"<form[^>]*>.*?</form>", re.DOTALL)
INPUT = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)"')


@dataclass
class Reader:
    """Somebody who reads pages and sends forms; `text` is the page that is open."""

    project: Project
    client: TestClient
    text: str = field(default="", repr=False)

    def open(self, path, code=200):
        found = self.client.get(f"/page{path}")
        assert found.status_code == code, found.text
        self.text = found.text
        return found.text

    def forms(self, *parts):
        """The hidden fields of every form on the page that has all of these parts."""
        found = [one for one in FORM.findall(self.text) if all(part in one for part in parts)]
        return [[(unescape(name), unescape(value)) for name, value in INPUT.findall(one)] for one in found]

    def send(self, path, fields, code=200, *, part=False):
        headers = {
            "Origin": URL,
            "Content-Type": "application/x-www-form-urlencoded",
            **({"X-Part": "1"} if part else {}),
        }
        found = self.client.post(f"/page{path}", content=urlencode(fields), headers=headers)
        assert found.status_code == code, found.text
        self.text = found.text
        return found

    def find(self, pattern):
        """What the first group of a pattern finds on the page."""
        found = re.search(pattern, self.text)
        assert found is not None, f"{pattern} is not on the page"
        return found[1]

    @property
    def run(self):
        return self.find(r"(REC-\w+)")


def reader_of(app, project, token):
    client = TestClient(app, base_url=URL)
    assert client.get("/enter", params={"token": token}).status_code == 200
    return Reader(project, client)


def app_for(project):
    return application(project.root, Address.of("8766"), Tokens(time.monotonic, first="told once"))


@pytest.fixture(scope="session")
def first_proposed(first_project, tmp_path_factory):
    """What every `proposed` is a copy of."""
    project = first_project.copy(tmp_path_factory.mktemp("proposed") / "project")
    project.pk("init")
    project.pk("reconcile", "--all")
    return project


@pytest.fixture
def proposed(first_proposed, tmp_path):
    """The project with a run that waits for a review."""
    return first_proposed.copy(tmp_path / "project")


@pytest.fixture
def reader(proposed):
    with reader_of(app_for(proposed), proposed, "told once").client as client:
        yield Reader(proposed, client)
