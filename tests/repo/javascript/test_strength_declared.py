"""Tests declared by a function that is called with arguments."""

from __future__ import annotations

import pytest

from tests.repo.javascript.strength_cases import HEAD, became

ADDS = f"{HEAD}function adds(given, total) {{ test(`adds ${{given}}`, () => {{ expect(price(...given)).toBe(total); }}); }}\n"
MODES = f"""{HEAD}const modes = (strict, label = 'x') => {{
  describe(label, () => {{ const made = cart(strict); it('counts', () => {{ expect(made.size).toBe(1); }}); }});
}};
"""
RUNS = f"{HEAD}function runs(title, check) {{ it(title, () => {{ check(cart()); }}); }}\n"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (ADDS + "adds([1, 2], 3); adds([4], 4);", ADDS + "adds([1, 2], 3);", "error removed"),
        (ADDS + "adds([1, 2], 3); adds([4], 4);", ADDS + "adds([1, 2], 3); adds([4], 5);", "warning expectation"),
        (ADDS + "adds([1, 2], 3);", ADDS, "error hollow"),
        (
            ADDS + "describe('a', () => { adds([1], 1); }); adds([4], 4);",
            ADDS + "describe.skip('a', () => { adds([1], 1); }); adds([4], 4);",
            "error removed",
        ),
        (ADDS + "adds([1], 1);", ADDS + "if (process.platform === 'win32') adds([1], 1);", "warning skipped"),
        (ADDS + "adds(...first);", ADDS + "adds(...second);", "warning changed"),
        (MODES + "for (const one of [true, false]) modes(one);", MODES + "for (const one of [false]) modes(one);",
         "error removed"),
        (MODES + "modes(1, 'a'); modes(1, 'b');", MODES + "modes(1, 'a');", "warning loosened"),
        (MODES + "const alias = modes; alias(1);", MODES.replace("toBe(1)", "toBeDefined()")
         + "const alias = modes; alias(1);", "error loosened"),
        (MODES + "export { modes };", MODES.replace("toBe(1)", "toBeDefined()") + "export { modes };", "error loosened"),
        (MODES + "[true, false].forEach(modes);", MODES + "[true].forEach(modes);", "error removed"),
        (
            RUNS + "runs('a', (made) => { expect(made.size).toBe(1); });",
            RUNS + "runs('a', (made) => { expect(made.size).toBeDefined(); });",
            "error loosened",
        ),
    ],
)  # fmt: skip
def test_what_the_calls_of_a_declaring_function_lose_is_reported(before, after, told):
    assert became(before, after) == told


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (ADDS + "adds([1, 2], 3);", ADDS + "adds([1, 2], 3); adds([4], 4);"),
        (ADDS + "adds([1, 2], 3); adds([4], 4);", ADDS + "adds([4], 4);\nadds([1, 2], 3);"),
        (ADDS + "adds([1], 1); adds([4], 4);", ADDS + "for (const each of [1, 4]) adds([each], each);"),
        (MODES + "modes(true);", MODES + "modes(true, 'named');"),
        (MODES + "export { modes };", MODES + "export { modes, price };"),
    ],
)
def test_calls_of_a_declaring_function_can_be_added_reordered_and_looped(before, after):
    assert became(before, after) == "silent"


def test_a_skip_of_a_test_that_is_declared_by_what_a_callback_is_handed_is_an_error():
    setup = "export const matrix = (title, run) => describe(title, () => run({}, { it, expect }));\n"
    head = f"{HEAD}import {{ matrix }} from './setup';\n"
    before = (
        f"{head}matrix('m', (t, {{ it, expect }}) => {{\n  it('adds', () => {{ expect(price(1)).toBe(2); }});\n}});\n"
    )
    skipped = before.replace("it('adds'", "it.skip('adds'")
    loosened = before.replace("toBe(2)", "toBeTruthy()")
    others = {"test/setup.ts": setup}
    assert became(before, skipped, others=others) == "error skipped"
    assert became(before, loosened, others=others) == "error loosened"


GIVEN = """suite({ more(made) {
  describe('more', () => {
    const total = made.total;
    it('counts', () => { expect(made.size).toBe(1); expect(total).toBe(1); });
  });
} });
"""


@pytest.mark.parametrize("given", [GIVEN, GIVEN.replace("more(made)", "more: ({ made }) =>")])
def test_a_parameter_hides_what_is_declared_outside_of_its_function(given):
    alone = f"{HEAD}describe('a', () => {{\n{given}}});\n"
    outside = "const made = {};\nbeforeEach(() => { made.size = cart(); });\n"
    beside = alone.replace("('a', () => {\n", f"('a', () => {{\n{outside}")
    assert became(alone, beside) == "silent"
    assert became(alone, beside.replace("toBe(1)", "toBeDefined()")) == "error loosened"
