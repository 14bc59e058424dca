"""`pk thread` as people use it."""

import json
import sqlite3
from contextlib import closing

import pytest

from tests.conformance.threads.home import Home
from tests.doors.projects import Project, new_project


@pytest.fixture
def pk(project, person):
    """Run `pk thread` in a repository, as JSON."""
    return lambda *arguments, code=0: project.pk("thread", *arguments, "--json", env=person, code=code).document


COMPLETE = "Title: Export orders\nProblem: They copy by hand.\nAC: An export of 1000 orders has 1000 rows."


def reported(project, outcome=""):
    """Have the test of the criterion run, and what came of it imported."""
    case = f'<testcase classname="tests.test_export" name="test_export" time="0.1">{outcome}</testcase>'
    project.write("junit.xml", f'<testsuites><testsuite name="pytest">{case}</testsuite></testsuites>')
    project.pk("evidence", "import", "junit.xml", env={})


@pytest.mark.slow
def test_criterion_of_a_ticket_is_followed_until_a_test_proves_it_and_beyond(project, person, pk):
    project.pk("init")
    project.write(".gitignore", "*.xml\n")
    thread = pk("new", "hi")["thread"]
    pk("say", thread, COMPLETE, "--by", "Bob")
    (told,) = [one for one in pk("approve", thread, "1")["posts"] if one["kind"] == "created"]

    def criterion():
        (found,) = pk("show", thread)["criteria"]
        assert found["atom"] in told["text"]
        return found

    assert criterion()["state"] == "proposed"
    atom = criterion()["atom"]
    project.write("tests/test_export.py", f"def test_export():\n    # @atom {atom}\n    assert len(rows()) == 1000\n")
    project.commit("Test the export")
    assert (criterion()["state"], criterion()["tests"]) == ("linked", ["tests/test_export.py::test_export"])
    reported(project)
    assert criterion()["state"] == "proven"
    assert "proven     An export of 1000 orders has 1000 rows" in project.pk("thread", "show", thread, env=person).out
    passed = project.git("rev-parse", "HEAD")
    assert "before other files changed" not in project.pk("thread", "show", thread, env=person).out
    project.write("orders.py", "ROWS = 1000\n")
    project.commit("Change the orders")
    assert (criterion()["state"], criterion()["earlier"]) == ("proven", passed)
    shown = project.pk("thread", "show", thread, env=person).out
    assert f"at {passed[:12]}, before other files changed" in shown
    reported(project, '<failure message="999 rows"/>')
    assert criterion()["state"] == "failing"
    project.replace("tests/test_export.py", "== 1000", "== 999")
    assert criterion()["state"] == "stale"


@pytest.mark.slow
def test_approval_names_the_file_that_it_wrote_and_that_no_commit_holds_it(project, person, pk):
    project.pk("init")
    thread = pk("new", COMPLETE)["thread"]
    out = project.pk("thread", "approve", thread, "1", env=person).out
    assert "pact/atoms/tickets.toml; commit it with: git add pact/atoms/tickets.toml, then git commit" in out
    assert "pact/atoms/tickets.toml" in project.git("status", "--short", "--untracked-files=all")


@pytest.mark.slow
def test_notes_that_nobody_was_told_are_shown_and_told_by_the_next_tick(project, person, pk, tmp_path):
    project.pk("init")
    thread = pk("new", COMPLETE)["thread"]
    pk("approve", thread, "1")
    with closing(sqlite3.connect(tmp_path / "data/pactkeeper/history.db")) as history:
        text = json.loads(history.execute("SELECT text FROM thread_tickets").fetchone()[0])
        text |= {"done": text["done"][:-1], "notes": ["Written to the repository: a.toml"]}
        history.execute("UPDATE thread_tickets SET state = 'unfinished', text = ?", [json.dumps(text)])
        history.commit()
    shown = project.pk("thread", "show", thread, env=person).out
    assert "not done yet: telling its thread" in shown
    assert "Written to the repository: a.toml" in shown
    project.pk("tick", env=person)
    shown = project.pk("thread", "show", thread, env=person).out
    assert "not done yet" not in shown
    assert "Written to the repository: a.toml" in shown


@pytest.mark.slow
def test_criteria_that_atoms_say_already_leave_nothing_to_be_committed(project, person, pk):
    project.pk("init")
    for _ in range(2):
        thread = pk("new", COMPLETE)["thread"]
        out = project.pk("thread", "approve", thread, "1", env=person).out
    assert "stands for: An export of 1000 orders has 1000 rows" in out
    assert "commit it with" not in out


@pytest.mark.slow
def test_criteria_are_declared_where_the_thread_was_opened_wherever_it_is_approved(project, person, pk, tmp_path):
    project.pk("init")
    thread = pk("new", COMPLETE)["thread"]
    (tmp_path / "away").mkdir()
    away = Project(tmp_path / "away")
    out = away.pk("thread", "approve", thread, "1", env=person).out
    assert f"git -C {project.root.resolve()} add pact/atoms/tickets.toml" in out
    assert "An export of 1000 orders" in project.read("pact/atoms/tickets.toml")
    assert "proposed   An export of 1000 orders" in away.pk("thread", "show", thread, env=person).out


def test_repository_of_a_thread_that_is_gone_is_named_and_no_other_one_is_written_to(project, person, pk, tmp_path):
    thread = pk("new", COMPLETE)["thread"]
    other = new_project(tmp_path / "other")
    other.pk("init")
    project.root.rename(tmp_path / "moved")
    told = other.pk("thread", "approve", thread, "1", env=person)
    assert f"no repository any more at {str(project.root.resolve())!r}" in told.out
    assert f"{thread} is held against no pact" in told.err
    assert "tickets.toml" not in other.status()


def test_repository_that_nobody_adopted_gets_no_atoms(project, person, pk):
    thread = pk("new", COMPLETE)["thread"]
    assert "No atoms stand for the criteria" in project.pk("thread", "approve", thread, "1", env=person).out
    assert project.status() == ""


def test_screen_shows_who_said_what_and_how_to_approve(project, person, pk):
    thread = pk("new", COMPLETE)["thread"]
    out = project.pk("thread", "show", thread, env=person).out
    assert "Title: Export orders" in out
    assert f"pk thread approve {thread} 1" in out
    trace = project.pk("thread", "show", thread, "--trace", env=person).out
    assert "complete: title, problem and a criterion are there" in trace


@pytest.mark.slow
def test_approval_of_an_old_version_exits_1_and_shows_the_current_one(project, person, pk):
    thread = pk("new", COMPLETE)["thread"]
    pk("say", thread, "Title: Export invoices")
    found = project.pk("thread", "approve", thread, "1", env=person, code=1)
    assert "that was version 1" in found.out
    assert "# Export invoices" in found.out


@pytest.mark.slow
def test_second_approval_is_told_who_was_first(pk):
    thread = pk("new", COMPLETE)["thread"]
    pk("approve", thread, "1")
    (told,) = pk("approve", thread, "1", "--by", "Bob", code=1)["posts"]
    assert "approved version 1 first" in told["text"]


def test_approval_of_a_version_that_was_never_a_preview_is_refused(project, person, pk):
    thread = pk("new", "Title: Export orders")["thread"]
    assert "can't be approved yet" in project.pk("thread", "approve", thread, "1", env=person, code=2).err
    assert "names no version" in project.pk("thread", "approve", thread, "9", env=person, code=2).err


def test_what_is_approved_is_in_the_ticket_with_its_epic_and_each_person_once(pk, tmp_path):
    thread = pk("new", f"{COMPLETE}\nEpic: Box office", "--by", "Ada")["thread"]
    version = pk("say", thread, "Risk: it may be large.", "--by", "Ada <ada@shop.example>")["posts"][-1]["draft"][
        "version"
    ]
    pk("approve", thread, str(version))
    (path,) = tmp_path.rglob("tasks/export-orders.md")
    assert "\nEpic: Box office\n" in path.read_text()
    assert "\nSaid by Ada <ada@shop.example>; approved by" in path.read_text()


def test_thread_is_named_by_the_beginning_of_its_id(pk):
    thread = pk("new", "hi")["thread"]
    assert pk("say", thread.lower()[:-2], COMPLETE)["thread"] == thread
    assert pk("show", thread.lower()[:-2])["id"] == thread


def test_beginning_of_several_ids_is_refused_with_all_of_them(project, person, pk):
    names = [pk("new", "hi")["thread"] for _ in range(2)]
    err = project.pk("thread", "show", "TH-", env=person, code=2).err
    assert all(one in err for one in names)


def test_choice_between_two_values_is_no_answer_to_any_other_question(project, person, pk):
    thread = pk("new", "Title: Export orders")["thread"]
    err = project.pk("thread", "answer", thread, "keep_b", env=person, code=2).err
    assert "asks for no choice" in err
    assert pk("show", thread)["draft"]["problem"] is None


def test_a_choice_that_several_questions_offer_is_refused_with_all_of_them(project, person, pk):
    thread = pk("new", f"Retention = at most 30 days\nTimeout = at most 5 seconds\n{COMPLETE}")["thread"]
    pk("say", thread, "Retention = at least 90 days\nTimeout = at least 9 seconds", "--by", "Bob")
    asks = pk("show", thread)["asks"]
    err = project.pk("thread", "answer", thread, "keep_b", env=person, code=2).err
    assert len(asks) == 2
    assert all(f"{one['number']}: {one['text']}" in " ".join(err.split()) for one in asks)
    pk("answer", thread, "keep_b", "--to", "2")
    assert [one["number"] for one in pk("show", thread)["asks"]] == [1]


def test_choice_without_a_number_is_about_the_values_that_exclude_each_other(pk):
    thread = pk("new", f"Retention = at most 30 days\n{COMPLETE}")["thread"]
    pk("say", thread, "Retention = at least 90 days", "--by", "Bob")
    pk("answer", thread, "keep_b")
    assert [one["value"]["value"] for one in pk("show", thread)["draft"]["constraints"]] == ["at least 90 days"]


def test_screen_says_what_can_be_done_next(project, person):
    asked = project.pk("thread", "new", "hi", env=person).out
    thread = asked.split()[0]
    assert f"pk thread answer {thread} TEXT --to 1" in asked
    assert "asked" in project.pk("thread", "list", env=person).out
    preview = project.pk(
        "thread", "say", thread, COMPLETE, "Risk: it may be large. Open question: who?", env=person
    ).out
    assert "**" not in preview
    assert f"pk thread approve {thread} 1" in preview
    assert "version 1" in project.pk("thread", "list", env=person).out


def test_screen_says_how_to_choose_a_side_and_to_clear_up_a_correction_without_favouring_one(project, person, pk):
    thread = pk("new", f"Retention = at most 30 days\n{COMPLETE}")["thread"]
    asked = project.pk("thread", "say", thread, "Retention = at least 90 days", "--by", "Bob", env=person).out
    assert f"pk thread answer {thread} CHOICE (keep_a, keep_b, both, or new words)" in asked
    more = project.pk("thread", "say", thread, "Risk: it may be large.", env=person).out
    assert "`keep_a`) or " in more
    assert "`keep_b`)." in more
    assert f"pk thread answer {thread} CHOICE" in more
    pk("answer", thread, "keep_b")
    unclear = project.pk("thread", "say", thread, "a week -> a month", env=person).out
    assert f"pk thread changes {thread} 'Correction to AC 1: …'" in unclear
    assert "unclear" in project.pk("thread", "list", env=person).out


def test_draft_is_shown_while_questions_wait(project, person, pk):
    thread = pk("new", "Title: Export orders\nRisk: it may be large.")["thread"]
    shown = project.pk("thread", "show", thread, env=person).out
    assert "# Export orders" in shown
    assert shown.index("it may be large. (") < shown.index("waits (1, ")


@pytest.mark.slow
def test_draft_is_shown_while_a_write_failed_and_can_be_approved_again(project, person, pk, tmp_path):
    thread = pk("new", COMPLETE)["thread"]
    (tmp_path / "data/pactkeeper/board").write_text("no folder")
    pk("approve", thread, "1", code=1)
    shown = project.pk("thread", "show", thread, env=person).out
    assert "# Export orders" in shown
    assert "could not be written" in shown


def test_what_is_said_after_the_ticket_is_open_in_the_list_the_tick_and_the_thread(project, person, pk):
    thread = pk("new", COMPLETE)["thread"]
    pk("approve", thread, "1")
    assert "nothing is due" in project.pk("thread", "tick", env=person).out
    said = project.pk("thread", "say", thread, "We also wash the red one.", "--by", "Aiko", env=person).out
    assert "1. We also wash the red one. (Aiko)" in said
    assert "1 not in it" in project.pk("thread", "list", env=person).out
    for command in (("thread", "tick"), ("tick",)):
        told = project.pk(*command, env=person).out
        assert f"{thread}  1 sentence said since its ticket, and not in it: pk thread show {thread}" in told
        assert "nothing is due" not in told
    assert [one["number"] for one in pk("list")["threads"][0]["sinceTicket"]] == [1]
    pk("place", thread, "1=drop")
    assert "not in it" not in project.pk("thread", "list", env=person).out
    assert "nothing is due" in project.pk("thread", "tick", env=person).out


@pytest.mark.slow
def test_a_dropped_thread_is_not_named_beside_a_later_one_until_somebody_goes_on(project, person, pk):
    first = pk("new", COMPLETE)["thread"]
    named = f"draft {first} may be the same"
    assert named in pk("new", COMPLETE)["posts"][0]["text"]
    assert f"{first} dropped by " in project.pk("thread", "drop", first, env=person).out
    assert f"{first}  dropped" in project.pk("thread", "list", env=person).out
    assert named not in pk("new", COMPLETE)["posts"][0]["text"]
    pk("say", first, "AC: An export has at most 100 columns.")
    assert named in pk("new", COMPLETE)["posts"][0]["text"]


def test_unknown_thread_is_named(project, person):
    assert "no thread 'TH-NONE'" in project.pk("thread", "show", "TH-NONE", env=person, code=2).err


@pytest.mark.slow
def test_remark_that_may_wait_is_read_with_what_follows(pk):
    thread = pk("new", "hi")["thread"]
    assert pk("say", thread, "Title: Export orders", "--later")["ran"] == "nothing"
    pk("say", thread, "Problem: They copy by hand.")
    shown = pk("show", thread)
    assert shown["draft"]["title"]["value"] == "Export orders"
    assert [one["id"] for one in shown["asks"]] == [shown["asks"][0]["id"]]


def test_threads_work_outside_of_a_repository(tmp_path, person):
    (tmp_path / "away").mkdir()
    away = Project(tmp_path / "away")
    thread = away.pk("thread", "new", COMPLETE, "--by", "Ada", "--json", env=person).document["thread"]
    away.pk("thread", "approve", thread, "1", "--by", "Ada", env=person)
    assert "Export orders" in away.pk("thread", env=person).out


def test_folder_of_messages_is_answered_in_markdown_once(tmp_path, person):
    place = Project(tmp_path / "mail")
    lines = [
        {"id": str(at), "author": "Ada", "at": "2026-03-01T12:00:00+00:00", "text": text}
        for at, text in enumerate(COMPLETE.split("\n"))
    ]
    place.write("export/messages.jsonl", "".join(json.dumps(one) + "\n" for one in lines))
    for _ in range(2):
        place.pk("thread", "files", ".", env=person)
    said = (tmp_path / "mail/export.md").read_text()
    assert said.count("# Export orders") == 1


@pytest.mark.parametrize("named", [{"version": 1}, {"shown": "hash"}])
def test_folder_takes_an_approval_by_what_stands_under_the_preview(tmp_path, person, named):
    place = Project(tmp_path / "mail")
    said = {"id": "1", "author": "Ada", "at": "2026-03-01T12:00:00+00:00", "text": COMPLETE}
    place.write("export/messages.jsonl", json.dumps(said) + "\n")
    place.pk("thread", "files", ".", env=person)
    under = place.read("export.md").partition("Version 1, ")[2].split()[0]
    click = {
        **said,
        "id": "2",
        "kind": "approve",
        "text": "",
        **{key: 1 if key == "version" else under for key in named},
    }
    place.write("export/messages.jsonl", json.dumps(said) + "\n" + json.dumps(click) + "\n")
    place.pk("thread", "files", ".", env=person)
    assert "approved by Ada" in place.read("export.md")


def test_an_approval_is_one_write_of_who_approved_it(project, pk, person):
    project.pk("init")
    thread = pk("new", f"{COMPLETE}\nAC: An export without orders has no rows.", "--by", "Bob")["thread"]
    pk("approve", thread, "1", "--by", "Bob")
    by = [one["by"] for one in project.pk("log", "--json", env=person).document["decisions"]]
    assert by.count("Bob") == len(by) - 1 == 1  # the other one is the setup
    project.pk("undo", env=person)
    assert {one["state"] for one in pk("show", thread)["criteria"]} == {"no atom"}


def line(author, text, name="1", **more):
    return json.dumps({"id": name, "author": author, "at": "2026-03-01T12:00:00+00:00", "text": text, **more}) + "\n"


@pytest.mark.parametrize("author", ["Ada", "Carl"])
def test_a_second_message_under_a_used_id_is_refused_in_every_run(tmp_path, person, author):
    place = Project(tmp_path / "mail")
    place.write("export/messages.jsonl", line("Ada", COMPLETE) + line(author, "Title: Hijacked"))
    for _ in range(2):
        err = place.pk("thread", "files", ".", env=person, code=2).err
        assert "have the id '1'" in err
        assert author in err
    assert place.pk("thread", "list", "--json", env=person).document["threads"] == []


def test_a_message_that_takes_the_id_of_somebody_elses_is_refused(tmp_path, person):
    place = Project(tmp_path / "mail")
    place.write("export/messages.jsonl", line("Ada", COMPLETE))
    place.pk("thread", "files", ".", env=person)
    place.write("export/messages.jsonl", line("Carl", "Title: Hijacked"))
    err = place.pk("thread", "files", ".", env=person, code=2).err
    assert "two messages of Ada and of Carl have the id '1'" in err
    (thread,) = place.pk("thread", "list", "--json", env=person).document["threads"]
    assert thread["draft"]["title"]["value"] == "Export orders"


def test_words_that_were_typed_into_a_thread_of_files_stay_when_the_files_are_read_again(tmp_path, person):
    place = Project(tmp_path / "mail")
    place.write("export/messages.jsonl", line("Ada", COMPLETE))
    place.pk("thread", "files", ".", env=person)
    (thread,) = place.pk("thread", "list", "--json", env=person).document["threads"]
    place.pk("thread", "say", thread["id"], "AC: The file is gone after 3 days.", env=person)
    place.pk("thread", "files", ".", env=person)
    assert "The file is gone after 3 days." in place.pk("thread", "show", thread["id"], env=person).out


def test_a_folder_without_messages_is_no_thread(tmp_path, person):
    place = Project(tmp_path / "mail")
    place.write("threads/export/messages.jsonl", line("Ada", COMPLETE))
    told = place.pk("thread", "files", ".", env=person)
    assert (told.out, told.err) == ("0 threads\n", f"no messages found in {place.root / 'threads'}\n")
    assert place.pk("thread", "list", "--json", env=person).document["threads"] == []


def test_broken_messages_are_named_with_their_lines(tmp_path, person):
    place = Project(tmp_path / "mail")
    place.write("export/messages.jsonl", '{"id": "1"}\nnothing\n')
    err = place.pk("thread", "files", ".", env=person, code=2).err
    assert "messages.jsonl:1: this is not a message: 'author' is missing" in err
    assert "messages.jsonl:2" in err


def test_broken_messages_of_one_thread_keep_no_other_from_being_read(tmp_path, person):
    place = Project(tmp_path / "mail")
    place.write("broken/messages.jsonl", "nothing\n")
    place.write("export/0001-Ada.md", COMPLETE)
    err = place.pk("thread", "files", ".", env=person, code=2).err
    assert "broken cannot continue" in err
    assert "# Export orders" in place.read("export.md")


@pytest.mark.slow
@pytest.mark.parametrize("command", [("thread", "tick"), ("tick",)])
def test_fault_of_ours_in_one_thread_is_told_after_all_others_went_on(project, person, pk, tmp_path, command):
    names = [pk("new", "hi")["thread"] for _ in range(2)]
    for one in names:
        pk("say", one, COMPLETE, "--later")
    with closing(sqlite3.connect(tmp_path / "data/pactkeeper/history.db")) as database, database:
        database.execute("UPDATE thread_states SET text = '{\"unheard\":1}' WHERE thread = ?", (names[0],))
    Home(tmp_path).age(minutes=10)
    told = project.pk(*command, env=person, code=3)
    assert "this is a bug in Pactkeeper" in told.err
    assert "unheard" in told.err
    assert names[1] in told.out
    assert pk("show", names[1])["state"]["outcome"] == "preview"


@pytest.mark.slow
def test_tick_goes_on_with_what_became_quiet(project, person, pk, tmp_path):
    thread = pk("new", "hi")["thread"]
    assert pk("say", thread, COMPLETE, "--later")["ran"] == "nothing"
    Home(tmp_path).age(minutes=10)
    project.pk("tick", env=person)
    assert pk("show", thread)["state"]["outcome"] == "preview"


def test_settings_that_do_not_fit_are_refused(project, person, tmp_path):
    Project(tmp_path / "config").write("pactkeeper/threads.toml", "window_seconds = -1\nwindows = 2\n")
    err = project.pk("thread", "new", "hi", env=person, code=2).err
    assert "window_seconds = -1" in err
    assert "'windows' is not known" in err


def test_criterion_that_was_changed_in_a_ticket_supersedes_its_own_atom(project, person, pk):
    project.pk("init")
    thread = pk("new", "Title: Reset\nProblem: Links last too long.\nAC: A reset link expires after 1 hour.")["thread"]
    pk("approve", thread, "1")
    pk("say", thread, "AC 1: A reset link expires after 30 minutes.")
    (told,) = [one for one in pk("approve", thread, "2")["posts"] if one["kind"] == "created"]
    assert "is superseded by" in told["text"]
    assert project.pk("thread", "show", thread, env=person).out.count("created, version ") == 1
    assert "stays and is no longer a criterion" not in told["text"]
    assert "of the same thing" not in project.pk("gaps", code=None).out


def test_screen_names_the_command_for_the_conflict_that_it_waits_for(project, person, pk):
    thread = pk("new", COMPLETE)["thread"]
    pk("say", thread, "AC 1: An export has two rows per order.", "--by", "Bob")
    for number in range(25):
        pk("say", thread, f"We talked about point {number}.", "--later")
    pk("say", thread, "That was all.")
    out = project.pk("thread", "show", thread, env=person).out
    assert f"pk thread answer {thread} CHOICE (keep_a, keep_b, both, or new words)" in out
    assert "more: pk thread show" not in out
    assert out.count("We talked about point 3.") == 2
