"""A file's own name for what declares its tests."""

import pytest

from tests.repo.javascript.strength_cases import became, body

TEST = body("expect(price(1)).toBe(2);")


@pytest.mark.parametrize("value", ["globalThis.it.skip", "test.skip", "globalThis.test.skip"])
def test_a_name_that_skips_every_test_is_an_error(value):
    assert became(TEST, body("expect(price(1)).toBe(2);", before=f"const it = {value};\n")) == "error skipped"


@pytest.mark.parametrize("value", ["globalThis.it", "test.concurrent"])
def test_a_name_that_runs_every_test_is_silent(value):
    assert became(TEST, body("expect(price(1)).toBe(2);", before=f"const it = {value};\n")) == "silent"


@pytest.mark.parametrize(
    ("imported", "value", "said"),
    [
        ("import { it as base } from 'vitest';", "base.skip", "error skipped"),
        ("import { test as base } from 'vitest';", "base.skip", "error skipped"),
        ("import { test as base } from 'vitest';", "base.todo", "error skipped"),
        ("import { it as base } from 'vitest';", "base.concurrent", "silent"),
        ("import { it as base } from 'vitest';", "base", "silent"),
    ],
)
def test_a_name_made_of_an_import_under_another_name_is_read_likewise(imported, value, said):
    before = f"{imported}\nconst it = {value};\n"
    assert became(TEST, body("expect(price(1)).toBe(2);", before=before)) == said
