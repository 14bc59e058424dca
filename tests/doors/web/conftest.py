"""A program that calls the API of a project in this process."""

import re
import time
from dataclasses import dataclass

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from pactkeeper.doors.web.app import application
from pactkeeper.doors.web.describing import responses, routes
from pactkeeper.doors.web.entering import Tokens
from pactkeeper.verbs.listening import Address
from tests.doors.projects import Project
from tests.doors.web.team_server import opened

TOKEN = "a token that is long enough"
URL = "http://127.0.0.1:8766"
BASE = "/agents/reconciliation"
NAMED = re.compile(r"\{\w+\}")


@dataclass
class Api:
    """The API of a project."""

    project: Project
    client: TestClient

    def get(self, path, code=200, **query):
        found = self.client.get(path, params=query)
        return _described("GET", path, found, code)

    def send(self, method, path, code=200, headers=None, **body):
        found = self.client.request(method, path, json=body, headers=headers)
        return _described(method, path, found, code)

    def consenting(self, method, path, **body):
        """Send a write, look at what it would do, and say yes."""
        key = self.send(method, path, 202, **body)["consent"]["key"]
        return self.send(method, path, headers={"Consent": key}, **body)


def _described(method, path, found, code):
    """The document of an answer with this status, which is as OpenAPI describes it."""
    assert found.status_code == code, found.text
    fits = (one for one in routes() if one.method == method and re.fullmatch(NAMED.sub("[^/]+", one.path), path))
    route = next(fits, None)
    if code == 200 and route is not None:
        schema = responses(route)[200]["content"]["application/json"]["schema"]
        Draft202012Validator(schema).validate(found.json())
    return found.json()


def app_of(project):
    return application(project.root, Address.of("8766"), Tokens(time.monotonic, lasting=TOKEN))


def client_of(app, token=TOKEN, **headers):
    return TestClient(app, base_url=URL, headers={"Authorization": f"Bearer {token}", **headers})


@pytest.fixture(autouse=True)
def person(monkeypatch, tmp_path_factory):
    """What a person keeps outside of repositories, one for each test."""
    place = tmp_path_factory.mktemp("person")
    monkeypatch.setenv("XDG_DATA_HOME", str(place / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(place / "config"))


@pytest.fixture
def server(project):
    with opened(project.root) as (team, app):
        yield team, app


@pytest.fixture
def api(project):
    with client_of(app_of(project)) as client:
        yield Api(project, client)


@pytest.fixture
def kept(adopted):
    with client_of(app_of(adopted)) as client:
        yield Api(adopted, client)
