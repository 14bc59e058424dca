from typing import get_args

import pytest

from pactkeeper.ledger.answering import (
    Budget,
    BudgetLimits,
    Exceeded,
    Resource,
    Standstill,
    spend,
    step,
)

BUDGET = Budget(BudgetLimits(steps=2, model_calls=3, tokens=100, money=5_000_000, ops=10))


@pytest.mark.parametrize("resource", get_args(Resource))
def test_a_resource_can_be_used_up_to_its_limit_and_not_further(resource):
    limit = BUDGET.limits.of(resource)
    full = spend(BUDGET, resource, limit)
    assert isinstance(full, Budget)
    assert (full.left(resource), BUDGET.left(resource)) == (0, limit)
    over = spend(full, resource)
    assert isinstance(over, Exceeded)
    assert (over.limit, over.wanted, over.budget) == (limit, limit + 1, full)
    assert "a person must decide" in str(over)


def test_what_was_spent_does_not_come_back():
    with pytest.raises(ValueError, match="does not come back"):
        spend(BUDGET, "tokens", -1)


def test_a_step_that_changes_nothing_is_the_last():
    assert step(BUDGET, before="v1:a", after="v1:a") == Standstill(BUDGET)
    first = step(BUDGET, before="v1:a", after="v1:b")
    assert isinstance(first, Budget)
    second = step(first, before="v1:b", after="v1:c")
    assert isinstance(second, Budget)
    assert isinstance(step(second, before="v1:c", after="v1:d"), Exceeded)
