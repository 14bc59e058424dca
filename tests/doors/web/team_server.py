"""A server for a team, in this process, with accounts and a repository."""

from contextlib import contextmanager
from dataclasses import replace

from starlette.testclient import TestClient

from pactkeeper.doors.web.entering import Site
from pactkeeper.doors.web.team import team_application
from pactkeeper.ledger.policy import ROLES
from pactkeeper.operators.accounts import TokenRequest, add_token, add_user
from pactkeeper.operators.team import add_repository, open_team
from pactkeeper.store.team import Registered
from pactkeeper.verbs.listening import Address

URL = "http://127.0.0.1:8766"
PASSWORD = "correct horse battery"
SITE = Site.at(Address.of("8766"))


@contextmanager
def opened(root, site=SITE, provider=None):
    """A team with one account a role, and the repository `shop`; the application of its server."""
    with open_team() as team:
        for role in ROLES:
            person = f"{role.title()} Person <{role}@example.org>"
            add_user(team, role, person, role=role, password=PASSWORD if role == "admin" else None)
        add_repository(team, Registered("shop", str(root)))
        yield team, team_application(team, site, provider)


def token_of(team, account, **wanted):
    return add_token(team, replace(TokenRequest(account, "test", account), **wanted))[1]


def client_of(app, token="", **options):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return TestClient(app, base_url=URL, headers=headers, **options)
