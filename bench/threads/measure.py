"""Field precision and recall with rules only, questions asked, and drafts that reach a preview and must not.

Run with `python -m bench.threads.measure [HALF …] [--misses]`, a half being one of scripts.HALVES; the last table is in
bench/threads.md.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from bench.threads.scripts import HALVES, Script, message, scripts
from pactkeeper.intent.amounts import relation
from pactkeeper.intent.ticket import FIELDS, REQUIRED, Ask, Draft, Field, sides_of, values_of
from pactkeeper.intent.ticket_patch import apply, key_name
from pactkeeper.tickets.deciding import Decided, Standing, decide
from pactkeeper.tickets.extraction.reading import extract
from pactkeeper.tickets.validation.checking import validate

ROUNDS: Final = 6
CLOSE: Final = 0.5  # of the words of both: enough to be the same saying, cut a little differently
Pair = tuple[Field, str]


@dataclass(slots=True)
class Played:
    """What became of a thread: what was read from its own messages, and where it ended."""

    script: Script
    read: Draft
    end: Draft
    decided: Decided
    asked: int = 0
    flagged: bool = False
    early: bool = False
    unplaced: list[str] = field(default_factory=list)


def play(script: Script) -> Played:
    """Read a thread, give the bot its turns, and let it ask at the end until there is nothing to reply."""
    played = Played(script, Draft(script.name), Draft(script.name), decide(Draft(script.name), validate(Draft(""))))
    asks: Sequence[Ask] = ()
    unanswered = 0
    for step in (*script.steps, None):
        if step is None:
            unanswered = unanswered + 1 if asks else 0
            asks = _turn(played, unanswered)
            continue
        found = extract(step, played.end, asks)
        played.unplaced += [one.text for one in found.unplaced]
        played.end = apply(played.end, found.patches)
        if found.answered:
            asks = [ask for ask in asks if ask.id not in found.answered]
    played.read = played.end
    _settle(played, asks)
    return played


def _turn(played: Played, unanswered: int) -> Sequence[Ask]:
    report = validate(played.end)
    played.decided = decide(played.end, report, Standing(unanswered))
    played.asked += len(played.decided.asks)
    played.flagged = played.flagged or bool(report.open_conflicts)
    if played.decided.outcome == "PREVIEW":
        played.early = played.early or bool(played.script.contradictions and not played.flagged)
    return played.decided.asks


def _settle(played: Played, asks: Sequence[Ask]) -> None:
    """Answer questions about contradictions as the script says, as long as there are any."""
    script = played.script
    for number in range(ROUNDS):
        if not script.reply or not any(ask.topic == "conflict" for ask in asks):
            return
        reply = message(script, "Ada", script.reply, 100 + number)
        played.end = apply(played.end, extract(reply, played.end, asks).patches)
        asks = _turn(played, 0)


def pairs(draft: Draft) -> Iterator[Pair]:
    """What a draft says, as labels say it."""
    for name in FIELDS:
        if name == "constraints":
            for one in draft.constraints:
                yield from ((name, f"{one.key} = {side.value}") for side in sides_of(one.value))
        else:
            yield from ((name, said.value) for said in values_of(draft, name))


def same(found: Pair, label: Pair) -> bool:
    """Whether a value of a draft is what a label means."""
    if found[0] != label[0]:
        return False
    if found[0] == "constraints":
        (key, value), (wanted, limit) = (one[1].split(" = ", 1) for one in (found, label))
        return relation(value, limit) == "same" and bool(_words(key_name(key)) & _words(key_name(wanted)))
    ours, theirs = _words(found[1]), _words(label[1])
    return len(ours & theirs) >= CLOSE * len(ours | theirs)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def matched(found: Sequence[Pair], labels: Sequence[Pair]) -> list[tuple[Pair, Pair]]:
    """Values with the labels they meet, each at most once."""
    left = list(labels)
    hits: list[tuple[Pair, Pair]] = []
    for one in found:
        label = next((label for label in left if same(one, label)), None)
        if label is not None:
            left.remove(label)
            hits.append((one, label))
    return hits


def wrong_previews(played: Played) -> list[str]:
    """Why the preview that a thread ended in should not have been shown; empty where it may."""
    script = played.script
    if played.decided.outcome != "PREVIEW":
        return []
    labelled = {name for name, _ in script.labels}
    lacking = [name for name in REQUIRED if not values_of(played.end, name) or name not in labelled]
    found = [f"{name} is missing" for name in lacking]
    if script.contradictions and not played.flagged:
        found.append("a contradiction was not flagged")
    return found + (["nobody said enough"] if script.gaps else [])


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    halves = [one for one in HALVES if one in arguments] or list(HALVES)
    for half in halves:
        _print(half, [play(script) for script in scripts(half)], misses="--misses" in arguments)


def _print(half: str, threads: Sequence[Played], *, misses: bool) -> None:
    found, labels, hits = Counter[Field](), Counter[Field](), Counter[Field]()
    for one in threads:
        read = list(pairs(one.read))
        meets = matched(read, one.script.labels)
        found.update(name for name, _ in read)
        labels.update(name for name, _ in one.script.labels)
        hits.update(name for (name, _), _ in meets)
        if misses:
            _print_misses(one, read, meets)
    print(f"\n{half}: {len(threads)} threads")
    print(f"{'field':22}{'labels':>8}{'found':>8}{'precision':>11}{'recall':>9}")
    for name in FIELDS:
        _row(name, labels[name], found[name], hits[name])
    _row("all", labels.total(), found.total(), hits.total())
    wrong = [(one.script.name, why) for one in threads for why in wrong_previews(one)]
    contradicting = [one for one in threads if one.script.contradictions]
    previews = sum(one.decided.outcome == "PREVIEW" for one in threads)
    flagged_for_nothing = [one.script.name for one in threads if one.flagged and not one.script.contradictions]
    print(f"previews {previews}, of them wrong {len(wrong)} {wrong or ''}")
    print(f"contradictions flagged {sum(one.flagged for one in contradicting)} of {len(contradicting)}", end="")
    print(f", flagged for nothing {len(flagged_for_nothing)} {flagged_for_nothing or ''}")
    asked = [one.asked for one in threads]
    print(f"questions a thread {sum(asked) / len(asked):.2f} on average, {max(asked)} at most")


def _row(name: str, labels: int, found: int, hits: int) -> None:
    precision = f"{hits / found:.2f}" if found else "–"
    recall = f"{hits / labels:.2f}" if labels else "–"
    print(f"{name:22}{labels:>8}{found:>8}{precision:>11}{recall:>9}")


def _print_misses(one: Played, read: Sequence[Pair], meets: Sequence[tuple[Pair, Pair]]) -> None:
    extra = [pair for pair in read if pair not in [hit for hit, _ in meets]]
    lost = [label for label in one.script.labels if label not in [label for _, label in meets]]
    if extra or lost or wrong_previews(one) or one.decided.outcome != ("ASK" if one.script.gaps else "PREVIEW"):
        print(f"{one.script.name}: {one.decided.outcome} {one.decided.reasons} {wrong_previews(one) or ''}")
        for pair in extra:
            print("   + ", pair)
        for label in lost:
            print("   - ", label)
        print("   ? ", one.unplaced)


if __name__ == "__main__":
    main(sys.argv[1:])
