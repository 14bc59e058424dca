"""Several people at one repository of a server, and a server that is killed."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack

import httpx2
import pytest

from pactkeeper.doors.web.team import team_application
from pactkeeper.operators.accounts import add_user
from tests.doors.web.conftest import BASE, TOKEN
from tests.doors.web.team_server import SITE, URL, client_of, opened, token_of
from tests.waiting import PATIENCE, running

pytestmark = pytest.mark.slow

SHOP = f"/repos/shop{BASE}"


@pytest.fixture
def two(project):
    """Two reviewers at one run."""
    project.pk("init")
    with opened(project.root) as (team, app):
        add_user(team, "bob", "Bob <bob@example.org>", role="reviewer", password=None)
        tokens = (token_of(team, "reviewer"), token_of(team, "bob", role="reviewer"))
        one, other = (client_of(app, token) for token in tokens)
        run = one.post(f"{SHOP}/start", json={"everything": True}).json()["run"]
        yield one, other, run


def tag_of(client, run):
    return {"If-Match": client.get(f"{SHOP}/runs/{run}/patch").headers["etag"]}


def test_a_stale_tab_is_told_and_loses_nothing(two):
    one, other, run = two
    first, second, *_ = one.get(f"{SHOP}/runs/{run}/recommendations").json()["recommendations"]
    seen = [tag_of(client, run) for client in (one, other)]
    path = f"{SHOP}/runs/{run}/recommendations"
    assert one.post(f"{path}/{first['id']}/accept", json={}, headers=seen[0]).status_code == 200
    stale = other.post(f"{path}/{second['id']}/reject", json={"reason": "No."}, headers=seen[1])
    assert stale.status_code == 412
    again = other.post(f"{path}/{second['id']}/reject", json={"reason": "No."}, headers=tag_of(other, run))
    assert again.status_code == 200
    said = {one["id"]: one["status"] for one in other.get(path).json()["recommendations"]}
    assert (said[first["id"]], said[second["id"]]) == ("accepted", "rejected")


async def said_at_once(apps, tokens, path, seen):
    """An accept and a reject of the same recommendation, sent together, each to its server."""
    statuses = []

    async def say(app, token, word):
        headers = {"Authorization": f"Bearer {token}", **seen}
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=URL, headers=headers) as client:
            statuses.append((await client.post(f"{path}/{word}", json={"reason": "So."}, timeout=PATIENCE)).status_code)

    words = zip(apps, tokens, ("accept", "reject"), strict=True)
    await asyncio.gather(*(say(app, token, word) for app, token, word in words))
    return sorted(statuses)


def test_of_two_that_decide_at_the_same_moment_on_what_they_saw_one_is_told_to_read_again(project):
    project.pk("init")
    with opened(project.root) as (team, app):
        tokens = [token_of(team, account) for account in ("reviewer", "committer")]
        client = client_of(app, tokens[0])
        run = client.post(f"{SHOP}/start", json={"everything": True}).json()["run"]
        (first, *_) = client.get(f"{SHOP}/runs/{run}/recommendations").json()["recommendations"]
        path = f"{SHOP}/runs/{run}/recommendations/{first['id']}"
        fresh = team_application(team, SITE)  # its locks belong to the loop that uses them first
        assert asyncio.run(said_at_once([fresh, fresh], tokens, path, tag_of(client, run))) == [200, 412]


@pytest.mark.parametrize("place", ["file", "server"])
def test_two_servers_of_one_repository_take_one_of_two_words(project, place, request, monkeypatch):
    with ExitStack() as closing:
        if place == "server":
            url = closing.enter_context(request.getfixturevalue("postgres").database())
            monkeypatch.setenv("PACTKEEPER_DATABASE_URL", url)
        project.pk("init")
        team, app = closing.enter_context(opened(project.root))
        tokens = [token_of(team, account) for account in ("reviewer", "committer")]
        client = client_of(app, tokens[0])
        run = client.post(f"{SHOP}/start", json={"everything": True}).json()["run"]
        found = client.get(f"{SHOP}/runs/{run}/recommendations").json()["recommendations"]
        for name in [one["id"] for one in found if "source_test_id" in one][:3]:
            path, apps = f"{SHOP}/runs/{run}/recommendations/{name}", [team_application(team, SITE) for _ in "ab"]
            assert asyncio.run(said_at_once(apps, tokens, path, tag_of(client, run))) == [200, 412]


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.0, 0.05, 0.2])
def test_a_server_that_is_killed_while_it_applies_leaves_all_or_nothing(project, after):
    project.pk("init")
    project.pk("reconcile", "--all")
    command = [sys.executable, "-m", "pactkeeper", "serve", "--listen", "0"]
    env = {**os.environ, "PACTKEEPER_SERVE_TOKEN": TOKEN}
    with running(command, cwd=project.root, stderr=subprocess.PIPE, text=True, env=env) as server:
        assert server.stderr is not None
        (url,) = re.findall(r"on (http://\S+)", server.stderr.readline())

        def apply():
            with httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=PATIENCE) as client:
                client.get(f"{BASE}/runs")
                tag = client.get(f"{BASE}/review").headers["etag"]
                run = client.get(f"{BASE}/runs").json()["runs"][0]["run"]["id"]
                said = {"verdict": "accept", "everything": True}
                client.post(f"{BASE}/runs/{run}/recommendations/batch", json=said, headers={"If-Match": tag})
                applying.set()
                try:
                    client.post(f"{BASE}/runs/{run}/apply", json={})
                except httpx2.TransportError:
                    return

        applying = threading.Event()
        thread = threading.Thread(target=apply)
        thread.start()
        assert applying.wait(PATIENCE)
        time.sleep(after)
        os.kill(server.pid, signal.SIGKILL)
        thread.join()
    project.pk("recover", code=None)
    found = len(project.pk("atom", "list", "--json").document["atoms"])
    project.pk("apply", code=None)
    every = len(project.pk("atom", "list", "--json").document["atoms"])
    assert every
    assert found in {0, every}
    assert project.pk("check", code=None).code in {0, 1}
