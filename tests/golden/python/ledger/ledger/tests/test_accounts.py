import unittest
from unittest import IsolatedAsyncioTestCase

import ledger.testing as t
from . import Contract, LedgerTestCase


class SavingsAccount(Contract, LedgerTestCase):
    def account(self):
        return object()

    def test_interest(self):
        for rate in (1, 2):
            with self.subTest(rate=rate):
                pass

    def helper(self):
        pass


class CurrentAccount(Contract, LedgerTestCase):
    test_closed_account_refuses = None

    def __init__(self, *args):
        super().__init__(*args)


class Transfers(IsolatedAsyncioTestCase):
    async def test_transfer_waits(self):
        pass


class Database(t.DatabaseTestCase):
    @unittest.skip("slow")
    def test_rows_are_locked(self):
        pass


class Whole(LedgerTestCase):
    def runTest(self):
        pass


class Abandoned:
    def test_is_no_testcase(self):
        pass


class Loop(Loop2 := object):
    pass


def test_functions_are_run_too():
    pass


def load_tests(loader, tests, pattern):
    return tests
