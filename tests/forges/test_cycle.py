"""The whole cycle of a pull request, against a forge on loopback with git over HTTP."""

import pytest

from pactkeeper.forges.port import MARK
from tests.doors.projects import Project

pytestmark = pytest.mark.slow

NAME = "tests/test_basket.py::test_basket_forgets_what_is_removed"


def weaken(site):
    site.author.replace("tests/test_basket.py", "assert basket.total == 10", "assert basket.total > 0")
    site.push("Loosen")


def test_one_comment_follows_the_pull_request(site):
    told = site.pk("report", "7", code=1)
    assert told.out == "pull request 7: 1 test without intent\n"
    weaken(site)
    assert "1 weakening" in site.pk("report", "7", code=1).out
    (text,) = site.forge.own()
    assert "an assertion says less" in text
    assert NAME in text
    assert "evil" not in text


def test_the_head_gets_a_verdict(site):
    site.pk("report", "7", code=1)
    first = site.forge.head
    site.author.git("reset", "--quiet", "--hard", "main")
    site.author.write("README.md", "A shop.\n")
    site.author.git("push", "--quiet", "--force", "origin", "HEAD:topic")
    site.push()
    site.pk("report", "7")
    assert site.forge.verdicts == [(first, False), (site.forge.head, True)]


def test_an_unchanged_report_writes_nothing_twice(site):
    for _ in range(2):
        site.pk("report", "7", code=1)
    written = [method for method, path in site.forge.requests if method != "GET" and "statuses" not in path]
    assert len([one for one in written if one in {"PUT", "PATCH"}]) == 0
    assert len(site.forge.own()) == 1


def test_a_second_comment_of_our_own_is_removed(site):
    site.pk("report", "7", code=1)
    (text,) = site.forge.own()
    site.forge.write("mallory", text)
    site.forge.write("pact-bot", text)
    weaken(site)
    site.pk("report", "7", code=1)
    assert [one["author"] for one in site.forge.comments] == ["pact-bot", "mallory"]
    assert "1 weakening" in site.forge.own()[0]


def test_a_comment_of_somebody_else_with_our_mark_is_left_alone(site):
    site.forge.write("mallory", f"{MARK}\n\n### Pact: holds")
    site.pk("report", "7", code=1)
    assert [one["author"] for one in site.forge.comments] == ["mallory", "pact-bot"]
    assert site.forge.comments[0]["body"].endswith("### Pact: holds")


def test_our_comment_is_found_on_a_later_page(site):
    for number in range(130):
        site.forge.write("mallory", f"chatter {number}")
    for _ in range(2):
        site.pk("report", "7", code=1)
    assert len(site.forge.own()) == 1


def test_a_read_only_token_on_a_fork_reports_in_the_log_and_keeps_the_verdict(site, tmp_path):
    site.forge.fork = site.forge.read_only = True
    told = site.pk("report", "7", code=1, GITHUB_STEP_SUMMARY=str(tmp_path / "summary.md"))
    assert "may not comment" in told.err
    assert "Without intent" in told.out
    assert site.forge.own() == []


def test_a_read_only_token_without_a_fork_is_an_error(site):
    site.forge.read_only = True
    assert "not allowed" in site.pk("report", "7", code=2).err


def test_nothing_of_a_fork_runs_or_is_checked_out(site):
    site.forge.fork = True
    trap = site.author.root / "ran"
    site.author.write(".gitattributes", "* filter=trap diff=trap\n")
    site.author.write("conftest.py", f"open({str(trap)!r}, 'w')\n")
    site.author.write("pyproject.toml", "[build-system]\nrequires = []\nbuild-backend = 'trap'\nbackend-path = ['.']\n")
    site.author.write("trap.py", f"open({str(trap)!r}, 'w')\n")
    (site.author.root / "tests" / "test_secret.py").symlink_to("/etc/passwd")
    site.push("Set traps")
    for setting in ("smudge", "clean", "process"):
        site.clone.git("config", f"filter.trap.{setting}", f"touch {trap}")
    site.clone.git("config", "diff.trap.textconv", f"touch {trap}")
    before = sorted(path.name for path in site.clone.root.iterdir())
    site.pk("report", "7", code=1)
    assert not trap.exists()
    assert sorted(path.name for path in site.clone.root.iterdir()) == before
    assert "root:" not in site.forge.own()[0]


def test_a_change_of_the_rules_is_told_first(site):
    site.author.write("pact/pact.toml", site.author.read("pact/pact.toml") + '\n[tests]\nexclude = ["tests/**"]\n')
    site.push("Look away")
    site.pk("report", "7", code=None)
    (text,) = site.forge.own()
    assert "Edits what it is judged by" in text
    assert "`pact/pact.toml`" in text


def test_a_pact_that_cannot_be_read_fails_and_says_why(site):
    site.author.write("pact/pact.toml", "[tests\n")
    site.push("Break it")
    assert site.pk("report", "7", code=1).out == "pull request 7: the pact cannot be read\n"
    assert "pact/pact.toml" in site.forge.own()[0]


def test_a_job_of_a_forge_needs_no_options(site, tmp_path):
    summary = tmp_path / "summary.md"
    site.pk("report", "7", code=1, GITHUB_STEP_SUMMARY=str(summary))
    if site.forge.kind == "github":
        assert summary.read_text(encoding="utf-8").startswith(MARK)


def test_the_token_is_never_shown(site):
    site.forge.fault("status", method="POST", status=403, times=99)
    told = site.pk("report", "7", code=2)
    assert "token-of-a-test" not in told.out + told.err


def test_what_disagreed_before_is_counted_and_fails_no_change(site):
    site.author.git("push", "--quiet", "origin", "HEAD:refs/heads/main")
    site.author.write("README.md", "A shop.\n")
    site.push("Describe")
    assert site.pk("report", "7").out == "pull request 7: holds\n"
    assert "; 1 disagreement is older than this change" in site.forge.own()[0]


@pytest.mark.slow
def test_a_partial_clone_gets_what_it_reads(site, tmp_path):
    Project(site.forge.origin).git("config", "uploadpack.allowFilter", "true")
    url = site.clone.git("config", "--get", "remote.origin.url")
    site.author.git("clone", "--quiet", "--filter=blob:none", "--branch", "main", url, str(tmp_path / "partial"))
    weaken(site)
    site.clone = Project(tmp_path / "partial")
    assert "1 weakening" in site.pk("report", "7", code=1).out
