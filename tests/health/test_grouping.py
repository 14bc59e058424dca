import pytest

from pactkeeper.health.causes import Cause
from pactkeeper.health.grouping import describe, group, slug
from pactkeeper.intent.health import Diagnostic


def compiled(file, message, *, rule="TS2305", line=1, **fields):
    return Diagnostic("compile", "compile", "error", message, rule=rule, file=file, line=line, **fields)


def ran(test, message, **fields):
    return Diagnostic("test", "test", "error", message, test=test, **fields)


def files(found):
    return [(one.cause.kind, one.scope, len(one.diagnostics)) for one in found]


def test_a_renamed_type_is_one_cause_wherever_it_is_used():
    found = group(
        compiled(f"src/{name}.ts", "Cannot find name 'User'.", rule="TS2304", symbol="User", line=line)
        for name, line in (("a", 1), ("a", 9), ("b", 2))
    )
    assert files(found) == [("symbol", ("src/a.ts", "src/b.ts"), 3)]


def test_a_lost_export_takes_the_file_that_had_it_first():
    lost = "Module '\"./models\"' has no exported member '{}'."
    found = group(
        compiled(file, lost.format(name), symbol=name, related=("src/models.ts",))
        for file, name in (("src/a.ts", "User"), ("src/b.ts", "Order"))
    )
    assert files(found) == [("module", ("src/models.ts", "src/a.ts", "src/b.ts"), 2)]


def test_an_interface_whose_callers_break_is_one_cause():
    wrong = "Argument of type 'string' is not assignable to parameter of type 'UserId'."
    found = group(compiled(f"src/{name}.ts", wrong, rule="TS2345") for name in "bc")
    assert files(found) == [("interface", ("src/b.ts", "src/c.ts"), 2)]


def test_one_call_that_does_not_fit_is_mended_before_the_definition_is_touched():
    wrong = "Argument of type 'string' is not assignable to parameter of type 'UserId'."
    (found,) = group([compiled("src/b.ts", wrong, rule="TS2345", related=("src/ids.ts",))])
    assert found.scope == ("src/b.ts", "src/ids.ts")


def test_an_error_in_a_file_and_another_that_leads_to_it_alone_are_one_cause():
    broken = compiled("package.json", "Error parsing package.json", rule="SyntaxError")
    npm = Diagnostic("test", "test", "error", "npm error code EJSONPARSE", rule="output", related=("package.json",))
    found = group([broken, npm], suspects={npm.fingerprint: ("package.json",)})
    assert [(one.scope, len(one.diagnostics)) for one in found] == [(("package.json",), 2)]


def test_errors_that_name_nothing_belong_to_the_one_import_that_changed():
    errors = [compiled(f"src/{name}.ts", "Type error", rule="TS1") for name in "bc"]
    found = group(errors, suspects={one.fingerprint: ("src/a.ts",) for one in errors})
    assert files(found) == [("origin", ("src/a.ts", "src/b.ts", "src/c.ts"), 2)]


def test_tests_of_several_files_that_lead_to_one_file_are_one_cause():
    failing = [ran(f"tests/test_{name}.py::test_it", "assert 1 == 2", file=f"tests/test_{name}.py") for name in "ab"]
    (found,) = group(failing, suspects={one.fingerprint: ("shop/tax.py",) for one in failing})
    assert found.scope == ("shop/tax.py",)
    assert found.cause == Cause("origin", "shop/tax.py")


def test_different_names_that_one_changed_file_lost_are_one_cause_with_that_file_first():
    errors = [
        compiled("src/b.go", f"undefined: models.{name}", rule="undefined", symbol=name, line=number)
        for number, name in enumerate(("Line", "Order"), start=1)
    ]
    found = group(errors, suspects={one.fingerprint: ("models/models.go",) for one in errors})
    assert files(found) == [("origin", ("models/models.go", "src/b.go"), 2)]


def test_one_lost_name_puts_the_changed_file_before_its_use():
    error = compiled("src/b.go", "undefined: models.Line", rule="undefined", symbol="Line")
    found = group([error], suspects={error.fingerprint: ("models/models.go",)})
    assert files(found) == [("symbol", ("models/models.go", "src/b.go"), 1)]


def test_a_test_that_changed_too_is_in_the_scope_and_no_cause():
    failing = ran("tests/test_a.py::test_it", "assert 1 == 2", file="tests/test_a.py")
    (found,) = group([failing], suspects={failing.fingerprint: ("shop/tax.py", "tests/test_a.py")})
    assert (found.cause, found.scope) == (Cause("origin", "shop/tax.py"), ("shop/tax.py", "tests/test_a.py"))


def test_errors_that_name_nothing_stay_apart_where_several_imports_changed():
    errors = [compiled(f"src/{name}.ts", "Type error", rule="TS1") for name in "bc"]
    found = group(errors, suspects={one.fingerprint: ("src/a.ts", "src/d.ts") for one in errors})
    assert files(found) == [("file", ("src/b.ts",), 1), ("file", ("src/c.ts",), 1)]


def test_an_error_that_names_nothing_follows_from_the_one_cause_in_its_file():
    lost = compiled("a.py", 'Name "subtotal" is not defined', rule="name-defined", symbol="subtotal")
    any_ = compiled("a.py", "Returning Any from function declared to return a number", rule="no-any-return", line=9)
    assert files(group([lost, any_])) == [("symbol", ("a.py",), 2)]
    assert len(group([lost, any_, compiled("a.py", 'Name "x" is not defined', rule="name-defined", symbol="x")])) == 3


# @atom IA-Q80QF18
@pytest.mark.parametrize("words", ["fixture 'httpbin' not found", "recursive dependency involving fixture 'httpbin'"])
def test_a_fixture_that_nobody_provides_is_one_cause_in_all_files(words):
    (found,) = group(ran(f"tests/test_{name}.py::t", words, file=f"tests/test_{name}.py") for name in "ab")
    assert found.cause == Cause("symbol", "fixture httpbin")
    assert set(found.scope) == {"tests/test_a.py", "tests/test_b.py"}


def test_two_names_in_one_file_are_two_causes():
    found = group(compiled("a.go", f"undefined: {name}", rule="undefined", symbol=name) for name in ("Total", "Price"))
    assert files(found) == [("symbol", ("a.go",), 1), ("symbol", ("a.go",), 1)]


def test_attributes_of_one_name_on_two_types_are_two_causes():
    lost = "Property 'id' does not exist on type '{}'."
    found = group(compiled("a.ts", lost.format(kind), rule="TS2339", symbol="id") for kind in ("User", "Order"))
    assert [one.cause.about for one in found] == ["User.id", "Order.id"]


def test_many_tests_that_fail_at_one_place_of_the_product_are_one_cause():
    found = group(
        ran(f"tests/test_a.py::test_{name}", "ZeroDivisionError: division by zero", rule="ZeroDivisionError",
               file="shop/tax.py", line=12, related=("tests/test_a.py",))
        for name in "abc"
    )  # fmt: skip
    assert files(found) == [("frame", ("shop/tax.py",), 3)]


def test_the_same_exception_at_two_places_is_two_causes():
    found = group(ran(f"t::{line}", "KeyError: 'x'", rule="KeyError", file="shop.py", line=line) for line in (1, 2))
    assert len(found) == 2


def test_a_failing_test_never_makes_its_own_file_the_scope_where_the_product_is_known():
    (found,) = group([ran("t", "assert 1 == 2", file="tests/test_a.py", line=3, related=("shop/tax.py",))])
    assert found.scope == ("shop/tax.py",)


def test_the_files_of_a_test_do_not_join_failures_of_different_names():
    lost = "AttributeError: module 'shop' has no attribute '{}'"
    found = group(
        ran(f"tests/test_a.py::test_{name}", lost.format(name), rule="AttributeError", symbol=name,
               file="tests/test_a.py", line=line, related=("tests/conftest.py",))
        for line, name in enumerate(("login", "price"), start=1)
    )  # fmt: skip
    assert [one.cause for one in found] == [Cause("symbol", "shop.login"), Cause("symbol", "shop.price")]


def test_conflicts_are_taken_a_few_files_at_a_time():
    marks = [Diagnostic("conflicts", "conflict", "error", "<<<<<<<", file=f"f{number}.ts") for number in range(7)]
    assert [one.scope for one in group(marks)] == [("f0.ts", "f1.ts", "f2.ts"), ("f3.ts", "f4.ts", "f5.ts"), ("f6.ts",)]


def test_what_else_fails_in_a_file_with_conflict_markers_is_no_task_of_its_own():
    mark = Diagnostic("conflicts", "conflict", "error", "<<<<<<<", file="a.ts")
    torn = compiled("a.ts", "Merge conflict marker encountered.", rule="TS1185")
    other = compiled("b.ts", "Cannot find name 'User'.", rule="TS2304", symbol="User")
    assert files(group([mark, torn, other])) == [("conflict", ("a.ts",), 2), ("symbol", ("b.ts",), 1)]


def test_no_group_names_more_files_than_allowed():
    found = group(
        (
            compiled(f"src/f{number}.ts", "Cannot find name 'User'.", rule="TS2304", symbol="User")
            for number in range(9)
        ),
        most_files=2,
    )
    assert files(found) == [("symbol", ("src/f0.ts", "src/f1.ts"), 9)]


def test_a_description_quotes_the_exact_error_with_its_place():
    (found,) = group(
        [compiled("src/a.ts", "Cannot find name 'User'.", rule="TS2304", symbol="User", line=42, column=7)]
    )
    assert describe(found).splitlines() == [
        "Fix an error about 'User': TS2304 Cannot find name 'User'.",
        "- src/a.ts:42:7 TS2304 Cannot find name 'User'.",
        "Change only what fixes this; add nothing else, and leave the tests as strict as they are.",
    ]


def test_a_description_names_the_committed_atoms_that_are_broken():
    (found,) = group([ran("t", "assert 1 == 2", file="shop.py", line=3)])
    assert "This breaks committed atoms: IA-0000001." in describe(found, proves={found.fingerprints[0]: ["IA-0000001"]})


def test_description_begins_with_what_breaks_a_commitment_and_says_its_sentence():
    fine, grave = (ran(name, "assert 1 == 2", file="shop.py", line=3) for name in ("test_total", "test_refund"))
    (found,) = group([fine, grave])
    said = describe(found, proves={grave.fingerprint: ["IA-1"]}, sentences={"IA-1": "A refund takes 14 days."})
    assert said.startswith("Fix test_refund and test_total")
    assert "- IA-1: A refund takes 14 days." in said.splitlines()


def test_many_errors_of_one_cause_are_counted_rather_than_listed():
    (found,) = group(compiled("a.ts", "Cannot find name 'X'.", rule="TS2304", symbol="X", line=n) for n in range(1, 50))
    assert "- and 44 more of the same cause" in describe(found)


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (Cause("symbol", "User.createOrder"), "symbol-user-createorder"),
        (Cause("conflict", "a.ts, b.ts"), "conflict"),
        (Cause("file", "../../etc;rm -rf $HOME"), "file-etc-rm-rf-home"),
        (Cause("file", "файл.py"), "file-py"),
    ],
)
def test_a_branch_is_named_in_plain_letters(cause, words):
    assert slug(cause) == words


def test_a_test_that_leads_to_a_file_with_one_error_of_a_compiler_is_mended_with_it():
    wrong = compiled("shop/cart.py", "Incompatible return value type", rule="return-value")
    failing = ran("tests/test_cart.py::test_total", "assert '357' == 357", file="tests/test_cart.py")
    other = ran("tests/test_tax.py::test_tax", "assert 1 == 2", file="tests/test_tax.py")
    led = {failing.fingerprint: ("shop/cart.py",), other.fingerprint: ("shop/tax.py",)}
    assert [one.diagnostics for one in group([wrong, failing, other], suspects=led)] == [(wrong, failing), (other,)]
