"""Turns of a loop that declare no test."""

import pytest

from tests.repo.javascript.strength_cases import HEAD, became

OPENING = "for (const [given, wanted] of [[1, 2], [2, 3]]) {\n"
TEST = "it(`${given}`, () => { expect(price(given)).toBe(wanted); });\n"


def loop(first: str = "", last: str = "") -> str:
    return f"{HEAD}{OPENING}{first}{TEST}{last}}}\n"


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (loop(first="if (given > 1) continue;\n"), "warning skipped"),
        (loop(first="if (given > 1) { continue; }\n"), "warning skipped"),
        (loop(first="if (given < 2) { given; } else continue;\n"), "warning skipped"),
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
