"""unittest, mocks, numpy, helpers of the project, and the ways people write that something must fail."""

import unittest
from unittest.mock import MagicMock, call

import numpy as np
import pandas as pd

from helpers import assert_valid_order


class OrderCase(unittest.TestCase):
    def assertOrder(self, order, state):
        self.assertEqual(order.state, state)
        self.assertIsNotNone(order.id)

    def setUp(self):
        self.order = make_order()


class TestOrders(OrderCase):
    def test_new_order_is_open(self):
        self.assertOrder(self.order, "open")

    def test_equality(self):
        self.assertEqual(self.order.total, 3)
        self.assertNotEqual(self.order.id, 0)
        self.assertTrue(self.order.valid)
        self.assertFalse(self.order.paid)

    def test_membership(self):
        self.assertIn("tea", self.order.names)
        self.assertNotIn("gin", self.order.names)
        self.assertIsInstance(self.order, Order)

    def test_comparisons(self):
        self.assertGreater(self.order.total, 1)
        self.assertLessEqual(self.order.total, 9)
        self.assertAlmostEqual(self.order.tax, 0.19, places=2)
        self.assertRegex(self.order.number, r"^A-\d+$")

    def test_raises_on_negative_quantity(self):
        with self.assertRaisesRegex(ValueError, "negative"):
            self.order.add("tea", -1)

    def test_raises_for_unknown_article(self):
        self.assertRaises(KeyError, self.order.add, "gin")

    def test_warns_about_old_format(self):
        with self.assertWarns(DeprecationWarning):
            self.order.load("v1")

    def test_cancel_is_logged(self):
        with self.assertLogs("shop.orders", level="INFO"):
            self.order.cancel()

    def test_every_state_has_a_label(self):
        for state in STATES:
            with self.subTest(state=state):
                self.assertIn(state, LABELS)

    @unittest.expectedFailure
    def test_known_rounding_bug(self):
        self.assertEqual(self.order.rounded, 2)


def test_mail_is_sent_once():
    mailer = MagicMock()
    notify(mailer)
    mailer.send.assert_called_once_with("ann@example.org", subject="Paid")


def test_retries():
    mock = MagicMock()
    run(mock)
    assert mock.call_count == 3


def test_nothing_is_sent_for_drafts():
    mailer = MagicMock()
    notify(mailer, draft=True)
    mailer.send.assert_not_called()


def test_audit_calls():
    audit = MagicMock()
    run(audit)
    audit.write.assert_has_calls([call("start"), call("stop")])


def test_helper_of_another_file():
    assert_valid_order(make_order())


def test_helper_nobody_finds():
    assert_shipped(make_order())


def test_rejects_bad_codes():
    try:
        redeem("XXX")
    except CodeError as error:
        assert error.code == "bad"
    else:
        pytest.fail("accepted")


def test_old_codes_still_work():
    try:
        redeem("OLD")
    except CodeError:
        pytest.fail("refused")


def test_missing_reason_fails():
    if not reason():
        pytest.fail("no reason")


def test_matrix():
    np.testing.assert_allclose(scale(2), np.ones(3), rtol=1e-6)


def test_frames_are_equal():
    pd.testing.assert_frame_equal(load(), store())


def test_report(snapshot):
    assert render() == snapshot


def test_output_of_help(capsys):
    main(["--help"])
    out, err = capsys.readouterr()
    assert out.startswith("usage:")
    assert err == ""


def test_branches():
    if WINDOWS:
        assert separator() == "\\"
    else:
        assert separator() == "/"


def test_either_way():
    assert state() == "open" or state() == "new"
