"""What a team's hosts share: threads and boards, each a subject of its own, whichever worker comes to it."""

import json
from contextlib import ExitStack

import pytest

from pactkeeper.errors import UsageError
from pactkeeper.intent.actions import Deed
from pactkeeper.personal import open_personal
from pactkeeper.settings import environment
from pactkeeper.store.actions import save_deed, save_reconciliation
from pactkeeper.store.workers import workers
from tests.jobs.conftest import Team
from tests.transcripts.actions import AT, create_task, proposal
from tests.waiting import until

pytestmark = pytest.mark.slow

AT_ONCE = "reminder_hours = 0\n"
BOARDS = "[boards.{name}]\nkind = 'local'\nfolder = '{folder}'\n"


@pytest.fixture
def hosts(tmp_path, url, queue, monkeypatch):
    """Two hosts of one team: folders of their own, one database."""
    monkeypatch.setenv("PACTKEEPER_TEAM", "acme")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config/pactkeeper").mkdir(parents=True)
    (tmp_path / "config/pactkeeper/threads.toml").write_text(AT_ONCE)
    boards = [BOARDS.format(name=name, folder=tmp_path / name) for name in ("home", "papers")]
    (tmp_path / "config/pactkeeper/boards.toml").write_text("default = 'home'\n" + "".join(boards))
    made = [Team(tmp_path / name, url, queue) for name in ("first", "second")]
    for one in made:
        one.folder.mkdir()
    made[0].repository()
    yield made
    for one in made:
        one.end()


@pytest.fixture
def kept(hosts, monkeypatch):
    """The team's history, as the first host sees it."""
    for name, value in hosts[0].environment.items():
        monkeypatch.setenv(name, value)
    with ExitStack() as closing:
        yield closing.enter_context(open_personal(notice=print)).history()[0]


def jobs(host, kind):
    return {one.job.subject: one for one in host.queue.jobs() if one.job.kind == kind}


def test_each_thread_is_a_job_of_its_own_that_any_host_goes_on_with(hosts, database):
    first, second = hosts
    threads = {first.pk("thread", "new", f"Title: {words}").split()[0] for words in ("Export orders", "Import orders")}
    job = first.add("threads", at=first.folder / "shop")
    second.worker()
    found = first.ends(job)
    assert found.state == "done", second.said(0)
    made = jobs(first, "thread")
    assert set(made) == {f"thread {one}" for one in threads}
    assert set(found.result["document"]["added"]) == {one.id for one in made.values()}
    ended = [first.ends(one.id) for one in made.values()]
    assert [one.state for one in ended] == ["done"] * 2, second.said(0)
    assert {one.worker for one in ended} == {one.id for one in workers(database)}
    assert {one.result["document"]["reminded"][0] for one in ended} == threads
    assert not [one for host in hosts for one in host.folder.rglob("*.db")]


def test_each_board_is_a_job_of_its_own(hosts, kept):
    host = hosts[0]
    actions = [create_task(f"Renew {name}", board=name, artifact=name) for name in ("home", "papers")]
    save_reconciliation(kept, proposal(*actions))
    made = [host.pk("jobs", "add", "board", name, at=host.folder / "shop").split()[0] for name in ("home", "papers")]
    host.worker()
    ended = [host.ends(one) for one in made]
    assert [(one.job.subject, one.state) for one in ended] == [("board home", "done"), ("board papers", "done")], (
        host.said(0)
    )
    for name in ("home", "papers"):
        assert [one.stem for one in (host.folder.parent / name / "tasks").iterdir()] == [f"renew-{name}"]


def test_a_stand_up_leaves_to_a_job_what_was_cut_short_on_a_board(hosts, kept):
    host = hosts[0]
    save_deed(kept, Deed(create_task(board="papers"), "begun", AT))
    job = host.add("standup", at=host.folder / "shop")
    host.worker()
    assert host.ends(job).state == "done", host.said(0)
    (made,) = until(lambda: jobs(host, "board").values(), "the job of the board")
    assert made.job.subject == "board papers"
    assert "interrupted before anything was written" in json.dumps(dict(host.ends(made.id).result))


@pytest.mark.parametrize(
    ("team", "url", "why"),
    [
        ("a b", "postgresql://h/d", "up to 40 letters"),
        ("acme", "", "needs PACTKEEPER_DATABASE_URL at Postgres"),
        ("acme", "sqlite:////tmp/x.db", "needs PACTKEEPER_DATABASE_URL at Postgres"),
    ],
)
def test_a_team_needs_a_plain_name_and_a_server(monkeypatch, team, url, why):
    monkeypatch.setenv("PACTKEEPER_TEAM", team)
    monkeypatch.setenv("PACTKEEPER_DATABASE_URL", url)
    with pytest.raises(UsageError, match=why):
        environment()
