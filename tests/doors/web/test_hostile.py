"""What a stranger or a careless program sends, and files that a clone brings: each is answered, none with a bug."""

import os
import re
import resource
import socket
import sqlite3
import subprocess
import sys
from contextlib import ExitStack, closing
from dataclasses import replace

import httpx2
import pytest

from pactkeeper.doors.web.team import team_application
from pactkeeper.store.database import open_database, sqlite_url
from tests.doors.web.conftest import TOKEN
from tests.doors.web.team_server import PASSWORD, SITE, URL, client_of, token_of
from tests.waiting import PATIENCE, running

pytestmark = pytest.mark.slow

LOOP, LONG, NUL = "loop", "A" * 5000, "a\0b"
SEEN = "/repos/shop/atoms"


@pytest.fixture
def odd(kept):
    """A repository with a link that names itself and JSON that Python reads and cannot write."""
    (kept.project.root / LOOP).symlink_to(LOOP)
    kept.project.write("large.json", '{"a": 1e999}')
    kept.project.write("half.json", '{"a": "\\ud800"}')
    kept.project.write("bad.sarif", '{"runs": [{"tool": null, "results": [{"ruleId": 1, "level": []}]}]}')
    rule = '{"id": "a", "defaultConfiguration": {"level": []}}'
    kept.project.write("rule.sarif", f'{{"runs": [{{"tool": {{"driver": {{"name": "b", "rules": [{rule}]}}}}}}]}}')
    return kept


@pytest.mark.parametrize("bad", [LOOP, f"{LOOP}/x", LONG, NUL])
@pytest.mark.parametrize(
    ("path", "name"),
    [
        *[(path, "paths") for path in ("/structure", "/gaps", "/orphans", "/coupling", "/scan")],
        *[("/reports/results", "files"), ("/reports/coverage", "files"), ("/reports/quality", "files")],
        ("/gaps", "coverage"),
        ("/files/text", "path"),
    ],
)
def test_a_path_that_leads_nowhere_is_no_bug(odd, bad, path, name):
    found = odd.client.get(path, params={name: bad})
    assert found.status_code < 500, found.text


@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        ("/files/json", {"path": "large.json"}, 422),
        ("/files/json", {"path": "half.json"}, 200),
        ("/reports/quality", {"files": "bad.sarif"}, 422),
        ("/reports/quality", {"files": "rule.sarif"}, 422),
    ],
)
def test_a_file_of_odd_values_is_read_or_refused_with_words(odd, path, query, status):
    found = odd.client.get(path, params=query)
    assert found.status_code == status, found.text


@pytest.mark.parametrize("bad", [NUL, LONG])
def test_a_run_over_a_path_that_leads_nowhere_is_refused(odd, bad):
    found = odd.client.post("/agents/reconciliation/start", json={"paths": [bad]})
    assert 400 <= found.status_code < 500, found.text


def test_what_a_key_stands_for_is_told_to_nobody_else(server, project):
    team, app = server
    project.pk("init")
    first, other, reader = (client_of(app, token_of(team, name)) for name in ("admin", "reviewer", "reader"))
    key, atom = {"Idempotency-Key": "once"}, {"intent": "A box has a lid."}
    shown = first.post(SEEN, json=atom, headers=key).json()
    yes = {**key, "Consent": shown["consent"]["key"]}
    assert first.post(SEEN, json=atom, headers=yes).json()["status"] == "applied"
    assert first.post(SEEN, json=atom, headers=yes).status_code == 200
    assert reader.post(SEEN, json=atom, headers=yes).status_code == 403
    assert other.post(SEEN, json={"intent": "A box has no lid."}, headers=key).status_code == 202


def test_who_may_not_decide_is_told_so_before_what_is_missing(server):
    team, app = server
    path = "/repos/shop/agents/reconciliation/runs/REC-1/recommendations/batch"
    assert client_of(app, token_of(team, "reader")).post(path, json={"verdict": "accept"}).status_code == 403


def test_signing_in_rightly_is_no_try(server):
    _, app = server
    given = {"name": "admin", "password": PASSWORD, "next": "/"}
    statuses = [client_of(app).post("/sign-in", data=given, headers={"Origin": URL}).status_code for _ in range(12)]
    assert set(statuses) == {200}


def test_too_many_tries_are_told_on_the_page(server):
    app = team_application(server[0], SITE, clock=lambda: 0.0)
    given = {"name": "admin", "password": "wrong", "next": "/"}
    told = [client_of(app).post("/sign-in", data=given, headers={"Origin": URL}) for _ in range(11)][-1]
    assert (told.status_code, "Retry-After" in told.headers) == (429, True)
    assert "Too many requests; try again in" in told.text
    assert '<form method="post" action="/sign-in">' in told.text


def test_a_write_that_cannot_be_noted_is_refused_with_words(server):
    team, _ = server
    place = team.database.address.path
    token = token_of(team, "admin")
    hasty = open_database(sqlite_url(place), patience=0.1)
    client = client_of(team_application(replace(team, database=hasty), SITE), token)
    with closing(hasty), closing(sqlite3.connect(place, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        refused = client.post(SEEN, json={"intent": "A box has a lid."})
        other.execute("ROLLBACK")
    assert refused.status_code == 503
    assert "is in use by another process" in refused.json()["detail"]


def test_half_requests_keep_nobody_out(project):
    def few_files():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    command = [sys.executable, "-m", "pactkeeper", "serve", "--listen", "0"]
    env = {**os.environ, "PACTKEEPER_SERVE_TOKEN": TOKEN}
    options = {"cwd": project.root, "stderr": subprocess.PIPE, "text": True, "env": env, "preexec_fn": few_files}
    with running(command, **options) as served, ExitStack() as held:
        assert served.stderr is not None
        (port,) = re.findall(r"on http://\S+:(\d+)", served.stderr.readline())
        for _ in range(90):
            half = held.enter_context(socket.create_connection(("127.0.0.1", int(port)), PATIENCE))
            half.sendall(b"GET / HTTP/1.1\r\nHo")
        assert httpx2.get(f"http://127.0.0.1:{port}/health", timeout=PATIENCE).status_code == 200
        served.terminate()
        assert "Traceback" not in served.stderr.read()
