import pytest

from pactkeeper.catalog.read import read_pact
from pactkeeper.errors import CatalogError
from tests.catalog.pacts import FULL, MARK


class Shelf(dict[str, bytes]):
    """The simplest cache there is; counts what was asked for in vain."""

    misses = 0

    def get(self, key: str) -> bytes | None:  # type: ignore[override]  # the port asks with one argument
        if key not in self:
            self.misses += 1
        return super().get(key)

    def put(self, key: str, value: bytes) -> None:
        self[key] = value


def test_a_pact_from_the_cache_equals_the_one_that_was_read():
    shelf = Shelf()
    cold = read_pact(FULL, cache=shelf)
    missed = shelf.misses
    assert read_pact(FULL, cache=shelf) == cold == read_pact(FULL)
    assert shelf.misses == missed > 0


def test_only_what_changed_is_decoded_again():
    shelf = Shelf()
    read_pact(FULL, cache=shelf)
    missed = shelf.misses
    changed = {**FULL, "pact/debt.txt": b"v1:zz tests/test_old.py::test_z\n"}
    assert dict(read_pact(changed, cache=shelf).debt.by_test) == {"tests/test_old.py::test_z": "v1:zz"}
    assert shelf.misses == missed + 1


def test_another_prefix_makes_cached_atoms_wrong():
    shelf = Shelf()
    files = {"pact/pact.toml": MARK, "pact/atoms/a.toml": b'IA-1.intent = "x"\n'}
    read_pact(files, cache=shelf)
    with pytest.raises(CatalogError, match="'IA-1' is not an atom id; ids look like REQ-"):
        read_pact({**files, "pact/pact.toml": MARK + b'atom_prefix = "REQ"\n'}, cache=shelf)


def test_the_same_bytes_elsewhere_are_decoded_anew():
    atoms = b'IA-1.intent = "x"\n'
    shelf = Shelf()
    assert (
        read_pact({"pact/pact.toml": MARK, "pact/atoms/a.toml": atoms}, cache=shelf).atoms["IA-1"].path
        == "pact/atoms/a.toml"
    )
    assert (
        read_pact({"pact/pact.toml": MARK, "pact/atoms/b.toml": atoms}, cache=shelf).atoms["IA-1"].path
        == "pact/atoms/b.toml"
    )


def test_a_damaged_cache_is_as_good_as_none():
    shelf = Shelf()
    read_pact(FULL, cache=shelf)
    for key in list(shelf):
        shelf[key] = b"\xc1 no msgpack"
    assert read_pact(FULL, cache=shelf) == read_pact(FULL)
