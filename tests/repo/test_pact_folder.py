from dataclasses import dataclass, field

import pytest

from pactkeeper.errors import InputError
from pactkeeper.repo.pact_folder import folder_of

OURS = b"[pact]\nformat = 1\n"


@dataclass
class Tree:
    files: dict = field(default_factory=dict)

    @property
    def paths(self):
        return sorted(self.files)

    def read(self, path):
        return self.files.get(path)


def root(files):
    return folder_of(Tree(files)).root


def test_a_repository_without_either_gets_the_usual_folder():
    assert root({"src/a.py": b""}) == "pact/"


def test_contracts_send_a_new_pact_to_its_own_folder():
    assert root({"pact/web.json": b"{}"}) == ".pactkeeper/"


def test_a_pact_is_found_beside_contracts():
    assert root({"pact/web.json": b"{}", ".pactkeeper/pact.toml": OURS}) == ".pactkeeper/"
    assert root({"pact/pact.toml": b"[tool]\n", ".pactkeeper/pact.toml": OURS}) == ".pactkeeper/"


def test_a_pact_that_lost_its_settings_is_not_taken_for_contracts():
    assert root({"pact/debt.txt": b"", "pact/atoms/a.toml": b""}) == "pact/"
    assert root({"pact/web.json": b"", ".pactkeeper/atoms/a.toml": b""}) == ".pactkeeper/"


def test_the_pointer_names_a_folder():
    files = {".pactkeeper.toml": b'folder = "quality/intent"\n', "quality/intent/pact.toml": OURS, "pact/web.json": b""}
    assert root(files) == "quality/intent/"


@pytest.mark.parametrize("other", ["pact/", "quality/intent/"])
def test_two_pacts_are_refused_by_name(other):
    files = {".pactkeeper/pact.toml": OURS, f"{other}pact.toml": OURS}
    if other != "pact/":
        files[".pactkeeper.toml"] = b'folder = "quality/intent"\n'
    with pytest.raises(InputError, match=rf"'{other}'"):
        root(files)


@pytest.mark.parametrize(
    "source",
    [b"", b"folder = ", b"folder = 1\n", b'folder = "../x"\n', b'folder = "quality"\n', b'dir = "a"\n', b"\xff"],
)
def test_a_pointer_that_leads_nowhere_is_an_error(source):
    with pytest.raises(InputError, match=r"pactkeeper\.toml|not a folder"):
        root({".pactkeeper.toml": source})
