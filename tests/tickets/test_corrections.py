"""Amounts inside of sentences that somebody puts right."""

import pytest

from tests.tickets.threads import Talk


@pytest.mark.parametrize(
    ("criterion", "said", "after"),
    [
        ("An export of 1000 orders has 1000 rows", "actually it's 2000 rows, not 1000", "An export of 1000 orders has 2000 rows"),
        ("A refund takes 14 days", "it's 30 days, not 14", "A refund takes 30 days"),
        ("A refund takes 14 days", "not 14 but 30 days", "A refund takes 30 days"),
        ("A basket costs €10", "it's €20, not 10", "A basket costs €20"),
        ("A basket of 5 costs 10 euros", "20, not 10", "A basket of 5 costs 20 euros"),
    ],
)  # fmt: skip
def test_number_is_replaced_with_its_unit_and_where_that_unit_stands(criterion, said, after):
    assert Talk(f"AC: {criterion}", said).values("acceptance_criteria") == [after]
