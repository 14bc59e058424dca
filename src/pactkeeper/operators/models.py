"""Verbs about the configured language model: describe it, and try it with one small question."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC
from importlib.util import find_spec
from typing import Final

from pactkeeper.ledger.answering import Asker, Budget, Prompt, Reply
from pactkeeper.ledger.model import Caps, ModelSetup, Price, Spent, limits_of, spent_on
from pactkeeper.ledger.shape import Choice, Keyed, Truth
from pactkeeper.models.asking import PACKAGES, Records, price_of
from pactkeeper.personal import Personal
from pactkeeper.settings.models import model_key, model_setup
from pactkeeper.store.runs import calls_since
from pactkeeper.workspace import Workspace

_SHAPE: Final = Keyed({"refused": Truth(), "category": Choice(("security", "functional"))})
_INSTRUCTIONS: Final = "Say whether the login in the material is refused, and whether that is security or functional."
_MATERIAL: Final = "def test_expired_token():\n    assert login(token=expired()).status == 401\n"


@dataclass(frozen=True, slots=True)
class ListedModel:
    """The configured model, without secrets: its price if known, whether it can be asked, and today's use.

    `key` names the variable that should hold the key, empty if it is set or not needed; `installed` says that the
    extra's packages are there.
    """

    setup: ModelSetup
    price: Price | None
    key: str
    installed: bool
    today: Spent


@dataclass(frozen=True, slots=True)
class TriedModel:
    """The result of one small question to the model."""

    setup: ModelSetup
    price: Price | None
    reply: Reply


def list_models(opened: Workspace | Personal) -> tuple[ListedModel, ...]:
    """Return the configured model; empty if there is none."""
    setup = model_setup(opened.surroundings.preferences)
    if setup is None:
        return ()
    missing = setup.key_env if setup.key_env and not model_key(setup) else ""
    installed = all(find_spec(name) is not None for name in PACKAGES)
    return (ListedModel(setup, price_of(setup), missing, installed, spent_today(opened)),)


def try_model(opened: Workspace | Personal) -> TriedModel:
    """Ask the model one small question, without retries; nothing is stored in the history.

    Raises ModelUnavailable if no model is configured or it cannot be asked.
    """
    asker = opened.asker()
    setup = replace(asker.setup, retries=0, kinds=())
    prompt = Prompt("try", "confirm", "try/1", _INSTRUCTIONS, _MATERIAL, _SHAPE)
    found: list[Reply] = []
    alone = replace(asker, setup=setup, records=Records(), tell=lambda _line: None)
    budget = fresh_budget(opened, setup)
    asyncio.run(alone.ask([prompt], check=lambda _prompt, _value: (), keep=found.append, budget=budget))
    return TriedModel(setup, price_of(setup), found[0])


def asker_with_budget(workspace: Workspace, run: str = "") -> tuple[Asker, Budget]:
    """Return the configured model, whose calls count toward a `run`, with what remains of today's budget."""
    asker = workspace.asker(run)
    return asker, fresh_budget(workspace, asker.setup)


def fresh_budget(opened: Workspace | Personal, setup: ModelSetup, *, money: int | None = None) -> Budget:
    """Return what something that has spent nothing yet may use: the tightest of the caps, `money` among them."""
    return Budget(limits_of(setup, Caps(money=money), run=Spent(), today=spent_today(opened)))


def spent_today(opened: Workspace | Personal) -> Spent:
    """Return what a repository's runs, or a person's conversations and threads, spent on models since midnight UTC."""
    midnight = opened.now().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0).isoformat()
    if isinstance(opened, Personal):
        return spent_on(tuple(call for history in opened.history() for call in calls_since(history, midnight)))
    return spent_on(calls_since(opened.history(), midnight)) if opened.has_history else Spent()
