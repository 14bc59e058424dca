"""The whole review in a real browser, by keyboard alone."""

import pytest

from tests.doors.projects import new_project
from tests.doors.web.page.browsing import browser, served

ITEMS, EDITED, REJECTED, UNDONE = 60, 5, 5, 2


def many_tests(suite):
    tests = (
        f'def test_weight_{number}():\n    """A parcel of {number} kilos costs {number + suite} in zone {suite}."""\n'
        f"    assert price({number}, zone={suite}) == {number + suite}\n"
        for number in range(15)
    )
    return "from shop import price\n\n\n" + "\n\n".join(tests)


@pytest.fixture
def sixty(tmp_path):
    project = new_project(tmp_path / "project")
    project.git("rm", "-r", "--quiet", "tests", "web")
    for suite in range(4):
        project.write(f"tests/test_rules{suite}.py", many_tests(suite))
    project.commit("Sixty tests")
    project.pk("init")
    return project


def standing(page, name):
    return page.locator(f".progress:has-text('{name}')")


def decide_all(page):
    """Go through every suite; the first words are edits, the next rejections, the others are accepted."""
    said = 0
    while True:
        while page.locator(".card.open").count():
            before = page.locator(".card.open").count()
            if said < EDITED:
                page.keyboard.press("e")
                page.keyboard.press("Control+Home")
                page.keyboard.type("Edited: ")
                page.keyboard.press("Control+Enter")
            elif said < EDITED + REJECTED:
                page.keyboard.press("r")
                page.keyboard.type("Not a price.")
                page.keyboard.press("Enter")
            else:
                page.keyboard.press("a")
            page.wait_for_function("count => document.querySelectorAll('.card.open').length < count", arg=before)
            said += 1
        if page.locator("nav.onward a:has-text('the diff')").count():
            return said
        with page.expect_navigation():
            page.keyboard.press("n")


@pytest.mark.slow
def test_a_run_is_started_reviewed_applied_and_taken_back_by_keyboard(sixty):
    with served(sixty.root) as address, browser() as page:
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address)
        page.wait_for_url("**/page")
        page.keyboard.press("g")
        with page.expect_navigation():
            page.keyboard.press("u")
        page.keyboard.press("s")
        page.wait_for_url("**/review/**")
        assert decide_all(page) == ITEMS
        for _ in range(UNDONE):
            page.keyboard.press("u")
            page.locator(".card.open").first.wait_for()
        standing(page, f"{ITEMS - UNDONE} of {ITEMS} decided").wait_for()
        page.keyboard.press("A")
        page.keyboard.press("Enter")
        standing(page, f"{ITEMS} of {ITEMS} decided").wait_for()
        with page.expect_navigation():
            page.keyboard.press("d")
        assert "Edited: A parcel of 0 kilos costs 0 in zone 0." in page.content()
        assert "pact/atoms" not in sixty.status()
        with page.expect_navigation():
            page.keyboard.press("x")
        page.locator("h1:has-text('Written')").wait_for()
        assert "Edited: A parcel of 0 kilos costs 0 in zone 0." in sixty.read("pact/atoms/tests/test_rules0.py.toml")
        with page.expect_navigation():
            page.keyboard.press("u")
        page.locator("h1:has-text('Undone')").wait_for()
        assert not (sixty.root / "pact/atoms").exists()
        assert errors == []
