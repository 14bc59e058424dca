"""`pk docs search` and `pk context`, as programs."""

import pytest

SHOP = '''\
"""The shop."""


class Basket:
    """Holds what a customer wants to buy."""

    def __init__(self, limit=10):
        self.count = 0

    def add(self, name, quantity=1, *, price=0):
        """Put things into the basket."""
'''
GUIDE = "# Guide\n\n## Empty baskets\n\nA new basket is empty until something is added.\n"
EMPTY = "tests/test_basket.py::TestBasket::test_new_basket_is_empty"


@pytest.fixture
def shop(project):
    project.write("shop.py", SHOP)
    project.write("docs/guide.md", GUIDE)
    return project


def test_a_search_prints_place_trail_and_excerpt(shop):
    out = shop.pk("docs", "search", "empty", "baskets").out
    assert out.startswith(
        "docs/guide.md:3  Guide › Empty baskets\n    A new basket is empty until something is added.\n"
    )


def test_a_search_as_json_has_the_form_of_the_verb(shop):
    found = shop.pk("docs", "search", "empty", "the", "--json").document
    assert found["schema"] == "pactkeeper.docs/1"
    assert found["chunks"][0] == {
        "path": "docs/guide.md",
        "line": 3,
        "last": 5,
        "trail": ["Guide", "Empty baskets"],
        "snippet": "A new basket is empty until something is added.",
        "code": False,
    }
    assert found["dropped"] == ["the"]
    assert found["total"] == 1


def test_no_hit_leaves_with_zero_and_says_what_was_searched(shop):
    done = shop.pk("docs", "search", "zebra")
    assert done.out == "0 sections in 4 files of the working tree\n"


def test_words_that_cannot_be_looked_for_are_an_error(shop):
    done = shop.pk("docs", "search", "the", "-", code=2)
    assert "'the', '-' cannot be searched for" in done.err


def test_a_search_can_be_narrowed_and_shortened(shop):
    assert "docs/guide.md" not in shop.pk("docs", "search", "basket", "--path", "shop.py").out
    assert "1 of 3 sections" in shop.pk("docs", "search", "basket", "--max", "1").out
    shop.pk("docs", "search", "basket", "--path", "nowhere", code=2)


def test_a_commit_is_searched_as_it_was(shop):
    shop.commit()
    shop.write("docs/guide.md", "# Nothing\n")
    assert "docs/guide.md:3" in shop.pk("docs", "search", "empty", "--at", "HEAD").out
    assert "docs/guide.md" not in shop.pk("docs", "search", "empty").out


def test_a_broken_index_is_told_and_costs_no_hit(shop):
    before = shop.pk("docs", "search", "empty").out
    shop.write(".git/pact/docs.sqlite", b"garbage " * 1000)
    done = shop.pk("docs", "search", "empty")
    assert done.out == before
    assert "was damaged and is being rebuilt" in done.err


def test_control_characters_of_a_document_do_not_reach_the_terminal(shop):
    shop.write("docs/bad.md", "# Zebra\x1b[2J\n\nzebra \x1b]0;owned\x07 stripes\n")
    out = shop.pk("docs", "search", "zebra").out
    assert "\x1b" not in out
    assert "\\x1b]0;owned\\x07" in out


def test_a_context_shows_assertions_concepts_code_documents_and_files(shop):
    out = shop.pk("context", EMPTY).out
    assert out.splitlines()[0] == EMPTY
    assert "assert Basket().count == 0" in out
    assert "domain     basket" in out
    assert "shop.py:4  class Basket: __init__(self, limit=10)\n      Holds what a customer wants to buy." in out
    assert "docs/guide.md:3  Guide › Empty baskets" in out
    assert "shop.py  (defines what the test reaches)" in out


def test_a_context_as_json_names_related_documents(shop):
    (found,) = shop.pk("context", EMPTY, "--json").document["tests"]
    assert found["test"] == EMPTY
    assert found["related_docs"][0] == "docs/guide.md#empty-baskets"
    assert found["code"][0]["signature"] == "class Basket: __init__(self, limit=10)"
    assert found["left_out"] == {}
    assert 0 < found["size"] <= found["budget"] == 8000


def test_a_small_budget_counts_what_it_leaves_out(shop):
    (found,) = shop.pk("context", EMPTY, "--budget", "300", "--json").document["tests"]
    assert found["size"] <= 300
    assert sum(found["left_out"].values()) > 0
    assert "left out to stay within 300 characters" in shop.pk("context", EMPTY, "--budget", "300").out


def test_a_budget_that_can_say_nothing_is_refused(shop):
    assert "at least 300" in shop.pk("context", EMPTY, "--budget", "10", code=2).err


def test_tests_are_named_as_everywhere(shop):
    found = shop.pk("context", "tests/test_basket.py:8", "web", "--json").document["tests"]
    assert [one["test"] for one in found] == [EMPTY, "web/slug.test.ts::slug::joins words with dashes"]
    assert "no test has this name" in shop.pk("context", "nothing", code=2).err
