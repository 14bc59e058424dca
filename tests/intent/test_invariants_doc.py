"""docs/invariants.md against the rules themselves."""

from pathlib import Path

import pytest

from pactkeeper.intent.invariants import RULES

PAGE = (Path(__file__).parents[2] / "docs/invariants.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", RULES)
def test_the_page_says_of_a_rule_what_the_rule_says_of_itself(name):
    rule = RULES[name]
    section = PAGE.partition(f"### {name} {rule.name}\n")[2].partition("\n#")[0]
    blocks = "stops a commit" if rule.severity == "error" else "does not stop a commit"
    overridable = "can be overridden" if rule.overridable else "cannot be overridden"
    assert f"{rule.text} {rule.why}" in section
    assert all(f"- {context}: {what}." in section for context, what in rule.checked.items())
    assert f"`{rule.code}`, {rule.severity}, {blocks}, {overridable}. {rule.fix}" in section


def test_the_page_describes_no_rule_that_does_not_exist():
    assert [line.split()[1] for line in PAGE.splitlines() if line.startswith("### ")] == list(RULES)
