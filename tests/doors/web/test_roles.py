"""Every role at every path: made from the table, so that no path is forgotten."""

import re

import pytest

from pactkeeper.doors.web.describing import routes
from pactkeeper.doors.web.team import FRONT
from pactkeeper.ledger.policy import ROLES, Role, reaches
from tests.doors.web.team_server import client_of, opened, token_of

# The arguments do not fit, so that nothing is done; who may not call is told so first.
WRONG, STALE = {"no such argument": "1"}, {"If-Match": "seen"}
CALLERS = [*ROLES, "agent"]


@pytest.fixture(scope="module")
def server(first_project, tmp_path_factory):
    patch = pytest.MonkeyPatch()
    patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
    patch.delenv("PACTKEEPER_DATABASE_URL", raising=False)
    with patch.context(), opened(first_project.root) as (team, app):
        tokens = {str(role): token_of(team, role) for role in ROLES}
        tokens["agent"] = token_of(team, "admin", role="reviewer", agent=True)
        yield {name: client_of(app, token) for name, token in tokens.items()} | {"nobody": client_of(app)}
    patch.undo()


def role_of(caller) -> Role:
    """An agent's token is a reviewer's at most."""
    return "reviewer" if caller == "agent" else caller


def asked(client, route):
    path = "/repos/shop" + re.sub(r"\{(\w+)\}", "x", route.path)
    if route.method == "GET":
        return client.get(path, params=WRONG).status_code
    return client.request(route.method, path, json=WRONG, headers=STALE).status_code


@pytest.mark.parametrize("caller", CALLERS)
def test_every_path_lets_in_whose_role_reaches_what_its_verb_risks(server, caller):
    found = {route.operation: asked(server[caller], route) for route in routes()}
    role = role_of(caller)
    allowed = {
        route.operation
        for route in routes()
        if reaches(role, route.verb.role) and (caller != "agent" or route.verb.reads or route.verb.title)
    }
    assert {name for name, status in found.items() if status == 400} == allowed
    assert {name for name, status in found.items() if status == 403} == found.keys() - allowed


def test_what_is_not_offered_to_agents_is_refused_to_their_tokens():
    closed = {one.verb.name for one in routes() if not one.verb.reads and not one.verb.title}
    of_jobs = {"add_job", "cancel_job", "retry_job"}
    assert closed == {"cancel_run", "decide_recommendations", "import_evidence", "recover_run"} | of_jobs


@pytest.mark.parametrize("route", routes(), ids=lambda one: one.operation)
def test_nobody_is_let_in_anywhere(server, route):
    assert asked(server["nobody"], route) == 401


@pytest.mark.parametrize("caller", CALLERS)
def test_what_is_about_the_server_lets_in_by_role(server, caller):
    role = role_of(caller)
    for path, need, _ in FRONT:
        assert server[caller].get(path).status_code == (200 if reaches(role, need) else 403), path
        assert server["nobody"].get(path).status_code == 401


def test_each_risk_takes_the_role_that_the_documents_say():
    roles = {(one.verb.risk, one.verb.runs_code): one.verb.role for one in routes()}
    assert roles[None, False] == "reader"
    assert roles["record", False] == roles["annotate", False] == "reviewer"
    assert roles["record", True] == "admin"
