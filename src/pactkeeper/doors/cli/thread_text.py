"""Threads on the terminal and as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from pactkeeper.doors.cli.output import bold, count, dim, mark
from pactkeeper.intent.thread_event import Effect, Outcome, Post, ThreadStep
from pactkeeper.intent.ticket import sides_of
from pactkeeper.operators.threads import Heard, ListedThread, ShownThread
from pactkeeper.store.thread_posts import KeptPost
from pactkeeper.tickets.wording import cut, draft_now

_SEVERITY: Final = re.compile(r"- \*\*(?P<severity>error|warning|info)\*\*: ")
_SHOWN: Final = 200
_EFFECTS: Final[Mapping[Effect, str]] = {
    "ticket": "the ticket",
    "criteria": "the atoms of its criteria",
    "constraints": "its constraints",
    "announcement": "telling its thread",
}
_WAITS: Final[Mapping[Outcome, str]] = {"ask": "asked", "gaps": "incomplete", "failed": "failed", "halted": "stopped"}


def row(one: ListedThread) -> str:
    """A thread in one line: where it stands, what waits in it, its title and its ticket."""
    title = " / ".join(cut(side.value) for side in sides_of(one.draft.title)) or dim("(no title yet)")
    ticket = "" if one.ticket is None else f"  {one.ticket.target}"
    waits = f"version {one.state.version}" if one.state.outcome == "preview" else _WAITS.get(one.state.outcome, "")
    return f"{bold(one.thread.id)}  {_phase(one.state.phase):<13}  {waits:<10}  {title}{dim(ticket)}"


def heard(found: Heard) -> Iterator[str]:
    """What was said to a saying."""
    if found.kept == "late":
        yield f"{mark('warning')} this came after a later message was read, and was not"
    yield f"{bold(found.thread)}  {_phase(found.state.phase)}"
    if found.ran == "nothing":
        yield dim("it is read with what follows, once the thread is quiet: pk tick")
    elif not found.posts and found.ran == "ran":
        yield dim(found.state.reason)
    for one in found.posts:
        yield from _post(one)


def shown(found: ShownThread, *, trace: bool) -> Iterator[str]:
    """Everything about a thread."""
    listed = found.listed
    yield row(listed)
    yield dim(f"opened by {listed.thread.opened_by} at {listed.thread.opened_at} in {listed.thread.channel}")
    for message in found.messages:
        yield f"{'>' if message.id == found.meant else ' '} {message.author}: {message.text.strip()}"
    if found.waiting:
        yield dim(f"  {count(found.waiting, 'message')} not read yet")
    for event in found.late:
        yield f"  {mark('warning')} came too late and was not read: {event.author}: {event.text.strip()}"
    for event in found.aside:
        yield f"  {mark('warning')} could not be read and is set aside: {event.author}: {event.text.strip()[:_SHOWN]}"
    yield from _said_last(found)
    for ask in found.asks:
        yield f"  waits ({ask.number}, {ask.id}): {ask.text}"
    yield from _loose(found)
    yield from _tickets(found)
    yield dim(f"why: {listed.state.reason}")
    if trace:
        yield from _trace(found.steps)


def _said_last(found: ShownThread) -> Iterator[str]:
    """The draft, unless the last post shows it, and that post."""
    last = next((one for one in reversed(found.posts) if not one.post.instead), None)
    if found.listed.draft.version and (last is None or last.post.draft is None):
        yield ""
        yield from draft_now(found.listed.draft).splitlines()
    if last is not None:
        yield ""
        yield from _post(last)


def _loose(found: ShownThread) -> Iterator[str]:
    """Every sentence that nothing marks, with what became of it."""
    for one in found.listed.state.loose:
        yield f"  {one.number:>3}. {one.said.value} ({one.said.author}){dim(f' = {one.place}' if one.place else '')}"


def _tickets(found: ShownThread) -> Iterator[str]:
    for ticket in found.tickets:
        said = f"{ticket.state}, version {ticket.version}, approved by {ticket.approved_by}"
        yield f"{bold(ticket.target or 'ticket')}  {said}  {dim(ticket.url)}"
        if ticket.missing:
            lacks = ", ".join(_EFFECTS[one] for one in ticket.missing)
            yield f"  {mark('warning')} not done yet: {lacks}; pk tick goes on with it, and so does approving it again"
        if ticket.error:
            yield f"  {mark('error')} {ticket.error}"
    for one in found.criteria:
        yield f"  {one.state:<9}  {one.words}  {dim(one.atom)}  {dim(', '.join(one.tests))}".rstrip()


def _post(kept: KeptPost) -> Iterator[str]:
    post = kept.post
    if post.instead:
        return
    yield from map(_on_screen, post.text.splitlines())
    yield from map(dim, _commands(post))
    if not kept.said_at:
        yield f"{mark('warning')} not said yet: its channel does not answer"


def _on_screen(line: str) -> str:
    """A line of a post with the colour of its severity in place of Markdown's marks."""
    found = _SEVERITY.match(line)
    return line if found is None else f"{mark(found['severity'])} {line[found.end() :]}"


def _commands(post: Post) -> Iterator[str]:
    """What can be done about a post."""
    if post.asks:
        first = post.asks[0].choices[0] if post.asks[0].choices else "TEXT"
        yield f"pk thread answer {post.thread} {first}{f' --to {post.asks[0].number}' if len(post.asks) > 1 else ''}"
    if post.unplaced:
        first_one = post.unplaced[0]
        may_be = first_one.suggested or "problem"
        yield f"pk thread place {post.thread} {first_one.number}={may_be} (or criterion, risk, …, drop)"
    if post.approvable and post.draft is not None:
        yield f"pk thread approve {post.thread} {post.draft.version}"


def _trace(steps: tuple[ThreadStep, ...]) -> Iterator[str]:
    for one in steps:
        yield f"  run {one.run}  {one.node:<9} {one.milliseconds:>5} ms  {one.reason}"
        for name, value in one.changed.items():
            if value:
                said = ", ".join(str(part) for part in value) if isinstance(value, list) else value
                yield dim(f"      {name}: {said}")


def _phase(phase: str) -> str:
    return phase.lower().replace("_", " ")
