from unittest.mock import Mock

from parcels.labels import label, print_label


def test_label_is_upper_case():
    assert label("Ada Lovelace", "St James's Square 12", "London") == "ADA LOVELACE\nST JAMES'S SQUARE 12\nLONDON"


def test_label_drops_surrounding_blanks():
    assert label(" Ada ", "Street 1", "Rome ").endswith("ROME")


def test_copies():
    printer = Mock()
    print_label("ADA", printer, copies=3)
    assert printer.call_count == 3
