import pytest

from pactkeeper.errors import UsageError
from pactkeeper.operators.history import explain_policy
from tests.operators.atoms import run

RULE = """\
[pact]
format = 1

[[policy.rule]]
name = "agents"
permission = "deny"
why = "agents wait"
actors = ["agent"]

[[policy.rule]]
name = "frozen"
permission = "deny"
why = "release week"
risks = ["annotate"]
"""

GRANT = """
[[policy.rule]]
name = "quick"
permission = "auto"
why = "quicker"
"""


def explained(shop, name):
    return run(shop, explain_policy, name)


def test_ruling_names_the_projects_rule_and_what_was_passed_over(shop):
    shop.write("pact/pact.toml", RULE)
    ruling = explained(shop, shop.reconcile().patch.ops[0].id).ruling
    assert (ruling.permission, ruling.rule) == ("deny", "frozen")
    assert [name for name, _ in ruling.passed_over] == ["agents"]


def test_without_rules_of_the_project_the_defaults_decide(shop):
    ruling = explained(shop, shop.reconcile().patch.ops[0].id).ruling
    assert (ruling.permission, ruling.rule) == ("ask", "reviewed")


def test_unknown_op_is_named(shop):
    shop.reconcile()
    with pytest.raises(UsageError, match="op-nothing"):
        explained(shop, "op-nothing")


def test_rules_count_as_they_are_committed_but_a_stricter_one_at_once(shop):
    shop.write("pact/pact.toml", RULE)
    shop.save("policy")
    op = shop.reconcile().patch.ops[0].id
    shop.write("pact/pact.toml", "[pact]\nformat = 1\n" + GRANT)
    assert (explained(shop, op).ruling.permission, explained(shop, op).ruling.rule) == ("deny", "frozen")
    shop.write("pact/pact.toml", "[pact]\nformat = 1\n" + GRANT.replace("auto", "ask"))
    assert (explained(shop, op).ruling.permission, explained(shop, op).ruling.rule) == ("ask", "quick")
    shop.git("commit", "-qam", "granted")
    assert explained(shop, op).ruling.rule == "quick"
