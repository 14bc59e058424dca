from dataclasses import replace

from pactkeeper.health.changes import Changed, suspects
from pactkeeper.health.grouping import group
from pactkeeper.intent.health import Diagnostic
from pactkeeper.intent.structure import Edge, RepoStructure

FAILED = Diagnostic("test", "test", "error", "assert 1 == 2", test="tests/test_a.py::test_a", file="tests/test_a.py")


def changed(*paths):
    return dict.fromkeys(paths, Changed())


def words(before="", after=""):
    return Changed(frozenset(before.split()), frozenset(after.split()))


def compiled(message, file="src/b.go", **fields):
    return Diagnostic("build", "build", "error", message, file=file, **fields)


def structure(*imports):
    edges = tuple(Edge(importer, imported, number) for number, (importer, imported) in enumerate(imports, start=1))
    return RepoStructure((), edges, (), ())


SHOP = structure(
    ("tests/test_a.py", "tests/helpers.py"),
    ("tests/test_a.py", "shop/cart.py"),
    ("tests/test_a.py", "shop/user.py"),
    ("shop/cart.py", "shop/tax.py"),
    ("shop/tax.py", "shop/rates.py"),
)


def test_a_failing_test_leads_to_what_its_fixtures_import():
    given = structure(("tests/conftest.py", "shop/cart.py"))
    assert suspects([FAILED], given, changed("shop/cart.py")) == {FAILED.fingerprint: ("shop/cart.py",)}


def test_a_failing_test_is_about_what_it_imports():
    assert suspects([FAILED], SHOP, {}) == {FAILED.fingerprint: ("shop/cart.py", "shop/user.py")}


def test_what_changed_comes_alone_and_the_nearest_first():
    assert suspects([FAILED], SHOP, changed("shop/rates.py", "shop/user.py")) == {
        FAILED.fingerprint: ("shop/user.py", "shop/rates.py")
    }


def test_what_changed_and_is_not_reached_is_no_suspect():
    assert "shop/mail.py" not in suspects([FAILED], SHOP, changed("shop/mail.py"))[FAILED.fingerprint]


def test_a_failure_without_a_test_file_has_no_suspects():
    failed = Diagnostic("test", "test", "error", "boom", test="a")
    assert suspects([failed], SHOP, changed("shop/cart.py", "Makefile")) == {failed.fingerprint: ()}


def test_an_error_of_a_compiler_is_suspected_only_of_imports_that_changed():
    error = Diagnostic("mypy", "compile", "error", "object? not callable", rule="misc", file="shop/cart.py")
    assert suspects([error], SHOP, changed("shop/tax.py", "shop/rates.py")) == {error.fingerprint: ("shop/tax.py",)}
    assert suspects([error], SHOP, {}) == {error.fingerprint: ()}


def test_a_test_that_alone_changed_has_nothing_but_itself():
    changes = changed("tests/test_a.py", "shop/mail.py")
    assert suspects([FAILED], SHOP, changes) == {FAILED.fingerprint: ("tests/test_a.py",)}


def test_a_test_that_changed_with_what_it_leads_to_comes_last():
    changes = changed("tests/test_a.py", "shop/cart.py", "shop/user.py", "shop/tax.py")
    found = suspects([FAILED], SHOP, changes)[FAILED.fingerprint]
    assert found == ("shop/cart.py", "shop/user.py", "tests/test_a.py")


def test_where_imports_are_not_read_changed_files_beside_the_test_come_first():
    failed = Diagnostic("test", "test", "error", "got 1, want 2", test="pricing.TestA", file="pricing/a_test.go")
    changes = changed("models/models.go", "pricing/tax.go", "pricing/b_test.go", "README.md")
    assert suspects([failed], SHOP, changes) == {failed.fingerprint: ("pricing/tax.go", "models/models.go")}


def test_where_imports_are_not_read_the_file_that_a_test_is_named_for_comes_first():
    failed = Diagnostic("test", "test", "error", "no error", test="test_parse", file="tests/version.rs")
    changes = changed("build.rs", "src/error.rs", "src/eval.rs", "src/parse.rs")
    assert suspects([failed], SHOP, changes)[failed.fingerprint][0] == "src/parse.rs"


def test_the_file_that_lost_the_name_in_the_message_is_the_one():
    error = compiled("undefined: models.Line", rule="undefined", symbol="models.Line")
    changes = {"models/models.go": words("type Line struct", "type Row struct"), "other.go": words("Other", "Line")}
    assert suspects([error], SHOP, changes) == {error.fingerprint: ("models/models.go",)}


def test_a_function_that_changed_on_the_line_of_its_name_is_the_one():
    error = compiled('Missing positional argument "depth" in call to "push"', "a.py", rule="call-arg")
    changes = {"globals.py": words("def push ctx", "def push ctx depth int"), "b.py": words("ctx", "context")}
    assert suspects([error], SHOP, changes) == {error.fingerprint: ("globals.py",)}


def test_two_files_that_lost_the_name_name_none():
    error = compiled("undefined: Line", rule="undefined", symbol="Line")
    assert suspects([error], SHOP, {"a.go": words("Line"), "b.go": words("Line")}) == {}


def test_a_word_of_every_message_names_nothing():
    error = compiled("Argument of type 'string' is not assignable to parameter of type 'number'.", rule="TS2345")
    assert suspects([error], SHOP, {"a.ts": words("string", "number")}) == {}


def test_a_field_that_is_called_as_a_type_is_still_a_name():
    error = compiled('"Order" has no attribute "number"', "a.py", rule="attr-defined", symbol="Order.number")
    changes = {"models.py": words("number int", "ident int"), "b.py": words("", "Order")}
    assert suspects([error], SHOP, changes) == {error.fingerprint: ("models.py",)}


def test_an_assertion_is_not_searched_for_names():
    failed = Diagnostic(
        "t", "test", "error", "assert 'mail' == 'post'", test="tests/test_a.py::t", file="tests/test_a.py"
    )
    changes = {"shop/mail.py": words("mail", "post"), "shop/user.py": words("x")}
    assert suspects([failed], SHOP, changes) == {failed.fingerprint: ("shop/user.py",)}


def missing(module):
    message = f"No module named {module!r}"
    return replace(FAILED, message=message, rule="ModuleNotFoundError", test="tests/test_a.py::test_b", symbol=module)


# @atom IA-WSH0CH6
def test_a_fixture_that_is_missing_is_no_fault_of_what_the_test_leads_to():
    failed = replace(FAILED, message="fixture 'httpbin' not found", rule="", symbol="")
    assert suspects([failed], SHOP, changed("shop/tax.py")) == {failed.fingerprint: ()}


def test_a_foreign_module_that_is_missing_is_no_fault_of_what_the_test_leads_to():
    assert suspects([missing("nosuchmodule")], SHOP, changed("shop/tax.py")) == {
        missing("nosuchmodule").fingerprint: ()
    }


def test_a_module_of_the_project_that_is_missing_may_come_from_what_changed():
    found = suspects([missing("shop.fees")], SHOP, changed("shop/tax.py"))
    assert found == {missing("shop.fees").fingerprint: ("shop/tax.py",)}


def test_a_missing_foreign_module_has_a_task_of_its_own_beside_a_failure_that_changed_code_explains():
    failing = [FAILED, missing("nosuchmodule")]
    found = group(failing, suspects=suspects(failing, SHOP, changed("shop/tax.py")))
    assert [(one.cause.kind, one.scope) for one in found] == [
        ("origin", ("shop/tax.py",)),
        ("symbol", ("tests/test_a.py",)),
    ]


def nowhere(message):
    return Diagnostic("docs", "build", "error", message, rule="output")


def test_a_failure_without_a_place_may_come_from_the_changed_files_that_share_its_words():
    one = nowhere("unknown option stricter")
    changes = {"a.py": words("x", "y"), "tool.cfg": words("strict", "stricter"), "notes.md": words("", "prices")}
    assert suspects([one], SHOP, changes) == {one.fingerprint: ("tool.cfg",)}


def test_a_failure_may_come_from_a_text_that_has_its_words_where_no_code_has_them():
    one = nowhere("dead link setings.html")
    changes = {"a.py": words("x", "y"), "pages/nav.txt": words("settings", "setings")}
    assert suspects([one], SHOP, changes) == {one.fingerprint: ("pages/nav.txt",)}


def test_a_failure_that_says_nothing_may_come_from_the_few_files_that_changed_and_from_none_of_many():
    one = nowhere("it printed nothing")
    few = {"a.py": words("", "y"), "notes.md": words("", "prices")}
    assert suspects([one], SHOP, few) == {one.fingerprint: ("a.py",)}
    assert suspects([one], SHOP, changed("a.py", "b.py", "c.py", "d.py")) == {one.fingerprint: ()}
