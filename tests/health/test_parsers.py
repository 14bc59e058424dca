"""What holds for every parser: paths, broken and hostile output, and reasons outside of the commit."""

import errno
import json
import re
import socket
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pactkeeper.errors import InputError
from pactkeeper.health.parsers import PARSERS, TOOLS, parse, parser_of
from pactkeeper.health.parsers.seen import LONGEST_MESSAGE, CheckOutput
from pactkeeper.health.parsers.surroundings import not_started, surroundings
from pactkeeper.intent.health import HealthCheck, Output

OUTPUTS = Path(__file__).parent / "outputs"


def read(parser, text, *, pattern="", directory=".", **seen):
    check = HealthCheck("check", ("run",), "test", parser, directory, pattern=pattern)
    return parse(parser, check, CheckOutput(text, **seen))


def only(parser, text, **given):
    (found,) = read(parser, text, **given).diagnostics
    return found


def test_path_below_the_root_is_told_from_the_root():
    one = only("mypy", "/scratch/tree/src/a.py:3: error: Boom  [misc]\n", roots=("/scratch/tree",))
    assert (one.file, one.line, one.rule) == ("src/a.py", 3, "misc")


def test_path_is_below_the_directory_of_the_check():
    assert only("tsc", "src/a.ts(1,2): error TS1005: ';' expected.", directory="web").file == "web/src/a.ts"


def test_path_that_a_workspace_tool_writes_from_the_root_is_found_among_the_files():
    one = only("tsc", "web/a.ts(1,2): error TS1005: x", directory="web", files=frozenset({"web/a.ts"}))
    assert one.file == "web/a.ts"


@pytest.mark.parametrize("path", [r"C:\work\shop\src\a.ts", "C:/work/shop/src/a.ts", r"src\a.ts", r".\src\a.ts"])
def test_windows_path_becomes_posix(path):
    assert only("tsc", f"{path}(1,2): error TS1005: x", roots=(r"C:\work\shop",)).file == "src/a.ts"


@pytest.mark.parametrize("path", ["/elsewhere/a.ts", "../a.ts", "D:/other/a.ts"])
def test_file_outside_of_the_root_is_no_file(path):
    assert not only("tsc", f"{path}(1,2): error TS1005: x", roots=("/project",)).file


def test_message_and_fingerprint_are_the_same_wherever_the_tree_stands():
    line = "{0}/a.test.ts:1:2 - error TS2307: Cannot find module '{0}/gone'."
    there, here = (only("tsc", line.format(root), roots=(root,)) for root in ("/tmp/one", "/var/two"))
    assert there == here
    assert there.message == "Cannot find module 'gone'."


def test_frame_in_a_dependency_is_not_where_the_failure_is_raised():
    text = (
        "  ● sums\n\n    TypeError: boom\n\n"
        "      at deep (node_modules/lib/index.js:1:1)\n      at Object.add (src/cart.js:5:2)\n"
        "      at Object.<anonymous> (test/cart.test.js:9:4)\n"
    )
    one = only("jest", f"FAIL test/cart.test.js\n{text}")
    assert (one.file, one.line, one.related) == ("src/cart.js", 5, ("test/cart.test.js",))


def test_same_error_printed_twice_is_one_diagnostic():
    line = "src/a.ts(1,2): error TS1005: ';' expected.\n"
    assert len(read("tsc", line * 3).diagnostics) == 1


def test_colours_and_carriage_returns_change_nothing():
    plain = "src/a.ts(1,2): error TS1005: ';' expected.\n"
    coloured = "\x1b[2K\x1b[1G\x1b[96msrc/a.ts\x1b[0m(1,2): \x1b[91merror\x1b[0m TS1005: ';' expected.\r\n"
    assert read("tsc", plain) == read("tsc", coloured)


@pytest.mark.parametrize("word", ["error", "Fehler", "错误", "エラー", "erreur"])
def test_javac_is_read_in_any_language(word):
    one = only("javac", f"src/A.java:8: {word}: 找不到符号\n    x();\n    ^\n  符号:   方法 x()\n")
    assert (one.severity, one.line, one.column) == ("error", 8, 5)


def test_javac_warning_in_german_is_no_error():
    assert only("javac", "src/A.java:8: Warnung: [unchecked] x\n", failed=False).severity == "warning"


def test_failure_before_and_after_a_missing_middle_are_both_read():
    head = "=== FAILURES ===\n____ test_a ____\n\n>   x\nE   assert 1 == 2\n\na.py:1: AssertionError\n____ test_b ____\nE   ass"
    tail = (
        "garbage\n=== short test summary info ===\nFAILED a.py::test_a - assert 1 == 2\nFAILED a.py::test_z - Boom: x\n"
    )
    text = Output(head, tail, 10_000).text
    found = {one.test: one for one in read("pytest", text).diagnostics}
    assert found["a.py::test_a"].line == 1
    assert found["a.py::test_z"].message == "Boom: x"
    assert "garbage" not in "".join(one.message for one in found.values())


def test_two_tests_of_one_name_keep_their_files():
    block = "____ test_a ____\nE   assert {0}\n\n{1}.py:1: AssertionError\n"
    summary = "=== short test summary info ===\nFAILED x.py::test_a - assert 1\nFAILED y.py::test_a - assert 2\n"
    found = read("pytest", f"=== FAILURES ===\n{block.format(1, 'x')}{block.format(2, 'y')}{summary}").diagnostics
    assert [(one.test, one.message) for one in found] == [("x.py::test_a", "assert 1"), ("y.py::test_a", "assert 2")]


def test_what_a_test_prints_is_no_diagnostic():
    body = "____ test_a ____\nE   assert 1\n\nx.py:1: AssertionError\n----- Captured stdout call -----\ny.py:9: ValueError\n"
    (one,) = read("pytest", f"=== FAILURES ===\n{body}").diagnostics
    assert (one.file, one.rule) == ("x.py", "AssertionError")


def test_lint_is_lint_whatever_the_check_is():
    text = "/project/a.js:1:7: 'x' is defined but never used. [Error/no-unused-vars]\n"
    assert only("eslint", text, roots=("/project",)).category == "lint"


def test_failure_that_no_parser_understands_shows_its_last_lines():
    one = only("mypy", "Traceback (most recent call last):\n  something broke\n")
    assert one.message == "Traceback (most recent call last):\n  something broke"
    assert (one.file, one.rule) == ("", "output")


def test_warnings_of_a_failed_check_do_not_hide_that_it_failed():
    found = read("tsc", "src/a.ts(1,2): warning TS1: old\nKilled\n").diagnostics
    assert [one.severity for one in found] == ["warning", "error"]


def test_check_that_passed_needs_no_diagnostic():
    assert read("mypy", "Success: no issues found in 3 source files\n", failed=False).diagnostics == ()


@pytest.mark.parametrize(
    ("text", "verdict", "reason"),
    [
        ("/usr/bin/python3: No module named pytest\n", "could not run", "the module 'pytest' is missing"),
        ("npm error code ENOSPC\n", "could not run", "the disk is full"),
        ("npm error getaddrinfo ENOTFOUND registry\n", "could not run", "a host name cannot be resolved"),
        ("connect ECONNREFUSED 127.0.0.1:5432\n", "could not run", "the network does not respond"),
    ],
)
def test_reason_outside_of_the_commit_is_a_hint_and_no_diagnostic(text, verdict, reason):
    found = read("jest", text)
    assert (found.verdict_hint.verdict, found.verdict_hint.reason) == (verdict, reason)
    assert found.diagnostics == ()


@pytest.mark.parametrize(
    ("code", "text", "name"),
    [
        (127, "sh: 1: tsc: not found\n", "tsc"),
        (127, "bash: Zeile 1: tsc: Kommando nicht gefunden.\n", "tsc"),
        (127, "zsh: command not found: tsc\n", "tsc"),
        (127, "env: ‘node’: No such file or directory\n", "node"),
        (2, "/bin/sh: 1: mkdocs: not found\nmake: *** [Makefile:2: docs] Error 127\n", "mkdocs"),
        (1, "sh: 1: jest: not found\nnpm error code 127\nnpm error log can be found in: /home/ada/x.log\n", "jest"),
    ],
)
def test_the_exit_code_says_that_a_program_was_not_found_and_the_shell_which(code, text, name):
    assert not_started(code, text) == f"the command {name!r} is not found"


def test_a_program_that_is_not_named_is_missing_by_its_exit_code_alone():
    assert not_started(126, "") == "a program it calls cannot be started (exit code 126)"
    assert not_started(1, "sh: 1: tsc: not found\n") == ""


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("dial tcp: lookup db.internal on 10.0.0.2:53: no such host", "a host name cannot be resolved"),
        ("java.net.UnknownHostException: db.internal", "a host name cannot be resolved"),
        ("curl: (7) irgendwas", "the network does not respond"),
        ("ERROR 1045 (28000): Access denied", "credentials are missing or refused"),
        ("x509: certificate has expired or is not yet valid", "the clock or a certificate is wrong"),
        ('exec: "convert": executable file not found in $PATH', "the command 'convert' is not found"),
        ('Head "https://registry.example.org/v2/base": unauthorized', "a server refuses or fails"),
        ("the host refused, there was a timeout, and the disk may be full", None),
    ],
)
def test_libraries_name_their_errors_and_prose_is_not_read(said, reason):
    found = surroundings(said)
    assert (found and found.reason) == reason


def test_full_disk_in_a_failing_test_is_that_tests_failure():
    text = "____ test_a ____\nE   OSError: [Errno 28] No space left on device\n\nx.py:1: OSError\n"
    found = read("pytest", text)
    assert found.verdict_hint is None
    assert found.diagnostics[0].rule == "OSError"


def test_full_disk_before_any_test_is_a_reason_outside_of_the_commit():
    text = "ImportError while loading conftest 'tests/conftest.py'.\ntests/conftest.py:1: in <module>\n    f()\n"
    found = read("pytest", text + "E   OSError: [Errno 28] No space left on device\n")
    assert found.verdict_hint.reason == "the disk is full"


def test_package_that_fails_before_its_tests_says_so_in_text():
    text = "mkdir /data: no space left on device\nFAIL\texample.com/x\t0.002s\nok  \texample.com/y\t0.1s\nFAIL\n"
    assert read("go", text).verdict_hint.reason == "the disk is full"
    assert only("go", text.replace("no space", "no way")).message == "mkdir /data: no way left on device"


def test_package_that_fails_before_its_tests_says_so_in_events():
    told = [
        {"Action": "output", "Package": "p", "Output": "the database is not there\n"},
        {"Action": "output", "Package": "p", "Output": "FAIL\tp\t0.002s\n"},
        {"Action": "fail", "Package": "p", "Elapsed": 0.002},
    ]
    assert only("go", "\n".join(map(json.dumps, told))).message == "the database is not there"


@pytest.mark.parametrize("line", ["/usr/bin/ld: a.o: in function `f':", "collect2: …", "rust-lld: …", "LINK : LNK1120"])
def test_what_a_linker_says_within_a_check_of_tests_is_of_the_build(line):
    assert only("tap", f"a.c:2: undefined\n{line}\n").category == "compile"


def test_a_line_that_speaks_of_a_linker_is_not_one_of_its_own():
    assert only("tap", "the linker ld: failed\nworld: 3\n").category == "test"


def test_a_manifest_that_the_runner_cannot_parse_is_the_place_and_not_the_test():
    found = only(
        "node",
        "TAP version 13\n# SyntaxError: Error parsing /w/package.json: Expected ','\n#     at parse (<anonymous>)\n"
        "# Subtest: /w/a.test.js\nnot ok 1 - /w/a.test.js\n",
        roots=("/w",),
    )
    assert (found.file, found.rule, found.related) == ("package.json", "SyntaxError", ("a.test.js",))


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("OSError: [Errno 28] Auf dem Gerät ist kein Speicherplatz mehr verfügbar", "the disk is full"),
        (
            f"ConnectionRefusedError: [Errno {errno.ECONNREFUSED}] Verbindungsaufbau abgelehnt",
            "the network does not respond",
        ),
        (f"socket.gaierror: [Errno {socket.EAI_AGAIN}] Temporärer Fehler", "a host name cannot be resolved"),
        (f"kind: AddrInUse, message: … (os error {errno.EADDRINUSE})", "a port is in use"),
        ("Error: EMFILE, open 'x'", "too many files are open"),
        ('Nicht angemeldet. Bitte zuerst "aws configure" aufrufen.', "credentials are missing or refused"),
        ("FileNotFoundError: [Errno 2] …: '/data/x'", None),
        ("EXPECTED 3 ERRORS", None),
    ],
)
def test_the_system_names_its_errors_in_every_language(said, reason):
    found = surroundings(said)
    assert (found and found.reason) == reason


REFUSED_TAP = """\
TAP version 13
# Subtest: rows
    # Subtest: row 0
    not ok 1 - row 0
      ---
      location: '/project/test/rows.test.js:10:32'
      failureType: 'cancelledByParent'
      error: 'test did not finish before its parent and was cancelled'
      code: 'ERR_TEST_FAILURE'
      ...
    1..1
not ok 1 - rows
  ---
  type: 'suite'
  location: '/project/test/rows.test.js:5:1'
  failureType: 'hookFailed'
  error: 'connect ECONNREFUSED 127.0.0.1:9'
  code: 'ECONNREFUSED'
  ...
1..1
"""
REFUSED_SPEC = """\
▶ rows
  ✖ row 0
✖ rows (8.7ms)

✖ failing tests:

test at test/rows.test.js:10:32
✖ row 0
  'test did not finish before its parent and was cancelled'

test at test/rows.test.js:5:1
✖ rows (8.7ms)
  Error: connect ECONNREFUSED 127.0.0.1:9
      at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1611:16)
"""


@pytest.mark.parametrize("text", [REFUSED_TAP, REFUSED_SPEC], ids=["tap", "spec"])
def test_a_test_that_node_cancelled_says_what_ended_its_suite(text):
    found = read("node", text, files=frozenset({"test/rows.test.js"}), roots=("/project",)).diagnostics
    assert found[0].test == "test/rows.test.js > rows > row 0"
    assert {one.message for one in found} == {"connect ECONNREFUSED 127.0.0.1:9"}


SKIPPED = {
    "pytest": "sss                                   [100%]\n============ 3 skipped in 0.02s ============\n",
    "unittest": "sss\n----------------------------------------------------------------------\nRan 3 tests in 0.000s\n\n"
    "OK (skipped=3)\n",
    "vitest": " Test Files  1 skipped (1)\n      Tests  2 skipped | 1 todo (3)\n",
    "jest": '{"numTotalTests": 3, "numPendingTests": 2, "numTodoTests": 1, "testResults": []}',
    "mocha": "\n\n  0 passing (2ms)\n  3 pending\n\n",
    "bun": "bun test v1.2.0\n\n 0 pass\n 3 skip\n 0 fail\nRan 3 tests across 1 file. [8.00ms]\n",
    "deno": "ok | 0 passed | 0 failed | 3 ignored (1ms)\n",
    "node": "TAP version 13\n# Subtest: a\nok 1 - a # SKIP\n1..1\n# tests 1\n# pass 0\n# fail 0\n# skipped 1\n",
    "tap": "TAP version 13\nok 1 - a # SKIP no database\n1..1\n",
    "go": "=== RUN   TestA\n--- SKIP: TestA (0.00s)\nPASS\nok  \texample.org/ledger\t0.003s\n",
    "cargo": "running 3 tests\ntest result: ok. 0 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out\n",
    "maven": "[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 3\n",
    "junit": "<testsuite><testcase name='a'><skipped/></testcase></testsuite>",
}


@pytest.mark.parametrize("tool", SKIPPED)
def test_skipped_tests_did_not_run(tool):
    assert read(tool, SKIPPED[tool]).tests_seen == 0


def test_the_tests_beside_a_skipped_one_ran():
    assert read("jest", "Tests:       1 failed, 2 skipped, 4 passed, 7 total\n").tests_seen == 5
    assert read("vitest", "      Tests  1 failed | 4 passed | 2 skipped (7)\n").tests_seen == 5


def test_packages_that_go_calls_ok_have_run_their_tests():
    assert read("go", "ok  \texample.org/ledger\t0.003s\n").tests_seen == 1
    assert read("go", "ok  \texample.org/ledger\t0.003s [no tests to run]\n").tests_seen == 0


def test_package_that_does_not_build_is_told_of_by_its_errors_alone():
    text = "# example.com/x\nx.go:1:2: undefined: Y\nx.go:9:1: too many errors\nFAIL\texample.com/x [build failed]\n"
    assert only("go", text).message == "undefined: Y"


def test_build_script_that_fails_is_told_of_in_its_own_words():
    text = (
        "error: failed to run custom build command for `x v1.0.0`\n\nCaused by:\n  process didn't exit\n  --- stderr\n\n"
        "  thread 'main' (5) panicked at build.rs:6:5:\n  write: No space left on device (os error 28)\n"
        "  stack backtrace:\n     0: main\n"
    )
    assert read("cargo", text).verdict_hint.reason == "the disk is full"
    refused = text.replace("No space left on device (os error 28)", "Connection refused (os error 111)")
    assert read("cargo", refused).verdict_hint.reason == "the network does not respond"
    told = only("cargo", text.replace("No space", "No way")).message.split("\n")
    assert told[-1] == "write: No way left on device (os error 28)"


def test_failed_assertion_names_what_was_called():
    text = "____ test_a ____\nE   assert 6 == 5\nE    +  where 6 = total([2, 3])\n\nx.py:1: AssertionError\n"
    assert only("pytest", text).symbol == "total"


@pytest.mark.parametrize("said", ["makeOrder", "(0 , _models.makeOrder)", "(0, __vi_import_0__.makeOrder)"])
def test_missing_function_has_the_name_that_the_source_gives_it(said):
    assert only("jest", f"FAIL a.test.js\n  ● sums\n\n    TypeError: {said} is not a function\n").symbol == "makeOrder"


def test_unknown_parser_names_the_known_ones():
    with pytest.raises(InputError, match="'tcs'; use one of auto, plain, regex, "):
        read("tcs", "")


def test_long_message_is_bounded_and_says_so():
    one = only("tsc", f"src/a.ts(1,2): error TS1: {'x' * 9_000}")
    assert len(one.message) <= LONGEST_MESSAGE
    assert len(only("tsc", "src/a.ts(1,2): error TS1: x\n" + "  y\n" * 500).message.split("\n")) <= 60


# What the tools print, in an order that none of them does.
PIECES = st.sampled_from(
    [
        "src/a.ts(1,2): error TS2305: Module '\"./b\"' has no exported member 'X'.", "  Type 'a' is not b",
        "a.py:1: error: Boom  [misc]", "a.py:2: note: see", "____ test_a ____", "E   assert 1", "a.py:3: AssertionError",
        "FAILED a.py::test_a - assert 1", "=== FAILURES ===", "  ● a › b", "FAIL a.test.js", "      at f (a.js:1:2)",
        " FAIL  a.test.ts > b", "Error: boom", " ❯ a.test.ts:1:2", "  1) a", "       b:", "  1 failing",
        "# example.com/x", "x.go:1:2: undefined: Y", "--- FAIL: TestA (0.00s)", "panic: boom", "FAIL\texample.com/x\t0.1s",
        '{"Action":"output","Package":"p","Test":"T","Output":"x.go:1: y\\n"}', '{"reason":"compiler-message"}', "{", "[",
        "error[E0432]: unresolved import `a`", " --> src/a.rs:1:2", "1 |     ^^^ label", "---- a stdout ----",
        "thread 'a' panicked at src/a.rs:1:2:", "A.java:1: error: x", "  ^", "[ERROR] A.java:[1,2] x",
        "[ERROR] a.B.c -- Time elapsed: 1 s <<< FAILURE!", "A > b() FAILED", "=" * 70, "-" * 70, "FAIL: test_a (m.C)",
        "  1:2  error  x  no-y", "… 12 bytes left out …", "", "<?xml", '{"testResults":[{"assertionResults":[3]}]}',
        '{"generalDiagnostics":[{"range":4}]}', '[{"filePath":1,"messages":[{"line":"x"}]}]', '{"stats":1,"failures":[{}]}',
    ]
)  # fmt: skip


@pytest.mark.parametrize("parser", sorted(set(PARSERS) - {"regex"}))
@settings(max_examples=settings().max_examples * 3 // 5)
@given(st.lists(PIECES | st.text(max_size=30), max_size=25).map("\n".join))
def test_any_text_is_read_without_an_error(parser, text):
    found = read(parser, text)
    assert found.diagnostics or found.verdict_hint
    assert all(not one.file.startswith(("/", "../")) for one in found.diagnostics)


@pytest.mark.parametrize("parser", sorted(set(PARSERS) - {"regex"}))
@settings(max_examples=settings().max_examples // 4)
@given(st.binary(max_size=400) | st.text(max_size=200).map(str.encode))
def test_any_report_is_read_without_an_error(parser, report):
    read(parser, "", report=report)


def test_every_tool_has_one_row_and_a_line_in_the_page():
    page = (Path(__file__).parents[2] / "docs/health.md").read_text("utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    documented = sorted(name for row in rows for name in re.findall("`(.+?)`", row))
    assert documented == sorted([*(tool.name for tool in TOOLS), "plain", "regex"])
    assert set(PARSERS) == {*documented, "auto"}


@pytest.mark.parametrize(
    ("argv", "category", "parser"),
    [
        (["sh", "-c", "pytest -q | tee log"], "test", "pytest"),
        ([".venv/bin/python", "-m", "pytest"], "test", "pytest"),
        (["cat", "/tmp/pytest-of-ada/x"], "test", "plain"),
        (["npm", "test"], "test", "node"),
        (["npm", "run", "build"], "build", "tsc"),
        (["npx", "--no-install", "jest"], "test", "jest"),
        (["go", "test", "./..."], "test", "go"),
        (["./gradlew", "test"], "test", "gradle"),
        (["make"], "build", "plain"),
    ],
)
def test_a_command_is_read_by_the_parser_of_the_tool_it_runs(argv, category, parser):
    scripts = {"test": "npm run build && node --test dist", "build": "tsc -p ."}
    assert parser_of(argv, category, scripts) == parser


def test_a_compiled_test_is_told_by_its_source():
    text = (OUTPUTS / "node/fail_tap.txt").read_text().replace("test/sum.test.js", "dist/test/sum.test.js")
    files = frozenset({"test/sum.test.ts", "sum.js"})
    found = read("node", text, files=files, roots=("/project",)).diagnostics
    assert "test/sum.test.ts > adds" in [one.test for one in found]


def test_the_line_with_the_cause_stands_above_the_usage_that_follows_it():
    usage = "\n".join(f"npm error   --option-{number}" for number in range(40))
    one = only(
        "plain",
        f"npm error Missing: left-pad@1.3.0 from lock file\nadvice\n{usage}\nsee src/cart.ts\n",
        files=frozenset({"src/cart.ts"}),
    )
    assert one.message.startswith("npm error Missing: left-pad@1.3.0 from lock file\n")
    assert one.related == ("src/cart.ts",)


OFFLINE = """\
error: no matching package named `rand` found
location searched: crates.io index
required by package `shop v0.1.0 (/project)`
As a reminder, you're using offline mode (--offline) which can sometimes cause surprising resolution failures
"""


def test_a_crate_that_is_declared_and_not_here_is_no_failure_of_the_commit():
    assert read("cargo", OFFLINE).verdict_hint.reason == "a crate is declared but not available"
    online = "\n".join(OFFLINE.splitlines()[:3])
    assert read("cargo", online).verdict_hint is None
    assert read("cargo", f"{online}\n\nCaused by:\n  [6] x\n").verdict_hint.reason == "a host name cannot be resolved"


@pytest.mark.parametrize(
    "said", ["rustup could not choose a version of cargo to run", "toolchain '1.70-x86_64' is not installed"]
)
def test_a_toolchain_that_rustup_has_not_is_the_machines(said):
    assert read("cargo", f"error: {said}\nhelp: run 'rustup default stable'\n").verdict_hint.verdict == "could not run"


def test_a_compilers_error_in_a_run_of_tests_is_of_the_category_compile():
    text = "error[E0425]: cannot find function `vat`\n --> src/cart.rs:3:5\n"
    assert only("cargo", text).category == "compile"
    assert only("javac", "src/A.java:3: error: cannot find symbol\n").category == "compile"


def test_a_module_that_pactkeepers_own_python_lacks_is_told_as_such():
    text = f"{Path(sys.executable).with_name('python3')}: No module named pytest\n"
    reason = read("jest", text).verdict_hint.reason
    assert reason.startswith("the module 'pytest' is missing in ")
    assert reason.endswith("Pactkeeper's own environment; put only `pk` on the PATH, not that folder")
