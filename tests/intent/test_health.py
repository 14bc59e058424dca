"""What makes two failures the same."""

import pytest

from pactkeeper.intent.health import UNREAD, Diagnostic, normalised


def failure(message, **given):
    return Diagnostic("mypy", "compile", "error", message, **{"rule": "E1", "file": "a.py"} | given)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<Cart object at 0x7fea9188d990>", "<Cart object at 0x7f0a9188d111>"),
        ("src/a.ts:3:14 is broken", "src/a.ts:9:2 is broken"),
        ("src/a.ts(3,14): broken", "src/a.ts(9,2): broken"),
        ("at line 3", "at line 12"),
        ("timed out after 1.52s", "timed out after 1.7s"),
        ("no file /tmp/pytest-of-ada/pytest-4/test_a0/x", "no file /tmp/pytest-of-ada/pytest-9/test_a0/x"),
        (r"no file C:\Users\ada\AppData\Local\Temp\a1\x", r"no file C:\Users\ada\AppData\Local\Temp\b2\x"),
        ("connect 127.0.0.1:49152 refused", "connect 127.0.0.1:50001 refused"),
        ("no row 6f1c2a34-9d1e-4c55-8a61-0b7f5f2b9a10", "no row 00000000-9d1e-4c55-8a61-0b7f5f2b9a10"),
        ("made at 2026-11-21T14:56:51.749703+00:00", "made at 2026-11-22T08:00:00Z"),
        ("made at 1795273003804", "made at 1795273999999"),
        ("thread 'main' (18192) panicked", "thread 'main' (7) panicked"),
        ("\x1b[31mboom\x1b[0m", "boom"),
        ("duration_ms: 12.25", "duration_ms: 9.5"),
        ("pid=812 gone", "pid=9 gone"),
    ],
)
def test_what_changes_from_run_to_run_is_no_difference(one, other):
    assert normalised(one) == normalised(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("assert 6 == 5", "assert 7 == 5"),
        ("got map[a:1]", "got map[a:2]"),
        ("expected 10:30", "expected 10:45"),
        ("Expected 2 arguments", "Expected 3 arguments"),
    ],
)
def test_another_value_is_another_failure(one, other):
    assert failure(one).fingerprint != failure(other).fingerprint


def test_fingerprint_survives_moved_lines_and_columns():
    assert failure("boom", line=3, column=1).fingerprint == failure("boom", line=90, column=7).fingerprint


@pytest.mark.parametrize("other", [{"file": "b.py"}, {"rule": "E2"}, {"test": "a.py::test_b"}])
def test_another_place_test_or_rule_is_another_failure(other):
    assert failure("boom").fingerprint != failure("boom", **other).fingerprint


@pytest.mark.parametrize("known", [{"test": "a.py::test_a"}, {"rule": UNREAD, "file": ""}])
def test_a_failing_test_and_output_that_nobody_understands_are_the_same_whatever_they_say(known):
    assert failure("3 of 7 at 10:04", **known).fingerprint == failure("another day", **known).fingerprint
