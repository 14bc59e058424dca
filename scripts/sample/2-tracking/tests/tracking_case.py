import unittest

from parcels.tracking import Tracker


class TrackerCase(unittest.TestCase):
    """Every test starts with one announced parcel."""

    def setUp(self):
        self.tracker = Tracker()
        self.tracker.announce("P-1")

    def assertStatus(self, number, expected):
        self.assertEqual(self.tracker.status(number), expected)
