"""The smaller commands, and what every command has in common."""

import json
import os
import re
import subprocess
import sys

import pytest

from pactkeeper.doors.cli.main import COMMANDS
from pactkeeper.ledger.op import VERBS
from pactkeeper.operators.decision_log import CHANGES
from pactkeeper.published.plain import printable

HEAVY = ("pydantic", "sqlalchemy", "langgraph", "rich", "msgspec", "tree_sitter", "sqlite3", "dbos")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(project, name):
    out = project.pk(*name.split(), "--help").out
    assert out.startswith(f"Usage: pk {name}")
    assert COMMANDS[name].summary.split()[0]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["recocile"], "`pk reconcile`"),
        (["sweep"], "`pk health sweep`"),
        (["atom", "sho"], "`pk atom show`"),
        (["atom", "qualtiy"], "`pk atom quality`"),
    ],
)
def test_typo_gets_a_suggestion(project, typed, meant):
    assert f"Did you mean {meant}?" in project.pk(*typed, code=2).err


@pytest.mark.parametrize("group", ["findings", "questions", "recommendations", "fixes", "runs", "boards"])
def test_bare_noun_lists(adopted, group):
    assert adopted.pk(group, "--json").document == adopted.pk(group, "list", "--json").document


def test_unsupported_system_gets_a_sentence():
    code = "import os\nfrom pactkeeper.doors.cli.main import run\nos.name = 'nt'\nrun()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == (
        2,
        "pk: Pactkeeper runs on Linux and macOS; on Windows, run it in WSL",
    )


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(project, shell):
    assert "_PK_COMPLETE" in project.pk("completion", shell).out


def test_tab_key_offers_names_without_importing_their_commands():
    code = (
        "import sys\nfrom pactkeeper.doors.cli.main import run\nsys.argv[0] = 'pk'\ntry: run()\n"
        "finally: print([one for one in sys.modules if one.endswith(('cli.reconcile', 'cli.review'))])"
    )
    environment = {**os.environ, "_PK_COMPLETE": "bash_complete", "COMP_WORDS": "pk re", "COMP_CWORD": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert {"plain,reconcile", "plain,review"} <= set(done.stdout.splitlines())
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("arguments", [("--help",), ("--version",)])
def test_help_imports_nothing_heavy(arguments):
    code = (
        "import sys\nfrom pactkeeper.doors.cli.main import cli\n"
        f"try: cli.main({list(arguments)!r}, standalone_mode=False)\nexcept SystemExit: pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def long_ago(project):
    """The history as if it had been written a minute ago: what was only just written is read each time."""
    place = project.root / ".git/pact/history.db"
    os.utime(place, (place.stat().st_mtime - 60,) * 2)


@pytest.mark.parametrize("command", ["scan", "delta", "guard", "status", "gaps", "next", "structure"])
def test_report_that_was_kept_is_the_one_that_was_computed(adopted, command):
    adopted.write("tests/test_new.py", "def test_new():\n    assert 1\n")
    long_ago(adopted)
    assert adopted.pk(command, "--json").out == adopted.pk(command, "--json").out


@pytest.mark.parametrize("command", ["scan", "delta", "guard", "status", "gaps", "next", "structure"])
def test_kept_report_of_a_test_ends_with_the_test(adopted, command):
    place = adopted.write("tests/test_new.py", "def test_new():\n    assert 1\n")
    long_ago(adopted)
    before = adopted.pk(command, "--json").out
    place.unlink()
    assert adopted.pk(command, "--json").out != before


def test_everyday_commands_on_unchanged_content_load_neither_parser_nor_sql_nor_the_pact(adopted):
    commands = [["check"], ["delta", "--since", "HEAD"], ["status"], ["gaps"], ["next"], ["structure"]]
    long_ago(adopted)
    for command in [*commands, ["scan"]]:
        adopted.pk(*command)
    code = (
        "import sys\nfrom pactkeeper.doors.cli.main import cli\n"
        f"for command in {commands!r}: cli.main(command, standalone_mode=False)\n"
        "heavy = ('tree_sitter', 'tomllib', 'msgspec', 'sqlalchemy', 'pactkeeper.intent.pact', 'dbos')\n"
        "print([name for name in heavy if name in sys.modules], file=sys.stderr)\n"
        "cli.main(['scan'], standalone_mode=False)\n"  # the rows of thousands of tests are built by msgspec
        "print([name for name in heavy if name in sys.modules and name != 'msgspec'], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=adopted.root, capture_output=True, text=True, check=True)
    assert done.stderr.split() == ["[]", "[]"]


@pytest.mark.parametrize(
    "command",
    [
        ["debt"],
        pytest.param(["runs"], marks=pytest.mark.slow),
        pytest.param(["atom"], marks=pytest.mark.slow),
        pytest.param(["atom", "show", "IA-1"], marks=pytest.mark.slow),
        pytest.param(["docs", "search", "basket"], marks=pytest.mark.slow),
    ],
)
def test_command_that_only_looks_loads_nothing_that_judges_or_drives_a_run(adopted, command):
    code = (
        "import sys\nfrom pactkeeper.doors.cli.main import cli\n"
        f"try: cli.main({command!r}, standalone_mode=False)\nexcept Exception as error: print(error)\n"
        "heavy = ('langgraph', 'pactkeeper.operators.driving', 'pactkeeper.reconcile.check', 'pactkeeper.reconcile.edits')\n"
        "print([name for name in heavy if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=adopted.root, capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"


def test_verdict_from_the_cache_equals_the_one_that_was_computed(adopted):
    adopted.write("tests/test_new.py", "def test_new():\n    assert 1\n")
    assert adopted.pk("check", "--json", code=1).out == adopted.pk("check", "--json", code=1).out


def test_change_of_one_byte_is_seen_by_the_next_check(adopted):
    assert adopted.codes() == []
    adopted.replace("tests/test_basket.py", "== 10", "== 11")
    assert adopted.codes() == ["PK115"]


def test_github_commands_point_at_file_and_line(adopted):
    adopted.write("tests/test_new.py", "def test_new():\n    assert 1\n")
    out = adopted.pk("check", "--github", code=1).out
    assert out.startswith("::error file=tests/test_new.py,line=1,title=PK101 orphan-test::")


def test_sarif_names_rule_place_and_fingerprint(adopted):
    adopted.write("tests/test_new.py", "def test_new():\n    assert 1\n")
    adopted.pk("check", "--sarif", "out.sarif", code=1)
    (result,) = json.loads(adopted.read("out.sarif"))["runs"][0]["results"]
    assert result["ruleId"] == "PK101"
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}
    assert result["partialFingerprints"]["pactkeeper/v1"].startswith("fp-")


def test_status_says_what_to_do_next(project):
    assert "next    pk init" in project.pk("status").out
    project.pk("init")
    assert "pk reconcile tests" in project.pk("status").out
    project.pk("reconcile", "--all")
    assert "pk review" in project.pk("status").out


def test_molecule_is_kept_renamed_and_edited(adopted):
    listed = adopted.pk("molecule", "list", "--json").document
    keys = [view["key"] for view in listed["computed"]]
    assert keys == ["basket", "web/slug"]
    adopted.pk("molecule", "keep", "basket", "--name", "Baskets")
    (stored,) = adopted.pk("molecule", "list", "--json").document["stored"]
    assert stored["name"] == "Baskets"
    adopted.pk("molecule", "rename", "Baskets", "The basket")
    adopted.pk("molecule", "edit", "The basket", "--remove", stored["atoms"][0], "--description", "What a basket does.")
    (stored,) = adopted.pk("molecule", "list", "--json").document["stored"]
    assert (stored["name"], len(stored["atoms"]), stored["description"]) == ("The basket", 2, "What a basket does.")


def test_unknown_molecule_or_view_is_an_error(adopted):
    assert "pk molecule list" in adopted.pk("molecule", "keep", "nowhere", code=2).err
    assert "pk molecule list" in adopted.pk("molecule", "rename", "nowhere", "x", code=2).err


def test_debt_is_added_only_with_a_reason_and_pruned_when_paid(adopted):
    adopted.write("tests/test_new.py", "def test_new():\n    assert 1\n")
    adopted.pk("debt", "add", "tests/test_new.py::test_new", code=2)
    adopted.pk("debt", "add", "tests/test_new.py::test_new", "--reason", "Comes with the next release.")
    assert adopted.codes() == []
    (adopted.root / "tests/test_new.py").unlink()
    assert adopted.codes() == ["PK203"]
    adopted.pk("debt", "prune")
    assert adopted.codes() == []


def test_many_new_tests_become_debt_by_the_command_that_the_first_finding_names(adopted):
    debt = adopted.read("pact/debt.txt")
    tests = "".join(f"def test_{at}():\n    assert f({at})\n\n\n" for at in range(41))
    adopted.write("tests/test_new.py", tests)
    told = adopted.pk("check", code=1).out
    assert told.count("pk accept tests/test_new.py::test_0; or, all 41 as debt: pk debt add . --reason 'Why.'\n") == 1
    assert told.count("as debt") == 1
    adopted.pk("debt", "add", ".", "--reason", "They are read now.")
    assert adopted.codes() == []
    assert adopted.read("pact/debt.txt").count("::") == debt.count("::") + 41


def test_unknown_test_gets_a_suggestion(adopted):
    error = adopted.pk("accept", "tests/test_basket.py::test_total_adds_price", code=2).err
    assert "did you mean" in error
    assert "test_total_adds_prices" in error


def test_undo_with_nothing_to_undo_says_so(project):
    assert "nothing to undo" in project.pk("undo", code=2).err


def test_settle_with_nothing_to_settle_says_so(project):
    assert "nothing to settle" in project.pk("recover").out


def test_undo_tells_which_write_it_takes_back(project):
    project.pk("init")
    project.pk("accept", "tests/test_basket.py::test_total_adds_prices")
    out = project.pk("undo").out
    assert re.search(r"^write 2 of \d{4}-\d\d-\d\d \d\d:\d\d: applied new atom IA-\w{7}, ", out)
    assert ", by Ada Lovelace <ada@example.org>\n" in out
    assert project.pk("undo").out.startswith("write 1 of ")


def test_undo_of_a_write_that_git_took_back_says_that_nothing_was_changed(project):
    project.pk("init")
    project.git("add", "--all")
    project.git("commit", "--quiet", "--message=Start the pact")
    project.pk("accept", "tests/test_basket.py::test_total_adds_prices")
    project.git("reset", "--quiet", "--hard")
    project.git("clean", "--quiet", "-fd", "pact")
    assert project.pk("undo").out.endswith("\nnothing was changed: nothing of that write is left\n")


def test_undo_refuses_a_pact_of_a_newer_format_as_other_writes_do(project):
    project.pk("init")
    test = "tests/test_basket.py::test_total_adds_prices"
    project.pk("accept", test)
    settings = project.read("pact/pact.toml")
    project.write("pact/pact.toml", settings.replace("format = 1", "format = 2"))
    for command in (("accept", test), ("undo",)):
        assert "format is 2; this version of Pactkeeper reads format 1" in project.pk(*command, code=2).err
    project.write("pact/pact.toml", settings)
    assert project.pk("undo").out.startswith("write 2 of ")


def test_log_names_the_person_of_every_write(project):
    project.pk("init")
    project.pk("accept", "tests/test_basket.py::test_total_adds_prices")
    project.pk("undo")
    decisions = project.pk("log", "--json").document["decisions"]
    assert {"init", "took back"} <= {one["what"] for one in decisions}
    assert {one["by"] for one in decisions} == {"Ada Lovelace <ada@example.org>"}


def test_emptied_settings_are_told_with_the_way_out_by_every_command(project):
    project.pk("init")
    project.commit("Pact")
    project.write("pact/pact.toml", "")
    for command in ("check", "init"):
        assert "git checkout HEAD -- pact/pact.toml" in project.pk(command, code=2).err
    project.git("checkout", "HEAD", "--", "pact/pact.toml")
    project.pk("check")


def test_undo_keeps_what_was_changed_elsewhere_since(adopted):
    adopted.write("tests/test_new.py", "def test_kept():\n    assert 1\n")
    adopted.pk("accept", "tests/test_new.py", "--intent", "It is kept.")
    adopted.write("tests/test_new.py", adopted.read("tests/test_new.py") + "\n\nX = 1\n")
    adopted.pk("undo")
    assert adopted.read("tests/test_new.py") == "def test_kept():\n    assert 1\n\n\nX = 1\n"


def test_path_outside_the_repository_is_refused(adopted, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    assert "outside" in adopted.pk("scan", ".", str(tmp_path / "elsewhere"), code=2).err


def test_scan_of_a_path_elsewhere_opens_the_repository_there(adopted, tmp_path):
    from tests.doors.projects import Project  # noqa: PLC0415 - only this test leaves the project

    document = Project(tmp_path).pk("scan", str(adopted.root), "--json").document
    assert len(document["tests"]) == 4
    document = Project(tmp_path).pk("scan", str(adopted.root / "web"), "--json").document
    assert [test["file"] for test in document["tests"]] == ["web/slug.test.ts"]


def test_text_of_the_repository_cannot_drive_the_terminal():
    assert printable("a\x1b]0;title\x07b\x1b[8mhidden\x1b[31mred\x1b[0m\r") == (
        "a\\x1b]0;title\\x07b\\x1b[8mhidden\x1b[31mred\x1b[0m\\r"
    )


NAME_OF_THE_CODE = re.compile(r"\b[a-z]+(?:[A-Z][a-z]+)+\b|\b(?:put|take|debt|supersede)_[a-z]+")


def test_log_policy_and_runs_speak_in_words(project):
    project.pk("init")
    project.pk("reconcile", "--all")
    op = project.pk("recommendations", "--json").document["atoms"][0]["id"]
    ruled = project.pk("policy", "explain", op).out
    project.pk("apply", "--all")
    log = project.pk("log").out
    assert "began the pact" in log
    assert re.match(rf"{op}  (create atom|attach test to atom) ", ruled)
    assert [NAME_OF_THE_CODE.findall(out) for out in (ruled, log)] == [[], []]


def test_the_log_has_words_for_every_kind_of_change():
    assert {*VERBS} - {"invariantViolationFinding"} == {*CHANGES}
