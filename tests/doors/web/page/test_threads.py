"""The page of a thread: words that nothing marks are put where they belong, and what waits is answered."""

import pytest

from tests.doors.web.page.browsing import browser, served
from tests.doors.web.page.conftest import Reader, app_for, reader_of

TALK = "Title: Weigh parcels twice\nParcels above 20 kilos come back from customs.\nWe could weigh again at the gate."
HEAVY = "Parcels above 20 kilos come back from customs."


@pytest.fixture
def talked(project):
    project.pk("init")
    thread = project.pk("thread", "new", TALK, "--json").document["thread"]
    with reader_of(app_for(project), project, "told once").client as client:
        yield Reader(project, client), thread


def shown(reader, thread):
    return reader.project.pk("thread", "show", thread, "--json").document


def test_words_are_put_into_the_ticket_under_the_name_of_who_signed_in(talked):
    reader, thread = talked
    assert "Weigh parcels twice" in reader.open("/threads")
    text = reader.open(f"/threads/{thread}")
    assert (HEAVY in text, "need the role committer" in text) == (True, False)
    (fields,) = reader.forms('name="number" value="1"')
    reader.send(f"/threads/{thread}", [*fields, ("place", "problem")])
    assert shown(reader, thread)["draft"]["problem"]["value"] == HEAVY
    assert not reader.forms('name="number" value="1"')
    assert reader.forms('name="number" value="2"')  # the other one keeps its number
    log = reader.project.pk("thread", "show", thread, "--trace").out
    assert "the page for" not in log


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"number": "99", "place": "problem"}, "no sentence 99"),
        ({"number": "1", "place": "nowhere"}, "is not a field"),
        ({"text": "  "}, "the field is empty"),
        ({"shown": "v1:guessed"}, "names no version"),
        ({"ask": "ask-none", "text": "Yes."}, "ask-none"),
    ],
)
def test_what_is_not_taken_says_why_and_changes_nothing(talked, said, words):
    reader, thread = talked
    reader.open(f"/threads/{thread}")
    form = ("form", dict(reader.forms('name="number" value="1"')[0])["form"])
    before = shown(reader, thread)
    assert words in reader.send(f"/threads/{thread}", [form, *said.items()], 422).text
    assert shown(reader, thread)["draft"] == before["draft"]


def test_an_approval_of_a_version_that_has_changed_says_that_it_does_not_count(talked):
    reader, thread = talked
    reader.project.pk("thread", "say", thread, f"Problem: {HEAVY}\nAC 1: A parcel is weighed 2 times.")
    reader.open(f"/threads/{thread}")
    (fields,) = reader.forms('name="shown"')
    shown_then = shown(reader, thread)["state"]["shown"]
    reader.project.pk("thread", "say", thread, "AC 2: Both weights are kept for 30 days.")
    text = reader.send(f"/threads/{thread}", [*fields, ("shown", shown_then)], 422).text
    assert "that was version 2, but the draft is now at version 3, shown here" in text
    assert 'role="alert"' in text


def test_what_a_ticket_lacks_is_counted_on_the_pages(talked):
    reader, thread = talked
    reader.project.pk("thread", "say", thread, f"Problem: {HEAVY}\nAC 1: A parcel is weighed 2 times.")
    version = shown(reader, thread)["draft"]["version"]
    reader.project.pk("thread", "approve", thread, str(version))
    assert "not in it" not in reader.open("/threads") + reader.open(f"/threads/{thread}")
    reader.project.pk("thread", "say", thread, "Morning all!")
    reader.project.pk("thread", "place", thread, "all=drop")
    assert "Not in the ticket yet" not in reader.open(f"/threads/{thread}")  # as at the terminal
    assert "what a person said" in reader.open("/runs")  # an approval looks at no tests
    reader.project.pk("thread", "say", thread, "The gate has one scale.")
    assert "created, and 1 sentence since then not in it" in reader.open("/threads")
    assert "1 sentence said since, and not in it" in reader.open(f"/threads/{thread}")


def test_words_of_people_are_text(talked):
    reader, _ = talked
    thread = reader.project.pk("thread", "new", "<script>alert(1)</script> & <b>", "--json").document["thread"]
    text = reader.open(f"/threads/{thread}")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "<script>alert" not in text


def test_an_unknown_thread_is_not_found(talked):
    reader, _ = talked
    reader.open("/threads/TH-GONE", 404)


def test_a_form_of_no_page_of_the_visit_places_nothing(talked):
    reader, thread = talked
    reader.send(f"/threads/{thread}", [("form", "guessed"), ("number", "1"), ("place", "problem")], 403)


@pytest.mark.slow
def test_sentences_are_placed_by_key_and_by_dragging(project):
    project.pk("init")
    thread = project.pk("thread", "new", TALK, "--json").document["thread"]
    with served(project.root) as address, browser() as page:
        page.goto(address)
        page.wait_for_url("**/page")
        page.goto(f"{page.url}/threads/{thread}")
        with page.expect_navigation():
            page.keyboard.press("2")
        page.locator("[data-drop=problem]", has_text=HEAVY).wait_for()
        with page.expect_navigation():
            page.locator("#card-2").drag_to(page.locator("[data-drop=proposed_solution]"))
        page.locator("[data-drop=proposed_solution]", has_text="weigh again at the gate").wait_for()
        assert page.locator("[data-drag]").count() == 0
