import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "bench/ask/parts.md").read_text()
NAMED = sorted(set(re.findall(r"`([\w/]+\.py):{1,2}([\w]+)`", PAGE)))
CALLED = sorted(set(re.findall(r"\| `([\w/]+\.py):(\w+)` \| `([\w/]+\.py):\w+` \|", PAGE)))


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_every_part_that_the_page_names_is_there(file, name):
    text = (ROOT / file if file.startswith("tests/") else ROOT / "src/pactkeeper" / file).read_text()
    assert re.search(rf"(?:def|class) {name}\b|^{name}\b|^from .* import .*\b{name}\b", text, re.MULTILINE)


@pytest.mark.parametrize(("file", "name", "caller"), CALLED)
def test_every_caller_that_the_page_names_mentions_its_part(file, name, caller):
    text = (ROOT / "src/pactkeeper" / caller).read_text()
    assert len(re.findall(rf"\b{name}\b", text)) > (file == caller)
