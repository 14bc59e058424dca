from django.test import TestCase


class ViewTests(TestCase):
    def test_page_is_shown(self):
        pass


def test_functions_of_a_unittest_module_are_none():
    pass
