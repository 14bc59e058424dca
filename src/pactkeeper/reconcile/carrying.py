"""Where the link of a test is written."""

from __future__ import annotations

from collections.abc import Callable, Container

from pactkeeper.intent.tests import Test
from pactkeeper.reconcile.propose import CarrierWord
from pactkeeper.reconcile.world import World


def carrier_for(world: World, changed: Container[str]) -> Callable[[Test], CarrierWord]:
    """Where new links go: comments in tests that changed anyway, else the sidecar, unless the pact says so."""
    setting = world.pact.settings.link_carrier

    def carrier(test: Test) -> CarrierWord:
        if setting == "auto":
            return "comment" if test.id in changed else "sidecar"
        return setting

    return carrier
