import pytest

from pactkeeper.health.causes import Cause, title
from pactkeeper.intent.health import Diagnostic


def failed(name, message="assert 7 == 10", file="tests/test_basket.py"):
    return Diagnostic("tests", "test", "error", message, test=f"{file}::{name}", file=file)


def compiled(message, rule="TS2304"):
    return Diagnostic("types", "compile", "error", message, rule=rule, file="a.ts")


FILE = Cause("file", "tests/test_basket.py")


def test_one_failing_test_is_named_with_what_it_said():
    assert title(FILE, [failed("test_total")]) == "Fix test_total in tests/test_basket.py: assert 7 == 10"


def test_two_failing_tests_are_both_named():
    told = title(FILE, [failed("test_a"), failed("test_b")])
    assert told == "Fix test_a and test_b in tests/test_basket.py: assert 7 == 10"


def test_of_many_failing_tests_the_first_is_named():
    told = title(FILE, [failed(f"test_{name}") for name in "abc"])
    assert told == "Fix 3 tests, first test_a in tests/test_basket.py: assert 7 == 10"


def test_tests_that_lead_to_one_file_say_so():
    told = title(Cause("origin", "shop/tax.py"), [failed("test_a"), failed("test_b", file="tests/test_c.py")])
    assert told == "Fix test_a and test_b, by way of shop/tax.py: assert 7 == 10"


def test_an_address_is_left_out():
    told = title(FILE, [failed("test_a", "assert <Basket object at 0x7f30aa> == 1")])
    assert told == "Fix test_a in tests/test_basket.py: assert <Basket object> == 1"


def test_the_package_of_a_test_is_left_out():
    one = Diagnostic("t", "test", "error", "got 1", test="example.com/shop/tax.TestRate/#03", file="tax/tax_test.go")
    assert title(Cause("file", one.file), [one]) == "Fix TestRate/#03 in tax/tax_test.go: got 1"


def test_a_long_message_is_cut():
    told = title(FILE, [failed("test_a", "x" * 500)])
    assert told.endswith("x…")
    assert len(told) < 150


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        (Cause("symbol", "User"), "Fix an error about 'User': TS2304 No 'User'."),
        (Cause("interface", "push"), "Make 'push' and its uses agree: TS2304 No 'User'."),
        (Cause("module", "src/m.ts"), "Fix an error about what src/m.ts offers: TS2304 No 'User'."),
        (Cause("origin", "src/m.ts"), "Fix an error that leads to src/m.ts: TS2304 No 'User'."),
        (Cause("file", "a.ts"), "Fix an error in a.ts: TS2304 No 'User'."),
        (Cause("check", "types"), "Make types pass: TS2304 No 'User'."),
        (Cause("conflict", "a.ts, b.ts"), "Resolve the conflict markers in a.ts, b.ts"),
    ],
)
def test_a_title_says_what_to_do(cause, said):
    assert title(cause, [compiled("No 'User'.")]) == said
