"""`pk atom new|edit|propose|abandon|remove|trim`.

Also `pk atom supersede` and `pk atom clarify`: replace an atom with another, and explain what one means.
"""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from pactkeeper.catalog.decode import editable, words_of
from pactkeeper.doors.cli.apply import print_applied
from pactkeeper.doors.cli.atom import print_near
from pactkeeper.doors.cli.commit import abandon_committed
from pactkeeper.doors.cli.output import count, document, say
from pactkeeper.doors.cli.parameters import as_json, attended, dry_run_option, in_workspace, workspace
from pactkeeper.doors.cli.quality import print_deductions, verdict_text
from pactkeeper.errors import InputError, UsageError
from pactkeeper.intent.atoms import CATEGORIES, SOURCES, Atom, Category, Clarification, WrittenStatus
from pactkeeper.operators import authored
from pactkeeper.operators.atoms import get_atom
from pactkeeper.operators.authored import Replaced, Written
from pactkeeper.published.atoms import NEAR
from pactkeeper.published.ops import APPLIED
from pactkeeper.published.plain import Codec
from pactkeeper.reconcile.authored import AtomChange, NewAtom
from pactkeeper.reconcile.edits import TOPIC
from pactkeeper.settings import Environment
from pactkeeper.workspace import Workspace

Command = TypeVar("Command", bound=Callable[..., Any])
Read = TypeVar("Read")
MOST_LISTED: Final = 10
anyway_option = click.option("--anyway", is_flag=True, help="Declare it even if another atom says the same.")


@dataclass(frozen=True, slots=True)
class TypedAtom:
    """The parts of an atom other than its sentence, as typed; those not given are None or empty."""

    category: Category | None
    outcomes: tuple[str, ...]
    falsified_by: tuple[str, ...]
    tags: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.category or self.outcomes or self.falsified_by or self.tags)

    def change(self, intent: str | None) -> AtomChange:
        """The change to an atom; each list that was given replaces the current one."""
        return AtomChange(
            intent, self.category, self.outcomes or None, self.falsified_by or None, tags=self.tags or None
        )


def word_options(command: Command) -> Command:
    """Add the options for an atom's other parts, passed on as `words`."""

    @wraps(command)
    def gathered(**given: Any) -> Any:  # noqa: ANN401 - click decides
        words = TypedAtom(*(given.pop(name) for name in ("category", "outcomes", "falsified_by", "tags")))
        return command(words=words, **given)

    made: Command = gathered  # type: ignore[assignment]  # the same command, with other options
    for option in (
        click.option("--category", type=click.Choice(CATEGORIES), help="Which quality it belongs to."),
        click.option("--outcome", "outcomes", multiple=True, metavar="TEXT", help="What can be observed; repeatable."),
        click.option("--falsified-by", multiple=True, metavar="TEXT", help="What would refute it; repeatable."),
        click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag; repeatable."),
    ):
        made = option(made)
    return made


def words_from_editor(opened: Workspace, atom: Atom, *, note: str, instead: str) -> AtomChange:
    """Let a person edit an atom's words, repeatedly, until they parse or the person gives up."""
    text = editable(atom, note=note)
    return edited(text, opened.surroundings, lambda changed: AtomChange(**words_of(changed)), instead=instead)


@click.command()
@click.argument("sentence")
@word_options
@click.option("--proposed", is_flag=True, help="Make it a proposal instead of a draft.")
@click.option("--source", type=click.Choice(SOURCES), default="person", show_default=True, help="Where it comes from.")
@click.option("--origin", metavar="TEXT", help="The document or ticket it came from.")
@click.option(
    "--topic", default=TOPIC, show_default=True, metavar="NAME", help="Store it in the pact's atoms/NAME.toml."
)
@anyway_option
@dry_run_option
@as_json
def new(  # noqa: PLR0913 - one argument per option
    sentence: str,
    *,
    words: TypedAtom,
    proposed: bool,
    anyway: bool,
    dry_run: bool,
    json_: bool,
    **about: Any,  # noqa: ANN401 - as click gives them
) -> int:
    """Declare one observable behaviour in one SENTENCE.

    Lists atoms that say nearly the same; an exact repeat is refused.
    """
    said = (words.category or "functional", words.outcomes, words.falsified_by, words.tags)
    wanted = NewAtom(sentence, *said, status="proposed" if proposed else "draft", **about)
    written = in_workspace(authored.create_atom, wanted, anyway=anyway, dry_run=dry_run)
    code, quality = _report(written, json_=json_), written.quality
    if not json_ and quality is not None and quality.judged and quality.verdict != "approve":
        say(f"quality  {verdict_text(quality)}; a commitment asks for more:")
        print_deductions(quality)
    return code


@click.command()
@click.argument("atom")
@click.option("--intent", metavar="SENTENCE", help="The new sentence.")
@word_options
@click.option(
    "--status", type=click.Choice(["draft", "proposed"]), help="The new status; also revives an abandoned atom."
)
@click.option("--no-supersedes", is_flag=True, help="Remove the claim that it replaces another atom.")
@dry_run_option
@as_json
def edit(  # noqa: PLR0913 - one argument per option
    atom: str,
    *,
    intent: str | None,
    words: TypedAtom,
    status: WrittenStatus | None,
    no_supersedes: bool,
    dry_run: bool,
    json_: bool,
) -> int:
    """Change a draft or a proposal with options or, without any, in your editor (VISUAL or EDITOR)."""
    with workspace() as (opened, _):
        if intent or status or no_supersedes or words:
            wanted = replace(words.change(intent), status=status, replaces_nothing=no_supersedes)
        else:
            found = get_atom(opened, atom)
            note = f"{found.row.atom.id}, {found.row.status}; save and leave to change it"
            wanted = words_from_editor(
                opened, found.row.atom, note=note, instead=f"say what changes: pk atom edit {atom} --intent …"
            )
        written = authored.update_atom(opened, atom, wanted, dry_run=dry_run)
    return _report(written, json_=json_)


@click.command()
@click.argument("atom")
@as_json
def propose(atom: str, *, json_: bool) -> int:
    """Turn a draft into a proposal for others to adopt or abandon."""
    written = in_workspace(authored.update_atom, atom, AtomChange(status="proposed"))
    return _report(written, json_=json_)


@click.command()
@click.argument("atom")
@click.option("--reason", required=True, help="Why; kept with the atom.")
@click.option(
    "--sign", "key", metavar="KEY", help="For a committed atom without a terminal: sign with this ssh key file."
)
@dry_run_option
@as_json
def abandon(atom: str, *, reason: str, key: str | None, dry_run: bool, json_: bool) -> int:
    """Give an atom up but keep its record; links to it become findings.

    A committed atom takes a person, as committing does: what it says is shown, then the command asks. Without a
    terminal it refuses, unless --sign gives a valid signature. Who gave it up, when and why is a file beside its
    commitment.
    """
    with workspace() as (opened, _):
        row = get_atom(opened, atom).row
        if row.commitment is not None:
            return abandon_committed(opened, row.atom.id, reason, key=key, dry_run=dry_run, quiet=json_)
        if key is not None:
            raise click.UsageError(f"{row.atom.id} is not committed, so there is nothing to sign")
        wanted = AtomChange(status="abandoned", reason=reason)
        written = authored.update_atom(opened, atom, wanted, dry_run=dry_run)
    return _report(written, json_=json_)


@click.command()
@click.argument("atom")
@click.option("--reason", default="", help="Why; kept in the journal.")
@dry_run_option
@as_json
def remove(atom: str, *, reason: str, dry_run: bool, json_: bool) -> int:
    """Remove a draft or a proposal from the pact; refused while a test, a molecule or another atom refers to it."""
    written = in_workspace(authored.delete_atom, atom, reason=reason, dry_run=dry_run)
    return _report(written, json_=json_)


def _report(written: Written, *, json_: bool) -> int:
    if json_:
        document(Codec(Written, "atom near linked applied", near=NEAR, applied=APPLIED)(written), "atom-written/1")
        return 0
    print_near(written.near)
    if written.linked:
        say(f"{count(len(written.linked), 'test')} linked to it, which is now a finding (PK105):")
        for test in written.linked[:MOST_LISTED]:
            say(f"  {test}")
    if written.applied is None:
        say(f"{written.atom}: nothing changed")
    else:
        print_applied(written.applied)
    return 0


def edited(text: str, surroundings: Environment, read: Callable[[str], Read], *, instead: str) -> Read:
    """Let a person edit a text, repeatedly, until it can be read or the person gives up.

    `instead` says what to do without a terminal or an editor.
    """
    while True:
        text = _edited(text, surroundings, instead)
        try:
            return read(text)
        except InputError as error:
            say(str(error))
            if not click.confirm("edit it again?", default=True):
                raise


def _edited(text: str, surroundings: Environment, instead: str) -> str:
    if not attended(surroundings, shown=True):
        raise UsageError(f"no terminal to ask at; {instead}")
    command = _command(surroundings.editor, instead)
    with tempfile.TemporaryDirectory(prefix="pactkeeper-") as folder:
        place = Path(folder, "atom.toml")
        place.write_text(text, encoding="utf-8")
        try:
            code = subprocess.run([*command, str(place)], check=False).returncode
        except OSError as error:
            raise UsageError(f"the editor {command[0]!r} cannot be started: {error.strerror}; {instead}") from error
        if code:
            raise UsageError(f"the editor {command[0]!r} exited with {code}; nothing was changed")
        return place.read_text(encoding="utf-8", errors="strict")


def _command(editor: str, instead: str) -> list[str]:
    try:
        command = shlex.split(editor)
    except ValueError as error:
        raise UsageError(f"VISUAL or EDITOR is {editor!r}, which is not a command: {error}") from error
    if not command:
        raise UsageError(f"neither VISUAL nor EDITOR is set; {instead}")
    return command


@click.command()
@click.argument("old")
@click.argument("new", required=False)
@click.option("--intent", metavar="SENTENCE", help="The sentence that replaces it.")
@word_options
@click.option("--edit", "in_editor", is_flag=True, help="Word the successor in your editor (VISUAL or EDITOR).")
@click.option("--reason", help="Why it is replaced; kept in the journal.")
@anyway_option
@dry_run_option
@as_json
def supersede(  # noqa: PLR0913 - one argument per option
    old: str,
    new: str | None,
    *,
    intent: str | None,
    words: TypedAtom,
    in_editor: bool,
    reason: str | None,
    anyway: bool,
    dry_run: bool,
    json_: bool,
) -> None:
    """Declare that the atom NEW, or a new one in the words you give, replaces OLD.

    What you leave out is copied from OLD, but for what was read from its tests, and numbers that a new sentence lacks.
    A committed atom stays in force until its successor is committed. An atom has at most one successor.
    """
    if bool(intent or in_editor or words) == (new is not None):
        raise click.UsageError("name the atom that replaces it, or word a new one with --intent or --edit")
    with workspace() as (opened, _):
        wanted: str | AtomChange = new or words.change(intent)
        if in_editor:
            found = get_atom(opened, old)
            note = f"what replaces {found.row.atom.id}; save and leave to declare it"
            instead = f"say what replaces it: pk atom supersede {old} --intent …"
            wanted = words_from_editor(opened, found.row.atom, note=note, instead=instead)
        done = authored.supersede_atom(opened, old, wanted, reason=reason, anyway=anyway, dry_run=dry_run)
    if json_:
        document(
            Codec(Replaced, "old new status near dropped applied", near=NEAR, applied=APPLIED)(done), "superseded/1"
        )
    else:
        print_near(done.near)
        print_applied(done.applied, successors=False)
        for text in done.dropped:
            say(f"not copied, because it may not be true of the new sentence: {text}")
        if done.dropped:
            say(f"its test shows what can be observed now: pk accept TEST --atom {done.new}")
        say(_outlook(done))


def _outlook(done: Replaced) -> str:
    if done.status == "committed":
        return f"{done.old} is committed and stays in force until {done.new} is; next: pk commit {done.new}"
    if done.status != "superseded":
        return f"{done.old} holds while {done.new} is a proposal; to adopt it: pk atom edit {done.new} --status draft"
    return f"{done.old} is superseded by {done.new}; pk reconcile offers it to the tests that link to {done.old}"


@click.command()
@click.argument("atom")
@click.argument("question")
@click.option("--answer", required=True, help="The answer.")
@click.option("--replace", is_flag=True, help="Replace an earlier answer.")
@as_json
def clarify(atom: str, question: str, *, answer: str, replace: bool, json_: bool) -> None:
    """Answer a QUESTION that an atom's words leave open.

    Stored in the pact's clarifications.toml and shown with the atom, which itself doesn't change, so a committed atom
    can be clarified too. To change the behaviour, use `pk atom supersede`.
    """
    done = in_workspace(authored.clarify_atom, atom, question, answer, replace=replace)
    said = done.clarification
    if json_:
        said_of = Codec(Clarification, "id atom question answer by at")
        form = Codec(authored.Clarified, "*clarification before entry", clarification=said_of, entry="id")
        document(form(done), "clarification/1")
    elif done.entry is None:
        say(f"{said.id} says so already")
    else:
        say(f"recorded {said.id} about {said.atom}; pk undo reverts it")
