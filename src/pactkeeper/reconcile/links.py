"""Findings about tests and their links: tests without intent, links that lead nowhere, tests that prove less.

Also what to do where a committed atom is no longer proven as it was: restore its proof, or replace or abandon it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pactkeeper.advice import ABANDON, ACCEPT, COMMIT, DEBT, EDIT, MOVED, OTHERWISE, SUPERSEDE, WEAKER, Advice
from pactkeeper.errors import some_of
from pactkeeper.intent.gate import refused_words
from pactkeeper.intent.invariants import assessor
from pactkeeper.intent.links import Link, LinkedTest, LinkState, lost_annotations, what_changed
from pactkeeper.intent.pact import LinkRecord, Pact
from pactkeeper.intent.tests import Gap, Test, file_of
from pactkeeper.ledger.canonical import by_key
from pactkeeper.ledger.finding import Severity
from pactkeeper.reconcile.codes import Located, located, quoted

if TYPE_CHECKING:
    from pactkeeper.intent.strength.change import Change

UNLESS_MEANT = "; restore it, unless that is intended"

# states of a link caused by its annotation, however many tests that covers
NAMING: frozenset[LinkState] = frozenset({"unknown", "malformed", "superseded", "abandoned", "inherited"})


def _strict(setting: str) -> Severity:
    return "error" if setting == "fail" else "warning"


def test_findings(
    linked: Sequence[LinkedTest], pact: Pact, gaps: Sequence[Gap], changed: Mapping[str, str]
) -> Iterator[Located]:
    """Yield what is wrong with tests and their links, except for tests whose own source is broken.

    `changed` maps each test that moved and changed to its vanished record.
    """
    broken = {(gap.file, gap.line) for gap in gaps if gap.broken}
    tests_at = Counter(_place(entry, link) for entry in linked for link in entry.links)
    covered = dict(tests_at)
    helping = {name: one for one in linked if one.links for name in one.unlinked}
    for entry in linked:
        test = entry.test
        if (test.file, test.line) in broken:
            continue
        if entry.state == "orphan":
            yield _orphan(entry, pact, changed.get(test.id, ""), helping.get(test.id))
        elif entry.state in {"debt", "changed_debt"} and entry.weaker:
            yield _weaker_debt(entry, pact)
        elif entry.state == "changed_debt":
            yield _changed_debt(entry, pact)
        for link in entry.links:
            where = _place(entry, link)
            if link.state == "suspect" and entry.weaker:
                yield _weakened(entry, link, pact)
            elif covered.pop(where, 0) or link.state not in NAMING:
                yield from _link_findings(entry, link, pact, others=tests_at[where] - 1)
        if entry.links:
            yield from (_removed(entry, atom) for atom in lost_annotations(entry, pact))


def _changed_debt(entry: LinkedTest, pact: Pact) -> Located:
    return located(
        "PK107",
        entry.test.id,
        "changed since it was recorded as debt" + (f", as {entry.debt_of}" if entry.debt_of else ""),
        path=entry.test.file,
        line=entry.test.name_line,
        fix=ACCEPT(quoted(entry.test.id)),
        basis=entry.test.body_hash,
        severity=_strict(pact.settings.changed_debt),
    )


def _removed(entry: LinkedTest, atom: str) -> Located:
    test = entry.test
    return located(
        "PK113",
        test.id,
        f"its reviewed annotation is gone from the code: @atom {atom}",
        path=test.file,
        line=test.name_line,
        fix=f"pk reconcile {quoted(test.file)}",
        basis="removed",
        about=atom,
    )


def _orphan(entry: LinkedTest, pact: Pact, moved_from: str, helps: LinkedTest | None) -> Located:
    """Report a test without intent; `moved_from` is one that it continues, `helps` one that lost something to it."""
    test, lost, before = entry.test, lost_annotations(entry, pact), pact.links.get(moved_from)
    message, fix = "no atom says what this test is for", ACCEPT(quoted(test.id))
    if before is not None:
        message, fix = _continuing(entry, before, pact)
    elif lost:
        message = f"its annotation is gone from the code: @atom {', '.join(lost)}"
    elif entry.unlike and pact.links[entry.unlike].body == test.body_hash:
        message = f"it moved from {entry.unlike}, and proves less than was reviewed"
        fix = "restore it, or say what holds now: " + in_place_of(entry, pact)
    elif entry.unlike:
        than = "expects something else than" if entry.expects_otherwise else "doesn't assert all that"
        message, fix = f"{message}; it {than} {entry.unlike} did", in_place_of(entry, pact)
    elif helps is not None:
        message = f"it asserts a part of what {helps.test.id} did"
        fix = _together(helps, helps.atoms({"suspect"})[0])
    return located(
        "PK101",
        test.id,
        message,
        path=test.file,
        line=test.name_line,
        fix=fix,
        basis=test.body_hash,
        detail=facets(entry.weaker) if entry.weaker else (),
    )


def _continuing(entry: LinkedTest, before: LinkRecord, pact: Pact) -> tuple[str, Advice]:
    """Return the message and the fix for a test that took the place of a vanished one, or moved and changed."""
    atom = next(iter(before.named))
    if entry.instead_of == before.test:
        part = "a part of what" if entry.unlinked else "what"
        names = entry.unlinked or (entry.test.id,)
        return f"it proves {part} {before.test} did", ACCEPT(*map(quoted, names), "--atom", atom)
    moved = f"it moved from {before.test}, and its body changed"
    if entry.unlike:
        return moved, in_place_of(entry, pact)
    if pact.status_of(atom) == "committed":
        return moved, "restore it, or " + declaring(atom, pact)
    return moved, ACCEPT(quoted(entry.test.id), "--atom", atom)


def _place(entry: LinkedTest, link: Link) -> tuple[str, int, str, str]:
    """Return the key that merges findings about one annotation: one atom in one place; a record's link has its own."""
    own = entry.test.id if link.own or link.carrier == "sidecar" else ""
    return entry.test.file, link.line, link.atom, f"{link.state} {own}"


def _link_findings(entry: LinkedTest, link: Link, pact: Pact, *, others: int) -> Iterator[Located]:
    code, message, fix = _link_trouble(entry, link, pact)
    if code is None:
        return
    if others and link.state in NAMING:
        message += f", nor for {others} more {'test' if others == 1 else 'tests'}" if code == "PK108" else ""
        fix = f"pk reconcile {quoted(entry.test.file)}" if code == "PK108" else fix
    test = entry.test
    settings = pact.settings
    severity: Severity | None = None
    if code == "PK106":
        severity = _strict(settings.suspect)
    elif code == "PK108":
        severity = "error" if link.state == "unreviewed" else _strict(settings.inherited)
    elif code in {"PK102", "PK103"} and pact.debt.by_test.get(test.id) == test.body_hash:
        severity, message = "info", f"{message}; the test is recorded as debt"
    yield located(
        code,
        test.id,
        message,
        path=test.file,
        line=link.line,
        fix=fix,
        basis=_says(test) if code == "PK106" else link.state,
        about=link.atom,
        severity=severity,
    )


def _weakened(entry: LinkedTest, link: Link, pact: Pact) -> Located:
    """Report a test that proves less or something else than at review; nobody can confirm that of a committed atom."""
    test, first = entry.test, entry.weaker[0]
    committed = pact.is_committed(link.atom)
    proven = committed and entry.proves_less
    more = f" (and {len(entry.weaker) - 1} more)" if len(entry.weaker) > 1 else ""
    said = f"{'proves' if entry.proves_less else 'may prove'} less of {link.atom} than was reviewed"
    said = f"no longer proves {link.atom}: it proves something else" if entry.proves_otherwise else said
    rest = "; an unlinked test of its file asserts the rest" if entry.unlinked else ""
    hint = "" if proven or entry.unlinked else UNLESS_MEANT
    said += f" ({first.message}{more})" if entry.proves_otherwise else f": {first.message}{more}"
    less = f"it {said}{rest}{hint}"
    given = f"{first.message} than when {link.atom} was reviewed; what it asserts is as it was"
    return located(
        "PK115",
        test.id,
        given if entry.only_given_more else less,
        path=test.file,
        line=first.line or test.name_line,
        fix=_strengthen(entry, link.atom, pact, proven=proven),
        basis=_says(test),
        about=link.atom,
        severity="error" if proven else _strict(pact.settings.suspect),
        detail=facets(entry.weaker),
    )


def _strengthen(entry: LinkedTest, atom: str, pact: Pact, *, proven: bool) -> Advice:
    """Say how to link the tests that the assertions went to, else how to restore or confirm them."""
    if entry.unlinked:
        return _together(entry, atom)
    if proven:
        return restoring(atom, pact, entry)
    test = quoted(entry.test.id)
    confirm = WEAKER(test, "--weaker") if entry.lost_proof else ACCEPT(test)
    reword = entry.expects_otherwise and not entry.lost_proof and len(entry.links) == 1
    anew = OTHERWISE + "if other words hold now: " + ACCEPT(test, "--intent 'One sentence.'")
    return confirm + anew if reword else confirm


def _together(entry: LinkedTest, atom: str) -> Advice:
    return ACCEPT(*map(quoted, entry.unlinked), "--atom", atom)


def _weaker_debt(entry: LinkedTest, pact: Pact) -> Located:
    """Report a test without intent that asserts less than when recorded as debt; an error if it asserts nothing."""
    test, first = entry.test, entry.weaker[0]
    return located(
        "PK116",
        test.id,
        f"since it was recorded as debt, {first.message}",
        path=test.file,
        line=first.line or test.name_line,
        fix="restore it, or record it as it is: " + DEBT(quoted(test.id), "--reason …"),
        basis=test.body_hash,
        severity="error" if first.severity == "error" else _strict(pact.settings.changed_debt),
        detail=facets(entry.weaker),
    )


def facets(changes: Sequence[Change]) -> list[str]:
    """Return what each change removed and added, as diff lines."""
    from pactkeeper.intent.strength.change import beside  # noqa: PLC0415 - only where a test got weaker

    pairs = [beside(one.old, one.new) for one in changes]
    return [f"{sign} {facet}" for pair in pairs for sign, facet in zip("-+", pair, strict=True) if facet]


def _says(test: Test) -> str:
    """Return what a test says, as far as hashes show it."""
    return f"{test.body_hash} {test.helpers}" if test.helpers else test.body_hash


def _link_trouble(entry: LinkedTest, link: Link, pact: Pact) -> tuple[str | None, str, str]:
    test = quoted(entry.test.id)
    match link.state:
        case "unknown":
            return (
                "PK102",
                f"{link.atom} is not in the pact",
                "correct the id, restore the atom, or draft what annotations name: pk init --adopt",
            )
        case "malformed":
            return "PK103", f"{link.atom!r} is not an atom id", f"@atom {pact.settings.atom_prefix}-…"
        case "superseded":
            fix = ACCEPT(test) if link.own else f"in the {link.scope}'s annotation: @atom {link.successor}"
            return "PK104", f"{link.atom} is superseded by {link.successor}", fix
        case "abandoned":
            return "PK105", f"{link.atom} is abandoned", ACCEPT(test, "--intent 'One sentence.'")
        case "suspect":
            changed = what_changed(entry.test, entry.record)
            return "PK106", f"{changed} changed since the link to {link.atom} was reviewed", ACCEPT(test)
        case "inherited" | "unreviewed":
            above = f"{link.atom} comes from the {link.scope}; nobody confirmed it for this test"
            own = f"{link.atom} is committed, and nobody reviewed what this test asserts of it"
            return "PK108", above if link.state == "inherited" else own, ACCEPT(test)
        case "unratified" if pact.settings.require_committed:
            return "PK109", f"{link.atom} is not committed", freezing(link.atom, pact)
        case _:
            return None, "", ""


def moved_findings(moved: Mapping[str, str], tests: Mapping[str, LinkedTest]) -> Iterator[Located]:
    """Yield one finding for all tests moved between the same places or renamed in one; `moved` maps new ids to old."""
    together = by_key((_places(old, new), new) for new, old in moved.items())
    for (before, after), names in together.items():
        first = tests[names[0]].test
        number = len(names)
        orphaned = any(not tests[name].links for name in names)
        renamed = [f"{moved[name]} → {name.rpartition('::')[2]}" for name in names if before == after]
        place = names[0] if renamed and number == 1 else after
        yield located(
            "PK114",
            place,
            f"{number} {'test' if number == 1 else 'tests'} moved: {some_of(renamed) or f'{before} → {after}'}",
            path=first.file,
            line=first.name_line,
            fix=MOVED("--moved", quoted(place)),
            basis=" ".join(sorted(moved[name] for name in names)),
            severity=None if orphaned else "warning",
        )


def _places(old: str, new: str) -> tuple[str, str]:
    """Return the places that describe a move: the files, else the suites; the same place twice for a new name."""
    files = (file_of(old), file_of(new))
    if files[0] != files[1]:
        return files
    suites = (old.rpartition("::")[0], new.rpartition("::")[0])
    return suites if suites[0] != suites[1] else files


def restoring(atom: str, pact: Pact, entry: LinkedTest) -> Advice:
    """Say what to do about a test that proves less of a committed atom, or proves something else in its place."""
    return "restore it, or " + replacing(atom, pact, entry)


def replacing(atom: str, pact: Pact, entry: LinkedTest) -> Advice:
    """Say how to declare what such a test proves in place of the atom."""
    waiting = pact.waiting_for(atom)
    if entry.expects_otherwise:
        what = "link it to the waiting successor" if waiting else "say what holds now"
        return f"{what}: " + _instead(atom, waiting, entry.test.id)
    return declaring(atom, pact)


def declaring(atom: str, pact: Pact) -> Advice:
    """Say how to declare a behaviour that replaces a committed atom; a successor that waits has to be committed."""
    waiting = pact.waiting_for(atom)
    if waiting:
        return "commit the waiting successor: " + freezing(waiting, pact)
    return "declare the new behaviour: " + SUPERSEDE(atom, "--intent 'One sentence.'")


def in_place_of(entry: LinkedTest, pact: Pact) -> Advice:
    """Return the command that gives a test the place of the one that it is unlike."""
    named = pact.links[entry.unlike].named
    atom = next((atom for atom in named if pact.status_of(atom) == "committed"), "")
    if not atom:
        return WEAKER(quoted(entry.test.id), "--atom", named[0], "--weaker")
    return _instead(atom, pact.waiting_for(atom), entry.test.id)


def _instead(atom: str, waiting: str | None, test: str) -> Advice:
    """Return the command that links a test to what replaces an atom, worded in the same step if nothing waits."""
    named = (waiting,) if waiting else (atom, "--intent 'One sentence.'")
    return ACCEPT(quoted(test), "--atom", *named)


def giving_up(atom: str, pact: Pact) -> Advice:
    """Say how to end an atom that no test proves: by committing what replaces it, by replacing or by abandoning it."""
    waiting, abandon = pact.waiting_for(atom), ABANDON(atom, "--reason 'Why.'")
    if not pact.is_committed(atom):
        return abandon
    return freezing(waiting, pact) if waiting else SUPERSEDE(atom, "--intent 'One sentence.'") + ", or " + abandon


def freezing(atom: str, pact: Pact) -> Advice:
    """Say how to commit an atom; words that the gate would refuse have to be changed first."""
    refused = refused_words(pact, (atom,), assessor(pact)).get(atom)
    if not refused:
        return COMMIT(atom)
    if not pact.atoms[atom].outcomes:
        return EDIT(atom, "--outcome 'What can be observed.'")
    return EDIT(atom) + f", because {next(iter(refused.values()))}"
