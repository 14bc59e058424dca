"""Merging our changes of a ticket's text into what people made of it."""

import re
from collections import Counter

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from pactkeeper.boards.merging import MergeConflict, is_edited, merged, merged_line
from pactkeeper.boards.sections import blocks_of, named

OLD = """\
## Problem

They copy by hand.

## Acceptance criteria

- [ ] An export has 1000 rows
- [ ] It is quick

## Where it was said

- https://chat.example/1
"""

WORDS = st.sampled_from(["ada", "bob", "rows", "quick", "small file", "copy by hand", "`# no heading`"])
ITEMS = st.builds("{} {}".format, st.sampled_from(["- [ ]", "- [x]", "-", "* ", "2."]), WORDS)
NESTED = st.builds("{}\n  - {}".format, ITEMS, WORDS)
FENCES = st.sampled_from(["```\n# code\n\n- [ ] code\n```", "~~~\nopen", "```sh\nls\n```"])
HIDDEN = st.sampled_from(["<!-- pactkeeper:key op-1 -->", "- 2026: went <!-- pactkeeper:log op-2 -->"])
HEADINGS = st.builds("{} {}".format, st.sampled_from(["#", "##", "###"]), st.sampled_from(["A", "B", "C"]))
LINES = st.lists(
    HEADINGS | ITEMS | WORDS | NESTED | FENCES | HIDDEN | st.sampled_from(["", "---", "  ", "Setext\n===", "\t- in"])
)
TEXTS = st.builds(lambda lines, gap: gap.join(lines), LINES, st.sampled_from(["\n", "\n\n"]))
MIXED = st.builds("{}\r\n{}".format, TEXTS, TEXTS)
ANY = TEXTS | MIXED | TEXTS.map(lambda text: text.replace("\n", "\r\n")) | TEXTS.map(lambda text: f"\n{text}\n\n")


def blocks(text):
    core = text.replace("\r\n", "\n").strip("\n")
    return named(blocks_of(f"{core}\n" if core else ""))


def told(text):
    """How often each block is there, with its heading and tick."""
    return Counter((one.section, one.kind, one.words, one.tick) for one in blocks(text).values())


def lines(text):
    """The words of every line, without marks of items."""
    return [" ".join(re.findall(r"[^\W\d]\w*", line)) for line in text.split("\n")]


@given(ANY)
def test_blocks_together_are_the_text(text):
    assume(text.strip())
    core = text.strip() + "\n"
    assert "".join(block.lead + block.raw for block in blocks_of(core)) == core


@given(TEXTS, TEXTS)
def test_text_that_nobody_changed_becomes_the_new_text(old, new):
    assert merged(old, old, new).text == new


@given(TEXTS, TEXTS)
def test_text_that_nobody_changed_keeps_the_line_ends_that_the_board_made(old, new):
    assume("\n" in old)
    assert merged(old, old.replace("\n", "\r\n"), new).text == new.replace("\n", "\r\n")


@given(ANY, ANY)
@example("\nada\n\n", "ada\n\r\n")
def test_without_changes_of_ours_nothing_is_written(old, now):
    assert merged(old, now, old).text == now


@given(ANY, ANY, ANY)
def test_merging_twice_is_merging_once_and_tells_the_same_conflicts(old, now, new):
    once = merged(old, now, new)
    assert merged(old, once.text, new) == once


@given(ANY, ANY, ANY)
def test_no_line_that_people_wrote_is_lost(old, now, new):
    kept = lines(merged(old, now, new).text)
    ours = lines(old)
    for line in lines(now):
        assert line in {*ours, *kept, ""}


@given(ANY, ANY, ANY)
def test_block_that_people_wrote_or_changed_stays_as_it_is(old, now, new):
    ours, theirs, kept = (told(text) for text in (old, now, merged(old, now, new).text))
    assert theirs - ours <= kept


OURS = {
    "Problem": lambda text: text.replace("by hand", "by foot"),
    "Acceptance criteria": lambda text: (
        text.replace("1000", "2000").replace("- [ ] It is quick\n", "") + "- [ ] It ends\n"
    ),
    "Risks": lambda _text: "",
    "Where it was said": lambda text: "- https://chat.example/0\n" + text,
    "Dependencies": lambda _text: "- The tax office\n",
}
THEIRS = {
    "Problem": lambda text: f"{text}\n> Really?\n\n### Since when\n\nLast May.\n",
    "Acceptance criteria": lambda text: text.replace("[ ] It", "[x] It") + "- [ ] It is safe\n  - says Zoe\n",
    "Risks": lambda text: text.replace("large", "small"),
    "Where it was said": lambda text: text + "\n```\n# a log\n```\n",
    "Dependencies": lambda _text: "",
    "Notes": lambda _text: "Of mine.\n",
}
PARTS = {
    "Problem": "They copy by hand.\n",
    "Acceptance criteria": "- [ ] An export has 1000 rows\n- [ ] It is quick\n",
    "Risks": "- The file may be large\n- The disk is slow\n",
    "Where it was said": "- https://chat.example/1\n",
}


def written(parts):
    return "\n".join(f"## {name}\n\n{text}" for name, text in parts.items() if text)


def sections(text):
    """The text below each heading of the second level."""
    found = dict.fromkeys(THEIRS, "")
    for part in f"\n{text}".split("\n## ")[1:]:
        name, _, below = part.partition("\n\n")
        found[name] = below.strip("\n") + "\n"
    return found


def edited(edits, names):
    return {name: edits[name](PARTS.get(name, "")) if name in names else PARTS.get(name, "") for name in edits}


@given(st.sets(st.sampled_from(list(OURS))), st.sets(st.sampled_from(list(THEIRS))), st.permutations(list(THEIRS)))
def test_where_both_changed_other_sections_each_reads_as_who_changed_it_wrote_it(ours, theirs, order):
    assume(not ours & theirs)
    now, new = edited(THEIRS, theirs), edited(OURS, ours)
    found = merged(written(PARTS), written({name: now[name] for name in order}), written(new))
    assert found.conflicts == ()
    want = {**now, **{name: new[name] for name in ours}}
    assert sections(found.text) == want


def test_our_changes_go_in_beside_those_of_people():
    now = OLD.replace("- [ ] It is quick", "- [x] It is quick\n- [ ] It is safe").replace(
        "## Acc", "### Note\n\nOf mine.\n\n## Acc"
    )
    new = OLD.replace("1000", "2000").replace("by hand.", "by hand every month.")
    assert merged(OLD, now, new).text == now.replace("1000", "2000").replace("by hand.", "by hand every month.")


def test_paragraph_that_both_changed_stays_as_people_wrote_it_and_is_named():
    now, new = OLD.replace("by hand", "by foot"), OLD.replace("by hand.", "by hand every month.")
    assert merged(OLD, now, new).conflicts == (MergeConflict("Problem", "They copy by hand every month."),)
    assert merged(OLD, now, new).text == now


def test_paragraphs_that_replace_each_other_go_together_or_not_at_all():
    new = OLD.replace("They copy by hand.", "They copy by foot.\n\nAnd by car.")
    assert merged(OLD, OLD + "\nMine.\n", new).text == new + "\nMine.\n"
    now = OLD.replace("by hand", "all night")
    found = merged(OLD, now, new)
    assert found.text == now
    assert [one.text for one in found.conflicts] == ["They copy by foot.", "And by car."]
    now = new.replace("by foot", "all night")
    assert merged(new, now, OLD).text == now


def test_paragraph_that_is_added_comes_below_the_one_that_people_reworded():
    now = OLD.replace("by hand", "all night")
    new = OLD.replace("by hand.", "by hand.\n\nAnd by car.")
    assert merged(OLD, now, new).text == now.replace("all night.", "all night.\n\nAnd by car.")


def test_item_that_is_added_stays_below_items_that_people_reworded():
    now = OLD.replace("1000 rows", "a row for each order").replace("It is quick", "It takes a second")
    new = OLD.replace("- [ ] It is quick\n", "- [ ] It is quick\n- [ ] It ends\n")
    assert merged(OLD, now, new).text == now.replace("It takes a second\n", "It takes a second\n- [ ] It ends\n")


def test_ticked_item_that_we_reworded_stays_and_the_new_words_are_named():
    now = OLD.replace("[ ] An export", "[x] An export")
    found = merged(OLD, now, OLD.replace("1000", "2000"))
    assert (found.text, found.conflicts) == (
        now,
        (MergeConflict("Acceptance criteria", "- [ ] An export has 2000 rows"),),
    )


def test_item_that_people_reworded_and_we_dropped_stays_and_is_named():
    now = OLD.replace("It is quick", "It is quick enough")
    found = merged(OLD, now, OLD.replace("- [ ] It is quick\n", ""))
    assert found.text == now
    assert found.conflicts == (MergeConflict("Acceptance criteria", "- [ ] It is quick", dropped=True),)


def test_item_that_people_took_out_stays_out_while_others_change():
    now = OLD.replace("- [ ] It is quick\n", "")
    found = merged(OLD, now, OLD.replace("1000", "2000"))
    assert (found.text, found.conflicts) == (now.replace("1000", "2000"), ())


def test_section_that_people_moved_stays_where_they_put_it():
    problem = "## Problem\n\nThey copy by hand.\n\n"
    now = OLD.replace(problem, "") + "\n" + problem.rstrip("\n") + "\n"
    assert merged(OLD, now, OLD.replace("by hand", "by foot")).text == now.replace("by hand", "by foot")


def test_new_section_of_ours_comes_after_what_people_nested_below_the_one_before_it():
    now = OLD.replace("## Acc", "### Note\n\nOf mine.\n\n## Acc")
    new = OLD.replace("## Acc", "## Proposed solution\n\nAn export.\n\n## Acc")
    want = now.replace("## Acc", "## Proposed solution\n\nAn export.\n\n## Acc")
    assert merged(OLD, now, new).text == want


def test_section_that_we_dropped_keeps_its_heading_over_what_people_wrote_there():
    added = "\n## Risks\n\n- The file is large\n"
    now = OLD + added + "- The disk is small\n"
    assert merged(OLD + added, now, OLD).text == OLD + "\n## Risks\n\n- The disk is small\n"
    assert merged(OLD + added, "Hello.\n\n" + OLD + added, OLD).text == "Hello.\n\n" + OLD


def test_section_whose_heading_people_took_away_does_not_come_back():
    now = OLD.replace("## Acceptance criteria", "## What we want")
    found = merged(OLD, now, OLD.replace("- [ ] It is quick", "- [ ] It is quick\n- [ ] It is safe"))
    assert (found.text, found.conflicts) == (now, (MergeConflict("Acceptance criteria", "- [ ] It is safe"),))


def test_heading_in_fenced_code_is_no_section():
    now = OLD.replace("## Acc", "```\n## Problem\n\nThey copy by hand.\n```\n\n## Acc")
    assert merged(OLD, now, OLD.replace("They copy by hand.", "By foot.")).text == now.replace(
        "They copy by hand.", "By foot.", 1
    )


def test_nothing_goes_in_below_fenced_code_without_an_end():
    now = OLD.replace("They", "```\nThey")
    found = merged(OLD, now, OLD + "\n## Risks\n\n- The file is large\n")
    assert found.text == now
    assert MergeConflict("Risks", "- The file is large") in found.conflicts


def test_second_heading_of_the_same_words_is_told_from_ours_by_what_stands_there():
    now = "## Problem\n\nOf another kind.\n\n" + OLD
    assert merged(OLD, now, OLD.replace("by hand", "by foot")).text == now.replace("by hand", "by foot")


def test_hidden_comment_of_ours_stays_where_it_is():
    now = OLD + "\n<!-- pactkeeper:key op-1 -->\n"
    assert merged(OLD, now, OLD.replace("by hand", "by foot")).text == now.replace("by hand", "by foot")


@pytest.mark.parametrize(("old", "now", "new"), [("", "", ""), ("", "", OLD), (OLD, OLD, "")])
def test_empty_texts_are_texts(old, now, new):
    assert merged(old, now, new).text == new


def test_line_ends_of_a_board_are_kept_in_what_goes_in():
    found = merged(OLD, (OLD + "\nMine.\n").replace("\n", "\r\n"), OLD.replace("by hand", "by foot")).text
    assert found == (OLD.replace("by hand", "by foot") + "\nMine.\n").replace("\n", "\r\n")


def test_text_of_two_kinds_of_line_ends_keeps_both_and_gets_what_browsers_write():
    now = (OLD + "\nMine.\n").replace("\n", "\r\n").replace("by hand.\r\n", "by hand.\n")
    found = merged(OLD, now, OLD.replace("- [ ] It is quick\n", "- [ ] It is quick\n- [ ] It ends\n")).text
    assert found == now.replace("- [ ] It is quick\r\n", "- [ ] It is quick\r\n- [ ] It ends\r\n")


def test_remark_of_ours_and_empty_lines_are_no_edits_of_people():
    assert not is_edited(OLD, OLD.replace("\n", "\r\n") + "- 2026: Went. <!-- pactkeeper:log op-000001 -->\r\n")
    assert is_edited(OLD, OLD.replace("[ ] It", "[x] It"))
    assert is_edited(OLD, OLD + "\nMine.\n")
    assert is_edited(OLD, OLD.replace("- [ ] It is quick\n", ""))


def test_title_that_people_changed_stays():
    assert [merged_line("a", now, "b") for now in ("a", "b", "c")] == ["b", "b", "c"]
