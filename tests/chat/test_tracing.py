from tests.chat.test_asking import places, said


def test_tests_of_a_file_are_told_by_their_links(shop):
    found = shop.ask("how well are tests in tests/test_login.py linked")
    assert found["trace"] == ["route", "lookup.answer"]
    assert "tests/test_login.py::test_expired_token_is_refused is linked to no atom." in said(found)
    assert places(found) == ["tests/test_login.py:4"]


def test_atoms_without_a_test_are_named(shop):
    found = shop.ask("which atoms have no test?")
    assert "Tests back 0 of 1 atoms that are not committed yet; 1 unbacked." in said(found)
    assert "IA-LOGIN01" in said(found)


def test_an_exploration_names_atoms_that_speak_of_it(shop):
    found = shop.ask("where are expired tokens refused?")
    assert "IA-LOGIN01 (draft): An expired token is refused." in said(found)
