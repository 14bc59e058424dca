"""The full-screen review: keys that a person presses, and what is in the history and the pact afterwards."""

import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from pactkeeper.doors.cli.review_full import FullScreen
from pactkeeper.doors.cli.review_screen import Picture, ScreenWords, draw, form_of, words_in
from pactkeeper.operators.decide import asserted_at, pending_of, read_sources
from pactkeeper.operators.sitting import begin, counts, filtered, standing
from tests.operators.conftest import first_shop, shop

__all__ = ["first_shop", "shop"]

CTRL_S = "\x13"


class Screen(DummyOutput):
    def get_size(self):
        return Size(rows=30, columns=100)


def press(shop, patch, keys):
    """Review a patch with these keys and leave; gives the screen afterwards."""
    with shop.open() as workspace, create_pipe_input() as keyboard:
        screen = FullScreen(workspace, begin(pending_of(workspace, patch)), read_sources(workspace), keyboard, Screen())
        keyboard.send_text(keys + "q")
        screen.run()
    return screen


def standings(screen):
    return [standing(screen.sitting, one) for one in screen.sitting.items]


def kept(shop, patch):
    """How many items of each standing the history knows."""
    with shop.open() as workspace:
        return dict(counts(begin(pending_of(workspace, patch))))


def test_keys_accept_reject_and_take_back_and_each_answer_is_kept(shop):
    patch = shop.reconcile().patch
    screen = press(shop, patch, "ar" + "not ours\r")
    assert standings(screen) == ["accepted", "rejected"]
    assert kept(shop, patch) == {"accepted": 1, "rejected": 1}
    with shop.open() as workspace:
        assert {one.reason for one in pending_of(workspace, patch).review.decisions} == {"", "not ours"}


def test_undo_opens_what_was_decided_in_the_history_as_well(shop):
    patch = shop.reconcile().patch
    assert standings(press(shop, patch, "aau")) == ["accepted", "open"]
    assert kept(shop, patch) == {"accepted": 1, "open": 1}


def test_an_answer_of_an_earlier_sitting_is_not_taken_back(shop):
    patch = shop.reconcile().patch
    press(shop, patch, "a")
    assert standings(press(shop, patch, "u")) == ["accepted", "open"]
    assert kept(shop, patch) == {"accepted": 1, "open": 1}


def test_words_are_edited_where_they_stand(shop):
    patch = shop.reconcile().patch
    press(shop, patch, "e" + "Sums: " + CTRL_S)
    with shop.open() as workspace:
        [edited] = [dict(one.edited) for one in pending_of(workspace, patch).review.decisions if one.edited]
    assert str(edited["description"]).startswith("Sums: ")
    assert edited["observableOutcomes"]


def test_what_falsifies_and_the_category_are_edited_too(shop):
    patch = shop.reconcile().patch
    end = "\x1b[1;5F"  # Ctrl-End
    press(shop, patch, "e" + end + "\x15category: reliability\r! It stays open." + CTRL_S)
    with shop.open() as workspace:
        [edited] = [dict(one.edited) for one in pending_of(workspace, patch).review.decisions if one.edited]
    assert (edited["category"], edited["falsifiedBy"]) == ("reliability", ["It stays open."])


def test_a_category_that_is_none_is_not_taken(shop):
    patch = shop.reconcile().patch
    press(shop, patch, "e" + "\x1b[1;5F" + "ly" + CTRL_S + "\x1b")
    assert kept(shop, patch) == {"open": 2}


def test_an_edit_that_changes_nothing_is_an_acceptance(shop):
    patch = shop.reconcile().patch
    press(shop, patch, "e" + CTRL_S)
    assert kept(shop, patch) == {"accepted": 1, "open": 1}


def test_bulk_asks_first_and_any_other_key_is_a_no(shop):
    patch = shop.reconcile().patch
    assert standings(press(shop, patch, "Aj")) == ["open", "open"]
    assert standings(press(shop, patch, "Ay")) == ["accepted", "accepted"]


def test_bulk_takes_what_the_filter_shows(shop):
    patch = shop.reconcile().patch
    screen = press(shop, patch, "/expired\rAy")
    assert sorted(standings(screen)) == ["accepted", "open"]
    assert standing(screen.sitting, screen.sitting.current) == "accepted"


def test_the_diff_is_shown_then_applied_and_taken_back(shop):
    patch = shop.reconcile().patch
    press(shop, patch, "adwy")
    assert sorted(shop.states().values()) == ["orphan", "unratified"]
    press(shop, patch, "Uy")
    assert set(shop.states().values()) == {"orphan"}


def test_what_changed_meanwhile_is_told_on_the_screen_and_nothing_is_applied(shop):
    patch = shop.reconcile().patch
    press(shop, patch, "a")
    shop.replace("tests/test_shop.py", "== 3", "== 4")
    shop.replace("tests/test_shop.py", "== 401", "== 403")
    with shop.open() as workspace, create_pipe_input() as keyboard:
        screen = FullScreen(workspace, begin(pending_of(workspace, patch)), read_sources(workspace), keyboard, Screen())
        keyboard.send_text("wy" + "qq")
        screen.run()
    assert set(shop.states().values()) == {"orphan"}


@pytest.mark.parametrize(("width", "height"), [(80, 24), (110, 30), (140, 40), (30, 8), (300, 5)])
def test_a_picture_fits_its_screen(shop, width, height):
    patch = shop.reconcile().patch
    with shop.open() as workspace:
        picture = Picture(begin(pending_of(workspace, patch)), read_sources(workspace))
    lines = ["".join(text for _, text in line) for line in draw(picture, width, height)]
    assert len(lines) == height
    assert max(map(len, lines)) <= width


def test_words_and_source_stand_side_by_side(shop):
    patch = shop.reconcile().patch
    with shop.open() as workspace:
        sitting = filtered(begin(pending_of(workspace, patch)), words="expired")
        lines = draw(Picture(sitting, read_sources(workspace)), 140, 20)
    text = "\n".join("".join(part for _, part in line) for line in lines)
    assert "▸     assert login(" in text
    assert "confidence" in text


def test_text_of_a_repository_does_not_drive_the_terminal(shop):
    shop.replace(
        "tests/test_shop.py", "def test_adds_two_numbers():", 'def test_adds_two_numbers():\n    """Adds \x1b[2J it."""'
    )
    patch = shop.reconcile().patch
    with shop.open() as workspace:
        lines = draw(Picture(begin(pending_of(workspace, patch)), read_sources(workspace)), 140, 30)
    assert not any("\x1b" in part for line in lines for _, part in line)


@pytest.mark.parametrize("outcomes", [[], ["One."], ["One.", "`a\n  b`", "- three"]])
def test_a_form_reads_back_as_it_was_written(outcomes):
    payload = {"description": "It works.", "category": "security"}
    words = words_in(form_of({**payload, "observableOutcomes": outcomes, "falsifiedBy": outcomes[:2]}))
    assert words == ScreenWords("It works.", tuple(outcomes), tuple(outcomes[:2]), "security")


def test_words_that_are_longer_than_their_place_can_be_read_to_the_end(shop):
    many = "".join(f"    assert add({one}, 2) == {one + 2}\n" for one in range(40))
    shop.replace("tests/test_shop.py", "    assert add(1, 2) == 3\n", many)
    patch = shop.reconcile().patch
    with shop.open() as workspace:
        sitting = filtered(begin(pending_of(workspace, patch)), words="adds_two")
        sources = read_sources(workspace)
    top, end = (
        "\n".join("".join(part for _, part in line) for line in draw(Picture(sitting, sources, down=down), 80, 24))
        for down in (0, 1000)
    )
    assert "Space shows them" in top
    assert "link to IA-" not in top
    assert "Space shows them" not in end
    assert "link to IA-" in end


def test_an_outcome_names_the_lines_that_assert_it(shop):
    patch = shop.reconcile().patch
    with shop.open() as workspace:
        sitting = filtered(begin(pending_of(workspace, patch)), words="adds_two")
        sources = read_sources(workspace)
        lines = asserted_at(sources, [sitting.at])[sitting.at]
    text = "\n".join("".join(part for _, part in line) for line in draw(Picture(sitting, sources, lines=lines), 80, 24))
    assert "(line 2)" in text
