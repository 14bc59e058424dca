"""`pk transcripts reconcile` and `pk knowledge`, outside of any repository."""

import pytest

from tests.doors.projects import Project
from tests.transcripts.scripts import read_script, write_script

SCRIPT = """\
format claude-code
file main.jsonl
user | We decided to use SQLite because it needs no server.
assistant | # Trip plan

    1. Renew the passport
    2. Book a flight to Lisbon
    3. Tell the neighbours about the cat
"""
TASK = "---\nid: T-aaaaaa\ntitle: Passport renewal appointment\nstatus: open\n---\n"


@pytest.fixture
def pk(tmp_path):
    person = Project(tmp_path)
    home = tmp_path / "home"
    names = {"HOME": home, "XDG_DATA_HOME": home / "data", "XDG_CONFIG_HOME": home / "config"}
    env = {name: str(path) for name, path in names.items()}
    (path,) = write_script(read_script(SCRIPT), tmp_path / "chats")
    person.write("home/data/pactkeeper/board/tasks/passport.md", TASK)

    def run(*arguments, code=0):
        return person.pk(*arguments, code=code, env=env)

    run("transcripts", "ingest", "--no-wait", str(path))
    return run


def test_a_reconciliation_tells_what_it_proposes_and_asks_and_writes_nothing(pk, tmp_path):
    board = tmp_path / "home/data/pactkeeper/board"
    before = sorted(board.rglob("*"))
    found = pk("transcripts", "reconcile", "--all")
    assert "create task: Book a flight to Lisbon on local" in found.out
    assert "is “Renew the passport” the same as “Passport renewal appointment”?" in found.out
    assert sorted(board.rglob("*")) == before


def test_an_answer_settles_the_question_for_good(pk):
    proposal = pk("transcripts", "reconcile", "--all", "--json").document["proposal"]
    (question,) = proposal["patch"]["questions"]
    assert "same_work" in question["kind"]
    pk("transcripts", "answer", question["id"], "yes")
    again = pk("transcripts", "reconcile", "--all", "--json").document["proposal"]
    assert again["patch"]["questions"] == []
    assert [one["outcome"] for one in again["judged"] if one["title"] == "Renew the passport"] == ["exists"]


def test_another_word_is_no_answer(pk):
    proposal = pk("transcripts", "reconcile", "--all", "--json").document["proposal"]
    (question,) = proposal["patch"]["questions"]
    assert "yes, no, unsure" in pk("transcripts", "answer", question["id"], "perhaps", code=2).err
    assert "qu-nothing" in pk("transcripts", "answer", "qu-nothing", "yes", code=2).err


def test_old_conversations_are_counted_and_not_looked_at(pk):
    found = pk("transcripts", "reconcile", "--json").document
    assert (found["proposal"]["actions"], found["older"]) == ([], 2)


def test_a_board_that_is_not_set_up_is_named(pk, tmp_path):
    settings = tmp_path / "home/config/pactkeeper/transcripts.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('[routing]\ntasks = "team"\n')
    assert "'team'" in pk("transcripts", "reconcile", code=2).err


def test_a_decision_is_known_from_then_on_and_may_be_superseded(pk):
    pk("transcripts", "reconcile", "--all")
    (item,) = pk("knowledge", "search", "sqlite", "--json").document["items"]
    assert item["source"]["conversation"].startswith("cv-")
    pk("knowledge", "add", "Database", "We use Postgres.", "--kind", "decision", "--supersedes", item["id"])
    assert pk("knowledge", "search", "sqlite", "--json").document["items"] == []
    shown = pk("knowledge", "show", item["id"], "--json").document
    assert (shown["standing"], shown["superseded_by"][0]["text"]) == ("superseded", "We use Postgres.")


def test_what_is_doubted_stays_and_no_longer_counts(pk):
    item = pk("knowledge", "add", "Invoices", "They go out on the first.", "--json").document
    pk("knowledge", "flag", item["id"], "--reason", "since May on the third")
    assert "0 items" in pk("knowledge", "search", "invoices").out
    assert "flagged" in pk("knowledge", "search", "invoices", "--all").out


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("add", "A", "knows B", "--kind", "relation"), "--predicate"),
        (("add", "A", "text", "--since", "soon"), "'soon'"),
        (("add", "A", "text", "--supersedes", "kn-nothing"), "kn-nothing"),
    ],
)
def test_what_cannot_be_kept_is_said_and_keeps_nothing(pk, arguments, named):
    assert named in pk("knowledge", *arguments, code=2).err
    assert "0 items" in pk("knowledge", "search", "--all").out


def test_a_search_shows_the_words_that_matched_and_each_fact_once(pk, tmp_path):
    talk = "call Bash c1 | git commit -m 'Render invoices'\nresult c1 | [main 1a2b3c4] Render invoices\n"
    (path,) = write_script(read_script(f"format generic\nfile other.jsonl\n{talk}"), tmp_path / "more")
    pk("transcripts", "ingest", "--no-wait", str(path))
    pk("transcripts", "reconcile", "--all")
    found = pk("knowledge", "search", "invoices").out
    assert "seen: “[main 1a2b3c4] Render invoices”" in found
    assert "1 item" in found
