"""`/pk accept` below a pull request."""

import json

import pytest

from tests.doors.projects import Project
from tests.forges.test_cycle import NAME

pytestmark = pytest.mark.slow


def ask(site, author, *, at=None, more=""):
    return site.forge.write(
        author, f"/pk accept --at {(at or site.forge.head)[:12]} {NAME} --intent 'Removed boxes are forgotten.'{more}"
    )


def head(site):
    return Project(site.forge.origin).git("rev-parse", "refs/heads/topic")


def test_a_writer_accepts_and_the_next_report_holds(site):
    comment = ask(site, "ada")
    told = site.pk("answer", "7", "--comment", comment)
    assert told.out.startswith(f"accepted for ada: {NAME}; pushed ")
    assert site.forge.signs == [(comment, "+1")]
    site.sync()
    site.pk("report", "7")
    assert "Removed boxes are forgotten." in site.forge.own()[0]


def test_who_may_not_write_accepts_nothing(site):
    before = head(site)
    comment = ask(site, "mallory")
    assert "'mallory' may not write" in site.pk("answer", "7", "--comment", comment, code=None).err
    assert (head(site), site.forge.signs) == (before, [(comment, "confused")])


def test_permission_is_that_of_now(site):
    comment = ask(site, "ada")
    site.forge.writers.remove("ada")
    site.pk("answer", "7", "--comment", comment, code=2)


def test_what_was_pushed_after_the_look_is_not_accepted(site):
    comment = ask(site, "ada")
    site.author.replace("tests/test_basket.py", "assert basket.count == 0", "assert True")
    site.push("Sneak")
    before = head(site)
    assert "look at it again" in site.pk("answer", "7", "--comment", comment, code=2).err
    assert head(site) == before


def test_a_fork_is_refused_whoever_asks(site):
    site.forge.fork = True
    comment = ask(site, "ada")
    assert "comes from a fork" in site.pk("answer", "7", "--comment", comment, code=2).err


def test_a_comment_that_asks_nothing_does_nothing(site):
    before = head(site)
    comment = site.forge.write("ada", "Nice! How about `/pk accept` here?")
    assert site.pk("answer", "7", "--comment", comment).out == "the comment has no /pk accept\n"
    assert (head(site), site.forge.signs) == (before, [])


def test_the_same_comment_twice_is_accepted_once(site):
    comment = ask(site, "ada")
    told = site.pk("answer", "7", "--comment", comment).out
    site.sync()
    once = head(site)
    assert site.pk("answer", "7", "--comment", comment).out == told
    assert head(site) == once


def test_an_answer_that_was_cut_short_after_its_push_is_given_its_sign(site):
    comment = ask(site, "ada")
    site.forge.fault("status", method="POST", path="reactions$|award_emoji$", status=403)
    site.pk("answer", "7", "--comment", comment, code=2)
    site.sync()
    once = head(site)
    assert site.forge.signs == []
    told = site.pk("answer", "7", "--comment", comment)
    assert told.out.startswith(f"accepted for ada: {NAME}; pushed {once[:7]}")
    assert (head(site), site.forge.signs) == (once, [(comment, "+1")])


def test_what_somebody_else_pushed_since_is_no_answer_of_ours(site):
    comment = ask(site, "ada")
    site.pk("answer", "7", "--comment", comment)
    site.author.git("pull", "--quiet", "origin", "topic")
    site.author.write("README.md", "A shop.\n")
    site.push("Go on")
    assert "and not at" in site.pk("answer", "7", "--comment", comment, code=2).err


@pytest.mark.parametrize("number", ["x", "../7", "99"])
def test_a_comment_that_is_not_there_is_an_error(site, number):
    site.pk("answer", "7", "--comment", number, code=2)


def test_an_event_names_the_comment(site, tmp_path):
    comment = int(ask(site, "ada"))
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"issue": {"number": 7}, "comment": {"id": comment, "user": {"login": "mallory"}}}))
    assert site.pk("answer", "--event", str(event)).out.startswith("accepted for ada: ")
    event.write_text("{")
    assert "not a JSON event" in site.pk("answer", "--event", str(event), code=2).err
    assert "which comment?" in site.pk("answer", code=2).err
