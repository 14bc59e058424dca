import unittest

__all__ = ["RoundingTests"]


class RoundingTests(unittest.TestCase):
    def test_half_a_cent_is_rounded_to_even(self):
        pass


class HiddenTests(unittest.TestCase):
    def test_is_not_exported(self):
        pass
