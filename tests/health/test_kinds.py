import pytest

from pactkeeper.health.tasking import kind_of
from pactkeeper.intent.health import UNREAD, Diagnostic


def wrong(category="test", message="it is wrong", **fields):
    return Diagnostic("x", category, "error", message, **fields)


@pytest.mark.parametrize(
    ("one", "kind"),
    [
        (wrong("conflict", file="a.py"), "conflict"),
        (wrong("lint", file="a.py", rule="F401"), "lint"),
        (wrong(rule="timeout"), "timeout"),
        (wrong(rule="SyntaxError", file="a.py"), "syntax"),
        (wrong("compile", rule="TS1005", file="a.ts"), "syntax"),
        (wrong("compile", "syntax error: unexpected newline", file="a.go"), "syntax"),
        (wrong(rule="SyntaxError", file="a.js", symbol="tax"), "test"),
        (wrong("compile", rule="TS2322", file="a.ts"), "types"),
        (wrong("compile", rule="arg-type", file="a.py"), "types"),
        (wrong("compile", rule="E0425", file="a.rs"), "build"),
        (wrong("compile", rule="TS5023", file="tsconfig.json"), "settings"),
        (wrong(rule=UNREAD, related=("pyproject.toml",)), "settings"),
        (wrong(rule=UNREAD, related=("pyproject.toml", "shop/tax.py")), "test"),
        (wrong("build", rule=UNREAD), "build"),
        (wrong(test="tests/test_a.py::test_x", file="jest.config.js"), "settings"),
        (wrong(rule="ModuleNotFoundError", message="No module named 'httpx'", symbol="httpx"), "dependency"),
        (wrong(rule="ModuleNotFoundError", message="No module named 'shop'", symbol="shop"), "test"),
    ],
)
def test_a_failure_has_the_kind_that_its_rule_and_place_say(one, kind):
    assert kind_of(one, {"shop"}) == kind


def test_a_failure_without_a_place_has_the_kind_of_the_files_it_may_come_from():
    assert kind_of(wrong(rule=UNREAD), set(), ["package.json"]) == "settings"
    assert kind_of(wrong(rule=UNREAD), set(), ["package.json", "src/a.js"]) == "test"
