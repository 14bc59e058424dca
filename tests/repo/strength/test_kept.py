"""What a cache keeps of the strength of tests, and what makes it read them again."""

from collections.abc import Iterable
from dataclasses import MISSING, fields
from typing import get_args

import pytest

from pactkeeper.intent.claims import Claim, Expression, Name
from pactkeeper.intent.strength.facts import Fact, Strength
from pactkeeper.repo.cache import Cache, FileCache
from pactkeeper.repo.discovery import Discovery
from pactkeeper.repo.git import Repository
from pactkeeper.repo.snapshot import worktree
from pactkeeper.repo.strength.reading import Hindsight, as_reviewed, packed, strengths, unpacked
from tests.repo.repositories import create, write

TESTS = """\
import pytest
from tests.kit import check

class TestCart:
    @pytest.mark.skipif(sys.platform == "win32", reason="no till")
    def test_sold(self, cart):
        with pytest.raises(ValueError, match="no till") as caught:
            cart.sell(None)
        assert caught.value.args == ("no till",)

@pytest.mark.parametrize(("given", "total"), [(1, 2), (3, 4)])
def test_total(cart, given, total):
    assert cart.total(given) == pytest.approx(total) and cart.open
    check(cart)
    return
    assert False
"""
SCRIPT = """\
import { expect, it, vi } from 'vitest'
it.each([1, 2])('adds %i', async (n) => {
  vi.mock('./till')
  await expect(sell(n)).rejects.toThrow(/no till/)
  expect(total({ n, items: [n] })).toEqual(expect.objectContaining({ sum: 3 }))
})
"""
FILES = {
    "tests/test_cart.py": TESTS,
    "tests/kit.py": "def check(cart):\n    assert cart.items\n",
    "tests/conftest.py": "import pytest\n@pytest.fixture\ndef cart():\n    return Cart()\n",
    "web/cart.test.ts": SCRIPT,
    "package.json": '{"devDependencies": {"vitest": "^3"}}',
}


EDITS = [
    ("tests/kit.py", "def check(cart):\n    assert cart.items == [1]\n"),
    ("tests/conftest.py", "import pytest\n@pytest.fixture\ndef cart():\n    return Basket()\n"),
    ("tests/test_cart.py", TESTS.replace("caught.value.args", "caught.value.notes")),
    ("web/cart.test.ts", SCRIPT.replace("sum: 3", "sum: 4")),
]


class Full(FileCache):
    """What is read anew is stored, so a cache that refuses that shows that nothing is."""

    def put_many(self, space: str, items: Iterable[tuple[str, bytes]], *, keep: int | None = None) -> None:
        pytest.fail(f"{space}, {keep}: {[key for key, _ in items]}")


@pytest.fixture
def repository(tmp_path):
    return create(tmp_path / "r", FILES)


def read(repository: Repository, cache: Cache | None = None) -> dict[str, str]:
    """All strengths with all their parts, those included that no comparison looks at."""
    snapshot = worktree(repository)
    found = strengths(snapshot, Discovery().scan(snapshot).tests, cache=cache)
    return {name: repr(one) for name, one in found.items()}


def test_strengths_from_the_cache_are_those_that_were_read(repository, cache):
    first = read(repository, cache)
    assert len(first) == 3
    assert first == read(repository, cache) == read(repository)


def test_strengths_are_read_only_once(repository, cache):
    read(repository, cache)
    with Full(cache.path.parent, notice=pytest.fail) as full:
        read(repository, full)


@pytest.mark.parametrize(("path", "text"), EDITS)
def test_strengths_are_read_again_once_a_file_they_rest_on_changes(repository, cache, path, text):
    before = read(repository, cache)
    write(repository.root, {path: text})
    after = read(repository, cache)
    assert after == read(repository) != before


@pytest.mark.parametrize("path", ["tests/kit.py", "tests/conftest.py"])
def test_strengths_are_read_again_once_a_file_they_lacked_is_there(repository, cache, path):
    (repository.root / path).unlink()
    without = read(repository, cache)
    write(repository.root, {path: FILES[path]})
    assert read(repository, cache) == read(repository) != without


def test_what_reviewed_tests_proved_is_kept_beside_what_they_prove_now(repository, cache):
    name, kit = "tests/test_cart.py::test_total", "tests/kit.py"
    committed = worktree(repository)
    wanted = {name: {path: committed.identity(path) for path in ("tests/test_cart.py", kit)}}
    write(repository.root, dict(EDITS[:1]))

    def reviewed(cache: Cache | None) -> str:
        return repr(as_reviewed(Hindsight(worktree(repository), Discovery().scan, cache), wanted)[name][1])

    now, then = read(repository, cache), reviewed(cache)
    assert then == reviewed(None) != now[name]
    with Full(cache.path.parent, notice=pytest.fail) as full:
        assert (read(repository, full), reviewed(full)) == (now, then)


def test_every_form_of_a_term_can_be_kept():
    name = Name("cart")
    parts = {"value": name, "key": name, "function": name, "error": name, "operands": (name,), "stream": "log"}
    forms = [form(*(parts.get(part, "text") for part in _required(form))) for form in get_args(Expression)]
    strength = Strength(tuple(Fact(Claim("truthy", form)) for form in forms))
    assert unpacked(packed({"test": strength}, ())) == {"test": strength}


def _required(form: type) -> list[str]:
    return [one.name for one in fields(form) if one.default is MISSING]
