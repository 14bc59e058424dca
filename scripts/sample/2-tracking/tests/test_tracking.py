from parcels.tracking import UnknownParcel

from .tracking_case import TrackerCase


class AnnouncedParcel(TrackerCase):
    def test_announced_parcel_waits_for_collection(self):
        self.assertStatus("P-1", "announced")

    def test_announcing_twice_keeps_the_progress(self):
        """A parcel keeps its progress when it is announced for the second time."""
        self.tracker.advance("P-1")
        self.tracker.announce("P-1")
        self.assertStatus("P-1", "collected")

    def test_delivered_parcel_stays_delivered(self):
        """A delivered parcel stays delivered after any further step."""
        for _ in range(5):
            self.tracker.advance("P-1")
        self.assertEqual(self.tracker.status("P-1"), "delivered")


class MissingParcel(TrackerCase):
    def test_status_of_an_unknown_parcel_is_an_error(self):
        with self.assertRaisesRegex(UnknownParcel, "no parcel P-2"):
            self.tracker.status("P-2")
