"""Places that cannot be read, as `pk check` prints them."""

from pactkeeper.advice import Advice
from pactkeeper.operators.check import Row, blind_spots_together


def row(path, message, *, code="PK120", fix="leave it out"):
    return Row(code, "warning", path, 6, path, "", message, Advice(fix), f"g1:{path}")


def test_places_of_which_the_same_is_said_are_one_finding_with_one_way_to_leave_them_out():
    other, alone = row("t.py", "it is new", code="PK101"), row("t.js", "not read: it", fix="")
    rows = [row("a/c.ts", "not read: x()"), other, row("b/c.ts", "not read: y()"), alone, row("c.ts", "elsewhere")]
    first, *rest = blind_spots_together(rows)
    assert (first.path, first.message) == ("a/c.ts", "not read: x() (and in 1 more place)")
    assert first.detail == ("b/c.ts:6: y()",)
    assert '["a/c.ts", "b/c.ts"]' in first.fix
    assert rest == [other, alone, rows[-1]]
