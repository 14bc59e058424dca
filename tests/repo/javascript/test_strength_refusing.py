"""Fakes that refuse what must not be called."""

import pytest

from tests.repo.javascript.strength_cases import became, body


def with_fake(does: str, then: str) -> str:
    return body(f"const reply = {{ get() {{ return '*' }}, header() {{ {does} }} }};\n{then}")


REFUSES = "throw new Error('Should not be here')"


@pytest.mark.parametrize(
    "then", ["expect(() => save(reply)).not.toThrow();", "expect(save(reply)).toBe(1);", "save(reply);"]
)
@pytest.mark.parametrize("does", ["", "return 1;"])
def test_a_fake_that_refuses_nothing_any_more_is_a_warning(then, does):
    assert became(with_fake(REFUSES, then), with_fake(does, then)).startswith("warning")


def test_a_fake_that_refuses_otherwise_is_none():
    then = "save(reply);"
    assert became(with_fake(REFUSES, then), with_fake("expect(1).toBe(2)", then)) == "silent"
    watched = body("const header = vi.fn();\nexpect(save({ header })).toBe(1);\nexpect(header).not.toHaveBeenCalled();")
    before = body(f"expect(save({{ header: () => {{ {REFUSES} }} }})).toBe(1);")
    assert "mocked" not in became(before, watched)
