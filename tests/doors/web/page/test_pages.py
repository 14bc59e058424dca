"""The other pages: words, questions, the pact, the ceremony, runs and health."""

import re

import pytest

from pactkeeper.doors.web.entering import Entered, Site, Tokens
from pactkeeper.ledger.policy import Principal
from pactkeeper.verbs.listening import Address
from tests.doors.web.page.conftest import Reader, app_for, reader_of

UNCLEAR = "def test_it():\n    assert price(2) == 3\n"


@pytest.fixture
def kept(adopted):
    with reader_of(app_for(adopted), adopted, "told once").client as client:
        yield Reader(adopted, client)


@pytest.fixture
def wordless(kept):
    kept.project.write("tests/test_price.py", UNCLEAR)
    return kept


def sentence(reader, text):
    fields = [("form", dict(reader.forms('name="test"')[0])["form"]), ("below", "")]
    (form,) = reader.forms('name="test"')
    told = dict(form)
    return [*fields, ("test", told["test"]), ("seen", told["seen"]), ("sentence", text)]


def test_the_first_page_counts_tests_in_the_words_of_check(wordless):
    summary = wordless.project.pk("check", code=1).out.splitlines()[-1]
    assert summary.endswith("5 tests: 1 orphan, 4 unratified")
    assert 'aria-label="4 unratified, 1 orphan"' in wordless.open("/")


def test_a_test_gets_its_sentence_and_the_write_is_taken_back(wordless):
    assert "test_price.py" in wordless.open("/words")
    assert "assert price(2) == 3" in wordless.text
    wordless.send("/words", sentence(wordless, "Two boxes cost 3."))
    assert "Written" in wordless.text
    assert 'intent = "Two boxes cost 3."' in wordless.project.read("pact/atoms/tests/test_price.py.toml")
    wordless.send("/written?from=words", wordless.forms('name="seen"')[0])
    assert "Undone" in wordless.text
    assert not (wordless.project.root / "pact/atoms/tests/test_price.py.toml").exists()


def test_a_sentence_for_a_test_that_changed_meanwhile_is_kept_and_not_written(wordless):
    wordless.open("/words")
    fields = sentence(wordless, "Two boxes cost 3.")
    wordless.project.replace("tests/test_price.py", "== 3", "== 4")
    answer = wordless.send("/words", fields, 409).text
    assert "This test changed since you typed." in answer
    assert 'value="Two boxes cost 3."' in answer
    assert not (wordless.project.root / "pact/atoms/tests/test_price.py.toml").exists()


def test_an_empty_sheet_writes_nothing(wordless):
    wordless.open("/words")
    assert "No line was filled" in wordless.send("/words", sentence(wordless, " "), 409).text


def test_only_the_write_that_was_shown_is_taken_back(wordless):
    wordless.open("/words")
    wordless.send("/words", sentence(wordless, "Two boxes cost 3."))
    (form,) = wordless.forms('name="seen"')
    wordless.project.pk("atom", "new", "A box has a lid.")
    assert "there was another write" in wordless.send("/written?from=words", form, 409).text


def test_an_open_question_is_answered_in_words(wordless):
    wordless.project.pk("reconcile")
    assert "State the one observable behaviour" in wordless.open("/questions")
    (form,) = wordless.forms('name="intent"')
    name = wordless.find(r'action="/page(/questions/[^"]+)"')
    refused = wordless.send(name, [*form, ("intent", ""), ("outcomes", "The price is 3.")], 422).text
    assert "The price is 3." in refused
    wordless.send(name, [*form, ("intent", "Two boxes cost 3."), ("category", "functional"), ("outcomes", "")])
    assert "No open questions" in wordless.text
    assert "The next run" in wordless.text
    wordless.project.pk("reconcile")
    assert "Two boxes cost 3." in wordless.open("/review")


def test_atoms_are_found_and_one_is_told_with_its_tests_and_history(kept):
    text = kept.open("/pact?words=quantity&status=draft")
    name = kept.find(r"(IA-\w+)")
    assert "1 atom" in text
    atom = kept.open(f"/pact/{name}")
    assert "test_negative_quantity_is_rejected" in atom
    assert "Adopt the pact" in atom
    assert "IA-GONE" in kept.open("/pact/IA-GONE", 404)


@pytest.mark.parametrize("by", ["path", "concept"])
def test_the_molecule_map_has_a_dot_for_every_atom(kept, by):
    assert kept.open(f"/molecules?by={by}").count('<circle class="dot draft" cx=') == 4 + 1  # one in the legend


def ceremony(reader):
    reader.open("/commit")
    name = reader.find(r'value="(IA-\w+)"')
    return name, reader.open(f"/commit?atom={name}")


def test_a_person_freezes_what_the_ceremony_showed_by_typing_the_word(kept):
    name, text = ceremony(kept)
    assert "INV-001" in text
    (form,) = kept.forms('name="word"')
    assert "type commit to agree" in kept.send("/commit", [*form, ("word", "yes")], 409).text
    kept.send("/commit", [*form, ("word", "commit")])
    assert "Written" in kept.text
    (made,) = (kept.project.root / "pact/commitments").iterdir()
    assert 'by = "Ada Lovelace <ada@example.org>"' in made.read_text()
    assert "committed" in kept.open(f"/pact/{name}")


def test_words_that_changed_after_the_ceremony_are_not_frozen(kept):
    name, _ = ceremony(kept)
    (form,) = kept.forms('name="word"')
    kept.project.pk("atom", "edit", name, "--intent", "A basket holds nothing at first.")
    assert "changed since you looked" in kept.send("/commit", [*form, ("word", "commit")], 409).text
    assert not (kept.project.root / "pact/commitments").exists()


def test_a_run_that_finds_nothing_says_so(kept):
    kept.open("/runs")
    fields = [*kept.forms('name="paths"')[0], ("what", "changed"), ("paths", "")]
    assert "proposes nothing" in kept.send("/runs", fields).text
    run = kept.find(r"/page/runs/(REC-\w+)")
    assert "Steps" in kept.open(f"/runs/{run}")


def test_health_is_told_without_running_anything(kept):
    assert "No sweep yet" in kept.open("/health")
    assert "Nothing to fix" in kept.text


@pytest.mark.parametrize(
    "path", ["", "/review", "/words", "/questions", "/pact", "/molecules", "/runs", "/commit", "/threads", "/health"]
)
def test_every_page_has_one_heading_and_no_script_or_style_of_its_own(kept, path):
    text = kept.open(path)
    assert len(re.findall(r"<h1[ >]", text)) == 1
    assert not re.search(r"\son\w+=|style=|<style|<script(?! src=\"/static/page\.js)", text)


def test_below_a_path_of_its_own_every_link_stays_there(kept):
    client = reader_of(app_for(kept.project), kept.project, "told once").client
    client._transport.root_path = "/repos/parcels"
    text = client.get("/repos/parcels/page/runs").text
    assert 'href="/repos/parcels/static/page.css' in text
    assert not re.findall(r'(?:href|action|src)="/(?!repos/parcels/)', text)
    assert client.get("/repos/parcels/static/page.js").status_code == 200


class As(Tokens):
    """An entrance that lets everybody in as the same principal."""

    who: Principal

    async def by_session(self, secret):  # noqa: ARG002 - as the entrance has it
        return self.who


@pytest.mark.parametrize(
    ("role", "kind", "decides", "commits"),
    [("reader", "person", 403, 403), ("reviewer", "person", 200, 403), ("committer", "agent", 403, 403)],
)
def test_a_role_says_what_is_offered_and_what_is_taken(adopted, role, kind, decides, commits):
    inner = app_for(adopted)
    entrance = As(lambda: 0.0)
    entrance.who = Principal("Grace <grace@example.org>", role, kind, "grace", "the form token")
    client = reader_of(inner, adopted, "told once").client
    client.app = Entered(inner.app, Site.at(Address.of("8766")), entrance)
    client._transport.app = client.app
    reader = Reader(adopted, client)
    offered = 'class="sheet start"' in reader.open("/runs")
    assert offered == (decides == 200)
    token = ("form", "the form token")
    reader.send("/runs", [token, ("what", "changed"), ("paths", "")], decides)
    reader.send("/commit", [token, ("atom", "IA-ANY"), ("word", "commit")], commits)
    thread = adopted.pk("thread", "new", "Title: Weigh parcels twice", "--json").document["thread"]
    assert "approving need the role committer" in reader.open(f"/threads/{thread}")
