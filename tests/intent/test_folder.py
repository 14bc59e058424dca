import pytest

from pactkeeper.intent.folder import APPROVALS, Folder, has_our_shape, is_settings


@pytest.mark.parametrize("root", ["pact/", ".pactkeeper/", "quality/intent/"])
def test_a_name_and_its_path_lead_to_each_other(root):
    folder = Folder(root)
    assert folder.path("pact/atoms/a.toml") == f"{root}atoms/a.toml"
    assert folder.name(folder.path("pact/atoms/a.toml")) == "pact/atoms/a.toml"


def test_the_contracts_of_another_program_are_in_no_folder_of_ours():
    folder = Folder(".pactkeeper/")
    assert not folder.holds("pact/web.json")
    assert folder.name("pact/web.json") == "pact/web.json"


def test_approvals_are_no_file_of_the_pact():
    assert not Folder(".pactkeeper/").holds(APPROVALS)


@pytest.mark.parametrize("source", [b"[pact]\nformat = 1\n", b"\xef\xbb\xbfpact.format = 1\n", b" [ pact ]\nformat=1"])
def test_settings_of_ours_are_known_by_their_header(source):
    assert is_settings(source)


@pytest.mark.parametrize("source", [b"", b"[pact]\n", b"format = 1\n", b"[package]\nformat = 1\n"])
def test_settings_of_another_program_are_not_ours(source):
    assert not is_settings(source)


def test_files_that_only_a_pact_has_tell_it_from_contracts():
    assert has_our_shape("pact/atoms/tests/a.py.toml")
    assert has_our_shape(".pactkeeper/debt.txt")
    assert not has_our_shape("pact/web-shop.json")
    assert not has_our_shape("pact/tests/test_a.py")
