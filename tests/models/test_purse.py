from hypothesis import given
from hypothesis import strategies as st

from pactkeeper.ledger.answering import Budget, BudgetLimits, Exceeded, Usage
from pactkeeper.models.pace import Purse

AMOUNT = st.integers(0, 50)


@given(st.lists(st.tuples(AMOUNT, AMOUNT, st.integers(0, 100)), max_size=30), st.integers(0, 200))
def test_what_costs_no_more_than_was_set_aside_never_goes_over_the_cap(calls, cap):
    purse = Purse(Budget(BudgetLimits(model_calls=100, tokens=10_000, money=cap)))
    open_calls = []
    for most, took, when in calls:
        worst = Usage(1, most, 0, most)
        if purse.reserve(worst) is None:
            open_calls.append((worst, Usage(1, min(took, most), 0, min(took, most))))
        if when % 2 and open_calls:
            purse.settle(*open_calls.pop(0))
    for worst, took in open_calls:
        purse.settle(worst, took)
    assert purse.budget.spent.get("money", 0) <= cap


def test_what_is_set_aside_is_there_for_nobody_else():
    purse = Purse(Budget(BudgetLimits(model_calls=2, tokens=100, money=10)))
    assert purse.reserve(Usage(1, 60, 0, 1)) is None
    assert isinstance(purse.reserve(Usage(1, 60, 0, 1)), Exceeded)
    purse.settle(Usage(1, 60, 0, 1), Usage(1, 20, 0, 1))
    assert purse.reserve(Usage(1, 60, 0, 1)) is None


def test_a_call_that_took_more_than_was_set_aside_is_counted_as_it_was():
    purse = Purse(Budget(BudgetLimits(model_calls=2, tokens=100, money=10)))
    purse.reserve(Usage(1, 60, 0, 1))
    purse.settle(Usage(1, 60, 0, 1), Usage(1, 500, 0, 1))
    outcome = purse.outcome()
    assert isinstance(outcome, Exceeded)
    assert outcome.budget.spent["tokens"] == 500
    assert isinstance(purse.reserve(Usage(1, 1, 0, 0)), Exceeded)
