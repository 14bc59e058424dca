"""What a person sees of a review, and what becomes of their words."""

import pytest

from tests.doors.projects import PYTHON_TESTS
from tests.doors.web.page.conftest import Reader, app_for, reader_of

BASKET = "/review/{}?suite=tests/test_basket.py::TestBasket"


def basket(reader):
    reader.open("/review")
    run = reader.run
    reader.open(BASKET.format(run))
    return run


def said(reader, verdict):
    """The fields of the first form that says this."""
    return next(form for form in reader.forms() if ("verdict", verdict) in form and len(form) == 4)


def decide(reader, run, fields, code=200, *more, part=False):
    return reader.send(f"/review/{run}/decide", [*fields, *more], code, part=part)


def test_intent_and_outcomes_stand_beside_the_lines_that_assert_them(reader):
    basket(reader)
    line = PYTHON_TESTS.splitlines().index("        assert Basket().count == 0") + 1
    assert "New basket is empty." in reader.text
    assert f'data-asserts="1"><th scope="row">{line}</th>' in reader.text
    assert '<li class="" data-outcome="1">' in reader.text
    assert '<span class="k">assert</span>' in reader.text


def test_a_changed_test_stands_beside_the_sentence_that_it_may_still_keep(reader):
    project, test = reader.project, "tests/test_basket.py::TestBasket::test_new_basket_is_empty"
    project.pk("accept", test, "--intent", "Nothing is in a basket at first.")
    changed = PYTHON_TESTS.replace("assert Basket().count == 0", "assert Basket().count == 1")
    (project.root / "tests/test_basket.py").write_text(changed, encoding="utf-8")
    project.pk("reconcile", "--all")
    basket(reader)
    assert '<p class="intent">Nothing is in a basket at first.</p>' in reader.text


def test_a_word_is_kept_and_shown_with_who_said_it(reader):
    run = basket(reader)
    decide(reader, run, said(reader, "accept"))
    assert 'class="card accepted"' in reader.text
    assert "the page for Ada Lovelace" in reader.text
    log = reader.project.pk("log", "--json").document["decisions"]
    assert "the page for Ada Lovelace <ada@example.org>" in {one["by"] for one in log}


def test_the_script_gets_the_parts_that_changed(reader):
    run = basket(reader)
    answer = decide(reader, run, said(reader, "accept"), part=True).text
    assert "<html" not in answer
    assert 'class="card accepted"' in answer
    assert 'id="progress"' in answer
    assert 'id="left-' in answer


def test_edited_words_are_what_is_written(reader):
    run = basket(reader)
    words = (("intent", "A new basket\r\nholds nothing."), ("outcomes", "It counts 0."), ("category", "usability"))
    decide(reader, run, said(reader, "edit"), 200, *words)
    assert 'class="card edited"' in reader.text
    reader.open(f"/review/{run}/diff")
    assert "A new basket holds nothing." in reader.text
    (form,) = reader.forms('name="seen"')
    reader.send(f"/review/{run}/apply", form)
    assert "Written" in reader.text
    atom = reader.project.read("pact/atoms/tests/test_basket.py.toml")
    assert 'intent = "A new basket holds nothing."' in atom
    assert 'outcomes = ["It counts 0."]' in atom


def test_an_empty_intent_is_refused_and_what_was_typed_is_kept(reader):
    run = basket(reader)
    answer = decide(reader, run, said(reader, "edit"), 422, ("intent", " "), ("outcomes", "It counts 0."))
    assert "say in one sentence what the test is for" in answer.text
    assert "It counts 0." in answer.text


def test_a_word_can_be_taken_back_until_it_is_applied(reader):
    run = basket(reader)
    decide(reader, run, said(reader, "reject"), 200, ("reason", "Not a promise."))
    assert "Not a promise." in reader.text
    decide(reader, run, said(reader, "withdraw"))
    assert 'class="card accepted"' not in reader.text
    assert 'class="card rejected"' not in reader.text
    decide(reader, run, said(reader, "accept"))
    reader.open(f"/review/{run}/diff")
    reader.send(f"/review/{run}/apply", reader.forms('name="seen"')[0])
    reader.open(BASKET.format(run))
    assert 'class="card applied"' in reader.text
    assert all(("verdict", "withdraw") not in form for form in reader.forms())


def test_an_apply_is_taken_back_and_the_words_still_hold(reader):
    run = basket(reader)
    decide(reader, run, said(reader, "accept"))
    reader.open(f"/review/{run}/diff")
    reader.send(f"/review/{run}/apply", reader.forms('name="seen"')[0])
    before = reader.project.status()
    reader.send(f"/written?from=review/{run}", reader.forms('name="seen"')[0])
    assert "Undone" in reader.text
    assert "pact/atoms" in before
    assert "pact/atoms" not in reader.project.status()
    reader.open(BASKET.format(run))
    assert 'class="card accepted"' in reader.text


def test_after_an_apply_only_what_is_not_written_yet_is_offered(reader):
    run = basket(reader)
    decide(reader, run, said(reader, "reject"), 200, ("reason", "Not a promise."))
    decide(reader, run, said(reader, "accept"))
    assert "see the diff and apply" in reader.text
    reader.open(f"/review/{run}/diff")
    reader.send(f"/review/{run}/apply", reader.forms('name="seen"')[0])
    reader.open(BASKET.format(run))
    assert 'class="card rejected"' in reader.text
    assert "see the diff and apply" not in reader.text
    reader.open(f"/written?from=review/{run}")
    reader.send(f"/written?from=review/{run}", reader.forms('name="seen"')[0])
    reader.open(BASKET.format(run))
    assert "see the diff and apply" in reader.text


def test_two_reviewers_and_a_stale_tab_lose_nothing(reader):
    run = basket(reader)
    other = Reader(reader.project, reader.client)
    other.open(BASKET.format(run))
    decide(reader, run, said(reader, "reject"), 200, ("reason", "First."))
    late = decide(
        other, run, said(other, "edit"), 409, ("intent", "A basket starts empty."), ("outcomes", "It is empty.")
    )
    assert "Nothing was saved: this changed since you looked at it (the page for Ada" in late.text
    assert "A basket starts empty." in late.text
    reader.open(BASKET.format(run))
    assert 'class="card rejected"' in reader.text
    decide(other, run, said(other, "edit"), 200, ("intent", "A basket starts empty."), ("outcomes", "It is empty."))
    assert 'class="card edited"' in other.text


def test_words_on_different_items_do_not_disturb_each_other(reader):
    run = basket(reader)
    other = Reader(reader.project, reader.client)
    other.open(BASKET.format(run))
    decide(reader, run, said(reader, "accept"))
    second = [form for form in other.forms() if ("verdict", "accept") in form and len(form) == 4][1]
    decide(other, run, second)
    assert other.text.count('class="card accepted"') == 2


def test_a_group_is_accepted_whole_or_not_at_all(reader):
    run = basket(reader)
    (group,) = reader.forms("data-all")
    other = Reader(reader.project, reader.client)
    other.open(BASKET.format(run))
    decide(other, run, said(other, "reject"))
    decide(reader, run, group, 409)
    reader.open(BASKET.format(run))
    assert 'class="card accepted"' not in reader.text


def test_an_apply_writes_only_what_its_diff_showed(reader):
    run = basket(reader)
    decide(reader, run, said(reader, "accept"))
    reader.open(f"/review/{run}/diff")
    (form,) = reader.forms('name="seen"')
    other = Reader(reader.project, reader.client)
    other.open(BASKET.format(run))
    decide(other, run, said(other, "accept"))
    reader.send(f"/review/{run}/apply", form, 409)
    assert "Nothing was written" in reader.text
    assert "pact/atoms" not in reader.project.status()


@pytest.mark.parametrize("token", ["", "guessed"])
def test_a_form_that_no_page_of_the_visit_made_is_refused(reader, token):
    run = basket(reader)
    fields = [(name, token if name == "form" else value) for name, value in said(reader, "accept")]
    decide(reader, run, fields, 403)
    assert "not from your session" in reader.text


@pytest.mark.parametrize(
    ("query", "there", "gone"),
    [
        ("words=QUANTITY", "negative_quantity", "new_basket"),
        ("show=accepted", "matches this filter", "Accept all"),
        ("show=open&words=slug", "joins words", "new_basket"),
    ],
)
def test_a_filter_narrows_what_is_shown(reader, query, there, gone):
    run = basket(reader)
    reader.open(f"/review/{run}?{query}")
    assert there in reader.text
    assert gone not in reader.text


def test_what_was_loosened_stands_beside_the_new_words(adopted):
    adopted.replace("tests/test_basket.py", "assert basket.total == 10", "assert basket.total")
    adopted.pk("reconcile")
    with reader_of(app_for(adopted), adopted, "told once").client as client:
        reader = Reader(adopted, client)
        reader.open("/review")
    assert '<span class="minus">- Basket().total == 10</span>' in reader.text
    assert "<del>" in reader.text
    assert "<ins>" in reader.text


def test_without_a_run_the_page_says_how_to_get_one(project):
    with reader_of(app_for(project), project, "told once").client as client:
        reader = Reader(project, client)
        assert "No run has proposed anything yet" in reader.open("/review")
        assert "No run yet" in reader.open("/runs")
        assert "No pact yet" in reader.open("")
        assert "REC-GONE" in reader.open("/review/REC-GONE", 404)


def test_names_of_tests_are_text(project):
    name = "<script>alert(1)</script> \\u202e{{ 7 * 7 }} is kept as text'\\\">"
    project.write(
        "web/slug.test.ts",
        f'import {{ it, expect }} from "vitest"\nit("{name}", () => {{ expect(slug("<b>")).toBe("</pre>") }})\n',
    )
    project.pk("init")
    project.pk("reconcile", "--all")
    with reader_of(app_for(project), project, "told once").client as client:
        reader = Reader(project, client)
        reader.open("/review")
        run = reader.run
        for path in (
            f"/review/{run}",
            f"/review/{run}?suite=web/slug.test.ts",
            f"/review/{run}?words=%3Cscript%3E",
            "/runs",
            "",
        ):
            text = reader.open(path)
            assert "<script>alert" not in text
            assert "\u202e" not in text
            assert "</pre>&#34;" not in text
            assert "49 is kept" not in text


def test_words_and_reasons_of_people_are_text(reader):
    run = basket(reader)
    hostile = "<img src=x onerror=alert(1)> is kept."
    decide(reader, run, said(reader, "edit"), 200, ("intent", hostile), ("outcomes", hostile))
    assert "<img src=x" not in reader.text
    reader.open(f"/review/{run}/diff")
    assert "<img src=x" not in reader.text
    assert "&lt;img src=x" in reader.text
    reader.open(f"/review/{run}?words={hostile}&suite={hostile}")
    assert "<img src=x" not in reader.text


def test_only_sentences_that_rules_took_are_said_to_be_accepted_by_readers(reader):
    told = "of 100 readers accept a sentence like this one"
    basket(reader)
    assert told in reader.text
    project, test = reader.project, "tests/test_basket.py::TestBasket::test_new_basket_is_empty"
    atom = project.pk("atom", "new", "Nothing is in a basket at first.", "--json").document["atom"]
    for said in (("--intent", "Nobody fills a new basket."), ("--atom", atom)):
        project.pk("accept", test, *said)
        run = project.pk("runs", "--json").document["runs"][0]["run"]["id"]
        reader.open(BASKET.format(run))
        assert 'class="why"' in reader.text
        assert told not in reader.text
