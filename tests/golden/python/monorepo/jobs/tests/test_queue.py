import pytest


@pytest.mark.parametrize("size", {"small": 1, "large": 2}.items())
class TestQueue:
    @pytest.mark.parametrize("who", ("a", "b", *"cd"))
    def test_order(self, size, who):
        pass

    def test_empty(self, size):
        pass
