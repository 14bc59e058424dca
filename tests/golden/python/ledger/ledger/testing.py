"""What the project's tests derive from."""
import unittest

from django.test import TransactionTestCase as DatabaseTestCase


class LedgerTestCase(unittest.TestCase):
    def setUp(self):
        self.entries = []


class AccountContract:
    """Every kind of account passes these."""

    def test_balance_starts_at_zero(self):
        self.assertEqual(self.account().balance, 0)

    def test_closed_account_refuses(self):
        pass
