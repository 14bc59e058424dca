"""`pk atom refine`, `pk atom quality` and `pk atom import` as a person runs them."""

import json

import pytest

NOTE = """\
## Acceptance criteria
- [ ] A basket keeps its items for 30 days
- [ ] The total must be shown and an invoice must be sent
- [ ] Add tests
"""


@pytest.fixture
def started(project):
    """The project with a pact that declares nothing yet."""
    project.pk("init")
    project.commit("Start the pact")
    return project


def test_refine_cites_what_is_left_open_and_rewords_nothing(project):
    out = project.pk("atom", "refine", "the order is saved quickly and a mail is sent").out
    assert "may be several behaviours:\n  “and a mail is”" in out
    assert "? 'quickly': when does the time start and end" in out


def test_refine_of_an_atom_reads_and_changes_nothing(adopted):
    (atom, *_) = adopted.pk("atom", "list", "--json").document["atoms"]
    found = adopted.pk("atom", "refine", atom["id"].lower(), "--json").document
    assert (found["atom"], found["intent"]) == (atom["id"], atom["intent"])
    assert adopted.status() == ""


def test_refine_document_holds_what_the_screen_shows(project):
    found = project.pk("atom", "refine", "The basket is usually stored.", "--json").document
    assert found["schema"] == "pactkeeper.refinement/1"
    assert (found["atomic"], found["reasons"], found["quality"]["verdict"]) == (True, [], "revise")
    assert any("'usually'" in question for question in found["questions"])


@pytest.mark.parametrize("words", [["basket"], [""], ["IA-NOTHERE"]])
def test_refine_of_no_sentence_and_no_atom_is_an_error(started, words):
    assert started.pk("atom", "refine", *words, code=2).err.startswith(("pk: ", "Usage"))


def test_quality_lists_the_lowest_first_and_counts(adopted):
    found = adopted.pk("atom", "quality", "--json").document
    scores = [one["score"] for one in found["atoms"]]
    assert scores == sorted(scores)
    assert sum(found["summary"].values()) == len(scores) == 4


def test_quality_fails_only_where_something_is_below_the_limit(started):
    started.pk("atom", "quality")
    started.pk("atom", "quality", "--below", "1")
    started.pk("atom", "new", "The page is fast.")
    out = started.pk("atom", "quality", "--below", "80", code=1).out
    assert "“fast”" in out
    assert "The page is fast." in out


def test_quality_of_one_atom_shows_reasons_and_suggestions(started):
    started.pk("atom", "new", "The page is fast.")
    name = started.pk("atom", "quality", "--below", "80", "--json", code=1).document["atoms"][0]["id"]
    out = started.pk("atom", "quality", name).out
    assert "unambiguous 9/15" in out
    assert "within 2 seconds" in out


def test_quality_names_the_rule_by_which_the_gate_would_refuse_a_good_score(started):
    started.pk("atom", "new", "It is shipped free over 20 euros.", "--outcome", "Shipping costs 0 euros.")
    (one,) = started.pk("atom", "quality", "--json").document["atoms"]
    assert one["score"] >= 80
    assert [refused["rule"] for refused in one["refused"]] == ["INV-003"]
    assert "the gate would refuse to commit this: INV-003" in started.pk("atom", "quality").out
    assert "INV-003" in started.pk("commit", one["id"], "--dry-run", code=1).out


def test_quality_refuses_nothing_that_the_gate_would_let_through(adopted):
    assert all(
        not one["refused"] for one in adopted.pk("atom", "quality", "--json").document["atoms"] if one["score"] == 100
    )


def test_words_of_the_project_change_the_score(started):
    started.pk("atom", "new", "Every certain key expires.")
    started.pk("atom", "quality", "--below", "80", code=1)
    started.write("pact/pact.toml", started.read("pact/pact.toml") + '\n[quality]\nclear_words = ["certain"]\n')
    started.pk("atom", "quality", "--below", "80")


def test_intake_shows_and_saves_nothing_unless_asked(started):
    started.write("docs/note.md", NOTE)
    out = started.pk("atom", "import", "docs/note.md").out
    assert "A basket keeps its items for 30 days." in out
    assert "docs/note.md:2" in out
    assert "because it tells somebody what to do" in out
    assert "2 atoms proposed" in out
    assert not (started.root / ".git/pact/intake").exists()


def test_intake_becomes_atoms_only_when_a_person_accepts(started):
    started.write("docs/note.md", NOTE)
    started.commit("Note")
    file = started.pk("atom", "import", "docs/note.md", "--write", "--json").document["file"]
    assert started.status() == ""
    started.pk("apply", file, "--all")
    text = started.read("pact/atoms/docs/note.md.toml")
    assert text.count('source = "intake"') == 2
    assert text.count('status = "proposed"') == 2
    assert 'origin = "docs/note.md:2"' in text


def test_intake_of_what_was_accepted_names_the_atoms(started):
    started.write("docs/note.md", NOTE)
    file = started.pk("atom", "import", "docs/note.md", "--write", "--json").document["file"]
    started.pk("apply", file, "--all")
    again = started.pk("atom", "import", "docs/note.md", "--json").document
    assert again["proposals"] == []
    assert [one["status"] for one in again["known"]] == ["proposed"] * 2


def test_intake_can_be_reviewed_one_by_one(started):
    started.write("docs/note.md", NOTE)
    found = started.pk("atom", "import", "docs/note.md", "--write", "--json").document
    review = json.loads(started.pk("review", found["file"], "--export", "-").out)
    for one in review["decisions"]:
        one["verdict"] = "accept" if "30 days" in one["shows"][0] else "reject"
    started.pk("review", found["file"], "--import", "-", feed=json.dumps(review))
    started.pk("apply", found["file"])
    assert started.read("pact/atoms/docs/note.md.toml").count(".intent = ") == 1


def test_intake_quotes_every_line_word_for_word(started):
    started.write("docs/note.md", NOTE)
    found = started.pk("atom", "import", "docs/note.md", "--json").document
    spans = [span for one in found["proposals"] for span in one["evidence"]]
    spans += [one["evidence"] for one in found["not_taken"]]
    lines = NOTE.splitlines()
    assert all("\n".join(lines[span["line"] - 1 : span["end_line"]]) == span["quote"] for span in spans)


def test_intake_reads_a_pipe_and_keeps_its_atoms_in_a_file_of_their_own(started):
    found = started.pk("atom", "import", "-", "--write", "--json", feed=NOTE).document
    assert found["source"] == "stdin"
    started.pk("apply", found["file"], "--all")
    assert 'origin = "stdin:2"' in started.read("pact/atoms/intake.toml")


def test_intake_reads_a_feature_by_its_name_and_from_a_pipe_by_its_first_line(started):
    feature = "Feature: F\n  Scenario: A basket is empty at first\n    Then the total is 0\n"
    started.write("shop.feature", feature)
    for found in (
        started.pk("atom", "import", "shop.feature", "--json"),
        started.pk("atom", "import", "-", "--json", feed=feature),
    ):
        assert [one["intent"] for one in found.document["proposals"]] == ["A basket is empty at first."]


def test_intake_names_what_it_cannot_read(started):
    assert "nowhere.md" in started.pk("atom", "import", "nowhere.md", code=2).err
    started.write("bad.md", b"\xff\xfe\x00")
    assert "UTF-8" in started.pk("atom", "import", "bad.md", code=2).err


def test_intake_of_a_file_elsewhere_is_named_without_its_folder(started, tmp_path):
    (tmp_path / "note.md").write_text(NOTE, encoding="utf-8")
    found = started.pk("atom", "import", str(tmp_path / "note.md"), "--write", "--json").document
    assert found["source"] == "note.md"
    started.pk("apply", found["file"], "--all")
    assert (started.root / "pact/atoms/intake.toml").is_file()


def test_intake_works_before_there_is_a_pact(project):
    assert len(project.pk("atom", "import", "-", "--json", feed=NOTE).document["proposals"]) == 2


@pytest.fixture
def table(started):
    started.write("tests/test_vague.py", "def test_one():\n    assert sum([1, 2]) == 3\n")
    sentence = "The sum of 90 numbers is kept."
    started.write("words.csv", f"test,sentence\ntests/test_vague.py::test_one,{sentence}\n")
    return sentence


def test_a_sentence_of_a_table_that_its_test_speaks_against_is_not_written(started, table):
    found = started.pk("words", "tests/test_vague.py", "--from", "words.csv", code=1)

    assert "'90' is not in the source" in found.err
    assert "1 sentence not accepted" in found.err
    assert not (started.root / "pact/atoms/tests/test_vague.py.toml").exists()


def test_a_corrected_table_is_taken_although_some_of_its_tests_have_their_words_by_now(started, table):
    started.write(
        "tests/test_vague.py", started.read("tests/test_vague.py") + "\n\ndef test_two():\n    assert [] == []\n"
    )
    rows = started.read("words.csv") + "tests/test_vague.py::test_two,An empty list equals an empty list.\n"
    started.write("words.csv", rows)
    started.pk("words", "tests/test_vague.py", "--from", "words.csv", code=1)
    started.write("words.csv", rows.replace(table, "The sum of two numbers is kept."))

    started.pk("words", "tests/test_vague.py", "--from", "words.csv")

    assert "The sum of two numbers is kept." in started.read("pact/atoms/tests/test_vague.py.toml")


def test_a_person_confirms_a_doubted_sentence_and_the_doubt_is_still_said(started, table):
    found = started.pk("words", "tests/test_vague.py", "--from", "words.csv", "--confirm")

    assert "'90' is not in the source" in found.err
    assert table in started.read("pact/atoms/tests/test_vague.py.toml")


def test_a_sheet_that_is_given_back_again_counts_no_test_twice(started, table):
    started.write(
        "tests/test_vague.py", started.read("tests/test_vague.py") + "\n\ndef test_two():\n    assert [] == []\n"
    )
    rows = started.read("words.csv") + "tests/test_vague.py::test_two,An empty list equals an empty list.\n"
    started.write("words.csv", rows)
    started.pk("words", "tests/test_vague.py", "--from", "words.csv", code=1)
    started.write("words.csv", rows.replace(table, "The sum of two numbers is kept."))
    assert (
        "2 of 2 tests have words; 0 still need some"
        in started.pk("words", "tests/test_vague.py", "--from", "words.csv").out
    )


def test_quality_says_refused_of_words_that_a_commitment_refuses_and_not_approve(started):
    started.pk("atom", "new", "It is shipped free over 20 euros.", "--outcome", "Shipping costs 0 euros.")
    out = started.pk("atom", "quality").out
    assert ("refused" in out, "approve" in out) == (True, False)


def test_quality_takes_no_points_from_words_that_it_cannot_judge(started):
    started.pk("atom", "new", "Die Bestellung wird kostenlos verschickt, wenn sie mehr als 20 Euro kostet.")
    out = started.pk("atom", "quality").out
    assert "not judged: German" in out
    assert ("−" in out, "/25" in out, "no outcome is written" in out) == (False, False, True)


def test_an_import_quotes_the_heading_and_the_whole_sentence_and_gives_no_verdict(project):
    project.pk("init")
    said = "Ada said that the system must refuse bookings on Sundays and on each public holiday, but nobody agreed."
    told = project.pk("atom", "import", "-", feed=f"# Notes\n\n## Rejected\n\n- A customer must pay.\n- {said}\n").out
    assert "duty, under 'Rejected': - A customer must pay." in told
    assert f"duty, under 'Rejected': - {said}" in told
    assert "approve" not in told
