"""The cycle of a pull request with a server, a worker and a forge on loopback: real HTTP, and git over HTTP."""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from dataclasses import dataclass

import pytest

from pactkeeper.store.team import repositories
from tests.boards.fakes import TOKEN
from tests.doors.conftest import first_adopted, first_project  # noqa: F401 - fixtures of the doors serve here as well
from tests.doors.projects import Project
from tests.flows.collector import collector
from tests.forges import events
from tests.forges.conftest import Site, make_site
from tests.forges.events import SECRET, signed
from tests.forges.test_cycle import NAME
from tests.forges.test_proposing import BRANCH, describe
from tests.jobs.conftest import Team
from tests.waiting import PATIENCE, running, until

pytestmark = pytest.mark.slow

ADDRESSES = {"github": "GITHUB_API_URL", "gitlab": "CI_API_V4_URL"}
TOKENS = {"github": "GITHUB_TOKEN", "gitlab": "GITLAB_TOKEN"}
CI = ("GITHUB_ACTIONS", "GITLAB_CI", "GITHUB_REPOSITORY", "CI_PROJECT_ID", "PACTKEEPER_FORGE_TOKEN")


@dataclass
class Served:
    """A forge whose webhooks go to a server, with a worker beside it once there is something to do."""

    site: Site
    team: Team
    url: str

    @property
    def forge(self):
        return self.site.forge

    def tell(self, event):
        """Deliver an event; the answer's status and document."""
        name, said = event
        headers, body = signed(self.forge.kind, name, said)
        request = urllib.request.Request(f"{self.url}/hooks/{self.forge.kind}", body, headers)  # noqa: S310 - loopback
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310 - likewise
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def done(self, event):
        """Deliver an event and wait for its job; the first one begins a worker."""
        if not self.team.workers:
            self.team.worker()
        status, said = self.tell(event)
        assert status == 202, said
        return self.team.ends(said["job"])

    def request(self, **said):
        made = {"github": events.github_request, "gitlab": events.gitlab_request}[self.forge.kind]
        return made(head=self.forge.head, url=self.place, **said)

    def comment(self, author, text):
        made = {"github": events.github_comment, "gitlab": events.gitlab_note}[self.forge.kind]
        return made(int(self.forge.write(author, text)), text, url=self.place)

    def pushed(self):
        made = {"github": events.github_push, "gitlab": events.gitlab_push}[self.forge.kind]
        after = Project(self.forge.origin).git("rev-parse", "refs/heads/main")
        return made(after=after, url=self.place)

    @property
    def place(self):
        return f"{self.forge.url}/acme/shop.git"


@pytest.fixture(params=[pytest.param("github"), pytest.param("gitlab", marks=pytest.mark.slow)])
def served(request, first_adopted, tmp_path, team, monkeypatch):  # noqa: F811 - the fixture of that name
    kind = request.param
    site = make_site(kind, first_adopted, tmp_path)
    for name in CI:
        monkeypatch.delenv(name, raising=False)
    for name, value in {
        ADDRESSES[kind]: site.forge.url,
        TOKENS[kind]: TOKEN,
        f"PACTKEEPER_{kind.upper()}_HOOK_SECRET": SECRET,
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }.items():
        monkeypatch.setenv(name, value)
    secret = tmp_path / "config/pactkeeper/git-credentials"
    secret.parent.mkdir(parents=True)
    secret.write_text(site.forge.url.replace("://", f"://oauth2:{TOKEN}@") + "\n")
    secret.chmod(0o600)
    team.pk("repos", "add", "shop", f"{site.forge.url}/acme/shop.git")
    command = [sys.executable, "-m", "pactkeeper", "serve", "--team", "--listen", "127.0.0.1:0"]
    try:
        with (
            (tmp_path / "server").open("wb") as log,
            running(command, env=team.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log),
        ):
            yield Served(site, team, until(lambda: _address(tmp_path / "server"), "the server"))
    finally:
        team.end()
        site.forge.close()


def _address(log):
    written = log.read_text().rpartition("\n")[0]  # whole lines
    lines = [line for line in written.splitlines() if "listening on" in line]
    return lines[0].split("listening on ")[1].split()[0].rstrip(":") if lines else ""


def accept(served):
    return f"/pk accept --at {served.forge.head[:12]} {NAME} --intent 'Removed boxes are forgotten.'"


def test_a_pull_request_is_reported_accepted_and_reported_again(served):
    event = served.request()
    first = served.done(event)
    assert (first.state, first.result["exit"]) == ("done", 1), first.error
    assert served.forge.verdicts == [(served.forge.head, False)]
    assert "/pk accept --at" in served.forge.own()[0]
    assert served.tell(event)[1] == {"job": first.id, "new": False, "why": ""}
    before = served.forge.head
    refused = served.done(served.comment("mallory", accept(served)))
    assert (refused.state, served.forge.signs[-1][1]) == ("failed", "confused")
    assert "'mallory' may not write" in refused.error
    assert served.done(served.comment("ada", accept(served))).state == "done"
    served.site.sync()
    assert served.forge.head != before
    assert served.done(served.request(**_moved(served, before))).result["exit"] == 0
    assert served.forge.verdicts[-1] == (served.forge.head, True)
    assert len(served.forge.own()) == 1
    assert "Removed boxes are forgotten." in served.forge.own()[0]


def _moved(served, before):
    return {"action": "synchronize"} if served.forge.kind == "github" else {"action": "update", "oldrev": before}


@pytest.fixture
def watched(monkeypatch):
    """What a collector of spans on loopback received."""
    with collector() as (url, received):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        yield received


@pytest.mark.slow
def test_a_delivery_begins_the_trace_that_its_job_joins(watched, served):
    messages = pytest.importorskip("opentelemetry.proto.collector.trace.v1.trace_service_pb2")
    served.done(served.request())

    def spans():
        request = messages.ExportTraceServiceRequest()
        request.ParseFromString(b"".join(body for _, body in tuple(watched)))
        return {span.name: span for one in request.resource_spans for each in one.scope_spans for span in each.spans}

    wanted = {"webhook pull-request", "job pull-request"}
    until(lambda: wanted <= spans().keys(), wanted)
    found = spans()
    assert found["job pull-request"].parent_span_id == found["webhook pull-request"].span_id
    assert found["webhook pull-request"].parent_span_id == b""


@pytest.mark.slow
def test_an_event_that_comes_late_tells_what_is_true_now(served):
    late = served.request()
    served.site.author.replace("tests/test_basket.py", "assert basket.total == 10", "assert basket.total > 0")
    served.site.push("Loosen")
    served.done(served.request())
    assert served.done(late).state == "done"
    assert {commit for commit, _ in served.forge.verdicts} == {served.forge.head}
    assert "1 weakening" in served.forge.own()[0]


@pytest.mark.slow
def test_nothing_of_a_fork_runs_and_no_secret_reaches_it(served):
    served.forge.fork = True
    trap = served.team.folder / "ran"
    author = served.site.author
    author.write(".gitattributes", "* filter=trap diff=trap\n")
    author.write("conftest.py", f"import os; open({str(trap)!r}, 'w').write(str(os.environ))\n")
    author.write("pact/pact.toml", author.read("pact/pact.toml") + f'\n[[health.check]]\nname = "x"\ncategory = "test"\nargv = ["touch", "{trap}"]\n')  # fmt: skip
    served.site.push("Set traps")
    found = served.done(served.request())
    assert found.result["exit"] == 1
    assert served.done(served.comment("ada", accept(served))).state == "failed"
    told = json.dumps([served.forge.comments, found.result])
    assert "/pk accept" not in served.forge.own()[0]
    assert not trap.exists()
    assert TOKEN not in told
    assert SECRET not in told


@pytest.mark.slow
def test_a_proposal_opens_follows_pushes_and_closes_when_it_is_obsolete(served):
    author = served.site.author
    author.replace("tests/test_basket.py", "@everyone look at https://evil.example.", "A removed box is not counted.")
    describe(served.site)
    assert "no schedule proposes" in served.tell(served.pushed())[1]["why"]
    served.team.pk("jobs", "schedule", "shop-propose", "propose", "0 3 1 1 *", "--repository", "shop")
    assert served.done(served.pushed()).result["said"] == "pull request 8: opened"
    author.write("README.md", "A better shop.\n")
    author.commit("Describe it better")
    author.git("push", "--quiet", "origin", "HEAD:refs/heads/main")
    assert served.done(served.pushed()).result["said"] == "pull request 8: updated"
    origin = Project(served.forge.origin)
    origin.git("update-ref", "refs/heads/main", BRANCH)
    author.git("fetch", "--quiet", "origin")
    author.git("reset", "--quiet", "--hard", "origin/main")
    author.write("README.md", "The best shop.\n")
    author.commit("Describe it best")
    author.git("push", "--quiet", "origin", "HEAD:refs/heads/main")
    assert served.done(served.pushed()).result["said"] == "pull request 8: closed"
    assert not served.forge.proposals["8"]["open"]
    assert origin.git("branch", "--list", "pactkeeper/*") == ""


def test_what_is_not_signed_or_not_known_is_refused(served, database):
    name, event = served.request()
    _, body = signed(served.forge.kind, name, event)
    request = urllib.request.Request(f"{served.url}/hooks/{served.forge.kind}", body, {"x-github-event": name})  # noqa: S310 - loopback
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(request, timeout=PATIENCE)  # noqa: S310 - likewise
    elsewhere = events.github_request if served.forge.kind == "github" else events.gitlab_request
    status, said = served.tell(elsewhere(url="http://127.0.0.1:9/mallory/shop.git"))
    assert (status, "fetches nothing from" in said["detail"]) == (404, True)
    assert [one.name for one in repositories(database)] == ["shop"]
    assert served.team.queue.jobs() == ()
