"""`pk transcripts`, in a folder that is no repository."""

import os
import time

import pytest

from tests.doors.projects import Project
from tests.transcripts.scripts import read_script, write_script

TOKEN = "gh" + "p_" + "aB3dE5gH7jK9mN1pQ2sT4vW6yZ8bC0dF"
SCRIPT = f"""\
format claude-code
file main.jsonl
user | We decided to use the token {TOKEN} because it is short.
call Bash c1 | git push https://ada:hunter22@example.com/shop.git main
result c1 | To https://example.com/shop.git
       1234567..89abcde  main -> main
"""


@pytest.fixture
def person(tmp_path):
    """Somebody whose agent left a session, an hour ago."""
    chats = tmp_path / "home" / ".claude" / "projects" / "shop"
    (path,) = write_script(read_script(SCRIPT), chats)
    ago = time.time() - 3600
    os.utime(path, (ago, ago))
    return Project(tmp_path)


@pytest.fixture
def pk(person):
    home = person.root / "home"
    names = {"HOME": home, "XDG_DATA_HOME": home / "data", "XDG_CONFIG_HOME": home / "config"}
    env = {name: str(path) for name, path in names.items()}

    def run(*arguments, code=0):
        return person.pk("transcripts", *arguments, code=code, env=env)

    return run


def test_a_session_is_read_shown_and_listed_outside_of_any_repository(pk):
    assert "2 new artifacts" in pk("ingest").out
    assert "0 new artifacts" in pk("ingest").out
    (row,) = pk("status", "--json").document["conversations"]
    assert (row["entries"], row["artifacts"], row["waiting"], row["source"]) == (3, 2, 0, "claude-code")
    assert "push succeeded: main" in pk("show", row["id"]).out
    (event,) = pk("artifacts", "--type", "event", "--json").document["artifacts"]
    assert (event["type"], event["facts"]["outcome"], event["signals"]["corroboration"]) == ("event", "succeeded", 1)


def test_what_is_kept_is_for_its_owner_alone(pk, person):
    pk("ingest")
    kept = person.root / "home/data/pactkeeper"
    assert (kept / "history.db").is_file()
    assert kept.stat().st_mode & 0o077 == 0


def test_no_secret_is_printed_in_any_form(pk):
    pk("ingest")
    (decision,) = pk("artifacts", "--type", "decision_with_context", "--json").document["artifacts"]
    printed = [
        pk("artifacts").out,
        pk("artifacts", "--json").out,
        pk("show", decision["id"]).out,
        pk("show", decision["conversation"], "--json").out,
    ]
    for text in printed:
        assert TOKEN not in text
        assert "hunter22" not in text
        assert "[redacted: " in text


def test_a_session_that_is_being_written_waits(pk, person):
    (path,) = person.root.glob("home/.claude/projects/*/main.jsonl")
    path.touch()
    assert "1 waits" in pk("ingest").out
    assert pk("status", "--json").document["conversations"] == []
    assert "2 new artifacts" in pk("ingest", "--no-wait").out


def test_the_state_before_the_first_look_names_the_next_step(pk):
    assert "pk transcripts ingest" in pk("status").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ingest", "missing.jsonl"), "no such file or folder"),
        (("show", "cv-none"), "no conversation or artifact 'cv-none'"),
        (("artifacts", "--type", "poem"), "poem"),
    ],
)
def test_what_is_not_there_is_said(pk, arguments, words):
    assert words in pk(*arguments, code=2).err


def test_where_there_are_no_transcripts_it_says_how_to_name_some(pk, person):
    (person.root / "empty").mkdir()
    said = pk("ingest", str(person.root / "empty")).out
    assert f"no transcripts found in '{person.root / 'empty'}'" in said
    (person.root / "home/.claude/projects/shop/main.jsonl").unlink()
    assert "ingest PATH" in pk("ingest").out


def test_a_file_that_is_no_transcript_is_refused_where_it_is_named(pk, person):
    other = person.root / "other.jsonl"
    other.write_text('{"level": "info"}\n')
    assert "no transcript of a known format" in pk("ingest", str(other), "--no-wait", code=2).err


def test_links_and_pipes_below_a_folder_are_passed_over_with_a_word(pk, person):
    chats = person.root / "home/.claude/projects/shop"
    (chats / "loop.jsonl").symlink_to("loop.jsonl")
    os.mkfifo(chats / "pipe.md")
    (chats / "folder.jsonl").mkdir()
    said = pk("ingest").err.splitlines()
    assert [line.partition(": ")[0].rpartition("/")[2] for line in said] == ["loop.jsonl", "pipe.md"]
    assert all("not a regular file" in line for line in said)


@pytest.mark.parametrize("more", [(), ("--no-wait",)])
def test_a_file_of_no_format_is_refused_however_fresh_and_however_it_is_named(pk, person, more):
    (person.root / "hello.jsonl").write_text("hello")
    (person.root / "link.jsonl").symlink_to("hello.jsonl")
    for name in ("hello.jsonl", "link.jsonl"):
        told = pk("ingest", name, *more, code=2).err
        assert f"(codex, claude-code, generic, markdown): '{name}'" in told


def test_a_fresh_file_of_no_format_in_a_folder_does_not_wait(pk, person):
    (person.root / "home/.claude/projects/shop/notes.jsonl").write_text("hello")
    assert "1 transcript: 1 read" in pk("ingest").out


def test_a_transcript_that_is_being_rewritten_waits_whatever_it_begins_with(pk, person):
    pk("ingest")
    (path,) = person.root.glob("home/.claude/projects/*/main.jsonl")
    path.write_text("hel")
    assert "1 waits" in pk("ingest", str(path)).out


def test_a_session_that_waits_says_how_long_and_what_reads_it_now(pk, person):
    (path,) = person.root.glob("home/.claude/projects/*/main.jsonl")
    path.touch()
    told = pk("ingest").err
    assert "(quiet_minutes = 5)" in told
    assert "--no-wait" in told
    status = pk("status").out
    assert str(path) in status
    assert "next    pk transcripts ingest --no-wait" in status
    (waits,) = pk("status", "--json").document["waits"]
    assert waits["file"] == str(path)
    assert 0 < waits["seconds"] <= 300


def test_a_session_that_was_read_to_its_end_does_not_wait(pk, person):
    (path,) = person.root.glob("home/.claude/projects/*/main.jsonl")
    path.touch()
    pk("ingest", "--no-wait")
    assert pk("status", "--json").document["waits"] == []
    path.write_text(f"{path.read_text()}\n")
    assert len(pk("status", "--json").document["waits"]) == 1


def test_status_before_the_first_look_says_where_it_looks_and_how_to_name_others(pk, person):
    status = pk("status").out
    assert str(person.root / "home/.claude/projects") in status
    assert "pk transcripts ingest PATH" in status
    assert "--no-wait" in status


def test_no_artifacts_are_said_with_what_finds_some(pk):
    assert pk("artifacts").out == "0 artifacts; pk transcripts ingest finds some\n"


def test_names_of_files_and_sessions_lead_nowhere(pk, person):
    chats = person.root / "home/.claude/projects/shop"
    hostile = SCRIPT.replace("main.jsonl", "..%2f..%2fetc; rm -rf $HOME\n.jsonl".replace("\n", " "))
    (path,) = write_script(read_script(hostile), chats, after=90)
    path.write_text(path.read_text().replace("11111111-2222-4333-8444-555555555555", "../../../../etc/passwd"))
    (chats / "link.jsonl").symlink_to("/etc/passwd")
    assert "2 transcripts" in pk("ingest", "--no-wait").out
    assert all(row["file"].startswith(str(chats)) for row in pk("status", "--json").document["conversations"])


def test_types_of_artifacts_are_counted_as_one_speaks(pk, person):
    second = "format claude-code\nfile more.jsonl\nuser | We decided to drop Redis because it is slow.\nuser | The rent is 900 €.\n"
    write_script(read_script(second), person.root / "home/.claude/projects/other", after=90)
    pk("ingest", "--no-wait")
    assert pk("artifacts").out.endswith("4 artifacts: 2 decisions with context, 1 statement, 1 event\n")
    assert pk("artifacts", "--type", "plan").out == "0 artifacts of these\n"


def test_an_artifact_without_a_time_is_listed_without_one(pk, person):
    chats = person.root / "chat.md"
    chats.write_text("**User:** What now?\n\n**Assistant:** ## Plan\n\n1. Sell it\n2. Pack it\n3. Send it\n", "utf-8")
    pk("ingest", str(chats), "--no-wait")
    (line,) = [one for one in pk("artifacts", "--type", "plan").out.splitlines() if "Plan" in one]
    assert line.endswith("Plan  medium value")


def test_past_actions_are_listed_with_who_wanted_them(pk):
    assert "nothing was done yet" in pk("log").out
    assert pk("log", "--json").document == {"schema": "pactkeeper.deeds/1", "deeds": []}


def test_a_daily_watch_stands_up_at_the_first_message_and_not_again_that_day(pk):
    first = pk("watch", "--daily", "--looks", "1").out
    assert "0 actions wait for a yes or no: pk transcripts standup" in first
    assert "wait for a yes or no" not in pk("watch", "--daily", "--looks", "1").out
