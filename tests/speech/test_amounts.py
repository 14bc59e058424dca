import pytest

from pactkeeper.speech.amounts import amount, are_rates_apart, relation


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("30 days", "30d"),
        ("4 weeks", "28 Tage"),
        ("max. 30 days", "at most 30 days"),
        ("5 MB max", "up to 5 MB"),
        ("€20", "20 EUR"),
        ("1,000 rows", "1000 rows"),
        ("ten seconds", "10 s"),
        ("1,5 s", "1500 ms"),
        ("yes", "Enabled"),
        ("EU only", "“eu only”."),
        ("10k users", "10000 users"),
        ("15 min", "0.25 h"),
        ("8 letters min", "at least 8 letters"),
    ],
)
def test_one_value_in_two_spellings_is_the_same(one, other):
    assert relation(one, other) == "same"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("30 days", "14 days"),
        ("max 30 days", "max 14 days"),
        ("at most 5", "at least 10"),
        ("under 2 seconds", "2 seconds"),
        ("20 EUR", "20 USD"),
        ("yes", "no"),
        ("EU", "US"),
        ("PostgreSQL", "not PostgreSQL"),
    ],
)
def test_values_that_cannot_both_be_contradict(one, other):
    assert relation(one, other) == relation(other, one) == "contradict"


@pytest.mark.parametrize(
    ("one", "other"),
    [("at least 12", "at most 64"), ("max 30 days", "14 days"), ("at least 5", "at most 5"), ("> 1 s", "< 2 s")],
)
def test_bounds_that_one_number_can_keep_go_together(one, other):
    assert relation(one, other) == relation(other, one) == "compatible"


@pytest.mark.parametrize("text", ["PostgreSQL", "ISO 8601", "v2", "", "30 days after the last login"])
def test_what_says_more_than_an_amount_is_none(text):
    assert amount(text) is None


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("At most 120 stollen are taken per day.", "Hm, 120 is too much, I'd say 90 stollen per day.", True),
        ("At most 120 stollen are taken per day.", "We can bake 90 stollen daily.", True),
        ("Höchstens 120 Stollen pro Tag.", "Sagen wir lieber 90 Stollen pro Tag.", True),
        ("At most 120 stollen are taken per day.", "It is 120 stollen per day.", False),
        ("At most 120 stollen are taken per day.", "At least 10 stollen are baked per day.", False),
        ("At most 120 stollen are taken per day.", "At most 90 loaves are taken per day.", False),
        ("At most 120 stollen are taken per day.", "I'd say 90 stollen per customer.", False),
        ("At most 120 stollen are taken per day.", "At most 500 stollen are taken per week.", False),
        ("120 stollen per day are for the shop.", "90 stollen per day are for the market.", False),
        ("An export of 1000 orders has 1000 rows.", "An import of 20 orders has 20 rows.", False),
    ],
)
def test_amounts_of_the_same_thing_per_period_are_apart(one, other, apart):
    assert are_rates_apart(one, other) is apart
    assert are_rates_apart(other, one) is apart
