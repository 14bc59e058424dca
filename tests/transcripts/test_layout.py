import pytest

from pactkeeper.speech.layout import sections
from pactkeeper.transcripts.extraction.products import trimmed

NESTED = "intro\n# A\na\n## B\n1. x\n2. y\n### C\n- z\n## D\nd\n# E\ne\n"


def spans(text):
    return [(one.title, text[one.first : one.last], text[one.first : one.own_last]) for one in sections(text)]


def test_a_section_ends_where_one_of_its_level_or_above_begins():
    assert [(title, whole.splitlines()[-1]) for title, whole, _ in spans(NESTED)] == [
        ("", "intro"),
        ("A", "d"),
        ("B", "- z"),
        ("C", "- z"),
        ("D", "d"),
        ("E", "e"),
    ]


def test_the_own_text_of_sections_is_the_whole_text_once():
    assert "".join(own for _, _, own in spans(NESTED)) == NESTED


@pytest.mark.parametrize(
    ("text", "numbered", "bullets", "boxes", "rows"),
    [
        ("1. a\n2. b\n3. c", 3, 0, 0, 0),
        ("1) a\n2) b", 2, 0, 0, 0),
        ("1. a\n   - inner\n2. b", 2, 0, 0, 0),
        ("3. a\n7. b", 0, 2, 0, 0),
        ("- a\n* b\n+ c", 0, 3, 0, 0),
        ("- [ ] a\n- [x] b", 0, 2, 2, 0),
        ("| a | b |\n|---|---|\n| 1 | 2 |", 0, 0, 0, 2),
        ("```\n1. a\n2. b\n```", 0, 0, 0, 0),
    ],
)
def test_lists_and_tables_are_counted_outside_of_fences(text, numbered, bullets, boxes, rows):
    (found,) = sections(text)
    assert (found.numbered, len(found.items) - found.numbered, found.boxes, found.rows) == (
        numbered,
        bullets,
        boxes,
        rows,
    )


def test_a_list_without_a_heading_has_the_line_that_leads_to_it_as_title():
    assert sections("Some talk.\n\n**Next steps:**\n\n1. a\n2. b")[0].title == "Next steps"


def test_any_number_of_headings_is_told_apart():
    text = "".join(f"{'#' * (1 + n % 6)} h{n}\ntext\n" for n in range(30_000))
    found = sections(text)
    assert (len(found), found[0].last, found[-1].last) == (30_000, found[6].first, len(text))


def test_what_separates_a_section_from_the_next_is_no_part_of_it():
    text = "  a\nb\n\n---\n\n"
    assert text[slice(*trimmed(text, 0, len(text)))] == "a\nb"


def test_an_item_has_the_code_and_the_nested_items_below_it():
    text = "## Plan\n1. Run it:\n   ```\n   make\n   ```\n   - twice\n2. Rest\n\nNow what?\n"
    (section,) = sections(text)
    assert [text[one.first : one.last].strip() for one in section.items] == [
        "1. Run it:\n   ```\n   make\n   ```\n   - twice",
        "2. Rest",
    ]


def test_the_name_of_a_package_at_the_beginning_of_an_item_is_no_mention():
    assert [one.line.text for one in sections("- @types/node 20\n- @ada: ask Bob")[0].items] == [
        "@types/node 20",
        "ask Bob",
    ]
