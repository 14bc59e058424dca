"""`pk knowledge`: what is known from conversations and people, with its source."""

from __future__ import annotations

from textwrap import shorten
from typing import Any, Final

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import bold, count, dim, document, mark, say
from pactkeeper.doors.cli.parameters import as_json, personal, within
from pactkeeper.intent.conversation import ITEM_KINDS, KnowledgeItem, Mark, Provenance
from pactkeeper.intent.redaction import redacted, redacted_json
from pactkeeper.operators import knowledge
from pactkeeper.operators.knowledge import FoundItem
from pactkeeper.published.plain import Codec

MOST = 20
MOST_QUOTED: Final = 120  # characters


@click.group(cls=CommandGroup, default="search")
def command() -> None:
    """Search facts, entities, relations and decisions; add one, supersede one, flag one.

    Nothing is overwritten or deleted: what no longer holds is kept, marked with what replaced it.
    """


@command.command()
@click.argument("words", nargs=-1)
@click.option("--kind", "kinds", type=click.Choice(ITEM_KINDS), multiple=True, help="Only this kind; repeatable.")
@click.option("--all", "everything", is_flag=True, help="Also what is superseded, doubted or out of date.")
@click.option("--limit", "most", type=click.IntRange(1, 1000), default=MOST, show_default=True, help="At most N.")
@as_json
def search(words: tuple[str, ...], *, json_: bool, **wanted: Any) -> None:  # noqa: ANN401 - options
    """List what matches WORDS best; without words, the newest."""
    found = within(personal, knowledge.search_knowledge, " ".join(words), **wanted)
    if json_:
        document({"items": [item_document(one) for one in found]}, "knowledge/1")
        return
    for one in found:
        _print(one)
        _print_source(one.known.item)
    say(count(len(found), "item"))


def _print_source(item: KnowledgeItem) -> None:
    """Print the words that an item was derived from, since a search looks in them, too."""
    quote = shorten(redacted(item.provenance.quote), MOST_QUOTED, placeholder=" …")
    if quote not in item.text:
        say(f"  {dim(f'seen: “{quote}”')}")


@command.command()
@click.argument("named", metavar="ID")
@as_json
def show(named: str, *, json_: bool) -> None:
    """Show one item with its source, its successors and what else is known about its subject."""
    found = within(personal, knowledge.show_knowledge, named)
    related = {"superseded_by": found.successors, "supersedes": found.predecessors, "same_subject": found.others}
    if json_:
        rest = {name: [*map(item_document, items)] for name, items in related.items()}
        document({**item_document(found.item), **rest}, "knowledge-item/1")
        return
    _print(found.item)
    came = found.item.known.item.provenance
    say(f"  “{redacted(came.quote)}”")
    say(f"  {dim(', '.join(part for part in (came.at, came.conversation, came.artifact) if part))}")
    for said in found.item.known.marks:
        say(f"  {said.kind} by {said.by}, {said.at[:10]}: {redacted(said.reason)}")
    for name, items in related.items():
        for one in items:
            say(f"{name.replace('_', ' ')}:")
            _print(one)


@command.command()
@click.argument("subject")
@click.argument("text")
@click.option("--kind", type=click.Choice(ITEM_KINDS), default="fact", show_default=True, help="What it is.")
@click.option("--predicate", default="", help="For a relation: what SUBJECT does.")
@click.option("--object", default="", help="For a relation: to what.")
@click.option("--domain", default="", help="The project that it belongs to.")
@click.option("--since", default="", metavar="DATE", help="From when it holds.")
@click.option("--until", default="", metavar="DATE", help="The last day it holds.")
@click.option("--supersedes", default="", metavar="ID", help="The item it replaces.")
@click.option("--reason", default="", help="Why the other no longer holds.")
@as_json
def add(subject: str, text: str, *, supersedes: str, reason: str, json_: bool, **given: Any) -> None:  # noqa: ANN401 - options
    """Record TEXT about SUBJECT; --supersedes names the older item it replaces."""
    with personal() as opened:
        by = opened.person()
        came = knowledge.said_by(by, opened.now().isoformat(timespec="seconds"), text)
        item = KnowledgeItem(subject=subject, text=text, provenance=came, by=by, **given)
        _told(knowledge.add_knowledge(opened, item, supersedes=supersedes, reason=reason), json_=json_)


@command.command()
@click.argument("named", metavar="ID")
@click.option("--reason", required=True, help="The reason for the doubt.")
@as_json
def flag(named: str, *, reason: str, json_: bool) -> None:
    """Mark an item as doubted; it is kept but no longer counts."""
    with personal() as opened:
        _told(knowledge.flag_knowledge(opened, named, reason, by=opened.person()), json_=json_)


def _told(found: FoundItem, *, json_: bool) -> None:
    if json_:
        document(item_document(found), "knowledge-item/1")
    else:
        _print(found)


_SOURCE: Final = Codec(Provenance, "quote at conversation artifact entry")
_ITEM: Final = Codec(
    FoundItem,
    "id=known.item.id kind=known.item.kind subject=known.item.subject text=known.item.text"
    " predicate=known.item.predicate object=known.item.object domain=known.item.domain since=known.item.since"
    " until=known.item.until by=known.item.by standing recorded_at=known.recorded_at"
    " source=known.item.provenance marks=known.marks",
    source=lambda came: {**_SOURCE(came), "span": [came.block, came.first, came.last]},
    marks=Codec(Mark, "kind other reason by at"),
)


def item_document(found: FoundItem) -> dict[str, object]:
    """The published form of an item, with secrets redacted."""
    return {key: redacted_json(value) for key, value in _ITEM(found).items()}


def _print(found: FoundItem) -> None:
    item = found.known.item
    standing = "" if found.standing == "holds" else f"{mark('warning')} {found.standing}  "
    facts = ", ".join(part for part in (item.kind, item.domain, item.provenance.at[:10]) if part)
    subject = "" if item.text.startswith(item.subject) else f"{item.subject}: "
    say(f"{bold(item.id)}  {standing}{redacted(subject + item.text)}  {dim(facts)}")
