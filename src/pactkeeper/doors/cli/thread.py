"""`pk thread`: turn what people say into a ticket.

Threads are printed on the terminal or as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Final

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import Faults, bold, count, dim, document, mark, note, say
from pactkeeper.doors.cli.parameters import as_json, personal, within, workspace
from pactkeeper.errors import NotARepository
from pactkeeper.intent.thread_event import Effect, EventKind, Outcome, Post, ThreadStep
from pactkeeper.intent.ticket import Ask, sides_of
from pactkeeper.operators import threads
from pactkeeper.operators.thread_ground import Desk
from pactkeeper.operators.threads import Heard, ListedThread, Saying, ShownThread
from pactkeeper.published.standup import HEARD, LISTED, SHOWN, TRACE
from pactkeeper.repo.named_file import read_text_named
from pactkeeper.store.thread_posts import KeptPost
from pactkeeper.tickets.running import ThreadsTicked
from pactkeeper.tickets.wording import cut, drafted, without_unplaced

MOST_BYTES = 1 << 20  # of a message
thread_argument = click.argument("thread", metavar="THREAD")
text_argument = click.argument("words", nargs=-1, metavar="[TEXT]...")
by_option = click.option("--by", default="", metavar="NAME", help="Who says it (default: git's user, or the account).")


@click.group(cls=CommandGroup, default="list")
def command() -> None:
    """Turn a conversation into a ticket: asks for what is missing, shows a preview, and creates the approved ticket.

    Threads belong to you, so this works in any folder. A thread opened inside a repository is checked against its pact,
    and its criteria become proposed atoms there. See docs/threads.md.
    """


@command.command("list")
@as_json
def list_command(*, json_: bool = False) -> None:
    """List threads and their state."""
    found = within(_desk, threads.list_threads)
    if json_:
        document({"threads": LISTED.each(found)}, "threads/1")
        return
    for one in found:
        say(row(one))
    say(count(len(found), "thread") if found else "no threads yet; open one with: pk thread new TEXT")


@command.command()
@text_argument
@by_option
@as_json
def new(words: tuple[str, ...], *, by: str, json_: bool) -> int:
    """Open a thread with TEXT; `-` reads it from stdin."""
    heard = within(_desk, threads.start_thread, Saying("mention", _text(words), by))
    return _answer(heard, json_=json_)


@command.command("say")
@thread_argument
@text_argument
@by_option
@click.option("--later", is_flag=True, help="Don't process it yet; wait for more messages.")
@as_json
def say_command(thread: str, words: tuple[str, ...], *, by: str, later: bool, json_: bool) -> int:
    """Say TEXT in a thread; `-` reads it from stdin."""
    kind: EventKind = "message" if later else "mention"
    return _act(thread, Saying(kind, _text(words), by), json_=json_)


@command.command()
@thread_argument
@text_argument
@click.option("--to", "ask", default="", metavar="QUESTION", help="Which question, by its id or number.")
@by_option
@as_json
def answer(thread: str, words: tuple[str, ...], *, ask: str, by: str, json_: bool) -> int:
    """Answer a question in a thread: with TEXT, or with keep_a, keep_b or both if two values conflict."""
    return _act(thread, Saying("answer", _text(words), by, ask=ask), json_=json_)


@command.command()
@thread_argument
@click.argument("placings", nargs=-1, required=True, metavar="NUMBER=FIELD...")
@by_option
@as_json
def place(thread: str, placings: tuple[str, ...], *, by: str, json_: bool) -> int:
    """Assign unplaced words to fields: `2=problem 3,4=criterion 5-7=drop`, or `all=drop`.

    The numbers are those under "Not in the ticket yet". FIELD is any name that a label may have; you can move words to
    another field later. `3=constraint:retention` names the constraint.
    """
    heard = within(_desk, threads.place_in_thread, thread, placings, by=by)
    return _answer(heard, json_=json_)


@command.command()
@thread_argument
@text_argument
@by_option
@as_json
def changes(thread: str, words: tuple[str, ...], *, by: str, json_: bool) -> int:
    """Ask for changes to the draft, described in TEXT."""
    return _act(thread, Saying("changes", " ".join(words), by), json_=json_)


@command.command()
@thread_argument
@click.argument("version", metavar="VERSION")
@by_option
@as_json
def approve(thread: str, version: str, *, by: str, json_: bool) -> int:
    """Approve VERSION of the draft, by the number or the letters under its preview; exit 1 if no ticket was created.

    A draft that changed since it was shown can't be approved.
    """
    return _act(thread, Saying("approve", by=by, shown=version), json_=json_)


@command.command()
@thread_argument
def drop(thread: str) -> None:
    """Drop a thread that was opened by mistake; saying something in it takes it up again."""
    say(f"{thread} {within(_desk, threads.drop_thread, thread).reason}")


@command.command()
@thread_argument
@click.option("--trace", is_flag=True, help="Show every step of every run: which node, why, and what changed.")
@as_json
def show(thread: str, *, trace: bool, json_: bool) -> None:
    """Show a thread: messages, draft, open questions, ticket, and the state of each criterion.

    THREAD can also be the address of a message, as tickets print it: `pk:thread/…`.
    """
    found = within(_desk, threads.show_thread, thread)
    if json_:
        document({**SHOWN(found), **(TRACE(found) if trace else {})}, "thread/1")
        return
    for line in shown(found, trace=trace):
        say(line)


@command.command()
@click.argument("folder", metavar="FOLDER")
@as_json
def files(folder: str, *, json_: bool) -> int:
    """Read new messages from FOLDER, which has a folder of messages per thread, and write replies there in Markdown."""
    faults = Faults()
    found = within(_desk, threads.read_thread_files, folder, faults.attempt)
    if json_:
        heard = HEARD.each(found.heard)
        document({"threads": heard, "empty": list(found.empty), "failed": dict(found.failed)}, "thread-files/1")
    else:
        for one in found.heard:
            say(f"{one.thread}  {one.state.phase.lower().replace('_', ' ')}  {count(len(one.posts), 'post')}")
            if one.ran == "ran" and not one.posts:
                say(f"  {dim(one.state.reason)}")
        say(count(len(found.heard), "thread"))
    for place in found.empty:
        note(f"no messages found in {place}")
    return _failed(found.failed, faults)


@command.command()
@click.argument("thread", default="")
@as_json
def tick(thread: str, *, json_: bool) -> int:
    """Do what is due in all threads, or in THREAD: read threads that have gone quiet, remind once. For a scheduler."""
    faults = Faults()
    found = within(_desk, threads.tick_threads, faults.attempt, only=thread)
    if json_:
        document(found, "thread-tick/1")
    else:
        for one in found.ran:
            say(f"{one}  {'reminded' if one in found.reminded else 'went on'}")
        for line in lines_since_ticket(found):
            say(line)
        if not found.ran and not found.failed and not found.since_ticket:
            say("nothing is due")
    return _failed(found.failed, faults)


def lines_since_ticket(found: ThreadsTicked) -> Iterator[str]:
    """One line for each thread in which something was said that its ticket lacks."""
    for thread, many in found.since_ticket.items():
        yield f"{thread}  {count(many, 'sentence')} said since its ticket, and not in it: pk thread show {thread}"


def _failed(failed: Mapping[str, str], faults: Faults) -> int:
    """Report the threads that could not go on, after all others; a bug of ours is reported as one."""
    for one, reason in failed.items():
        note(f"{mark('error')} {one} cannot continue: {reason}")
    faults.end()
    return 2 if failed else 0


def _act(thread: str, saying: Saying, *, json_: bool) -> int:
    heard = within(_desk, threads.say_in_thread, thread, saying)
    code = _answer(heard, json_=json_)
    return 1 if saying.kind == "approve" and not any(one.post.kind == "created" for one in heard.posts) else code


def _answer(heard: Heard, *, json_: bool) -> int:
    if json_:
        document(HEARD(heard), "thread-answer/1")
        return 0
    for line in lines_of_heard(heard):
        say(line)
    if heard.ran == "busy":
        note("another process is working on this thread; it will continue with this when it is done")
    return 0


def _text(words: tuple[str, ...]) -> str:
    text = read_text_named("-", "the message", most=MOST_BYTES) if words == ("-",) else " ".join(words)
    if not text.strip():
        raise click.UsageError("say something: TEXT, or - to read it from stdin")
    return text


@contextmanager
def _desk() -> Iterator[Desk]:
    """The person's threads, with the current repository if there is one."""
    with ExitStack() as stack:
        own = stack.enter_context(personal())
        try:
            opened = stack.enter_context(workspace())[0]
        except NotARepository:
            opened = None
        yield Desk(own, opened)


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
    """A thread in one line: its state, what is waiting, its title and its ticket."""
    title = " / ".join(cut(side.value) for side in sides_of(one.draft.title)) or dim("(no title yet)")
    ticket = "" if one.ticket is None else f"  {one.ticket.target}"
    waits = _WAITS.get(one.state.outcome, "")
    if one.state.outcome == "preview":
        waits = f"version {one.state.version}" if one.state.version else "unclear"
    if one.since_ticket:
        waits = f"{len(one.since_ticket)} not in it"
    return f"{bold(one.thread.id)}  {_phase(one.state.phase):<13}  {waits:<10}  {title}{dim(ticket)}"


def lines_of_heard(found: Heard) -> Iterator[str]:
    """The reply to a message."""
    if found.kept == "late":
        yield f"{mark('warning')} this arrived after a later message was read, so it was not read"
    yield f"{bold(found.thread)}  {_phase(found.state.phase)}"
    if found.ran == "nothing":
        yield dim("it will be read together with what follows, once the thread is quiet: pk tick")
    elif not found.posts and found.ran == "ran":
        yield dim(found.state.reason)
    for one in found.posts:
        yield from _post(one)
    if found.state.outcome == "ask" and found.posts and not any(one.post.asks for one in found.posts):
        yield dim(
            f"pk thread answer {found.thread} CHOICE (or new words); pk thread show {found.thread} has the questions"
        )


def shown(found: ShownThread, *, trace: bool) -> Iterator[str]:
    """All lines about a thread."""
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
        yield f"  {mark('warning')} could not be read and was skipped: {event.author}: {event.text.strip()[:_SHOWN]}"
    yield from _said_last(found)
    for ask in found.asks:
        yield f"  waits ({ask.number}, {ask.id}): {ask.text}"
    if found.asks:
        yield dim(f"  {_answering(listed.thread.id, found.asks)}")
    yield from _loose(found)
    yield from _tickets(found)
    yield dim(f"why: {listed.state.reason}")
    if trace:
        yield from _trace(found.steps)


def _said_last(found: ShownThread) -> Iterator[str]:
    """The draft, unless the last post shows it, and the last post."""
    last = next((one for one in reversed(found.posts) if not one.post.instead), None)
    if found.listed.draft.version and (last is None or last.post.draft is None):
        yield ""
        yield from drafted(found.listed.draft)
    if last is not None:
        yield ""
        post = replace(last.post, asks=(), text=without_unplaced(last.post.text))  # both are listed below in full
        yield from _post(replace(last, post=post))


def _loose(found: ShownThread) -> Iterator[str]:
    """Every sentence without a mark, and where it was placed."""
    for one in found.listed.state.loose:
        yield f"  {one.number:>3}. {one.said.value} ({one.said.author}){dim(f' = {one.place}' if one.place else '')}"


def _tickets(found: ShownThread) -> Iterator[str]:
    for ticket in {one.target: one for one in found.tickets}.values():
        said = f"{ticket.state}, version {ticket.version}, approved by {ticket.approved_by}"
        yield f"{bold(ticket.target or 'ticket')}  {said}  {dim(ticket.url)}"
        if ticket.missing:
            lacks = ", ".join(_EFFECTS[one] for one in ticket.missing)
            yield f"  {mark('warning')} not done yet: {lacks}; to continue: pk tick, or approve it again"
            yield from (f"    {line}" for line in (*ticket.told, *ticket.notes))
        if ticket.error:
            yield f"  {mark('error')} {ticket.error}"
    for one in found.criteria:
        yield f"  {one.state:<9}  {one.words}  {dim(one.atom)}  {dim(', '.join(one.tests))}".rstrip()
        if one.earlier:
            yield f"  {'':<9}  at {one.earlier[:12]}, before other files changed"


def _post(kept: KeptPost) -> Iterator[str]:
    post = kept.post
    if post.instead:
        return
    yield from map(_on_screen, post.text.splitlines())
    yield from map(dim, _commands(post))
    if not kept.said_at:
        yield f"{mark('warning')} not posted yet: its channel does not answer"


def _on_screen(line: str) -> str:
    """A line of a post, with the severity in colour instead of Markdown."""
    found = _SEVERITY.match(line)
    return line if found is None else f"{mark(found['severity'])} {line[found.end() :]}"


def _commands(post: Post) -> Iterator[str]:
    """The commands that respond to a post."""
    if post.asks:
        yield _answering(post.thread, post.asks)
    if any(one.changes for one in post.unplaced):
        yield f"pk thread changes {post.thread} 'Correction to AC 1: …'"
    if post.unplaced:
        first_one = post.unplaced[0]
        may_be = first_one.suggested or ("drop" if post.kind == "preview" else "problem")
        others = ", ".join(one for one in ("problem", "criterion", "risk") if one != may_be)
        yield f"pk thread place {post.thread} {first_one.number}={may_be} (or {others}, …, drop)"
    if post.approvable and post.draft is not None:
        yield f"pk thread approve {post.thread} {post.draft.version}"


def _answering(thread: str, asks: Sequence[Ask]) -> str:
    """The command that answers the first of some questions."""
    to = f" --to {asks[0].number}" if len(asks) > 1 else ""
    sides = ", ".join(one for one in asks[0].choices if one != "amend")
    return f"pk thread answer {thread} {f'CHOICE{to} ({sides}, or new words)' if sides else f'TEXT{to}'}"


def _trace(steps: tuple[ThreadStep, ...]) -> Iterator[str]:
    for one in steps:
        yield f"  run {one.run}  {one.node:<9} {one.milliseconds:>5} ms  {one.reason}"
        for name, value in one.changed.items():
            if value:
                said = ", ".join(str(part) for part in value) if isinstance(value, list) else value
                yield dim(f"      {name}: {said}")


def _phase(phase: str) -> str:
    return phase.lower().replace("_", " ")
