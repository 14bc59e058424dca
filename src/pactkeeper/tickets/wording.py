"""The texts posted in threads, in Markdown: questions, previews, gaps, created tickets, and the one reminder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, Literal

from pactkeeper.advice import ABANDON
from pactkeeper.boards.merging import MergeConflict as KeptOut
from pactkeeper.intent.board import ReviseTask
from pactkeeper.intent.thread_event import OPEN_QUESTIONS, Blocker, PostKind, Ticket
from pactkeeper.intent.ticket import (
    FIELDS,
    LONGEST_TITLE,
    Ask,
    Draft,
    Loose,
    PlacedValue,
    Value,
    all_said,
    evidence,
    is_same_person,
    sides_of,
    values_of,
)
from pactkeeper.speech.amounts import same_text
from pactkeeper.tickets.channels import ADDRESS
from pactkeeper.tickets.loose import MOST_SHOWN

_CHOICES: Final = {
    "keep_a": "keep the first",
    "keep_b": "keep the second",
    "both": "both hold",
    "amend": "reword it",
}
NOT_YET: Final = "## Not in the ticket yet"
CONSTRAINTS: Final = "Constraints"
_LONGEST: Final = LONGEST_TITLE
_RUN_AGAIN: Final = "run the same again"  # how boards address somebody who ran a command
_AFTER_REFUSAL: Final = (
    "Retrying alone won't help. Nothing is lost: do what is described above in the ticket or on the board, then "
    "approve the same version again; or say here what the ticket should say instead."
)


def questions(asks: Sequence[Ask], blockers: Sequence[Blocker] = (), loose: Sequence[Loose] = ()) -> str:
    """A round of questions, after the blockers; a thread's first question isn't numbered if it is alone."""
    numbered = [f"{_number(one, asks)}{_question(one)}" for one in asks]
    return "\n".join([*_blockers(blockers), *numbered, *unplaced(loose)])


def still_open(draft: Draft, asks: Sequence[Ask], blockers: Sequence[Blocker], loose: Sequence[Loose]) -> str:
    """The draft's current content and the questions still open, by number."""
    still = "; ".join(f"{_number(one, asks)}{_subject(one)}" for one in asks)
    lines = [*_blockers(blockers), *_held(draft), f"Still open: {still}.", *unplaced(loose)]
    return "\n".join(lines)


def _subject(ask: Ask) -> str:
    sides = [f"{cut(side)!r} (`{choice}`)" for side, choice in zip(ask.sides, ask.choices, strict=False)]
    return " or ".join(sides) or ask.field.replace("_", " ")


def _number(ask: Ask, asks: Sequence[Ask]) -> str:
    return f"{ask.number}. " if len(asks) > 1 or ask.number > 1 else ""


def _held(draft: Draft) -> Iterator[str]:
    """The draft's fields, one per line, so that everybody sees where an answer went."""
    for name in FIELDS:
        values = [one.value for one in values_of(draft, name)]
        if values and name != "evidence_links":
            yield f"In the ticket, {name.replace('_', ' ')}: {cut('; '.join(values))}"


def unplaced(loose: Sequence[Loose]) -> Iterator[str]:
    """The list of words to place, with their numbers; only the first ones are shown."""
    if not loose:
        return
    yield from ("", NOT_YET, "")
    yield from (f"{one.number}. {cut(one.said.value)} ({one.said.author}){_maybe(one)}" for one in loose[:MOST_SHOWN])
    if len(loose) > MOST_SHOWN:
        yield f"… and {len(loose) - MOST_SHOWN} more: pk thread show"


def since_ticket(loose: Sequence[Loose]) -> str:
    """Words that a ticket lacks, and how they get into it."""
    about = "This was said since the ticket was approved. Say where it belongs to see a version that has it."
    unclear = [Blocker("error", unclear_change(one)) for one in loose if one.changes]
    return "\n".join([*_blockers(unclear), about, *unplaced(loose)])


def without_unplaced(text: str) -> str:
    """A post without its list of words to place."""
    before, mark, listed = text.partition(f"\n{NOT_YET}\n\n")
    if not mark:
        return text
    behind = listed.partition("\n\n")[2]
    return f"{before.rstrip()}\n\n{behind}" if behind else before.rstrip()


def _maybe(loose: Loose) -> str:
    """The suggested field for some words, to be confirmed."""
    return f" (perhaps {loose.suggested.replace('_', ' ')})" if loose.suggested else ""


def outsider(author: str) -> str:
    """Say that somebody isn't a member, so they can neither place words nor approve."""
    return f"{author} is not among `members` in threads.toml, so this has no effect"


def unclear_change(loose: Loose) -> str:
    """Say that words correct something unclear, and how to resolve that."""
    return (
        f"{loose.said.author} changes something, but it is unclear what: {cut(loose.said.value)!r}. Say what it"
        f" replaces (`Correction to AC 1: …`, `New title: …`), then drop this ({loose.number}=drop); or add it as"
        f" something new ({loose.number}=criterion)"
    )


def said_later(said: Sequence[tuple[str, str]], *, version: int) -> tuple[str, ...]:
    """Lines about words said since a version was first shown that aren't in it; only the first ones are shown."""
    since = f"- said since version {version} was first shown, and not in it: "
    lines = tuple(f"{since}{cut(words)!r} ({author})" for author, words in said[:3])
    return (*lines, f"- and {len(said) - len(lines)} more: see pk thread show") if len(said) > len(lines) else lines


def cut(text: str) -> str:
    """A text on one line, truncated if it is long."""
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _question(ask: Ask) -> str:
    if not ask.choices:
        return ask.text
    return f"{ask.text} ({', '.join(f'`{one}`: {_CHOICES[one]}' for one in ask.choices)})"


def drawn(kind: PostKind, draft: Draft, blockers: Sequence[Blocker], loose: Sequence[Loose], *, after: int) -> str:
    """The blockers, then everything in the draft, which an approval of a preview covers, then the words to place.

    `after` is the version that was shown before, 0 for none; those between had something open.
    """
    lines = [*_blockers(blockers), *drafted(draft), *unplaced(loose)]
    if kind == "gaps":
        return "\n".join(["This is still missing. I won't ask again until somebody says more.", "", *lines])
    lines += ["", f"Version {draft.version}, {short(draft.hash)}"]
    missed = ", ".join(map(str, range(after + 1, draft.version)))
    lines += [f"Not shown, as something was missing or in conflict: version {missed}."] if missed else []
    return "\n".join(lines)


def gone(before: Sequence[Draft], draft: Draft) -> Iterator[str]:
    """What earlier versions say and this one does not, in any field, each once."""
    held = [said.value for _, said in all_said(draft)]
    for name, said in chain.from_iterable(map(all_said, before)):
        if not any(same_text(said.value, one) for one in held):
            held.append(said.value)
            yield f"no longer in it, {name.replace('_', ' ')}: {cut(said.value)!r} ({said.author})"


def created(ticket: Ticket, since: Sequence[str]) -> str:
    """The ticket that exists now, what changed in it, its criteria's atoms, and what was said after its preview."""
    where = f": {ticket.url}" if ticket.url else ""
    version = f" in version {ticket.version}" if ticket.told else ""
    lines = [f"{ticket.target} on {ticket.board}{version}, approved by {ticket.approved_by}{where}", *ticket.told]
    lines += [f"- {atom} stands for: {words}" for words, atom in ticket.criteria.items()]
    return "\n".join([*lines, *since, *ticket.notes])


def failed(ticket: Ticket, *, refused: bool) -> str:
    """Why an approved version isn't on the board yet, and what to do; after a refusal, retrying alone doesn't help."""
    why = ticket.error.replace(_RUN_AGAIN, "approve the same version again")
    next_ = _AFTER_REFUSAL if refused else "Nothing is lost; approve the same version to try again."
    return f"The ticket could not be written: {why}\n{next_}"


def reminder(asks: Sequence[Ask]) -> str:
    """A friendly reminder of what the thread waits for."""
    if asks:
        return f"A gentle reminder, the only one: this is still waiting for a reply.\n{questions(asks)}"
    return "A gentle reminder, the only one: the preview above is waiting for approval or changes."


def short(hash_: str) -> str:
    """The part of a hash that a person compares."""
    return hash_.partition(":")[2][:12]


def ticket_title(draft: Draft) -> str:
    """The ticket's title; the first of two contradicting ones, and empty if there is none."""
    return "" if draft.title is None else sides_of(draft.title)[0].value


def ticket_body(draft: Draft, *, by: str) -> str:
    """The ticket's text: who said and approved it, everything in the draft but its title, and where it was said."""
    epic = ("", f"Epic: {' / '.join(one.value for one in sides_of(draft.epic_id))}") if draft.epic_id else ()
    return "\n".join([_people(draft, by), *epic, *_fields(_approved(draft), origin=False)]) + "\n"


def _people(draft: Draft, by: str) -> str:
    """Who said what is in a ticket, who approved it, and how to read a thread whose addresses only we can open."""
    authors = tuple(dict.fromkeys(said.author for _, said in all_said(draft)))
    bare = {one for one in authors if any(len(other) > len(one) and is_same_person(one, other) for other in authors)}
    names = ", ".join(one for one in authors if one not in bare)
    is_ours = any(link.startswith(ADDRESS) for link in evidence(draft))
    how = f" To read what was said: pk thread show {draft.thread}" if is_ours else ""
    return f"Said by {names}; approved by {by}.{how}"


def difference(before: Draft, after: Draft) -> str:
    """The lines in which an approved later version differs."""
    old, new = list(drafted(_approved(before))), list(drafted(_approved(after)))
    gone = [f"- no longer: {line.strip('- ')}" for line in old if line.strip() and line not in new]
    added = [f"- now: {line.strip('- ')}" for line in new if line.strip() and line not in old]
    return "\n".join([f"Version {after.version}, approved:", *gone, *added])


def revised(change: ReviseTask, *, retitled: bool, came: Sequence[str], theirs: Sequence[str]) -> tuple[str, ...]:
    """What a later version changed in the ticket, and what people had changed there before."""
    parts = [*(["the title"] if retitled else []), *map(_part, came)]
    lines = [f"Updated there: {', '.join(parts)}." if parts else f"Nothing had to be changed in {change.task}."]
    if theirs:
        lines.append(f"What people wrote there is kept, in: {', '.join(map(_part, theirs))}.")
    return tuple(lines)


def stays(conflicts: Sequence[KeptOut], *, title: str) -> tuple[str, ...]:
    """The parts that stay as people wrote them, although the approved version differs."""
    parts = [*(["The title"] if title else []), *dict.fromkeys(_part(one.section) for one in conflicts)]
    return tuple(f"- {part}: not as approved, because people changed it there." for part in parts)


def kept_out(ticket: Ticket, conflicts: Sequence[KeptOut], *, title: str) -> str:
    """A remark on the ticket with the approved text of parts that people changed."""
    lines = [f"Version {ticket.version}, approved by {ticket.approved_by}, where it differs from this ticket:"]
    if title:
        lines.append(f"- The title: {title}")
    for one in conflicts:
        verb = "no longer says" if one.dropped else "says"
        lines.append(f"- {_part(one.section)} {verb}: {_plain(one.text)}")
    return "\n".join(lines)


def remarked(board: str, target: str, *, drifted: bool) -> tuple[str, ...]:
    """Say that a later version was added as a remark, since the board can't revise tickets."""
    lines = [f"{board} does not allow changing a ticket's text, so the changes are in a comment on {target}."]
    return (*lines, *([f"{target} was edited since; those edits are kept."] if drifted else []))


def dropped(words: str, atom: str) -> str:
    """Say that a criterion is no longer in the ticket, and what happens to its atom."""
    return (
        f"- {atom} stays and is no longer a criterion: {words} (to abandon it: "
        + ABANDON(atom, "--reason 'Why.'")
        + ")"
    )


def _part(section: str) -> str:
    return section or "the text above the first heading"


def _plain(block: str) -> str:
    """One block on one line, without its list marker or checkbox."""
    return " ".join(block.removeprefix("- ").removeprefix("[ ] ").split())


def _blockers(blockers: Sequence[Blocker]) -> Iterator[str]:
    for one in blockers:
        yield f"- **{one.severity}**: {one.text}"
    if blockers:
        yield ""


@dataclass(frozen=True, slots=True)
class DraftLine:
    """A value with all of its contradicting sides, and for a constraint its key and status."""

    sides: tuple[PlacedValue, ...]
    key: str = ""
    status: str = ""

    def words(self, value: str) -> str:
        """The line with one of its values, or with several joined into one text."""
        return in_words(self.key, value) + (f" ({self.status})" if self.status else "")


@dataclass(frozen=True, slots=True)
class DraftPart:
    """One heading of a draft with its lines, for every channel: one value, or a list."""

    heading: str
    style: Literal["title", "epic", "value", "list", "boxes"]
    lines: tuple[DraftLine, ...]


def draft_parts(draft: Draft) -> tuple[DraftPart, ...]:
    """The parts of a draft that its ticket contains, in field order."""
    bounds = tuple(DraftLine(sides_of(one.value), one.key, one.status) for one in draft.constraints)
    parts = (
        DraftPart("Title", "title", _one(draft.title)),
        DraftPart("Epic", "epic", _one(draft.epic_id)),
        DraftPart("Problem", "value", _one(draft.problem)),
        DraftPart("Proposed solution", "value", _one(draft.proposed_solution)),
        DraftPart("Acceptance criteria", "boxes", _each(draft.acceptance_criteria)),
        DraftPart(CONSTRAINTS, "list", bounds),
        DraftPart(OPEN_QUESTIONS, "list", _each(draft.open_questions)),
        DraftPart("Dependencies", "list", _each(draft.dependencies)),
        DraftPart("Risks", "list", _each(draft.risks)),
    )
    return tuple(one for one in parts if one.lines)


def _one(value: Value | None) -> tuple[DraftLine, ...]:
    return () if value is None else (DraftLine(sides_of(value)),)


def _each(values: Sequence[PlacedValue]) -> tuple[DraftLine, ...]:
    return tuple(DraftLine((one,)) for one in values)


def _approved(draft: Draft) -> Draft:
    """The draft as its ticket words it: proposed constraints become accepted."""
    constraints = (replace(one, status="accepted") if one.status == "proposed" else one for one in draft.constraints)
    return replace(draft, constraints=tuple(constraints))


def drafted(draft: Draft) -> Iterator[str]:
    """A draft in Markdown, with who said what, and every side of a contradicted value."""
    head = {part.style: part.lines[0] for part in draft_parts(draft)}
    yield f"# {_words(head['title'], _is_placed, shown=cut)}" if "title" in head else "# (no title yet)"
    if "epic" in head:
        yield f"Epic: {_words(head['epic'], _is_placed)}"
    yield from _fields(draft, origin=True)


def _fields(draft: Draft, *, origin: bool) -> Iterator[str]:
    marks = {"value": "", "list": "- ", "boxes": "- [ ] "}
    for part in draft_parts(draft):
        if part.style in marks:
            yield from ("", f"## {part.heading}", "")
            is_told = _is_placed if part.style == "value" else bool
            yield from (f"{marks[part.style]}{_words(one, is_told if origin else None)}" for one in part.lines)
    links = evidence(draft)
    if links:
        named = (f"{link} ({', '.join(names)})" for link, names in links.items()) if origin else links
        yield from ("", "## Where it was said", "", *(f"- {one}" for one in named))


def _is_placed(said: PlacedValue) -> bool:
    """Whether somebody placed a value, because its words didn't say what they are."""
    return bool(said.placed_by)


def who(said: PlacedValue) -> str:
    """The author of a value, and who placed it."""
    return f"{said.author}; placed by {said.placed_by}" if said.placed_by else said.author


def _words(line: DraftLine, is_told: Callable[[PlacedValue], bool] | None, *, shown: Callable[[str], str] = str) -> str:
    """A line's value with its author where needed; for a conflict, every side with its author."""
    told = [len(line.sides) > 1 or (is_told is not None and is_told(one)) for one in line.sides]
    if line.status and told == [True]:
        (side,) = line.sides
        return f"{in_words(line.key, shown(side.value))} ({line.status}) ({who(side)})"
    pairs = zip(line.sides, told, strict=True)
    return line.words(" / ".join(f"{shown(one.value)}{f' ({who(one)})' if by else ''}" for one, by in pairs))


_TRUE: Final = frozenset({"required", "yes", "true"})
_FALSE: Final = frozenset({"forbidden", "no", "false"})


def in_words(key: str, value: str) -> str:
    """A constraint as one sentence, such as `session: 15 minutes`; just its value if it has no key."""
    if not key:
        return value
    if value.casefold() in _TRUE:
        return key
    return f"not {key}" if value.casefold() in _FALSE else f"{key}: {value}"


def bounds_in_words(draft: Draft) -> Iterator[tuple[str, PlacedValue, str]]:
    """Each value of each constraint that wasn't rejected, as its key, the value, and both in one sentence."""
    for one in draft.constraints:
        if one.status != "rejected":
            yield from ((one.key, side, in_words(one.key, side.value)) for side in sides_of(one.value))
