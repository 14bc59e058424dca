"""Values are written as the reader takes them."""

import pytest

from pactkeeper.catalog.render import LONGEST_TEXT, render
from pactkeeper.errors import InputError
from tests.catalog.test_read import problems


def test_text_that_would_not_be_read_is_not_written():
    assert len(render("x" * LONGEST_TEXT)) == LONGEST_TEXT + 2
    with pytest.raises(InputError, match="at most 100,000"):
        render("x" * (LONGEST_TEXT + 1))


def test_text_that_is_too_long_is_named_with_its_line_and_the_limit():
    (said,) = problems({"pact/atoms/a.toml": b'[IA-1]\nintent = "' + b"x" * 2_000_000 + b'"\n'})
    assert said.startswith("pact/atoms/a.toml:2: intent is 'xxx")
    assert said.endswith("write at most 100,000 characters, not 2,000,000")
