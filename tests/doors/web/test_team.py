"""A server for a team: signing in, what tokens are good for, repositories that are closed, and the audit log."""

import re
import subprocess

import pytest

from pactkeeper.doors.web.entering import Site
from pactkeeper.doors.web.serving import Public, serve_team
from pactkeeper.doors.web.team import team_application
from pactkeeper.errors import UsageError
from pactkeeper.operators.accounts import (
    TokenRequest,
    add_token,
    change_password,
    change_role,
    disable_user,
    revoke_token,
)
from pactkeeper.operators.team import add_repository, change_member
from pactkeeper.store.team import Registered
from pactkeeper.verbs.listening import Address
from tests.doors.projects import Project
from tests.doors.web.team_server import PASSWORD, SITE, URL, client_of, opened, token_of

pytestmark = pytest.mark.slow

ORIGIN = {"Origin": URL}
BASE = "/repos/shop/agents/reconciliation"


def signed_in(app, name="admin", password=PASSWORD):
    client = client_of(app)
    done = client.post("/sign-in", data={"name": name, "password": password, "next": "/repos/shop/"}, headers=ORIGIN)
    return client, done


def test_a_person_signs_in_sees_the_repositories_and_signs_out(server):
    _, app = server
    client, done = signed_in(app)
    assert done.status_code == 200
    assert 'content="0; url=/repos/shop/"' in done.text
    assert "HttpOnly" in done.headers["set-cookie"]
    assert '<a href="/repos/shop/">shop</a>' in client.get("/").text
    assert client.get("/repos/shop/statistics").status_code == 200
    secret = client.cookies["pactkeeper-8766"]
    assert client.post("/sign-out", headers=ORIGIN).status_code == 200
    client.cookies.set("pactkeeper-8766", secret)
    assert client.get("/repos/shop/statistics").status_code == 401


def test_every_page_of_a_repository_says_who_is_signed_in_and_offers_to_sign_out(server):
    team, app = server
    client, _ = signed_in(app)
    for path in ("", "/commit", "/threads"):
        told = client.get(f"/repos/shop/page{path}").text
        assert "<span>Admin Person &lt;admin@example.org&gt;, admin here</span>" in told
        assert '<a href="/">Repositories</a>' in told
        assert 'action="/sign-out"' in told
    by_token = client_of(app, token_of(team, "admin")).get("/repos/shop/page").text
    assert "/sign-out" not in by_token


@pytest.mark.parametrize("given", [("admin", "wrong"), ("nobody", PASSWORD), ("reader", ""), ("reader", PASSWORD)])
def test_a_wrong_name_or_password_is_told_alike(server, given):
    team, app = server
    _, done = signed_in(app, *given)
    assert done.status_code == 403
    assert "Wrong name or password." in done.text
    newest = client_of(app, token_of(team, "admin")).get("/audit").json()["entries"][1]
    assert (newest["action"], newest["subject"], newest["outcome"]) == ("sign in", given[0], "refused")


def test_guessing_is_slowed_down(server):
    app = team_application(server[0], SITE, clock=lambda: 0.0)
    statuses = [signed_in(app, "reader", "")[1].status_code for _ in range(11)]
    assert statuses == [403] * 10 + [429]


def test_a_page_of_another_site_signs_nobody_in(server):
    _, app = server
    done = client_of(app).post("/sign-in", data={"name": "admin", "password": PASSWORD})
    assert done.status_code == 403


@pytest.mark.parametrize("onward", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_signing_in_leads_to_no_other_site(server, onward):
    _, app = server
    page = client_of(app).get("/sign-in", params={"next": onward}).text
    assert 'name="next" value="/"' in page


def test_a_browser_without_a_session_is_led_to_sign_in_and_back(server):
    _, app = server
    client = client_of(app, follow_redirects=False)
    led = client.get("/repos/shop/statistics", headers={"Accept": "text/html"})
    assert (led.status_code, led.headers["location"]) == (303, "/sign-in?next=/repos/shop/statistics")


def test_what_a_person_decides_stands_under_their_name(server, project):
    team, app = server
    project.pk("init")
    client = client_of(app, token_of(team, "reviewer"))
    run = client.post(f"{BASE}/start", json={"everything": True}).json()["run"]
    seen = {"If-Match": client.get(f"{BASE}/runs/{run}/patch").headers["etag"]}
    batch = f"{BASE}/runs/{run}/recommendations/batch"
    assert client.post(batch, json={"verdict": "accept", "everything": True}, headers=seen).status_code == 200
    log = project.pk("log", "--json").document["decisions"]
    assert "the REST API for Reviewer Person <reviewer@example.org>" in {one["by"] for one in log}


def test_the_pages_of_a_repository_are_below_its_name_and_find_their_stylesheet(server):
    _, app = server
    client, _ = signed_in(app)
    page = client.get("/repos/shop/")
    assert page.status_code == 200
    assert 'href="/repos/shop/page' in page.text
    assert client.get("/static/page.css").status_code == 200


def test_a_token_ends_by_revoking_it_and_by_time_and_with_its_account(server):
    team, app = server
    token, secret = add_token(team, TokenRequest("reader", "one"))
    client = client_of(app, secret)
    assert client.get("/repos").status_code == 200
    revoke_token(team, token.id)
    assert client.get("/repos").status_code == 401
    client = client_of(app, token_of(team, "reader"))
    disable_user(team, "reader")
    assert client.get("/repos").status_code == 401
    client, _ = signed_in(app)
    change_password(team, "admin", "another long password")
    assert client.get("/repos").status_code == 401


def test_nobody_is_more_than_their_account_is_now(server):
    team, app = server
    client = client_of(app, token_of(team, "committer"))
    assert client.post(f"{BASE}/start", json={"bad": 1}).status_code == 400
    change_role(team, "committer", "reader")
    assert client.post(f"{BASE}/start", json={"bad": 1}).status_code == 403


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (TokenRequest("reader", "x", "reviewer"), "a token of theirs cannot be reviewer"),
        (TokenRequest("admin", "x", "committer", agent=True), "an agent's token never commits"),
        (TokenRequest("nobody", "x"), "no account 'nobody'"),
        (TokenRequest("reader", "x", days=0), "1 to 366 days"),
        (TokenRequest("reader", "x", repository="gone"), "no repository 'gone'"),
    ],
)
def test_a_token_that_would_be_too_much_is_not_made(server, wanted, words):
    team, _ = server
    with pytest.raises(UsageError, match=words):
        add_token(team, wanted)


def test_an_agent_cannot_consent_to_what_it_was_shown(server, project):
    team, app = server
    project.pk("init")
    agent = client_of(app, token_of(team, "admin", role="reviewer", agent=True))
    shown = agent.post("/repos/shop/atoms", json={"intent": "A box has a lid."})
    assert shown.status_code == 202
    consent = {"Consent": shown.json()["consent"]["key"]}
    refused = agent.post("/repos/shop/atoms", json={"intent": "A box has a lid."}, headers=consent)
    assert refused.status_code == 403
    assert "cannot consent" in refused.json()["detail"]
    person = client_of(app, token_of(team, "reviewer"))
    assert person.post("/repos/shop/atoms", json={"intent": "A box has a lid."}, headers=consent).status_code == 202


def test_a_repository_that_is_closed_is_not_there_for_strangers(server, tmp_path):
    team, app = server
    place = tmp_path / "secret"
    place.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=place, check=True)
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "First", "--allow-empty"]
    subprocess.run(git, cwd=place, check=True)
    add_repository(team, Registered("secret", str(place), shared=False))
    reviewer = client_of(app, token_of(team, "reviewer"))
    gone = [reviewer.get(f"/repos/{name}/statistics") for name in ("secret", "made-up")]
    assert [one.status_code for one in gone] == [404, 404]
    assert gone[0].json()["detail"].replace("secret", "made-up") == gone[1].json()["detail"]
    assert [one["name"] for one in reviewer.get("/repos").json()["repositories"]] == ["shop"]
    change_member(team, "secret", "reviewer", "reader")
    assert reviewer.get("/repos/secret/statistics").status_code == 200
    assert reviewer.post("/repos/secret/agents/reconciliation/start", json={}).status_code == 403


def test_a_token_for_one_repository_opens_no_other(server, project):
    team, app = server
    add_repository(team, Registered("other", str(project.root)))
    client = client_of(app, token_of(team, "reader", repository="shop"))
    assert client.get("/repos/shop/statistics").status_code == 200
    assert client.get("/repos/other/statistics").status_code == 404
    assert [one["name"] for one in client.get("/repos").json()["repositories"]] == ["shop"]


def test_the_most_of_a_repository_caps_even_an_admin(server, project):
    team, app = server
    add_repository(team, Registered("frozen", str(project.root), most="reader"))
    client = client_of(app, token_of(team, "admin"))
    assert client.get("/repos/frozen/statistics").status_code == 200
    assert client.post("/repos/frozen/agents/reconciliation/start", json={}).status_code == 403


def test_writes_and_refusals_stand_in_the_audit_log_with_whom_and_from_where(server):
    team, app = server
    client_of(app, token_of(team, "reader")).post(f"{BASE}/start", json={})
    (entry, *_) = client_of(app, token_of(team, "admin")).get("/audit", params={"account": "reader"}).json()["entries"]
    assert entry["at"]
    del entry["at"]
    assert entry == {
        "account": "reader",
        "kind": "program",
        "action": "POST",
        "subject": f"{BASE}/start",
        "outcome": "403",
        "address": "testclient",
    }


def test_the_paths_of_a_repository_are_below_its_name(server):
    team, app = server
    client = client_of(app, token_of(team, "reader"))
    assert client.get("/statistics").status_code == 404
    described = client.get("/repos/shop/openapi.json").json()
    assert "/statistics" in described["paths"]
    assert described["servers"] == [{"url": "/repos/shop"}]


@pytest.mark.parametrize(
    ("listen", "public", "words"),
    [
        ("192.0.2.7:80", Public(), "give its public address: --url"),
        ("8766", Public("http://pact.example.org"), "has no TLS"),
        ("8766", Public("https://pact.example.org/below"), "is not the URL of a server"),
        ("8766", Public("ftp://pact.example.org"), "is not the URL of a server"),
    ],
)
def test_a_server_that_others_could_listen_in_on_is_not_begun(listen, public, words):
    with pytest.raises(UsageError, match=words):
        serve_team(Address.of(listen), public)


def test_behind_tls_the_cookie_says_so(project):
    site = Site(frozenset({"pact.example.org"}), "https://pact.example.org")
    with opened(project.root, site) as (_, app):
        client = replace_base(client_of(app), "https://pact.example.org")
        given = {"name": "admin", "password": PASSWORD}
        done = client.post("/sign-in", data=given, headers={"Origin": "https://pact.example.org"})
        assert done.headers["set-cookie"].startswith("__Host-pactkeeper=")
        assert "Secure" in done.headers["set-cookie"]
        assert done.headers["strict-transport-security"] == "max-age=31536000"
        assert client.get("/repos").status_code == 200


def replace_base(client, url):
    client.base_url = url
    return client


def test_the_last_admin_stays_one(server):
    team, _ = server
    for change in (lambda: change_role(team, "admin", "reader"), lambda: disable_user(team, "admin")):
        with pytest.raises(UsageError, match="the only admin"):
            change()


@pytest.fixture
def neighbour(server, tmp_path):
    """A second repository that the reader may see, and the application."""
    team, app = server
    place = tmp_path / "other"
    place.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=place, check=True)
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "Second", "--allow-empty"]
    subprocess.run(git, cwd=place, check=True)
    add_repository(team, Registered("other", str(place)))
    return team, app


@pytest.mark.parametrize("path", ["threads/{}", "page/threads/{}"])
def test_a_thread_is_shown_only_below_the_repository_in_which_it_was_opened(neighbour, project, path):
    team, app = neighbour
    thread = project.pk("thread", "new", "Title: Longer terms", "--json").document["thread"]
    client = client_of(app, token_of(team, "reader"))
    for name in (thread, thread[:5], f"pk:thread/{thread}/1"):
        refused = client.get(f"/repos/other/{path.format(name)}")
        assert refused.status_code in {404, 422}
        assert "Longer terms" not in refused.text
    assert client.get(f"/repos/shop/{path.format(thread)}").status_code == 200


@pytest.mark.parametrize("path", ["threads", "page/threads"])
def test_threads_of_other_repositories_and_of_none_are_not_listed(neighbour, project, path, tmp_path):
    team, app = neighbour
    project.pk("thread", "new", "Title: Longer terms")
    Project(tmp_path).pk("thread", "new", "Title: Of no repository")
    client = client_of(app, token_of(team, "reader"))
    assert "Longer terms" not in client.get(f"/repos/other/{path}").text
    own = client.get(f"/repos/shop/{path}").text
    assert "Longer terms" in own
    assert "Of no repository" not in own


def test_nobody_speaks_in_a_thread_of_another_repository(neighbour, project):
    _, app = neighbour
    thread = project.pk("thread", "new", "Title: Longer terms", "--json").document["thread"]
    client, _ = signed_in(app)
    (form,) = set(re.findall(r'name="form" value="([^"]+)"', client.get(f"/repos/shop/page/threads/{thread}").text))
    said = {"form": form, "text": "New title: Shorter terms"}
    assert client.post(f"/repos/other/page/threads/{thread}", data=said, headers=ORIGIN).status_code in {404, 422}
    assert "Shorter" not in project.pk("thread", "show", thread).out


def test_the_audit_log_says_what_was_asked_of_a_thread_and_what_became_of_it(server, project):
    team, app = server
    thread = project.pk("thread", "new", "Title: Longer terms", "--json").document["thread"]
    client, _ = signed_in(app)
    path = f"/repos/shop/page/threads/{thread}"
    (form,) = set(re.findall(r'name="form" value="([^"]+)"', client.get(path).text))
    for said in ({"text": "New title: Shorter terms"}, {"shown": "0"}, {"number": "9", "place": "title"}):
        client.post(path, data={"form": form, **said}, headers=ORIGIN)
    entries = client_of(app, token_of(team, "admin")).get("/audit").json()["entries"]
    outcomes = [one["outcome"] for one in reversed(entries) if one["subject"] == path]
    assert outcomes == ["say: done (303)", "approve 0: refused (422)", "place words: refused (422)"]


def test_the_page_of_threads_counts_those_of_its_folder_and_says_which_ones_it_leaves_out(server, project, tmp_path):
    team, app = server
    client = client_of(app, token_of(team, "reader"))
    empty = client.get("/repos/shop/page/threads").text
    assert "0 threads" not in empty
    assert "Threads in Slack or of a clone elsewhere are not shown here" in empty
    project.pk("thread", "new", "Title: Longer terms")
    assert "1 thread of this folder" in client.get("/repos/shop/page/threads").text
    (tmp_path / "mail/export").mkdir(parents=True)
    (tmp_path / "mail/export/0001-Ada.md").write_text("Title: Export orders")
    project.pk("thread", "files", str(tmp_path / "mail"))
    assert "Export orders" in client.get("/repos/shop/page/threads").text
