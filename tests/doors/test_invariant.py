import json

import pytest

RULES = """\
[INV-101]
rule = "Every atom has two tests."
every = "atom"
needs = { min_tests = 2 }
code = "SHOP101"
"""


ATOMS = 'IA-1.intent = "A basket is empty at first."\nIA-2.intent = "A basket adds prices."\n'


@pytest.fixture
def ruled(project):
    """A pact of two atoms without tests, and a rule that asks for tests."""
    project.write("pact/pact.toml", '[pact]\nformat = 1\n[tests]\nexclude = ["**"]\n')
    project.write("pact/atoms/basket.toml", ATOMS)
    project.write("pact/invariants.toml", RULES)
    return project


def test_list_shows_every_rule_and_how_it_stands(ruled):
    lines = ruled.pk("invariant", "list").out.splitlines()
    assert [line.split()[0] for line in lines][:2] == ["INV-001", "INV-002"]
    assert lines[-1].split(maxsplit=3) == ["INV-101", "error", "blocks", "Every atom has two tests."]
    rows = {one["id"]: one for one in ruled.pk("invariant", "list", "--json").document["invariants"]}
    assert (rows["R002"]["severity"], rows["R002"]["blocking"], rows["R002"]["built_in"]) == ("warning", False, True)
    assert (rows["INV-101"]["needs"], rows["INV-101"]["line"]) == ({"min_tests": 2}, 1)


def test_show_explains_what_is_looked_at_where_and_how_to_fix_it(ruled):
    text = ruled.pk("invariant", "show", "INV-006").out
    assert "Only a person commits." in text
    assert "pk commit: who asks: asserted at a terminal" in text
    assert "cannot be overridden" in text
    declared = ruled.pk("invariant", "show", "INV-101").out
    assert "@atom ID" in declared
    assert "pact/invariants.toml:1" in declared


def test_test_fails_where_a_rule_that_blocks_is_broken_and_says_what_was_not_checked(ruled):
    done = ruled.pk("invariant", "test", code=1)
    assert "INV-101  failed       Every atom has two tests: not held by 2 of 2 atoms" in done.out
    assert "INV-007  not checked  evidence is immutable: what was recorded earlier is unknown" in done.out
    assert done.out.splitlines()[-1].endswith("in the working tree")
    assert ruled.pk("invariant", "test", "INV-001", "R003").out.count("passed") == 3


def test_test_in_json_has_every_finding_with_its_fix(ruled):
    document = ruled.pk("invariant", "test", "INV-101", "--json", code=1).document
    (rule,) = document["invariants"]
    assert (document["holds"], rule["status"], rule["blocking"], len(rule["findings"])) == (False, "failed", True, 2)
    assert all("@atom" in one["fix"] for one in rule["findings"])


def test_a_milder_rule_lets_the_test_pass(ruled):
    assert "does not block a commit" in ruled.pk("invariant", "severity", "INV-101", "warning").out
    ruled.pk("invariant", "test")


def test_a_rule_can_be_switched_off_and_on_and_check_shows_it(ruled):
    ruled.pk("invariant", "disable", "INV-101")
    assert "off" in ruled.pk("invariant", "list").out.splitlines()[-1]
    assert ruled.codes() == []
    ruled.pk("invariant", "enable", "INV-101")
    assert ruled.codes() == ["SHOP101"] * 2


def test_an_absolute_rule_stays_with_the_gate_when_checks_leave_it(ruled):
    ruled.write("pact/invariants.toml", "")
    assert "pk commit still enforces it" in ruled.pk("invariant", "disable", "INV-006").out
    (finding,) = ruled.pk("check", "--json").document["findings"]
    assert (finding["code"], finding["severity"], finding["subject"]) == ("PK310", "warning", "INV-006")


def test_an_unknown_rule_is_a_usage_error_with_a_hint(ruled):
    for words in (("show", "INV-11"), ("test", "INV-11"), ("disable", "INV-11")):
        assert "did you mean INV-1" in ruled.pk("invariant", *words, code=2).err


def test_check_names_the_rule_and_what_it_could_not_look_at(ruled):
    ruled.write("pact/invariants.toml", RULES + '[INV-102]\nevery = "test"\nneeds = { proven = true }\n')
    out = ruled.pk("check", code=1).out
    assert "error SHOP101 INV-101: has 0 linked tests, needs at least 2 (Every atom has two tests.)" in out
    assert "not checked here: INV-102; for the reasons: pk invariant test" in out
    document = ruled.pk("check", "--json", code=1).document
    assert {one["invariant"] for one in document["findings"]} == {"INV-101"}
    assert {one["id"]: one["status"] for one in document["invariants"]}["INV-102"] == "not checked"


def test_tools_get_a_projects_code_with_what_its_rule_says(ruled):
    place = ruled.root / "found.sarif"
    out = ruled.pk("check", "--github", "--sarif", str(place), code=1).out
    assert "title=SHOP101 INV-101::" in out
    (rule,) = json.loads(place.read_text())["runs"][0]["tool"]["driver"]["rules"]
    assert (rule["id"], rule["name"], rule["shortDescription"]["text"]) == (
        "SHOP101",
        "INV-101",
        "Every atom has two tests.",
    )


def test_a_waiver_holds_a_projects_finding_back(ruled):
    (first, *_) = ruled.pk("check", "--json", code=1).document["findings"]
    ruled.write(
        "pact/waivers.toml", f'"SHOP101 {first["subject"]}" = {{ by = "ada", why = "soon", until = 2999-01-01 }}\n'
    )
    assert ruled.codes() == ["SHOP101"]


def test_a_rule_with_a_wrong_key_stops_every_command_with_its_line(ruled):
    ruled.write("pact/invariants.toml", RULES.replace("min_tests", "tests"))
    for words in (("check",), ("invariant", "list")):
        assert "pact/invariants.toml:4: needs is {'tests': 2}; 'tests' is not a key" in ruled.pk(*words, code=2).err
