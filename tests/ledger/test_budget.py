import pytest

from pactkeeper.ledger.answering import (
    RESOURCES,
    Budget,
    BudgetLimits,
    Exceeded,
    Standstill,
    attempt,
    deepen,
    spend,
    step,
)

BUDGET = Budget(BudgetLimits(steps=2, model_calls=3, tokens=100, money=5_000_000, ops=10, attempts=2, depth=2))


@pytest.mark.parametrize("resource", RESOURCES)
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


def test_attempts_are_counted_by_fingerprint():
    once = attempt(BUDGET, "fp-1")
    assert isinstance(once, Budget)
    twice = attempt(once, "fp-1")
    assert isinstance(twice, Budget)
    assert isinstance(attempt(twice, "fp-1"), Exceeded)
    assert isinstance(attempt(twice, "fp-2"), Budget)


def test_a_fix_of_a_fix_of_a_fix_is_a_persons_business():
    assert [isinstance(deepen(BUDGET, depth), Budget) for depth in (0, 1, 2, 3)] == [True, True, True, False]


def test_a_step_that_changes_nothing_is_the_last():
    assert step(BUDGET, before="v1:a", after="v1:a") == Standstill(BUDGET)
    first = step(BUDGET, before="v1:a", after="v1:b")
    assert isinstance(first, Budget)
    second = step(first, before="v1:b", after="v1:c")
    assert isinstance(second, Budget)
    assert isinstance(step(second, before="v1:c", after="v1:d"), Exceeded)
