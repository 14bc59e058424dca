"""Assertions that nothing reaches: loops without a turn, generators, calls of what may not exist."""

import pytest

from tests.repo.javascript.strength_cases import became, body

TEST = "expect(price(1)).toBe(2);"
INNER = TEST.removesuffix(";")


@pytest.mark.parametrize(
    "after",
    [
        f"for (let i = 0; i < 0; i++) {{ {TEST} }}",
        f"for (let i = 5; i < 3; i += 2) {{ {TEST} }}",
        f"for (let i = 5; i > 6; i--) {{ {TEST} }}",
        f"while (false) {{ {TEST} }}",
        f"function* steps() {{ {TEST} }}\nsteps();",
        f"const steps = function* () {{ {TEST} }};\nconst taken = steps();",
        f"globalThis.verify?.(() => {INNER});",
        f"globalThis?.verify(() => {{ {TEST} }});",
        f"cart.verify?.().done(() => {INNER});",
    ],
)
def test_an_assertion_that_may_never_run_is_an_error(after):
    assert became(body(TEST), body(after)).startswith("error")


@pytest.mark.parametrize(
    "after",
    [
        f"for (let i = 0; i < 2; i++) {{ {TEST} }}",
        f"for (let i = 3; i > 2; i--) {{ {TEST} }}",
        f"do {{ {TEST} }} while (false);",
        f"function* steps() {{ {TEST} }}\nfor (const one of steps()) one;",
        f"function* steps() {{ {TEST} }}\nconst taken = steps();\nArray.from(taken);",
        f"function* steps() {{ {TEST} }}\n[...steps()];",
        f"verify(() => {INNER});",
    ],
)
def test_an_assertion_that_runs_elsewhere_is_none(after):
    assert not became(body(TEST), body(after)).startswith("error")
