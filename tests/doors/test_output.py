"""What `pk` does where its streams are closed, full, or can show few letters."""

import json
import os
import subprocess
import sys

import click
import pytest

PK = f"{sys.executable} -m pactkeeper"


def shell(project, line, **environment):
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=project.root,
        capture_output=True,
        env={**os.environ, **environment},
        check=False,
        timeout=300,
    )
    return done.returncode, done.stdout.decode("latin-1"), done.stderr.decode("latin-1")


def test_check_whose_reader_goes_away_still_fails(project):
    code, _, complaint = shell(project, f"{PK} check | true; exit ${{PIPESTATUS[0]}}")
    assert (code, complaint) == (1, "")


@pytest.mark.slow
def test_closed_streams_are_no_bug(project):
    assert shell(project, f"{PK} scan >&- 2>&-; exit $?")[0] == 0
    project.pk("reconcile", "--all")
    assert shell(project, f"{PK} review <&-")[0] == 2


def test_full_disk_under_the_output_is_an_error_that_says_so(project):
    code, _, complaint = shell(project, f"{PK} scan --json >/dev/full")
    assert code == 2
    assert "No space left" in complaint
    assert "Traceback" not in complaint


def test_a_complaint_that_cannot_be_written_leaves_the_exit_code_as_it_is(project):
    assert shell(project, f"{PK} scan --json >/dev/full 2>/dev/full")[0] == 2
    assert shell(project, f"{PK} no-such-command 2>/dev/full")[0] == 2


def test_terminal_of_few_letters_gets_escapes(project):
    code, shown, _ = shell(project, f"{PK} scan", PYTHONIOENCODING="latin-1")
    assert code == 0
    assert "\\u203a" in shown


def test_json_of_an_empty_patch_is_one_document(project):
    project.pk("reconcile", "--all")
    project.pk("apply", "--all")
    project.pk("reconcile", "--all")
    assert json.loads(project.pk("apply", "--json").out)["ops"] == []


def at_terminal(project, *arguments, columns="60"):
    """What a terminal of so many columns is given."""
    ours, theirs = os.openpty()
    environment = {**os.environ, "COLUMNS": columns, "NO_COLOR": "1"}
    command = [*PK.split(), *arguments]
    with subprocess.Popen(command, cwd=project.root, env=environment, stdout=theirs, stderr=theirs) as shown:
        os.close(theirs)
        text = b""
        try:
            while read := os.read(ours, 65536):
                text += read
        except OSError:  # Linux says so where the other side is closed
            pass
        shown.wait(300)
    os.close(ours)
    return text.decode().replace("\r\n", "\n")


def test_long_lines_are_wrapped_on_a_terminal_and_nowhere_else(project):
    shown = at_terminal(project, "check", "--all")
    piped = project.pk("check", "--all", code=1).out
    assert "error PK101: no atom says what this test is for\n" in piped
    assert "error PK101: no atom says what this test is for\n" not in click.unstyle(shown)
    whole = ("pk accept ", "::")
    assert [
        one for one in shown.splitlines() if len(click.unstyle(one)) > 60 and not any(w in one for w in whole)
    ] == []
    assert set(piped.split()) <= set(click.unstyle(shown).split())


def test_errors_are_wrapped_on_a_terminal(project):
    lines = at_terminal(project, "check", "--at", "no-such-commit-anywhere").splitlines()
    assert lines[0].startswith("pk: ")
    assert lines[1].startswith("  ")


def test_folder_that_is_none_is_refused(project):
    assert "nowhere" in project.pk("-C", "nowhere", "check", code=2).err
