import pytest

from tests.shared import *

pytestmark = pytest.mark.parametrize("version", ["v1", "v2"])


def make_test(name):
    def check(version):
        assert name

    return check


test_made = make_test("made")
TestMade = type("TestMade", (), {"test_it": lambda self, version: None})


def pytest_generate_tests(metafunc):
    pass


class TestOrders:
    # @atom IA-1 - the order's number
    @pytest.mark.parametrize("size", range(3))
    def test_order_has_number(self, version, size):
        pass


for kind in ("a", "b"):
    globals()[f"test_kind_{kind}"] = make_test(kind)
