"""Existing statements that contradict what was said, reported as conflicts that quote both sides.

Also binds an artifact to its task: the one named by id or address, else by its whole title.

And orders artifacts in time: by position within a conversation, and by the clock only across conversations. And says
whether an event happened where a task belongs: in its own repository, and on the main line of that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, combinations
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Final, Literal

from pactkeeper.intent.actions import Conflict, ConflictSide, Suppressed
from pactkeeper.intent.board import Task
from pactkeeper.intent.conversation import content
from pactkeeper.intent.redaction import redacted
from pactkeeper.speech.amounts import plain
from pactkeeper.speech.clash import Compared, begins, compare, has_phrase, is_meant
from pactkeeper.speech.dates import apart, dates_in
from pactkeeper.speech.languages import words_of
from pactkeeper.speech.words import statement
from pactkeeper.transcripts.extraction import sentences
from pactkeeper.transcripts.reconciling import (
    BoardView,
    SeenArtifact,
    Stands,
    TranscriptWorld,
    follows,
    in_time,
    instant,
)
from pactkeeper.transcripts.reconciling.observed import branch_of
from pactkeeper.transcripts.reconciling.proposing import suppressed
from pactkeeper.transcripts.reconciling.saying import LineFields, ids_in, said, steps

_MOST: Final = 400  # characters of a quoted line
_PART: Final = re.compile(r"[:;,–—]\s+")
_SHORT: Final = 60  # characters of values shown in a reason
_ENOUGH: Final = 2
_SIDES: Final = 3  # contradicting lines per clause above which none is flagged


def planned(seen: SeenArtifact, subject: str, quote: str, world: TranscriptWorld) -> Iterator[Conflict]:
    """Every line of the active context and every decision that gives up what is wanted here, or contradicts it."""
    for one in world.standing.holding:
        given_up = has_phrase("given_up", one.side.quote) and not has_phrase("given_up", quote)
        if given_up and _about(said(subject), said(one.side.quote)):
            yield _conflict(seen, subject, (quote, one.side), "it is dropped there")
        elif why := _why(one.against(subject)):
            yield _conflict(seen, subject, (quote, one.side), why)


def denied(seen: SeenArtifact, text: str, world: TranscriptWorld) -> Iterator[Conflict | Suppressed]:
    """Every line of a document, task or known item that contradicts a sentence of the text.

    If many lines do, or they contradict each other, they are about different things, and none is flagged.
    """
    for first, last in sentences(text):
        sentence = text[first:last]
        if not is_meant(sentence):
            continue
        lines = list({line: None for part in _parts(sentence) for line in _lines(seen, part, world)})
        several = len(lines) > _SIDES or _disagree(lines)
        if several:
            number = f"{len(lines)} lines differ"
            yield suppressed(seen, sentence, f"{number}, so they are about several things")
        told = [(one.side, why) for one, why in lines if not several]
        for side, why in (*told, *_tasks(sentence, world)):
            yield _conflict(seen, seen.artifact.title, (sentence, side), why)


def _parts(sentence: str) -> Iterator[str]:
    """A sentence, and its clauses between commas and colons; one that gives a reason is not a statement of its own."""
    yield sentence
    parts = _PART.split(sentence)
    yield from (part for part in parts if len(parts) > 1 and not begins("reasons", part))


def _disagree(found: list[tuple[Stands, str]]) -> bool:
    return any(one.against(other.text).verdict == "clash" for (one, _), (other, _) in combinations(found, 2))


def undone(seen: SeenArtifact, bound: Bound, kind: str, later: SeenArtifact | None) -> Iterator[Conflict]:
    """Report a task marked done whose shipping failed, unless it succeeded later or the task changed since."""
    task = bound.task
    mended = later is not None and follows(later, seen)
    if task.status == "done" and not mended and not _after(task.updated_at, seen.artifact.at):
        side = _of_task(bound.board, task)
        answer = seen.artifact.excerpts[-1].text
        yield _conflict(seen, task.title, (answer, side), f"the {kind} failed here but is done there")


def _after(one: str, other: str) -> bool:
    late, early = instant(one), instant(other)
    return late is not None and early is not None and late > early


def _conflict(seen: SeenArtifact, subject: str, sides: tuple[str, ConflictSide], why: str) -> Conflict:
    quote, stands = sides
    mine = ConflictSide(seen.artifact.file, redacted(quote[:_MOST]), seen.artifact.at)
    return Conflict(seen.artifact.fingerprint, redacted(subject), mine, stands, redacted(why))


def _lines(seen: SeenArtifact, sentence: str, world: TranscriptWorld) -> list[tuple[Stands, str]]:
    """Each line that contradicts a sentence, once, and why; items learnt after it was said don't count."""
    found: dict[ConflictSide, tuple[Stands, str]] = {}
    for one in world.standing.near(sentence):
        late = one.known and _after(one.side.at, seen.artifact.at)
        compared = one.against(sentence)
        if not late and (why := _why(compared) or _perhaps(compared, sentence, one.text)):
            found.setdefault(one.side, (one, why))
    return list(found.values())


def _perhaps(compared: Compared, sentence: str, line: str) -> str:
    """Why two statements sharing several words may contradict each other: they give different values."""
    is_shared = len(statement(sentence).topic & statement(line).topic) >= _ENOUGH
    is_asked = compared.verdict == "unsure" and compared.by_value and is_shared
    return f"perhaps: {_why(replace(compared, verdict='clash'))}" if is_asked else ""


def _why(compared: Compared) -> str:
    """Why two statements contradict each other; empty if they don't, or if only a person can tell."""
    if compared.verdict != "clash":
        return ""
    is_short = len(compared.ours) + len(compared.theirs) < _SHORT
    apart = "one affirms it, the other denies it"
    return f"{compared.ours} here, {compared.theirs} there" if is_short else apart


def _tasks(sentence: str, world: TranscriptWorld) -> Iterator[tuple[ConflictSide, str]]:
    """Tasks whose due date differs from the one in a sentence about them, by their words or their id."""
    named = {bound.task.id for bound in by_ids(sentence, world)}
    for view, task in world.tasks():
        if task.status != "done" and task.due:
            said_of = _dated(sentence, task) if task.id in named else ""
            compared = compare(sentence, f"{task.title}: {task.due}")
            why = said_of or (_why(compared) if compared.by_value else "")
            if why:
                yield _of_task(view, task), why


def _dated(sentence: str, task: Task) -> str:
    """Why the only day in a sentence that names a task is not its due date; empty if it may be."""
    days, due = dates_in(plain(sentence)), dates_in(task.due)
    if len(days) != 1 or len(due) != 1 or not apart(days[0], due[0]):
        return ""
    return f"{plain(sentence)[days[0].start : days[0].end]} here, due {task.due} there"


def _of_task(view: BoardView, task: Task) -> ConflictSide:
    due = f", due {task.due}" if task.due else ""
    return ConflictSide(
        f"{view.name}/{task.id}", redacted(f"{task.title} ({task.state or task.status}{due})"), task.updated_at
    )


def _about(subject: LineFields, line: LineFields) -> bool:
    """Whether a line is about a subject: it shares all of the subject's meaningful words, or two thirds of several."""
    shared = len(subject.topics & line.topics)
    enough = shared == len(subject.topics) or (shared >= _ENOUGH and shared * 3 >= len(subject.topics) * 2)
    return bool(subject.topics) and enough


Binding = Literal["id", "title"]
# Letters with a digit, or a path: text that can only be a task's id.
_NO_WORD: Final = re.compile(r"\A(?=.*?[^\W\d])(?=.*?\d)|/")
_FEW: Final = 2  # words that a title needs for a sentence to name the task by it


@dataclass(frozen=True, slots=True)
class Bound:
    """A task that something is about, and how it was identified."""

    board: BoardView
    task: Task
    by: Binding


def named(sentence: str, world: TranscriptWorld) -> tuple[Bound, ...]:
    """The tasks that a sentence names by id, else the only one whose whole title occurs in it."""
    named = by_ids(sentence, world)
    if named:
        return named
    words = said(sentence)
    found = tuple(Bound(*placed, "title") for placed in world.tasks() if has_title(words, said(placed[1].title)))
    return found if len(found) == 1 else ()


def has_title(sentence: LineFields, title: LineFields) -> bool:
    """Whether a sentence contains every word and detail of a title."""
    details = all(values <= sentence.details.get(name, frozenset()) for name, values in title.details.items())
    return details and len(title.topics) >= _FEW and title.words <= sentence.words


def by_ids(text: str, world: TranscriptWorld, *, numbers: bool = False) -> tuple[Bound, ...]:
    """Every task whose id, address or key occurs in a text, each once; `#12` counts only if `numbers` is set."""
    wanted = frozenset(one for one in ids_in(text) if numbers or not one.startswith("#"))
    folded = text.casefold()
    return tuple(
        Bound(view, task, "id")
        for view, task in world.tasks()
        if wanted & ids_of(task) or _stands_in(folded, task.id.casefold())
    )


def _stands_in(text: str, name: str) -> bool:
    """Whether a text contains an id that can't be an ordinary word; both are case-folded."""
    if name not in text or not _NO_WORD.search(name):
        return False
    return re.search(rf"(?<![\w/.-]){re.escape(name)}(?![\w/-]|\.\w)", text) is not None


def ids_of(task: Task) -> frozenset[str]:
    """The id and address of a task and the keys in its title, case-folded."""
    own: Iterable[str] = (task.id, f"#{task.id}" if task.id.isdigit() else "", task.url.rstrip("/"))
    keys = (one for one in ids_in(task.title) if not one.startswith("#"))
    return frozenset(one.casefold() for one in (*own, *keys) if one)


_SUBJECTS: Final = frozenset({"plan", "analysis", "framework"})
_SAYING: Final = frozenset({"statement", "commitment_update", "decision_with_context"})
_HALF: Final = 2


def latest(
    artifacts: Iterable[SeenArtifact], world: TranscriptWorld
) -> tuple[tuple[SeenArtifact, ...], tuple[Suppressed, ...]]:
    """The artifacts that nothing later supersedes, earliest first, and the others with the reason."""
    kept: list[SeenArtifact] = []
    gone: list[Suppressed] = []
    by_subject: dict[Hashable, SeenArtifact] = {}
    by_step: dict[Hashable, list[SeenArtifact]] = {}
    by_stem: dict[str, list[SeenArtifact]] = {}
    for seen in reversed(in_time(artifacts)):
        subjects, done = tuple(_subjects(seen)), _step_keys(seen)
        later = next((by_subject[one] for one in subjects if one in by_subject), None) or _shares(done, by_step)
        later = later or _denied(seen, by_stem, world)
        if later is not None:
            gone.append(_superseded(seen, later))
            continue
        kept.append(seen)
        by_subject.update(dict.fromkeys(subjects, seen))
        for key in done:
            by_step.setdefault(key, []).append(seen)
        for name in _spoken(seen):
            by_stem.setdefault(name, []).append(seen)
    return tuple(reversed(kept)), tuple(reversed(gone))


def _spoken(seen: SeenArtifact) -> frozenset[str]:
    """The stems of a person's sentence; empty for anything else."""
    if seen.artifact.type not in _SAYING:
        return frozenset()
    return statement(seen.artifact.excerpts[0].text).topic


def _denied(
    seen: SeenArtifact, by_stem: Mapping[str, list[SeenArtifact]], world: TranscriptWorld
) -> SeenArtifact | None:
    """The latest statement in the same folder that denies this one or gives another value, of the same tasks."""
    if seen.artifact.type not in _SAYING:
        return None
    text, domain = seen.artifact.excerpts[0].text, seen.artifact.domain
    near = {id(one): one for name in _spoken(seen) for one in by_stem.get(name, ()) if one.artifact.domain == domain}
    later = in_time(near.values())[::-1]
    denying = (one for one in later if _replaces(compare(text, one.artifact.excerpts[0].text)))
    return next((one for one in denying if _tasks_in(one, world) == _tasks_in(seen, world)), None)


def _tasks_in(seen: SeenArtifact, world: TranscriptWorld) -> frozenset[str]:
    return frozenset(bound.task.id for bound in named(seen.artifact.excerpts[0].text, world))


def _replaces(compared: Compared) -> bool:
    """Whether later words replace earlier ones: they deny them, or give another value."""
    return compared.verdict == "clash" or compared.by_value


def _superseded(seen: SeenArtifact, later: SeenArtifact) -> Suppressed:
    when = later.artifact.at[:16] or "a later time"
    reason = f"superseded by {later.artifact.id} of {when}, on the same subject"
    return Suppressed(seen.artifact.fingerprint, redacted(seen.artifact.title), reason)


def _subjects(seen: SeenArtifact) -> Iterator[Hashable]:
    """What an artifact is about, if its title makes that clear."""
    artifact = seen.artifact
    if artifact.type not in _SUBJECTS:
        return
    line = said(artifact.title)
    words, details = line.key
    if len(words - words_of("versions")) > 1:
        yield artifact.type, artifact.domain, words - words_of("versions"), details


def _step_keys(seen: SeenArtifact) -> tuple[Hashable, ...]:
    """The normalized steps of a plan; empty for anything else."""
    artifact = seen.artifact
    if artifact.type != "plan":
        return ()
    keys = (said(step.title).key for step in steps(content(artifact)))
    return tuple((artifact.domain, key) for key in dict.fromkeys(keys) if key[0])


def _shares(keys: tuple[Hashable, ...], by_step: Mapping[Hashable, list[SeenArtifact]]) -> SeenArtifact | None:
    """The latest plan that contains at least half of these steps."""
    counts = Counter(id(plan) for key in keys for plan in by_step.get(key, ()))
    plans = {id(plan): plan for key in keys for plan in by_step.get(key, ())}
    enough = [plans[one] for one, number in counts.items() if number * _HALF >= len(keys)]
    return next(reversed(in_time(enough)), None)


_USUAL: Final = frozenset({"main", "master", "trunk"})
_MOVED: Final = re.compile(r"(?:^|[\s;&|(])(?:cd|pushd|-C)[ =]+[\"']?([^\s\"';&|)]+)")
_REPOSITORY: Final = re.compile(
    r"(?:^|\s)(?:-R|--repo|GH_REPO)[ =]+[\"']?([\w./:@-]{1,300})"
    r"|([\w.-]{1,100}/[\w.-]{1,100})(?:[#!]|/pull/|/-/merge_requests/)\d"
)
_BASE: Final = re.compile(r"\s(?:-B|--base|--target-branch)[ =]+[\"']?([\w./-]{1,300})")


def elsewhere(seen: SeenArtifact, bound: Bound, world: TranscriptWorld) -> str:
    """Why an event may be about another repository or branch than the task; empty if nothing suggests it."""
    return next(chain(_places(seen, world), _boards(seen, bound, world)), "")


def _places(seen: SeenArtifact, world: TranscriptWorld) -> Iterator[str]:
    """Other folders, repositories and branches that its command or answer names."""
    place = world.places.get(seen.folder)
    command, answer = seen.artifact.excerpts[0].text, seen.artifact.excerpts[-1].text
    for folder in _MOVED.findall(command):
        if not _is_within(folder, seen.folder):
            yield f"it happened in {folder!r}, not in {seen.folder!r}"
    roots = (place.root, place.origin.removesuffix(".git")) if place else ()
    known = {PurePosixPath(one).name for one in (seen.folder, *roots)}
    for found in _REPOSITORY.finditer(f"{command}\n{answer}"):
        name = found[1] or found[2]
        if PurePosixPath(name.removesuffix(".git")).name not in known:
            yield f"it happened in the repository {name!r}"
    for branch in filter(None, (branch_of(seen), *_BASE.findall(command))):
        if branch != place.trunk if place and place.trunk else branch not in _USUAL:
            yield f"it went to the branch {branch!r}"


def _boards(seen: SeenArtifact, bound: Bound, world: TranscriptWorld) -> Iterator[str]:
    """Why tasks of its folder may not be on the board of the task."""
    own, domain = world.routing.board_of(seen.artifact.domain), seen.artifact.domain
    if own != bound.board.name:
        yield f"tasks of {domain!r} belong to the board {own!r}"
    elif domain in world.routing.domains:
        return
    elif seen.folder not in world.places:
        yield f"{seen.folder or 'its folder'!r} is no repository that can be seen"
    elif bound.by == "title" and _are_several(world):
        yield "it was matched by its title alone, and conversations took place in several repositories"


def _are_several(world: TranscriptWorld) -> bool:
    return len({place.name for place in world.places.values()}) > 1


def _is_within(folder: str, base: str) -> bool:
    """Whether a folder named in a command is that of the conversation, above or below it."""
    if folder.startswith(("~", "$")):
        return PurePosixPath(folder).name == PurePosixPath(base).name
    there, here = PurePosixPath(normpath(PurePosixPath(base) / folder)), PurePosixPath(base)
    return there.is_relative_to(here) or here.is_relative_to(there)
