"""Every finding code of `pk check` in one table, with its reference page, and a finding with its location."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, cast

from pactkeeper.advice import COMMIT, RESOLVE, SUPERSEDE, Advice
from pactkeeper.intent.folder import Contested, Merging, Version
from pactkeeper.intent.pact import Pact
from pactkeeper.ledger.finding import Evidence, Finding, Severity

# Three lines per code: code, name, severity and, if there is one, the built-in rule that such a finding breaks; its
# meaning; its remedy.
_TABLE: Final = """\
PK101 orphan-test error
  A test has no link, no rejection and no debt line: nothing says what it is for.
  `pk accept TEST`, or paste the printed annotation when an atom exists already.
PK102 unknown-atom error
  A link names an atom that the pact does not have.
  Correct the id, or restore the atom's table.
PK103 malformed-annotation error
  What stands after `@atom` is no atom id.
  Write `@atom IA-…`, several ids separated by commas.
PK104 superseded-atom error
  A link names an atom that another one supersedes.
  `pk accept TEST` links the test to the successor; change a suite's or file's annotation by hand.
PK105 abandoned-atom error
  A link names an atom that was abandoned.
  Say what the test is for now, or name another atom: `pk accept TEST` with `--intent` or `--atom`.
PK106 suspect-link warning
  The test's body, or what functions of its file assert for it, changed since a person reviewed its link. `[check] suspect = "fail"` makes it an error.
  `pk accept TEST` confirms the link; `pk reconcile` offers a successor where the assertions changed.
PK107 changed-debt warning
  A test that was recorded as debt has changed. `[check] changed_debt = "fail"` makes it an error.
  `pk accept TEST` gives it an atom.
PK108 unconfirmed-inherited-link warning
  A test is covered only by its suite's or file's annotation, and nobody has confirmed that it belongs there. `[check] inherited = "fail"` makes it an error.
  `pk accept TEST` confirms it.
PK109 uncommitted-atom error
  `[links] require_committed` is on and a link names an atom that no commitment froze.
  Commit the atom.
PK110 atom-without-test warning
  An atom that came from a test has no test any more; for a committed atom this is an error, also where its tests only can't be seen.
  Link a test to it; replace it where it is committed, abandon it where it is not.
PK111 record-without-test warning
  `pact/links` holds a record of a test that is not there any more; for a committed atom this is an error.
  `pk reconcile` follows a moved test and removes the record of a deleted one.
PK113 removed-annotation warning
  An annotation that was reviewed stands in the code no longer, while the test has other links.
  `pk reconcile` puts the annotation back; to give the link up, take the id out of `annotated` in the test's record.
PK114 moved-tests error
  Tests stand elsewhere now, with the same bodies; their reviews are filed under the old names. Where their annotations moved along this is a warning.
  `pk accept --moved` follows them.
PK115 weakened-link error
  A test proves less than when its link was reviewed; a warning while its atom is not committed. Also what a link proved of a committed atom at HEAD or `--since REF` and no test proves now.
  Restore the assertions; to change the behaviour, declare a successor: `pk atom supersede ATOM`.
PK116 weaker-debt error
  A test that was recorded as debt asserts nothing any more, or does not run. Where it only asserts less this is a warning; `[check] changed_debt = "fail"` makes it an error.
  Restore the assertions, or `pk debt add TEST --reason …` records the test as it is.
PK120 gap warning
  A place that cannot be seen completely; tests there may be missing from every list.
  The message says what stands in the way.
PK130 two-successors error
  Two atoms say that they replace the same one, as after a merge of two branches; the firmer claim counts.
  Take `supersedes` out of one of the two, or abandon the one that is not committed.
PK131 waiting-successor info
  An atom is declared to replace a committed one, which holds until the new one is committed.
  Commit the new atom, or abandon it.
PK140 contradicting-atoms warning
  Two atoms say what cannot both hold of one thing. Found by `pk atom conflicts`, never settled by itself.
  One of the choices that are printed: replace or abandon one of them, or say when each holds.
PK141 same-sentence info
  Atoms say the same in the same words. Found by `pk atom conflicts`.
  Keep one of them, or say in which they differ.
PK142 unclear-conflict info
  Atoms differ in a value or a negation; only a person can tell if both hold. Found by `pk atom conflicts`.
  Say when each of them holds, or keep one.
PK143 shared-test info
  One test alone realises several atoms: nothing tells which of them breaks. Found by `pk atom conflicts`.
  Give each atom a test of its own, or keep one of the atoms.
PK150 contested-entry error
  Two branches changed one entry of the pact in different ways, and their merge left both values.
  `pk resolve` takes the side that the code or the commitment confirms, and asks about the rest.
PK151 unmerged-file error
  A file of the pact holds conflict markers, or git does not take its merge for concluded.
  `pk resolve` joins both sides by entry.
PK152 dangling-reference error
  An entry names what no file declares, or itself, as after a merge in which one side removed it; it is read without that reference. About a molecule this is a warning.
  `pk resolve` takes the reference out; or restore what it names.
PK201 committed-atom-changed error INV-004
  The content of a committed atom differs from what the commitment froze.
  Restore it, and declare the new behaviour as a successor with `supersedes`.
PK202 committed-atom-missing error INV-004
  A commitment froze an atom whose table is gone.
  Restore the atom's table.
PK203 stale-debt info
  A debt line covers no test any more.
  `pk debt prune` removes such lines.
PK204 expired-waiver warning
  A waiver's date has passed; what it waived counts again.
  Settle the finding, or renew the waiver with a reason.
PK301 implicit-commitment error INV-001
  An atom is committed without a person's explicit act, or is called abandoned while it is committed.
  Commit by `pk commit`, and end a commitment by a committed successor.
PK302 untestable-atom error INV-002
  A committed atom does not say what can be observed when it holds, or what would show that it does not.
  Add the missing outcome or falsifier, or name the measure; a committed atom needs a successor for that.
PK303 ambiguous-atom error INV-003
  Words of a committed atom can be read in several ways, or say how to build instead of what is wanted.
  Replace the words that the message cites; a committed atom needs a successor for that.
PK305 untraceable-atom error INV-005
  A committed atom that no person wrote leads to no test, no origin and no recommendation.
  Link a test to it.
PK306 commit-by-agent error INV-006
  A commit is asked for by something that is no person.
  Let a person commit.
PK307 changed-evidence error INV-007
  Recorded evidence says something else than when it was recorded, or is gone.
  Restore the record.
PK308 unnamed-refusal error INV-008
  A commit was refused or let through by something that is no rule.
  Name the rule that refuses or is overridden, with a reason.
PK309 unanswered-doubt warning INV-009
  A committed atom was asked about and nobody has answered.
  Answer the question, or declare a successor.
PK310 rule-switched-off info
  A built-in rule is switched off; a warning for those that nobody can override.
  `pk invariant enable` switches it on again.
PK311 rewriting-op error R001
  An op of a patch changes a committed atom, or takes the id of one that exists.
  Reject the op.
PK312 overlooked-change warning R002
  A run left a changed test without intent, op or question.
  `pk reconcile` for its file.
PK313 half-written error R003
  A write began and never ended.
  `pk recover` finishes it or rolls it back.
PK314 blocking-molecule error R004
  A finding or a rule about a molecule would block.
  Make it a warning.
PK315 bulk-in-state error R005
  A flow carries more than ids and counts between its steps.
  Keep the id in the state and the value in the store.
PK401 tampered-commitment error
  A commitment's file contradicts itself: it was written or changed by something else than `pk commit`.
  Restore the file from git's history, or remove it and commit its atoms again.
PK402 forged-signature error
  What stands as a commitment's signature is no signature over what the commitment says.
  Restore the file from git's history.
PK403 expired-key error
  The key that signed was listed, but was not valid when the commitment was made.
  Somebody whose key is valid commits the atoms again.
PK404 unknown-signer error
  Nobody is listed with the key that signed, or not for commitments.
  List the key in the file of allowed signers, or let somebody who is listed commit again.
PK405 wrong-namespace error
  The signature was given for another purpose than a commitment.
  `pk commit --sign KEY` commits the atoms again.
PK406 other-signer error
  The key that signed belongs to somebody else than the commitment names.
  The signer commits the atoms again under the own name.
PK407 unsigned-commitment error
  `[commitments] require_signed` is on and a commitment has no signature.
  `pk commit --sign KEY` commits the atoms again; the older file stays and is then answered for.
PK408 signature-not-checked warning
  Signatures could not be looked at: `ssh-keygen` or the list of allowed signers is missing. `[commitments] require_signed` makes it an error.
  Install OpenSSH, or add the list; the message says which.
PK409 missing-commitment error
  A commitment that an earlier state has, or that a later commitment was made on top of, is gone.
  Restore its file from git's history.
PK410 changed-commitment error
  A commitment says something else than in an earlier state, or than a later commitment was made on top of.
  Restore its file from git's history.
PK411 signers-changed warning
  The list of allowed signers differs from the one in the state compared with.
  Look at the change: whoever is listed may commit.
PK412 succession-without-commitment error
  A committed atom says that it supersedes another committed one, and none of its commitments says so.
  Take `supersedes` out again, and declare the new behaviour with `pk atom supersede`.
PK601 deleted-test error
  A change removed a test, or nothing collects it any more, and its assertions stand nowhere else.
  Restore it, or move its assertions to another test.
PK602 skipped-test error
  A test no longer runs, or its failure no longer counts; a warning where only some platforms are meant.
  Take the skip out, or have it approved: `pk guard accept`.
PK603 hollow-test error
  Nothing is left in a test that can fail.
  Restore its assertions.
PK604 removed-assertion error
  An assertion is gone, or can no longer fail.
  Restore it, or assert at least as much in its place.
PK605 loosened-assertion error
  An assertion says less: a looser relation, a broader exception, a wider tolerance, fewer examples.
  Assert what was asserted, or have the new expectation approved: `pk guard accept`.
PK606 conditional-assertion error
  An assertion is made only under a condition now.
  Assert it on every way through the test.
PK607 unawaited-assertion error
  Nothing waits for an assertion any more, so that its failure goes unseen.
  Await it, or return it.
PK608 replaced-subject error
  A test replaces what its assertions are about.
  Test the real thing; replace only what stands around it.
PK609 changed-expectation warning
  A test or a stored snapshot expects another result of the same thing.
  Make sure that the new result is meant: `pk guard accept` records it.
PK610 changed-subject warning
  The same result is asserted of something else, such as another input or after fewer steps.
  Make sure that the former case is still tested.
PK611 changed-assertion warning
  An assertion about the same value says something that is neither more nor less.
  Read both and decide.
PK612 switched-off-check error
  A setting or a step of CI asks less than before; a warning where that cannot be told for sure.
  Restore the setting, or have it approved: `pk guard accept`.
PK613 unread-test info
  Something in a changed test cannot be read, so it is not known whether it still says as much.
  Read the change yourself.
"""


@dataclass(frozen=True, slots=True)
class Code:
    """The meaning and remedy of a code; `severity` is the default, which settings may override.

    `invariant` is the built-in rule that a finding with this code breaks.
    """

    code: str
    name: str
    severity: Severity
    meaning: str
    remedy: str
    invariant: str = ""


def _code(head: str, meaning: str, remedy: str) -> Code:
    code, name, severity, *invariant = head.split()
    return Code(code, name, cast("Severity", severity), meaning.strip(), remedy.strip(), *invariant)


_LINES: Final = _TABLE.splitlines()
CODES: Final = {
    one.code: one for one in (_code(*row) for row in zip(_LINES[::3], _LINES[1::3], _LINES[2::3], strict=True))
}


def restoring(atom: str, waiting: str | None) -> Advice:
    """Say what to do where a test proves less of a committed atom; a successor that waits has to be committed."""
    if waiting:
        return "restore it, or commit the successor that waits: " + COMMIT(waiting)
    return "restore it, or declare the new behaviour: " + SUPERSEDE(atom)


@dataclass(frozen=True, slots=True)
class Located:
    """A finding with its location; `line` is 1-based, 0 means the whole file."""

    finding: Finding
    path: str
    line: int


_PROOF: Final = frozenset({"PK110", "PK111", "PK115"})


def lost_proof(finding: Finding) -> bool:
    """Whether a finding says that a committed atom is proven by less than was reviewed, which nobody can wave through."""
    return finding.code in _PROOF and finding.severity == "error"


def located(  # noqa: PLR0913 - the parts of one finding, all named
    code: str,
    subject: str,
    message: str,
    *,
    path: str,
    line: int,
    fix: str = "",
    basis: str = "",
    about: str = "",
    severity: Severity | None = None,
    detail: Sequence[str] = (),
) -> Located:
    """Make a finding of `pk check`; `basis` is what its rejection depends on, `severity` overrides the code's default.

    `detail` are lines that show the disagreement itself, such as a diff.
    """
    evidence = (Evidence("mechanical", path=path, line=line, note=basis, quote="\n".join(detail)),)
    grade = severity or CODES[code].severity
    rule = CODES[code].invariant
    found = Finding(code, subject, grade, message, evidence=evidence, fix=fix, about=about, invariant=rule)
    return Located(found, path, line)


_MOST_SHOWN = 120


def merging_findings(pact: Pact) -> Iterator[Located]:
    """Yield one finding per contested entry, per unmerged file, and per dangling reference."""
    merging = pact.merging
    yield from (_contested(one) for one in merging.contested)
    yield from _unmerged(merging)
    for one in merging.dangling:
        yield located(
            "PK152",
            one.holder,
            one.message,
            path=one.path,
            line=one.line,
            fix=RESOLVE(),
            basis=one.message,
            severity="warning" if one.holder in pact.molecules else None,
        )


def _contested(one: Contested) -> Located:
    keys = ", ".join(key or one.name for key in one.keys) or "where it stands"
    sides = " and ".join(_named(version, number) for number, version in enumerate(one.versions))
    detail = [_shown(version, number, one.keys) for number, version in enumerate(one.versions)]
    return located(
        "PK150",
        one.name,
        f"two branches differ in {keys}: {sides}",
        path=one.path,
        line=one.line,
        fix=RESOLVE(quoted(one.name)),
        basis="\n".join(detail),
        detail=detail,
    )


def _named(version: Version, number: int) -> str:
    name = version.label or ("ours" if number == 0 else "theirs")
    return f"{name} ({version.commit})" if version.commit and version.commit not in name else name


def _shown(version: Version, number: int, keys: tuple[str, ...]) -> str:
    said = ", ".join(f"{key} = {version.fields[key]}" for key in keys if key in version.fields)
    text = f"{_named(version, number)}: {said or ('removed' if not version.fields else 'the same')}"
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"


def _unmerged(merging: Merging) -> Iterator[Located]:
    for one in merging.unmerged:
        open_here = sum(contested.path == one.path for contested in merging.contested)
        said = f"; {open_here} of its entries are contested" if open_here else "; both sides were read"
        yield located(
            "PK151",
            one.path,
            f"its merge is not concluded{said}",
            path=one.path,
            line=one.line,
            fix=RESOLVE(),
            basis="unmerged",
        )


def quoted(text: str) -> str:
    """Quote a name for a POSIX shell if necessary."""
    from shlex import quote  # noqa: PLC0415 - only when there is something to print

    return quote(text)
