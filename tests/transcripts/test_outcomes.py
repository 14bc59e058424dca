"""What an event's answer says of it; an exit code tells only of the commands that can't have failed unnoticed."""

import pytest

from pactkeeper.intent.conversation import Block, ConversationEntry, RecordPlace
from pactkeeper.transcripts.extraction import exit_tells
from pactkeeper.transcripts.extraction.extract import extract

NODE = "ℹ tests 4\nℹ pass {}\nℹ fail {}\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0"


def events_of(*calls):
    """The events of shell calls: each with its answer, and whether it failed."""
    entries = []
    for at, (command, answer, failed) in enumerate(calls):
        place = RecordPlace("/chats/a.jsonl", 10 * at, 10 * at + 9)
        call = Block("call", command, call=f"c{at}", tool="Bash", arguments="{}")
        result = Block("result", answer, call=f"c{at}", failed=failed)
        entries += [
            ConversationEntry(f"u{at}", "", "assistant", "2026-03-01T09:00:00Z", (call,), place),
            ConversationEntry(f"r{at}", f"u{at}", "tool", "2026-03-01T09:00:00Z", (result,), place),
        ]
    found = extract((), tuple(entries), fresh=frozenset(one.uuid for one in entries))
    return [one.facts for one in found if one.type == "event"]


@pytest.mark.parametrize(
    ("script", "known"),
    [
        ("pytest -q", 1),
        ("cd api && pytest -q", 2),
        ("(cd api && pytest -q)", 2),
        ("pytest > log 2>&1\n", 1),
        ("pytest | tail -3", 1),
        ("(cd api && pytest) | tail -3", 1),
        ("pytest; git push", 1),
        ("git add -A\npytest -q && git push", 2),
        ("pytest && git push || echo no", 0),
        ("pytest || true", 0),
        ("pytest &", 0),
        ("bash -c 'pytest; git push'", 1),
        ("pytest 'a", 0),
    ],
)
def test_an_exit_code_tells_of_the_last_commands_that_are_joined_by_and(script, known):
    assert exit_tells(script) == known


@pytest.mark.parametrize(
    ("command", "answer", "failed", "outcome"),
    [
        ("npx vitest run 2>&1 | tail -8", " Test Files  1 failed (1)\n      Tests  1 failed | 30 passed (31)", False, "failed"),
        ("npx vitest run 2>&1 | tail -8", " Test Files  1 passed (1)\n      Tests  31 passed (31)", False, "succeeded"),
        ("npx jest 2>&1 | tail -5", "Test Suites: 1 failed, 2 total\nTests:       1 failed, 3 passed, 4 total", False, "failed"),
        ("npx jest 2>&1 | tail -5", "Test Suites: 2 passed, 2 total\nTests:       1 skipped, 3 passed, 4 total", False, "succeeded"),
        ("node --test 2>&1 | tail -8", NODE.format(3, 1), False, "failed"),
        ("node --test 2>&1 | tail -8", NODE.format(4, 0), False, "succeeded"),
        ("npx mocha | tail", "  3 passing (12ms)\n  1 failing", False, "failed"),
        ("npx mocha | tail", "  4 passing (12ms)", False, "succeeded"),
        ("pytest -q | tail -3", "FAILED tests/test_a.py::test_b - assert 1 == 2\n1 failed, 3 passed in 0.04s", False, "failed"),
        ("pytest | tail -1", "===== 1 failed, 3 passed in 0.04s =====", False, "failed"),
        ("pytest | tail -1", "2 passed, 1 error in 0.04s", False, "failed"),
        ("pytest | tail -1", "===== 4 passed, 1 xfailed, 2 warnings in 0.04s =====", False, "succeeded"),
        ("pytest -q; echo done", "1 failed, 3 passed in 0.04s\ndone", False, "failed"),
        ("pytest -q; echo done", "done", False, "unknown"),
        ("make test | tail -1", "see the log", False, "unknown"),
        ("pytest -q || true", "...", False, "unknown"),
        ("pytest --cov", "4 passed in 0.04s\nFAIL Required test coverage of 90% not reached", True, "failed"),
        ("pytest --cov", "4 passed in 0.04s", True, "failed"),
        ("pytest -q && git push", "4 passed in 0.04s\nerror: failed to push some refs", True, "succeeded"),
        ("pytest -q > log && git push", "error: failed to push some refs", True, "unknown"),
        ("pytest -q > log", "", False, "succeeded"),
        ("pnpm vitest run", "      Tests  31 passed (31)", False, "succeeded"),
        ("pnpm vitest run", "", True, "failed"),
    ],
)  # fmt: skip
def test_the_outcome_of_a_test_run_is_what_it_printed_where_the_exit_code_is_not_its_own(
    command, answer, failed, outcome
):
    (run,) = [one for one in events_of((command, answer, failed)) if one["kind"] == "test_run"]
    assert run["outcome"] == outcome


REJECTED = " ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'acme'"


@pytest.mark.parametrize(
    ("command", "answer", "outcome"),
    [
        ("git push origin main 2>&1 | tail -2", "hint: have locally\nhint: before pushing again", "unknown"),
        ("git push origin main 2>&1 | tail -2", REJECTED, "failed"),
        ("git push -q origin main", "", "succeeded"),
        ("git push origin main; git status -sb", "## main", "unknown"),
        (
            "git fetch origin; git push origin main | tail -1; git status -sb",
            "From acme\n   06fdec4..c190bde  main       -> origin/main\nhint: x\n## main...origin/main",
            "unknown",
        ),
        ("git fetch | tail -1; git push | tail -1", "   06fdec4..c190bde  main       -> origin/main", "unknown"),
        (
            "git fetch origin x:y; git push | tail -1",
            "From acme\n * [new branch]      x          -> y\nhint: x",
            "unknown",
        ),
        (
            "git pull --rebase origin main && git push origin main",
            "From acme\n   0ab8e7b..b9017bd  main       -> origin/main\nTo acme\n   b9017bd..1a2b3c4  main -> main",
            "succeeded",
        ),
    ],
)
def test_a_push_worked_only_if_its_own_answer_says_so_or_its_own_exit_code(command, answer, outcome):
    (push,) = [one for one in events_of((command, answer, False)) if one["kind"] == "push"]
    assert push["outcome"] == outcome
    assert push.get("to") in {None, "main"}
