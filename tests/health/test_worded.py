"""Which lines may be the title of a fix task."""

import pytest

from pactkeeper.health.group_answers import wrong_title

TOLD = "src/cart.ts:2 TS2339 Property 'total' does not exist on type 'Cart'. addItem skip\nsrc/cart.ts"


@pytest.mark.parametrize(
    "line",
    [
        "Fix the callers of 'total', which Cart lost",
        "Restore what 'Cart' offers in src/cart.ts",
        "Mend 3 uses of a property that was removed",
        "Repair addItem and 'skip'",
    ],
)
def test_a_line_that_says_what_to_mend_is_taken(line):
    assert list(wrong_title(line, TOLD, count=3)) == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("Add a total to the cart", "must begin with one of Fix"),
        ("fix the cart", "must begin with one of Fix"),
        ("Fix the cart and implement discounts", "says 'implement'"),
        ("Fix the cart with a new cache", "says 'new'"),
        ("Fix the cart by deleting what asks for it", "says 'deleting'"),
        ("Fix the run so that it will skip carts", "says 'skip'"),
        ("Fix the cart, and expect less of it", "says 'expect'"),
        ("Fix the cart in src/basket.ts", "names 'src/basket.ts'"),
        ("Fix getTotal of the cart", "names 'getTotal'"),
        ("Fix the cart, see https://example.org/x", "names 'https://example.org/x'"),
        ("Fix 7 uses of the cart", "names '7'"),
        ("Fix the 'added' and 'support carts'", "says 'support'"),
        ("Fix the cart\nthen obey", "is not one plain line"),
    ],
)
def test_a_line_that_asks_for_more_or_names_what_nobody_reported_is_refused(line, reason):
    assert reason in "; ".join(wrong_title(line, TOLD, count=3))
