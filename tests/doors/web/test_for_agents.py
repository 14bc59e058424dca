"""What an agent's token reads over REST: all that a person reads, but no command by which a person decides."""

import re

import pytest

from pactkeeper.doors.web.describing import routes
from tests.doors.mcp.conftest import persons_commands
from tests.doors.web.team_server import client_of, opened, token_of

HERE = "/repos/shop"
NEW = """def test_new():
    assert 1 + 1 == 2
"""
ALONE = sorted(one.path for one in routes() if one.method == "GET" and not one.names and not one.verb.shape.required)


@pytest.fixture
def callers(adopted, monkeypatch):
    """A person and an agent at a repository that has drifted: a new test, a changed one, one that asks less."""
    monkeypatch.delenv("PACTKEEPER_DATABASE_URL", raising=False)
    adopted.write("tests/test_new.py", NEW)
    adopted.replace("tests/test_basket.py", "assert basket.total == 10", "assert basket.total")
    adopted.replace("tests/test_basket.py", "count == 0", "count == 1")
    with opened(adopted.root) as (team, app):
        agent = token_of(team, "admin", role="reviewer", agent=True)
        yield client_of(app, token_of(team, "reviewer")), client_of(app, agent)


def test_an_agents_token_reads_no_persons_command_at_any_path(callers):
    _, agent = callers
    answers = {path: agent.get(f"{HERE}{path}") for path in ALONE}
    assert {path: answer.status_code for path, answer in answers.items() if answer.status_code >= 500} == {}
    assert {
        path: persons_commands(answer.text) for path, answer in answers.items() if persons_commands(answer.text)
    } == {}


def test_what_waits_for_a_person_names_its_command_to_the_person_alone(callers):
    for caller, named in zip(callers, (True, False), strict=True):
        found = caller.get(f"{HERE}/check").text
        shown = caller.post(f"{HERE}/atoms", json={"intent": "A box has a lid."})
        assert shown.status_code == 202
        assert bool(persons_commands(found)) is named
        assert bool(persons_commands(shown.text)) is named
        assert bool(re.search("a person decides", found)) is not named
