"""Laws of applying and undoing, on a real repository with whatever is chosen of a patch."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pactkeeper.operators.apply import undo_apply
from tests.operators.atoms import run

CHOICES = st.lists(st.sampled_from(["accept", "reject", ""]), min_size=1, max_size=6)
ONE_SHOP = settings(deadline=None, max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])


def pact(shop):
    return {path.name: path.read_bytes() for path in (shop.root / "pact").rglob("*") if path.is_file()}


def chosen(patch, verdicts):
    groups = sorted({op.group for op in patch.ops})
    return {group: verdicts[at % len(verdicts)] for at, group in enumerate(groups)}


@ONE_SHOP
@given(verdicts=CHOICES)
def test_to_apply_and_to_undo_is_to_have_done_nothing(shop, verdicts):
    patch, before = shop.reconcile().patch, pact(shop)
    if shop.decide(patch, chosen(patch, verdicts)).entry is not None:
        run(shop, undo_apply)
    assert pact(shop) == before


@ONE_SHOP
@given(verdicts=CHOICES)
def test_to_apply_twice_is_to_apply_once(shop, verdicts):
    patch = shop.reconcile().patch
    done = shop.decide(patch, chosen(patch, verdicts)).entry is not None
    after = pact(shop)
    assert shop.decide(patch, chosen(patch, verdicts)).entry is None
    assert pact(shop) == after
    if done:
        run(shop, undo_apply)
