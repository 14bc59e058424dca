"""What a sweep of a real repository says of where a failure comes from."""

import json
import os
import re
import subprocess

import pytest

from pactkeeper.chat.asking import ask
from pactkeeper.chat.here import Here
from pactkeeper.operators.colours import health_status, health_timeline
from pactkeeper.operators.evidence import import_evidence, show_evidence
from pactkeeper.operators.observe import SweptLine, get_statistics
from pactkeeper.operators.sweep import SweepRequest, sweep
from pactkeeper.workspace import open_workspace
from tests.repo.repositories import commit, create, write

PACT = """\
[pact]
format = 1

[[health.check]]
name = "build"
category = "build"
parser = "go"
argv = ["sh", "-c", "grep -q Line models/models.go || { echo 'shop/b.go:3:9: undefined: models.Line'; exit 1; }"]
"""
FILES = {
    "pact/pact.toml": PACT,
    "models/models.go": "package models\n\ntype Line struct{}\n",
    "shop/b.go": "package shop\n\nvar Lines []models.Line\n",
    "mail/mail.go": "package mail\n\nvar Sent int\n",
}


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    create(tmp_path / "shop", FILES)
    return tmp_path / "shop"


def swept(root):
    with open_workspace(root, notice=lambda _: None) as workspace:
        return sweep(workspace, SweepRequest())


def head(root, revision="HEAD"):
    """The short name of a commit, as answers write it."""
    command = ["git", "rev-parse", "--short=10", revision]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)


def test_a_name_that_went_since_the_last_green_sweep_is_looked_for_where_it_stood(root):
    assert swept(root).sweep.green
    renamed = FILES["models/models.go"].replace("Line", "Row")
    write(root, {"models/models.go": renamed, "mail/mail.go": "package mail\n\nvar Sent, Lost int\n"})
    commit(root, "Rename a type, and lose mails")
    (task,) = swept(root).tasks
    assert task.scope == ("models/models.go", "shop/b.go")


def test_a_first_sweep_knows_the_users_of_a_name_alone(root):
    write(root, {"models/models.go": "package models\n"})
    commit(root, "Drop a type")
    (task,) = swept(root).tasks
    assert task.scope == ("shop/b.go",)


def test_a_sweep_is_watched_from_outside(root, tmp_path, monkeypatch):
    monkeypatch.setenv("PACTKEEPER_LOG", str(tmp_path / "log"))
    swept(root)
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [(one["event"], one["name"]) for one in lines] == [("began", "sweep"), ("ended", "sweep")]
    assert (lines[1]["agent"], lines[1]["node"], lines[1]["tasks"]) == ("health-agent", "sweep", 0)


SUITE = {
    "pact/pact.toml": """\
[pact]
format = 1

[[health.check]]
name = "tests"
category = "test"
parser = "junit"
argv = ["sh", "-c", "cat junit.xml > {report}; ! grep -q '<failure' junit.xml"]
""",
    "tests/test_till.py": "def test_total():\n    assert 1\n\n\ndef test_refund():\n    assert 1\n",
    "junit.xml": """\
<testsuite name="pytest"><testcase classname="tests.test_till" name="test_total"/>
<testcase classname="tests.test_till" name="test_refund"><failure message="assert 0">assert 0</failure></testcase>
</testsuite>
""",
}


def test_sweep_feeds_evidence(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    create(tmp_path / "till", SUITE)
    made = swept(tmp_path / "till")
    assert not made.sweep.green
    with open_workspace(tmp_path / "till", notice=lambda _: None) as workspace:
        known = {entry.test.name: (state.state, state.row) for entry, state in show_evidence(workspace).tests}
        health = get_statistics(workspace).health
    assert {name: state for name, (state, _) in known.items()} == {"test_total": "proven", "test_refund": "failing"}
    assert {row.commit for _, row in known.values() if row} == {made.sweep.commit}
    assert health == SweptLine("red", made.sweep.commit, 1)


def test_main_is_not_green_after_a_commit_that_no_sweep_saw(root):
    swept(root)
    write(root, {"mail/mail.go": "package mail\n\nvar Sent, Lost int\n"})
    commit(root, "Lose mails")
    with open_workspace(root, notice=print) as workspace:
        status, line = health_status(workspace), get_statistics(workspace).health
        told = [one["text"] for one in ask(Here(workspace), "is the build green?")["says"]]
    assert line is not None
    assert (status.colour, status.unswept, line.colour, line.unswept) == ("not known", 1, "not known", 1)
    newest, seen = (one.stdout.strip() for one in (head(root), head(root, "HEAD~1")))
    assert told[0].startswith(f"Whether main is green at {newest} is not known: {seen}, swept ")
    assert told[0].endswith(" UTC, was green and lacks 1 commit of main.")
    assert [one for one in told if "Main is " in one] == []


@pytest.mark.parametrize("branch", ["main", "topic"])
def test_main_is_not_green_while_its_remote_has_a_commit_that_no_sweep_saw(root, tmp_path, branch):
    subprocess.run(["git", "clone", "-q", str(root), str(tmp_path / "clone")], check=True)
    swept(tmp_path / "clone")
    write(root, {"mail/mail.go": "package mail\n\nvar Sent, Lost int\n"})
    commit(root, "Lose mails")
    subprocess.run(["git", "fetch", "-q"], cwd=tmp_path / "clone", check=True)
    subprocess.run(["git", "switch", "-q", "-C", branch], cwd=tmp_path / "clone", check=True)
    with open_workspace(tmp_path / "clone", notice=print) as workspace:
        status = health_status(workspace)
    assert (status.colour, status.unswept, status.unpulled) == ("not known", 1, 1)


def test_main_is_not_green_while_it_differs_from_what_its_remote_has(root, tmp_path):
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(root), str(clone)], check=True)
    for where, name in ((root, "theirs"), (clone, "ours")):
        write(where, {"mail/mail.go": f"package mail\n\nvar {name} int\n"})
        commit(where, name)
    subprocess.run(["git", "fetch", "-q"], cwd=clone, check=True)
    swept(clone)
    with open_workspace(clone, notice=print) as workspace:
        status = health_status(workspace)
    assert (status.colour, status.unswept) == ("not known", 1)


def test_a_sweep_of_a_commit_that_only_another_clone_has_says_nothing_here(root, tmp_path, monkeypatch):
    monkeypatch.setenv("PACTKEEPER_DATABASE_URL", f"sqlite:///{tmp_path}/shared.db")
    monkeypatch.setenv("PACTKEEPER_REPOSITORY", "shop")
    subprocess.run(["git", "clone", "-q", str(root), str(tmp_path / "clone")], check=True)
    write(tmp_path / "clone", {"models/models.go": "package models\n"})
    commit(tmp_path / "clone", "Drop a type")
    swept(tmp_path / "clone")
    with open_workspace(root, notice=print) as workspace:
        status = health_status(workspace)
    assert (status.colour, status.last, status.unswept) == ("not known", None, 0)


def test_main_stays_red_after_a_commit_that_no_sweep_saw(root):
    write(root, {"models/models.go": "package models\n"})
    commit(root, "Drop a type")
    swept(root)
    write(root, FILES)
    commit(root, "Take it back")
    with open_workspace(root, notice=print) as workspace:
        status = health_status(workspace)
    assert (status.colour, status.unswept) == ("red", 1)


def at(root, revision):
    """Put main at a commit, and say what is known of it: by its status, and by the answer to a question."""
    subprocess.run(["git", "reset", "-q", "--hard", revision], cwd=root, check=True)
    with open_workspace(root, notice=print) as workspace:
        status, line = health_status(workspace), get_statistics(workspace).health
        told = [one["text"] for one in ask(Here(workspace), "is the build green?")["says"]]
    assert line is not None
    assert (line.colour, line.unswept) == (status.colour, status.unswept)
    return status, " ".join(told)


@pytest.fixture
def mended(root):
    """A main line whose newest commit was swept green, the one before red and the first one never."""
    write(root, {"models/models.go": "package models\n"})
    commit(root, "Drop a type")
    swept(root)
    write(root, FILES)
    commit(root, "Take it back")
    swept(root)
    return root


def test_a_commit_that_main_went_back_to_is_what_its_own_sweep_said(mended):
    status, told = at(mended, "HEAD~1")
    assert (status.colour, status.unswept) == ("red", 0)
    assert status.last is not None
    assert status.since == status.last
    assert told.startswith(f"Main is red at {status.last.commit[:10]}: its sweep of ")
    status, told = at(mended, "HEAD@{1}")
    assert (status.colour, status.unswept) == ("green", 0)


def test_a_commit_before_every_sweep_is_neither_green_nor_red(mended):
    status, told = at(mended, "HEAD~2")
    assert (status.colour, status.unswept, status.since) == ("not known", 1, None)
    assert told.startswith("Whether main is green at ")


def test_the_sweep_of_a_commit_that_is_not_on_main_any_more_says_nothing_of_main(root):
    write(root, {"models/models.go": "package models\n"})
    commit(root, "Drop a type")
    swept(root)
    at(root, "HEAD~1")
    write(root, {"mail/mail.go": "package mail\n\nvar Sent, Lost int\n"})
    commit(root, "Lose mails")
    status, _ = at(root, "HEAD")
    assert (status.colour, status.unswept) == ("not known", 1)


def test_commits_of_another_branch_do_not_count_as_unswept(root):
    swept(root)
    subprocess.run(["git", "switch", "-q", "-c", "topic"], cwd=root, check=True)
    write(root, {"mail/mail.go": "package mail\n\nvar Sent, Lost int\n"})
    commit(root, "Lose mails")
    with open_workspace(root, notice=print) as workspace:
        status = health_status(workspace)
    assert (status.colour, status.unswept) == ("green", 0)


FAILED = (
    '<testsuite><testcase classname="tests.test_models" name="test_a_line_is_there"><failure/></testcase></testsuite>'
)


def test_who_broke_it_is_asked_of_the_commits_between_a_green_and_a_red_sweep(root, tmp_path):
    write(root, {"tests/test_models.py": "def test_a_line_is_there():\n    assert line()\n"})
    commit(root, "Test that a line is there")
    good = swept(root).sweep.commit
    write(root, {"models/models.go": "package models\n"})
    commit(root, "Drop a type")
    assert not swept(root).sweep.green
    report = tmp_path / "junit.xml"
    report.write_text(FAILED)
    with open_workspace(root, notice=print) as workspace:
        import_evidence(workspace, [str(report)])
        found = ask(Here(workspace), "who broke test_a_line_is_there?")
    told = [one["text"] for one in found["says"]]
    assert told[1] == f"Main turned red after {good[:10]}, by this commit:"
    assert (len(told), told[2].endswith(": Drop a type")) == (3, True)


PAST = (
    "what broke main, and when?",
    "when was main last green?",
    "since when is it red?",
    "is main green?",
    "who broke main?",
)


@pytest.mark.parametrize("question", PAST)
def test_what_broke_main_is_told_by_the_sweeps_while_it_is_red_and_after_it_was_mended(root, question):
    def told():
        with open_workspace(root, notice=print) as workspace:
            found = ask(Here(workspace), question)
        assert (found["kind"], found["verb"]) == ("answer", "read_build_report")
        return [re.split(", swept |: its sweep of ", one["text"])[0] for one in found["says"]]

    good = swept(root).sweep.commit[:10]
    write(root, {"models/models.go": "package models\n"})
    commit(root, "Drop a type")
    bad = swept(root).sweep.commit[:10]
    turned = [f"Main turned red after {good}, by this commit:", f"What failed then, at {bad}"]
    lines = told()
    assert lines.pop(2).endswith(": Drop a type")
    assert lines == [f"Main is red at {bad}", *turned, f"Main was last green at {good}"]
    write(root, {"models/models.go": FILES["models/models.go"]})
    commit(root, "Bring it back")
    mended = swept(root).sweep.commit[:10]
    with open_workspace(root, notice=print) as workspace:
        sweep(workspace, SweepRequest(at=good))  # a later sweep of an earlier commit changes no order
    lines = told()
    with open_workspace(root, notice=print) as workspace:
        month, week = (
            [one["text"] for one in ask(Here(workspace), f"what broke {days}?")["says"]]
            for days in ("in January 2026", "this week")
        )
    assert all(next(one for one in said if " sweeps" in one).endswith(": 3 green, 1 red.") for said in (month, week))
    assert (turned[0] in month, any(one.endswith(": Drop a type") for one in month)) == (True, True)
    assert any(one.startswith(f"A sweep was green again at {mended}, swept ") for one in month)
    assert f"Red at commits of other days: {bad}." in week
    assert turned[0] not in week
    assert lines.pop(2).endswith(": Drop a type")
    assert lines == [f"Main is green at {mended}", *turned, f"A sweep was green again at {mended}"]


def test_a_red_commit_before_which_nothing_was_swept_is_named_with_its_title_and_that(root):
    commit(root, "Begin")
    write(root, {"models/models.go": "package models\n"})
    commit(root, "Drop a type")
    bad = swept(root).sweep.commit[:10]
    with open_workspace(root, notice=print) as workspace:
        told = [one["text"] for one in ask(Here(workspace), "who broke main?")["says"]]
    at = next(number for number, one in enumerate(told) if one.startswith(f"What failed at {bad}, swept "))
    assert told[at + 1].startswith(f"That is commit {bad} of ")
    assert told[at + 1].endswith(": Drop a type")
    assert told[at + 2].startswith("No sweep of the commit before it is known")


@pytest.mark.parametrize("question", ["what broke since 2026-01-01?", "what broke in January 2026?"])
def test_what_broke_is_told_in_the_order_of_commits_though_earlier_ones_are_swept_later(root, question):
    good, bad = commit(root, "Begin"), []
    for text in ("package models\n", "package models\n\n\n"):
        write(root, {"models/models.go": text})
        bad.append(commit(root, "Drop a type"))
    write(root, {"models/models.go": FILES["models/models.go"], "mail/more.go": "package mail\n"})
    commit(root, "Bring it back")
    mended = swept(root).sweep
    with open_workspace(root, notice=print) as workspace:
        for at in (bad[1], good, bad[0]):
            sweep(workspace, SweepRequest(at=at))
        found = ask(Here(workspace), question)
        status, moments = health_status(workspace), health_timeline(workspace)
    told = [one["text"] for one in found["says"]]
    assert next(one for one in told if " sweeps" in one).endswith(": 2 green, 2 red.")
    turned = told.index(f"Main turned red after {good[:10]}, by this commit:")
    assert told[turned + 1].startswith(f"commit {bad[0][:10]} ")
    assert told[turned + 2].startswith(f"What failed then, at {bad[0][:10]}, swept ")
    assert told[turned + 3].startswith(f"A sweep was green again at {mended.commit[:10]}, swept ")
    assert told[turned - 2].startswith(f"What failed at {bad[1][:10]}, swept ")
    assert told[turned - 1].startswith(f"That is commit {bad[1][:10]} of ")
    assert status.since == mended
    windows = {one.sweep.commit: one.window and (one.window.good, one.window.bad) for one in moments}
    assert windows == {bad[0]: (good, bad[0]), bad[1]: None, good: None, mended.commit: None}


def test_how_main_stood_on_a_past_day_is_told_by_the_sweep_of_its_newest_commit_then(root):
    good = swept(root).sweep.commit[:10]
    write(root, {"models/models.go": "package models\n"})
    later = {"GIT_AUTHOR_DATE": "2026-02-03T12:00:00Z", "GIT_COMMITTER_DATE": "2026-02-03T12:00:00Z"}
    subprocess.run(["git", "commit", "-qam", "Drop a type"], cwd=root, check=True, env={**os.environ, **later})
    bad = swept(root).sweep.commit[:10]
    with open_workspace(root, notice=print) as workspace:
        told = {day: ask(Here(workspace), f"was main green {day}?") for day in ("on 2026-02-02", "on 2026-02-03")}
        today, weekday = ask(Here(workspace), "is main green today?"), ask(Here(workspace), "was main green on Sunday?")
    first, second = ([one["text"] for one in found["says"]] for found in told.values())
    assert any(one.startswith(f"Main was green at {good}, swept ") for one in first)
    assert any(one.startswith(f"Main was red at {bad}, swept ") for one in second)
    assert today["says"][1]["text"].startswith(f"Main is red at {bad}: its sweep of ")
    assert weekday["says"][0]["text"].startswith("'Sunday' was read as 20")
    assert any(one["text"].startswith(f"Main was red at {bad}, swept ") for one in weekday["says"])


SETTINGS = '[reports]\nbuild = ["ci/state.json"]\n\n'


def reported(root, **facts):
    """What is answered about main once CI reported these facts of its newest commit."""
    (root / "ci").mkdir(exist_ok=True)
    (root / "ci/state.json").write_text(json.dumps({"commit": head(root).stdout.strip(), **facts}))
    with open_workspace(root, notice=print) as workspace:
        found = ask(Here(workspace), "is main green?")
    return found["kind"], found["says"][0]["text"].partition(": ")[0], [one["text"] for one in found["says"]]


@pytest.fixture
def ci(root):
    """A repository whose CI writes a report of main."""
    write(root, {"pact/pact.toml": PACT.replace("[[health.check]]", f"{SETTINGS}[[health.check]]", 1)})
    commit(root, "Say where CI reports")
    return root


def test_a_sweep_and_a_build_report_that_differ_about_main_are_both_named_and_it_is_not_green(ci):
    newest = swept(ci).sweep.commit[:10]
    kind, opening, told = reported(ci, branch="main", status="failure", finished="2026-11-27T09:10:00Z")
    assert (kind, opening) == ("closest", f"What is known of main at {newest} differs")
    assert "UTC says green; ci/state.json says status: failure." in told[0]
    assert not any("is green" in one or "No failure" in one for one in told)


def test_a_failed_build_report_makes_main_red_and_a_passed_one_green_where_no_sweep_says_it(ci):
    newest = head(ci).stdout.strip()
    assert reported(ci, status="failure")[:2] == ("answer", f"Main is red at {newest}")
    assert reported(ci, status="completed", conclusion="success")[:2] == ("answer", f"Main is green at {newest}")
    unknown = f"Whether main is green at {newest} is not known"
    assert reported(ci, status="in_progress")[:2] == ("closest", unknown)


def test_what_failed_before_a_build_report_says_green_is_told_as_past(ci, tmp_path):
    write(ci, {"tests/test_models.py": "def test_a_line_is_there():\n    assert line()\n"})
    commit(ci, "Test that a line is there")
    good = swept(ci).sweep.commit[:10]
    write(ci, {"models/models.go": "package models\n"})
    commit(ci, "Drop a type")
    bad = swept(ci).sweep.commit[:10]
    (tmp_path / "junit.xml").write_text(FAILED)
    with open_workspace(ci, notice=print) as workspace:
        import_evidence(workspace, [str(tmp_path / "junit.xml")])
    write(ci, {"models/models.go": FILES["models/models.go"]})
    commit(ci, "Bring it back")
    kind, _, told = reported(ci, status="success")
    assert (kind, told[0]) == (
        "answer",
        f"Main is green at {head(ci).stdout.strip()}: ci/state.json says status: success.",
    )
    assert told[1] == f"Main turned red after {good}, by this commit:"
    assert told[3].startswith(f"What failed then, at {bad}, swept ")
    assert told[4] == f"tests/test_models.py::test_a_line_is_there failed at {bad}."
    assert not any(one.startswith(("Main was last green", "Every sweep")) for one in told)


def test_a_sweep_and_a_build_report_that_agree_make_one_statement(ci):
    newest = swept(ci).sweep.commit[:10]
    kind, opening, told = reported(ci, conclusion="success", passed=12)
    assert (kind, opening) == ("answer", f"Main is green at {newest}")
    assert "; ci/state.json says conclusion: success." in told[0]


def test_a_failed_report_of_main_counts_while_another_branch_is_checked_out(ci):
    newest = swept(ci).sweep.commit[:10]
    (ci / "ci").mkdir()
    (ci / "ci/state.json").write_text(json.dumps({"commit": newest, "status": "failure"}))
    subprocess.run(["git", "switch", "-q", "-c", "topic"], cwd=ci, check=True)
    write(ci, {"mail/mail.go": "package mail\n\nvar Sent, Lost int\n"})
    commit(ci, "Lose mails")
    with open_workspace(ci, notice=print) as workspace:
        found = ask(Here(workspace), "is main green?")
    assert found["kind"] == "closest"


def test_a_test_that_failed_at_mains_newest_commit_keeps_it_from_being_green(root, tmp_path):
    write(root, {"tests/test_models.py": "def test_a_line_is_there():\n    assert line()\n"})
    commit(root, "Test that a line is there")
    newest = swept(root).sweep.commit[:10]
    (tmp_path / "junit.xml").write_text(FAILED)
    with open_workspace(root, notice=print) as workspace:
        import_evidence(workspace, [str(tmp_path / "junit.xml")])
        found = ask(Here(workspace), "is main green?")
    assert found["kind"] == "closest"
    assert found["says"][0]["text"].startswith(f"What is known of main at {newest} differs: ")
    assert "; 1 test failed in " in found["says"][0]["text"]


def test_that_no_promise_failed_is_not_said_without_the_red_main_beside_it(root):
    write(root, {"models/models.go": "package models\n"})
    commit(root, "Drop a type")
    newest = swept(root).sweep.commit[:10]
    with open_workspace(root, notice=print) as workspace:
        told = [one["text"] for one in ask(Here(workspace), "which promises are broken?")["says"]]
    assert any(one.startswith(f"Main is red at {newest}: ") for one in told)
    assert not any("No failure" in one for one in told)
