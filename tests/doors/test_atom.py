"""`pk atom` and `pk atom supersede` as people type them."""

import pytest

from tests.doors.terminals import seen_at_a_terminal

DECLARED = """\
IA-001.intent = "A revoked token is refused."
IA-001.category = "security"
IA-001.tags = ["login"]
IA-001.origin = "web/slug.test.ts::slug::joins"

IA-002.intent = "A basket holds ten items."
IA-002.outcomes = ["The count is 10."]
IA-002.tags = ["basket"]

IA-003.intent = "An invoice is sent."
IA-003.status = "proposed"
IA-003.source = "ticket"
IA-003.tags = ["basket", "login"]
"""


@pytest.fixture
def atoms(project):
    """Ids by sentence."""
    project.write("pact/pact.toml", "[pact]\nformat = 1\n")
    project.write("pact/atoms/authored.toml", DECLARED)
    return {
        "A revoked token is refused.": "IA-001",
        "A basket holds ten items.": "IA-002",
        "An invoice is sent.": "IA-003",
    }


def test_new_atom_with_poor_words_is_told_its_score_at_once(project):
    project.write("pact/pact.toml", "[pact]\nformat = 1\n")
    out = project.pk("atom", "new", "Guests can check out quickly and easily").out
    assert "quality  63 revise; a commitment asks for more:" in out
    refined = project.pk("atom", "refine", "A refund takes 14 days.", "--outcome", "On day 15 it is refused.").out
    assert "no outcome says what is seen" not in refined


def intents(project, *options):
    return [one["intent"] for one in project.pk("atom", "list", "--json", *options).document["atoms"]]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--status", "proposed"), ["An invoice is sent."]),
        (("--category", "security"), ["A revoked token is refused."]),
        (("--source", "ticket"), ["An invoice is sent."]),
        (("--tag", "login", "--sort", "intent"), ["A revoked token is refused.", "An invoice is sent."]),
        (("--text", "Count BASKET"), ["A basket holds ten items."]),
        (("--sort", "intent", "--order", "desc", "--limit", "1"), ["An invoice is sent."]),
        (("--sort", "intent", "--limit", "2", "--page", "2"), ["An invoice is sent."]),
        (("--page", "9"), []),
    ],
)
def test_list_shows_what_is_asked_for(project, atoms, options, expected):
    assert intents(project, *options) == expected


def test_list_says_how_many_pages_there_are(project, atoms):
    found = project.pk("atom", "list", "--limit", "2")
    assert found.out.splitlines()[-1] == "3 atoms; page 1 of 2; --page 2 goes on"
    assert project.pk("atom", "list", "--limit", "2", "--json").document["pages"] == 2


def test_list_by_path_knows_where_an_atom_came_from(project, atoms):
    below = project.pk("-C", "web", "atom", "list", "--path", "slug.test.ts", "--json").document["atoms"]
    assert [one["id"] for one in below] == ["IA-001"]
    assert intents(project, "--path", "web") == intents(project, "--path", "web/**") == ["A revoked token is refused."]
    assert intents(project, "--path", "tests") == []


def test_list_says_which_tests_prove_each_atom_and_why_none_does(project, atoms):
    project.write("tests/test_basket.py", "# @atom IA-002\ndef test_ten():\n    assert len(basket) == 10\n")
    listed = project.pk("atom", "list", "--backing").out
    assert "    backed by tests/test_basket.py::test_ten\n" in listed
    assert "    no test backs it: no test is linked to it\n" in listed
    assert intents(project, "--backing", "backed") == ["A basket holds ten items."]
    found = project.pk("atom", "list", "--backing", "unbacked", "--json").document
    assert [one["backing"]["backed"] for one in found["atoms"]] == [False, False]
    assert found["total"] == 2
    assert "no test backs it" in project.pk("atom", "show", "IA-003").out
    assert "no test backs it" in project.pk("explain", "IA-003").out
    assert "backing" not in project.pk("atom", "list", "--json").document["atoms"][0]


def test_search_puts_the_best_first_and_says_when_there_is_nothing(project, atoms):
    found = project.pk("atom", "search", "basket", "items", "--json").document["atoms"]
    assert [(one["intent"], one["matched"]) for one in found] == [
        ("A basket holds ten items.", ["basket", "items"]),
        ("An invoice is sent.", ["basket"]),
    ]
    assert project.pk("atom", "search", "walrus").out == "no atom matches\n"


def test_tags_and_stats_count(project, atoms):
    tags = project.pk("atom", "tags", "--json").document["tags"]
    assert tags == [{"tag": "basket", "atoms": 2}, {"tag": "login", "atoms": 2}]
    stats = project.pk("atom", "stats", "--json").document
    assert (stats["total"], stats["status"]) == (3, {"draft": 2, "proposed": 1})
    assert project.pk("atom", "stats", "--status", "proposed", "--json").document["total"] == 1


def test_show_prints_everything_that_the_atom_says(project, atoms):
    out = project.pk("atom", "show", atoms["A basket holds ten items."]).out
    assert "A basket holds ten items." in out
    assert "The count is 10." in out
    assert "pact/atoms/authored.toml:" in out


def test_same_sentence_is_refused_with_the_id_that_has_it(project, atoms):
    sentence = "A revoked token is refused."
    assert atoms[sentence] in project.pk("atom", "new", sentence.upper(), code=2).err
    assert project.pk("atom", "new", sentence, "--anyway", "--json").document["atom"] != atoms[sentence]


def test_edit_without_options_wants_a_terminal(project, atoms):
    error = project.pk("atom", "edit", atoms["An invoice is sent."], code=2, env={"EDITOR": "true"}).err
    assert "no terminal to ask at" in error
    assert "--intent" in error


def test_edit_in_an_editor_shows_the_diff_and_needs_no_shell(project, atoms, tmp_path):
    marker = tmp_path / "shell"
    editor = f"sed -i s/ten/twenty/ -- ; touch {marker}"
    atom = atoms["A basket holds ten items."]
    printed, code = seen_at_a_terminal(project, "atom", "edit", atom, VISUAL="", EDITOR=editor)
    assert not marker.exists()
    assert code == 2
    printed, code = seen_at_a_terminal(
        project, "atom", "edit", atom, VISUAL="", EDITOR="sed -i 's/ten items/twenty items/'"
    )
    assert code == 0
    assert f'+{atom}.intent = "A basket holds twenty items."' in printed
    assert project.pk("atom", "show", atom, "--json").document["intent"] == "A basket holds twenty items."


def test_text_that_cannot_be_read_changes_nothing_and_names_the_line(project, atoms):
    atom = atoms["A basket holds ten items."]
    printed, code = seen_at_a_terminal(
        project, "atom", "edit", atom, VISUAL="", EDITOR="sed -i s/category/colour/", typed=b"n\n"
    )
    assert code == 2
    assert "'colour' is not a key" in printed
    assert project.pk("atom", "show", atom, "--json").document["category"] == "functional"


def test_abandoning_wants_a_reason(project, atoms):
    atom = atoms["An invoice is sent."]
    project.pk("atom", "abandon", atom, code=2)
    project.pk("atom", "abandon", atom, "--reason", "No invoices any more.")
    shown = project.pk("atom", "show", atom, "--json").document
    assert (shown["status"], shown["reason"]) == ("abandoned", "No invoices any more.")


def test_supersede_wants_an_atom_or_words_and_not_both(project, atoms):
    old, new = list(atoms.values())[:2]
    project.pk("atom", "supersede", old, code=2)
    project.pk("atom", "supersede", old, new, "--intent", "Both are said.", code=2)
    done = project.pk("atom", "supersede", old, new, "--json").document
    assert (done["old"], done["new"], done["status"]) == (old, new, "superseded")
    history = project.pk("atom", "history", new, "--json").document
    assert [row["id"] for row in history["chain"]] == [old, new]


def test_history_names_the_commits_that_changed_the_table_and_no_others(project, atoms):
    atom = atoms["A basket holds ten items."]
    project.commit("Declare three atoms")
    project.pk("atom", "edit", atoms["An invoice is sent."], "--tag", "x")
    project.commit("Change another atom")
    project.pk("atom", "edit", atom, "--tag", "x")
    project.commit("Change this atom")
    revisions = project.pk("atom", "history", atom, "--json").document["revisions"]
    assert [one["subject"] for one in revisions] == ["Change this atom", "Declare three atoms"]
    assert (
        "not in a git commit yet"
        in project.pk("atom", "history", project.pk("atom", "new", "It is new.", "--json").document["atom"]).out
    )


def test_draft_that_replaces_a_draft_is_told_in_one_true_sentence(project, atoms):
    old, new = list(atoms.values())[:2]
    out = project.pk("atom", "supersede", old, new).out
    assert f"{old} is superseded by {new}" in out
    assert "once it is committed" not in out


def test_a_successor_in_other_words_keeps_no_outcome_that_was_read_from_a_test(project, atoms):
    old = atoms["A revoked token is refused."]
    project.pk(
        "atom", "edit", old, "--outcome", "`assert check(token) == 401`", "--outcome", "Whoever holds it is told why."
    )
    done = project.pk("atom", "supersede", old, "--intent", "A revoked token gets a new one.", "--json").document
    shown = project.pk("atom", "show", done["new"], "--json").document
    assert shown["outcomes"] == ["Whoever holds it is told why."]
    assert done["dropped"] == ["`assert check(token) == 401`"]
