from pactkeeper.health.suspecting import suspects
from pactkeeper.intent.health import Diagnostic
from pactkeeper.intent.structure import Edge, RepoStructure

FAILED = Diagnostic("test", "test", "error", "assert 1 == 2", test="tests/test_a.py::test_a", file="tests/test_a.py")


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


def test_a_failing_test_is_about_what_it_imports():
    assert suspects([FAILED], SHOP) == {FAILED.fingerprint: ("shop/cart.py", "shop/user.py")}


def test_what_changed_comes_alone_and_the_nearest_first():
    assert suspects([FAILED], SHOP, changed={"shop/rates.py", "shop/user.py"}) == {
        FAILED.fingerprint: ("shop/user.py", "shop/rates.py")
    }


def test_what_changed_and_is_not_reached_is_no_suspect():
    assert "shop/mail.py" not in suspects([FAILED], SHOP, changed={"shop/mail.py"})[FAILED.fingerprint]


def test_a_failure_without_a_test_file_has_no_suspects():
    assert suspects([Diagnostic("test", "test", "error", "boom", test="a")], SHOP) == {}


def test_an_error_of_a_compiler_is_suspected_only_of_imports_that_changed():
    error = Diagnostic("mypy", "compile", "error", "object? not callable", rule="misc", file="shop/cart.py")
    assert suspects([error], SHOP, changed={"shop/tax.py", "shop/rates.py"}) == {error.fingerprint: ("shop/tax.py",)}
    assert suspects([error], SHOP) == {error.fingerprint: ()}
