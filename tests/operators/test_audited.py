"""What is changed on a server stands in its audit log, or was not changed."""

from contextlib import closing

import pytest
from sqlalchemy import text

from pactkeeper.errors import PactkeeperError
from pactkeeper.operators.accounts import (
    TokenRequest,
    add_token,
    add_user,
    change_role,
    disable_user,
    list_tokens,
    list_users,
)
from pactkeeper.operators.team import Team, list_audit
from pactkeeper.store.database import open_database
from pactkeeper.store.driver import sqlite_url

ADA = "Ada <ada@example.org>"


@pytest.fixture
def team(tmp_path):
    with closing(open_database(sqlite_url(tmp_path / "server.db"))) as database:
        found = Team(database, tmp_path)
        add_user(found, "ada", ADA, role="admin", password=None)
        add_user(found, "bob", "Bob <bob@example.org>", role="reader", password=None)
        yield found


def test_every_change_has_its_row(team):
    change_role(team, "bob", "reviewer")
    assert [one.action for one in list_audit(team)] == ["users role", "users add", "users add"]


@pytest.mark.parametrize(
    "change",
    [
        lambda team: add_user(team, "eve", "Eve <eve@example.org>", role="reader", password=None),
        lambda team: change_role(team, "bob", "admin"),
        lambda team: disable_user(team, "bob"),
        lambda team: add_token(team, TokenRequest("bob", "laptop", "reader")),
    ],
)
def test_what_cannot_be_audited_is_not_changed(team, change):
    before = list_users(team), list_tokens(team)
    with team.database.begin() as connection:
        connection.execute(text("ALTER TABLE audit RENAME TO elsewhere"))
    with pytest.raises(PactkeeperError):
        change(team)
    assert (list_users(team), list_tokens(team)) == before
