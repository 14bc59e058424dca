"""`pk models`: which language model is set up, and whether it is ready."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import bold, count, dim, document, mark, say
from pactkeeper.doors.cli.parameters import as_json, personal, workspace
from pactkeeper.errors import NotARepository, how_to_install
from pactkeeper.ledger.model import Caps, ModelSetup, Price, Spent, dollars
from pactkeeper.operators.models import ListedModel, TriedModel, list_models, try_model
from pactkeeper.personal import Personal
from pactkeeper.published.plain import Codec
from pactkeeper.workspace import Workspace


@click.group(cls=CommandGroup, default="list")
def command() -> None:
    """Show the configured language model, without its key, and what it cost today.

    A model answers what rules leave open if you run `pk reconcile --ask-model`. It is configured in
    pactkeeper/models.toml in your settings folder; docs/models.md lists the keys.
    """


@command.command("list")
@as_json
def list_command(*, json_: bool) -> None:
    """Show the model, without its key, and what it cost today."""
    with _opened() as opened:
        found = list_models(opened)
    if json_:
        document({"models": _LISTED.each(found)}, "models/1")
        return
    for one in found:
        _show(one)
    if not found:
        say("no model is configured; rules and people do all the work (docs/models.md shows how to configure one)")


@command.command("test")
@as_json
def test_command(*, json_: bool) -> int:
    """Ask the model one small question: does it answer in the requested format, how fast, at what price?"""
    with _opened() as opened:
        found = try_model(opened)
    if json_:
        document(_TRIED(found), "model-test/1")
    else:
        _show_tried(found)
    return 0 if found.reply.state == "answered" else 1


@contextmanager
def _opened() -> Iterator[Workspace | Personal]:
    """The current repository, or only the person's own data, since a model is set up per person."""
    with ExitStack() as stack:
        try:
            opened: Workspace | Personal = stack.enter_context(workspace())[0]
        except NotARepository:
            opened = stack.enter_context(personal())
        yield opened


def _show(one: ListedModel) -> None:
    setup = one.setup
    say(f"{bold(setup.name)}  {dim(setup.base_url)}")
    say(f"from      {setup.source}")
    say(f"key       {f'in {setup.key_env}' if setup.key_env else 'none needed'}")
    say(f"price     {_priced(one.price)}")
    say(f"asked     {_when(setup)}; {', '.join(setup.kinds) or 'every kind of question'}")
    say(f"at once   {setup.concurrency}, {setup.timeout} s each, {count(setup.retries, 'retry', 'retries')}")
    say(f"a run     {_capped(setup.run)}")
    say(f"a day     {_capped(setup.day)}")
    say(f"today     {_spent(one.today)}")
    if one.key:
        say(f"{mark('warning')} {one.key} is not set: export {one.key}=…")
    if not one.installed:
        say(f"{mark('warning')} its packages are not installed: {how_to_install('llm')}")


def _show_tried(found: TriedModel) -> None:
    reply, used = found.reply, found.reply.usage
    say(f"{bold(found.setup.name)}  {dim(found.setup.base_url)}")
    say(f"answer    {reply.state}" + "".join(f"\n          {reason}" for reason in reply.reasons))
    shaped = "in the requested format" if reply.state == "answered" else "not in the requested format"
    if reply.state != "failed":
        how = "its tool" if found.setup.structured == "tool" else "a JSON schema"
        say(f"shape     {shaped}, by {how}")
    say(f"took      {used.milliseconds:,} ms, {count(used.calls, 'call')}")
    say(f"tokens    {used.input_tokens:,} in, {used.output_tokens:,} out, {dollars(used.money)}")
    say(f"price     {_priced(found.price)}")


def _priced(price: Price | None) -> str:
    if price is None:
        return "unknown; set [prices] in models.toml, or a cap on money can't be enforced"
    return f"{dollars(price.input)} in, {dollars(price.output)} out, a million tokens"


def _when(setup: ModelSetup) -> str:
    return "by every reconcile" if setup.ask == "always" else "with --ask-model"


def _capped(caps: Caps) -> str:
    said = [
        "" if caps.calls is None else f"{caps.calls:,} calls",
        "" if caps.tokens is None else f"{caps.tokens:,} tokens",
        "" if caps.money is None else dollars(caps.money),
    ]
    return f"at most {', '.join(one for one in said if one)}" if any(said) else "without a cap"


def _spent(spent: Spent) -> str:
    tokens = spent.input_tokens + spent.output_tokens
    more = f", {spent.unpriced:,} at an unknown price" if spent.unpriced else ""
    return f"{count(spent.calls, 'call')}, {tokens:,} tokens, {dollars(spent.money)}{more}"


_LISTED: Final = Codec(
    ListedModel,
    "name=setup.name provider=setup.provider model=setup.model base_url=setup.base_url key_env=setup.key_env"
    " key_missing= installed structured=setup.structured ask=setup.ask kinds=setup.kinds price run=setup.run"
    " day=setup.day today source=setup.source",
    key_missing=lambda one: bool(one.key),
    today=Codec(Spent, "calls money cached"),
)
_TRIED: Final = Codec(
    TriedModel,
    "name=setup.name state=reply.state reasons=reply.reasons milliseconds=reply.usage.milliseconds"
    " calls=reply.usage.calls input_tokens=reply.usage.input_tokens output_tokens=reply.usage.output_tokens"
    " money=reply.usage.money price",
)
