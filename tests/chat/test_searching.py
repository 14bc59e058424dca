import pytest


def first(found):
    return f"{found['citations'][0]['path']}:{found['citations'][0]['line']}" if found["citations"] else ""


def said(found):
    return "\n".join(one["text"] for one in found["says"])


def test_two_words_are_found_as_one_in_a_name(shop):
    shop.write("shop/drawing.py", "def draw_progressbar(width):\n    return '#' * width\n")
    assert first(shop.ask("where is the progress bar drawn?")) == "shop/drawing.py:1"


def test_a_name_that_says_it_stands_before_lines_that_mention_it(shop):
    shop.write("shop/a.py", "def other(invoice):\n    settle(invoice)\n    return settle(invoice)\n")
    shop.write("shop/b.py", "def settle_invoice(one):\n    return one\n")
    assert first(shop.ask("where is an invoice settled?")) == "shop/b.py:1"


def test_the_line_with_the_default_is_quoted_from_a_long_signature(shop):
    parameters = "".join(f"    part_{number}: int,\n" for number in range(20))
    shop.write("shop/order.py", f'def order(\n{parameters}    urgency: str = "low",\n):\n    return urgency\n')
    assert '    urgency: str = "low",' in str(
        shop.ask("what is the default urgency of an order?")["citations"][0]["quote"]
    )


def test_what_has_only_a_part_of_the_words_is_shown_as_close_and_not_as_an_answer(shop):
    shop.write("docs/boats.md", "# Boats\n\nGondolas leave at midnight.\n")
    found = shop.ask("where are tokens refused at midnight?")
    assert (found["kind"], first(found)) == ("closest", "shop/login.py:4")
    assert "These are the closest lines:" in said(found)


def test_a_test_that_has_only_a_part_of_the_words_is_called_close(shop):
    shop.write("tests/test_boats.py", "def test_gondola_leaves_at_night():\n    assert gondola.leaves\n")
    found = shop.ask("which tests check that a gondola is refused?")
    assert found["kind"] == "closest"
    assert "No test has all of 'gondola refused'. These are the closest ones:" in said(found)


def test_a_place_is_looked_for_although_the_question_speaks_of_a_failure(shop):
    shop.write("shop/undo.py", "def rollback(parcel):\n    return parcel.before\n")
    found = shop.ask("where are parcels undone when a parcel fails?")
    assert (found["verb"], first(found)) == ("explore", "shop/undo.py:1")


def test_where_nothing_tells_what_is_broken_the_nearest_lines_are_shown(shop):
    shop.write("shop/undo.py", "def rollback(parcel):\n    return parcel.before\n")
    found = shop.ask("what broke the rollback of parcels?")
    assert (found["verb"], found["kind"], first(found)) == ("what_broke", "cannot_tell", "shop/undo.py:1")
    assert "Nearest: shop/undo.py:1" in said(found)


@pytest.mark.parametrize(
    ("question", "path", "line"),
    [
        ("which python version is needed?", "pyproject.toml", 'requires-python = ">=3.11"'),
        ("Welche Python-Version wird mindestens gebraucht?", "pyproject.toml", 'requires-python = ">=3.11"'),
        ("under which licence is it published?", "LICENSE", "MIT License"),
        ("how do I run the tests?", "CONTRIBUTING.md", "Run `pytest -q` before you push."),
        ("what is this project for?", "README.md", "Shop sells baskets of fruit to people who forgot lunch."),
    ],
)
def test_what_any_repository_is_asked_is_read_from_its_well_known_files(shop, question, path, line):
    shop.write("pyproject.toml", '[project]\nname = "stall"\nrequires-python = ">=3.11"\n')
    shop.write("LICENSE", "MIT License\n")
    shop.write("CONTRIBUTING.md", "# Working on it\n\nRun `pytest -q` before you push.\n")
    shop.write("README.md", "# Shop\n\nShop sells baskets of fruit to people who forgot lunch.\n")
    found = shop.ask(question)
    assert (found["kind"], found["citations"][0]["path"]) == ("answer", path)
    assert found["says"][0]["text"].endswith(f": {line}")


def test_a_common_word_in_another_question_does_not_make_it_common(shop):
    assert first(shop.ask("which python token is refused?")) == "shop/login.py:4"


def test_a_verb_that_cannot_tell_shows_the_nearest_lines(shop):
    found = shop.ask("what is committed about three tries?")
    assert (found["verb"], found["kind"]) == ("search_atoms", "cannot_tell")
    assert "Nearest: docs/login.md:3" in said(found)


def test_a_word_with_swapped_letters_that_means_nothing_is_not_looked_for(shop):
    found = shop.ask("waht refuses teh expired token?")
    assert (found["kind"], first(found)) == ("answer", "shop/login.py:4")
    assert "teh" not in said(found)


def test_a_statement_before_a_question_is_no_wish(shop):
    wish = "I want that a locked account is told how long it stays locked"
    assert shop.ask(f"{wish}.")["verb"] == "create_atom"
    assert shop.ask(f"{wish}. Is that so?")["verb"] != "create_atom"


def test_a_plural_in_capitals_weighs_no_more_than_another_word(shop):
    shop.write("docs/links.md", "# Links\n\nRelative URLs are taken as they are.\n")
    shop.write("ci.yml", "cache: one\n\n\n\ncache: two\n\n\n\ncache: three\n")
    found = shop.ask("does it cache parsed URLs?")
    assert found["kind"] == "closest"
    assert "No place has all of: cache, urls." in said(found)


def test_the_version_that_a_workflow_runs_with_answers_which_is_supported(shop):
    shop.write(".github/workflows/ci.yml", "jobs:\n  test:\n    steps:\n      - with:\n          node-version: 20\n")
    found = shop.ask("which node versions are supported?")
    assert (found["kind"], first(found)) == ("answer", ".github/workflows/ci.yml:5")
