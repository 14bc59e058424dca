"""Turns of a loop that declare no test."""

import pytest

from tests.repo.javascript.strength_cases import HEAD, became, body

OPENING = "for (const [given, wanted] of [[1, 2], [2, 3]]) {\n"
TEST = "it(`${given}`, () => { expect(price(given)).toBe(wanted); });\n"


def loop(first: str = "", last: str = "") -> str:
    return f"{HEAD}{OPENING}{first}{TEST}{last}}}\n"


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (loop(first="if (given > 1) continue;\n"), "error removed"),
        (loop(first="if (given > 1) { continue; }\n"), "error removed"),
        (loop(first="if (given < 2) { given; } else continue;\n"), "error removed"),
        (loop(first="if (process.env.FAST) break;\n"), "error skipped"),
        (loop(first="continue;\n"), "error skipped"),
        (loop(last="if (given > 1) break;\n"), "warning skipped"),
        (loop(last="break;\n"), "warning skipped"),
        (loop(first="const shown = given;\n", last="if (given > 1) continue;\n"), "silent"),
    ],
)
def test_a_turn_that_is_left_declares_no_test(after, said):
    assert became(loop(), after) == said


def test_a_counting_loop_is_left_likewise():
    counted = "for (let at = 0; at < 2; at++) {\nit(`${at}`, () => { expect(price(at)).toBe(at); });\n}\n"
    left = counted.replace("{\nit", "{\nif (at > 0) continue;\nit")
    assert became(HEAD + counted, HEAD + left) == "warning skipped"


@pytest.mark.parametrize("some", [".slice(0, 5)", ".filter(([one]) => one > 'a')"])
def test_tests_of_only_some_entries_say_less(some):
    table = "Object.entries(all).forEach(([one, two]) => { it(one, () => { expect(price(one)).toBe(two); }); });\n"
    head = f"{HEAD}import all from './all';\n"
    assert became(head + table, head + table.replace("(all)", f"(all){some}")) == "error loosened"


def test_what_a_function_of_the_tests_calls_where_it_catches_everything_cannot_fail():
    quiet = "const softly = (run) => { try { run(); } catch (error) { console.info(error.message); } };"
    again = "const softly = (run) => { let last; try { return run(); } catch (error) { last = error; } throw last; };"
    plain, handed = "expect(price(1)).toBe(2);", "softly(() => expect(price(1)).toBe(2));"
    assert became(body(plain), body(handed, before=quiet)) == "error hollow"
    assert became(body(plain), body(handed, before=again)) == "silent"


PLAIN = "save();\nexpect(load('a')).toBe('b');"
TURNED = "save();\nlet ok = false;\nfor (let i = 0; i < 9; i++) {\n if (load('a') === 'b') { ok = true; break; }\n}\n"
UNTIL = [
    TURNED + "if (!ok) throw new Error('no');",
    TURNED + "expect(ok).toBe(true);",
    "save();\nwhile (load('a') !== 'b') {\n if (Date.now() > end) throw new Error('no');\n}",
    "save();\nwhile (Date.now() < end) {\n if (load('a') === 'b') return;\n}\nthrow new Error('no');",
]


@pytest.mark.parametrize("until", UNTIL)
def test_what_a_loop_waits_for_is_asserted(until):
    assert became(body(PLAIN), body(until)) == "silent"
    less = until.replace("load('a') === 'b'", "load('a')").replace("load('a') !== 'b'", "!load('a')")
    assert became(body(until), body(less)) != "silent"
