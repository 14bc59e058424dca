"""A person with an account at the pages of a server for a team, in a real browser."""

import re
import subprocess
import sys

import pytest

from pactkeeper.operators.accounts import add_user
from tests.doors.web.page.browsing import browser
from tests.doors.web.team_server import PASSWORD, opened
from tests.waiting import running


@pytest.fixture
def address(project):
    """The server of a team with one repository, in which a run waits."""
    project.pk("init")
    project.pk("reconcile", "--all")
    with opened(project.root) as (team, _):
        add_user(team, "grace", "Grace <grace@example.org>", role="committer", password=PASSWORD)
    command = [sys.executable, "-m", "pactkeeper", "serve", "--team", "--listen", "0"]
    with running(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        (url,) = re.findall(r"on (http://[^\s]+?):? ", server.stderr.readline())
        yield url


def sign_in(page, address, name):
    page.goto(f"{address}/repos/shop/page/review")
    page.locator("input[name=name]").fill(name)
    page.locator("input[name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")


@pytest.mark.slow
def test_a_person_signs_in_decides_applies_and_signs_out(address, project):
    with browser() as page:
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        sign_in(page, address, "grace")
        page.wait_for_url("**/page/review/**")
        page.keyboard.press("a")
        page.locator(".card.accepted .by", has_text="Grace <grace@example.org>").wait_for()
        with page.expect_navigation():
            page.keyboard.press("d")
        with page.expect_navigation():
            page.keyboard.press("x")
        page.locator("h1:has-text('Written')").wait_for()
        page.goto(address)
        page.locator("button:has-text('Sign out')").click()
        page.goto(f"{address}/repos/shop/page")
        page.locator("input[name=password]").wait_for()
        assert errors == []
