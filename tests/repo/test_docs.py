"""Searching the documents of a real repository."""

import sqlite3
from pathlib import Path

import pytest

from pactkeeper.errors import BusyError, SourceError
from pactkeeper.repo.docs.index import Document, Index, error_of
from pactkeeper.repo.docs.sections import DocSection
from tests.repo.documented import SHOP, shelf
from tests.repo.repositories import commit


@pytest.fixture
def shop(tmp_path):
    return shelf(tmp_path)


def test_a_section_is_found_with_its_place_and_its_trail(shop):
    (found,) = shop.search("limits").passages
    assert (found.path, found.line, found.last, found.trail) == ("docs/refunds.rst", 6, 9, ("Refunds", "Limits"))
    assert found.excerpt == "No refund above 500."


def test_words_are_found_in_their_other_forms(shop):
    assert shop.places("limited") == ["docs/refunds.rst:6"]


def test_documentation_of_python_and_typescript_is_found(shop):
    assert shop.places("thing", "put")[0] == "shop/basket.py:8"
    (found,) = shop.search("money").passages
    assert (found.path, found.trail, found.code) == ("shop/till.ts", ("pay",), True)


def test_a_name_in_camel_case_is_found_by_its_parts(tmp_path):
    shop = shelf(tmp_path, {"a.py": 'class RetryPolicy:\n    """Says when."""\n'})
    assert shop.places("policy") == ["a.py:2"]


def test_sections_that_hold_all_words_come_before_those_that_hold_some(tmp_path):
    many = "# One\n\n" + "refund " * 50 + "\n\n# Two\n\nA refund has a limit, which is a limit of money.\n"
    found = shelf(tmp_path, {"a.md": many}).search("refund", "limit")
    assert [one.trail for one in found.passages] == [("Two",), ("One",)]


def test_a_word_in_a_heading_counts_more_than_in_text(tmp_path):
    text = "# First\n\nThe basket is here.\n\n# Basket\n\nThe thing is there.\n"
    assert shelf(tmp_path, {"a.md": text}).places("basket") == ["a.md:5", "a.md:1"]


def test_equal_ranks_are_ordered_by_path_and_line(tmp_path):
    twice = "# A\n\nrefund here\n\n# A\n\nrefund here\n"
    shop = shelf(tmp_path, {"b.md": twice, "a.md": twice, "c.md": twice})
    assert shop.places("refund") == ["a.md:1", "a.md:5", "b.md:1", "b.md:5", "c.md:1", "c.md:5"]


def test_all_matches_are_counted_though_few_are_shown(shop):
    found = shop.search("refund", "basket", most=1)
    assert len(found.passages) == 1
    assert found.total == 6


def test_stop_words_are_not_looked_for_and_named(shop):
    found = shop.search("the", "refund", "is")
    assert found.terms == ("refund",)
    assert found.dropped == ("the", "is")


@pytest.mark.parametrize(
    "word",
    [
        '"',
        "refund*",
        "NEAR(",
        "headings:",
        "a AND",
        "-",
        "(",
        "^x",
        "'; DROP TABLE words; --",
        "{a b}:c",
        "\0x",
        "\udcff",
    ],
)
def test_nothing_in_a_word_is_syntax(shop, word):
    assert shop.search(word, "limits").passages[0].line == 6


def test_a_word_in_several_pieces_is_looked_for_as_they_stand(tmp_path):
    shop = shelf(tmp_path, {"a.md": "# A\n\nset retry_times here\n\n# B\n\ntimes to retry\n"})
    assert shop.places("retry_times") == ["a.md:1"]


def test_no_hit_is_no_error(shop):
    assert shop.search("zebra").passages == ()


def test_a_search_can_be_narrowed_to_paths(shop):
    assert {
        one.path for one in shop.search("refund", "basket", accept=lambda path: path.startswith("docs/")).passages
    } == {"docs/refunds.rst"}


def test_what_the_settings_exclude_is_not_indexed(shop):
    assert shop.places("refund", exclude=("docs/**",)) == []


def test_an_unchanged_repository_indexes_nothing_again(shop):
    with shop.documents() as first:
        assert first.read == 4
    with shop.documents() as again:
        assert again.read == 0


def test_only_what_changed_is_indexed_again(shop):
    shop.search("refund")
    shop.write({"README.md": "# Shop\n\nRefund or not.\n"})
    (shop.root / "docs/refunds.rst").unlink()
    with shop.documents() as opened:
        assert opened.read == 1
        found = opened.search(["refund"], most=9)
    assert [one.path for one in found.passages] == ["README.md"]


def test_a_commit_is_searched_as_it_was(shop):
    shop.write({"README.md": "# Nothing\n"})
    commit(shop.root)
    assert "README.md:5" in shop.places("customer", at="HEAD~1")
    assert shop.places("customer") == ["shop/basket.py:5"]
    assert "README.md:5" in shop.places("customer", at="HEAD~1")


def test_what_was_searched_before_changes_no_rank(tmp_path):
    words = ("refund", "basket", "customer", "money")
    fresh = [(one.path, one.line) for one in shelf(tmp_path / "fresh").search(*words).passages]
    used = shelf(tmp_path / "used", {f"a{n}.md": "# Refund\n\nmoney customer\n" for n in range(40)})
    used.search(*words)
    for path in used.root.glob("a*.md"):
        path.unlink()
    used.write(SHOP)
    assert [(one.path, one.line) for one in used.search(*words).passages] == fresh


def test_another_index_of_the_same_file_does_not_change_what_is_seen(tmp_path):
    def showing(index, text):
        index.show(text, {"a.md": text}, lambda paths: [Document(path, [DocSection(1, 1, (), text)]) for path in paths])

    with (
        Index(tmp_path / "docs.sqlite", notice=pytest.fail) as one,
        Index(tmp_path / "docs.sqlite", notice=pytest.fail) as two,
    ):
        showing(one, "refund")
        showing(two, "basket")
        assert [hit.path for hit in one.hits('"refund"')] == ["a.md"]
        assert list(one.hits('"basket"')) == []
        showing(one, "money")
        assert [hit.path for hit in two.hits('"basket"')] == ["a.md"]


def test_an_index_that_another_process_writes_says_so(tmp_path):
    place = tmp_path / "docs.sqlite"
    with Index(place, notice=pytest.fail, wait=0) as index:
        other = sqlite3.connect(place, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(BusyError, match="another process is indexing"):
            index.show("x", {"a.md": "1"}, lambda _: [])
        other.close()


def test_a_damaged_index_is_built_again_and_says_so(shop):
    expected = shop.places("refund")
    (shop.state / "docs.sqlite").write_bytes(b"no database at all" * 400)
    assert shop.places("refund") == expected
    assert "was damaged and is being rebuilt" in shop.notices[0]


def test_an_index_without_its_tables_is_built_again_and_says_so(shop):
    expected = shop.places("refund")
    connection = sqlite3.connect(shop.state / "docs.sqlite")
    connection.execute("DROP TABLE notes")
    connection.close()
    assert shop.places("refund") == expected
    assert "was damaged and is being rebuilt" in shop.notices[0]


def test_an_index_that_breaks_while_it_is_searched_is_no_missing_hit(shop):
    with shop.documents() as opened:
        connection = sqlite3.connect(shop.state / "docs.sqlite")
        opened._index._connection.rollback()
        connection.execute("DROP TABLE places")
        connection.close()
        with pytest.raises(SourceError, match="cannot be searched: no such table: places; delete it"):
            opened.search(["refund"], most=3)


def test_a_folder_that_cannot_be_written_costs_time_and_no_answer(shop):
    expected = shop.places("refund")
    shop.state = shop.root / "README.md" / "state"
    assert shop.places("refund") == expected
    assert "working without the index of documents" in shop.notices[0]


def test_a_python_without_full_text_search_says_so():
    failure = sqlite3.OperationalError("no such module: fts5")
    assert "has no FTS5 module" in str(error_of(Path("docs.sqlite"), failure))
    assert isinstance(error_of(Path("docs.sqlite"), failure), SourceError)


def test_a_document_that_cannot_be_read_is_named_each_time(tmp_path):
    shop = shelf(tmp_path, {"a.md": b"# A\n" + b"x" * (9 << 20), "b.md": "# B\n\nrefund\n"})
    for _ in range(2):
        with shop.documents() as opened:
            assert [(gap.file, "larger than" in gap.reason) for gap in opened.gaps] == [("a.md", True)]


def test_the_excerpt_shows_the_lines_that_fit_best(tmp_path):
    text = "# A\n\n" + "Nothing of it. " * 20 + "\nMore of nothing.\n\nThe refund has a limit.\n"
    (found,) = shelf(tmp_path, {"a.md": text}).search("refund", "limit").passages
    assert found.excerpt == "… More of nothing. The refund has a limit."


def test_the_excerpt_of_a_long_line_begins_shortly_before_its_first_match(tmp_path):
    line = "nothing " * 100 + "but a refund " + "and more " * 100
    (found,) = shelf(tmp_path, {"a.md": f"# A\n\n{line}\n"}).search("refund").passages
    assert found.excerpt.startswith("… nothing nothing")
    assert "but a refund and more" in found.excerpt
    assert len(found.excerpt) < 270


def test_marks_of_the_index_in_a_document_are_plain_spaces(tmp_path):
    (found,) = shelf(tmp_path, {"a.md": "# A\x1fB\n\n\x02refund\x03 here\n"}).search("refund").passages
    assert found.trail == ("A B",)
    assert found.excerpt == "refund here"
