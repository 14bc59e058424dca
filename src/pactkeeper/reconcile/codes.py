"""Every finding code of `pk check` in one table, with its reference page, and a finding with its location."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, cast

from pactkeeper.advice import RESOLVE
from pactkeeper.intent.folder import Contested, Merging, Version
from pactkeeper.intent.pact import Pact
from pactkeeper.ledger.finding import Evidence, Finding, Severity

# Three lines per code: code, name, severity and, if there is one, the built-in rule that such a finding breaks; its
# meaning; its remedy.
_TABLE: Final = """\
PK101 orphan-test error
  A test has no link, no rejection and no debt line, so nothing says what it is for.
  `pk accept TEST`, or paste the printed annotation when an atom exists already.
PK102 unknown-atom error
  A link names an atom that the pact does not have.
  Correct the id, or restore the atom.
PK103 malformed-annotation error
  What stands after `@atom` is not an atom id.
  Write `@atom IA-…`, several ids separated by commas.
PK104 superseded-atom error
  A link names a superseded atom.
  `pk accept TEST` links the test to the successor; change a suite's or file's annotation by hand.
PK105 abandoned-atom error
  A link names an abandoned atom.
  Say what the test is for now, or name another atom: `pk accept TEST` with `--intent` or `--atom`.
PK106 suspect-link warning
  The test's body, or what helpers in its file assert for it, changed since its link was reviewed. `[check] suspect = "fail"` makes it an error.
  `pk accept TEST` confirms the link; `pk reconcile` offers a successor where the assertions changed.
PK107 changed-debt warning
  A test recorded as debt has changed. `[check] changed_debt = "fail"` makes it an error.
  `pk accept TEST` gives it an atom.
PK108 unreviewed-link warning
  A test is covered only by the annotation of its suite or file, and nobody has confirmed that it belongs there. `[check] inherited = "fail"` makes it an error. So it is where a test's own annotation names a committed atom and nobody reviewed what the test asserts: a weaker one would pass for it.
  `pk accept TEST` confirms it.
PK109 uncommitted-atom error
  `[links] require_committed` is on and a link names an uncommitted atom.
  Commit the atom.
PK110 atom-without-test warning
  An atom that came from a test no longer has one. For a committed atom this is an error, even if its tests merely can't be read, or if `--deselect` or `-k` in pytest's own settings leaves one out.
  Link a test to it; otherwise replace or abandon it.
PK111 record-without-test warning
  `pact/links` has a record of a test that no longer exists; for a committed atom this is an error.
  `pk reconcile` follows a moved test and removes the record of a deleted one.
PK113 removed-annotation warning
  A reviewed annotation is gone from the code, while the test has other links.
  `pk reconcile` puts the annotation back; to drop the link, remove the id from `annotated` in the test's record.
PK114 moved-tests error
  Tests moved, with the same bodies or with assertions that say no less, under the product's names of now; their reviews are still filed under the old names. A warning if their annotations moved along.
  `pk accept --moved` follows them.
PK115 weakened-link error
  A test proves less or something else than when its link was reviewed, or something keeps it from judging: a skip, a retry, a hook. A warning while its atom is not committed. Also: something a link proved of a committed atom at HEAD or `--since REF` that no test proves now.
  Restore the assertions; where the behaviour changed, say what holds now: `pk accept TEST --atom ATOM --intent 'One sentence.'`, then `pk commit`; to give it up: `pk atom abandon ATOM`.
PK116 weaker-debt error
  A test recorded as debt no longer asserts anything, or does not run. A warning if it only asserts less; `[check] changed_debt = "fail"` makes it an error.
  Restore the assertions, or `pk debt add TEST --reason …` records the test as it is.
PK120 blind-spot warning
  A place that cannot be seen completely; tests there may be missing from every list.
  The message says why. Under `[tests]`, `include` adds a file that a runner collects, and `exclude` leaves out a place that is known; a settings file there keeps its tests.
PK130 two-successors error
  Two atoms claim to replace the same one, as after merging two branches; a committed claim counts before a draft, a draft before a proposal.
  Remove `supersedes` from one of them, or abandon the uncommitted one.
PK131 waiting-successor info
  An atom is declared to replace a committed one, which stays in force until the new one is committed.
  Commit the new atom, or abandon it.
PK140 contradicting-atoms warning
  Two atoms contradict each other. Found by `pk atom conflicts`; never resolved automatically.
  Take one of the printed choices: replace or abandon one of them, or say when each holds.
PK141 same-sentence info
  Atoms have the same sentence. Found by `pk atom conflicts`.
  Keep one of them, or reword them to show how they differ.
PK142 unclear-conflict info
  Atoms differ in a value or a negation; only a person can tell whether both hold. Found by `pk atom conflicts`.
  Say when each of them holds, or keep one.
PK143 shared-test info
  Several atoms share a single test, so a failure doesn't say which of them broke. Found by `pk atom conflicts`.
  Give each atom a test of its own, or keep one of the atoms.
PK150 contested-entry error
  Two branches changed the same entry of the pact differently, and the merge left both values.
  `pk resolve` takes the side that the code or the commitment confirms, and asks about the rest.
PK151 unmerged-file error
  A file of the pact contains conflict markers, or git considers it unmerged.
  `pk resolve` joins both sides by entry.
PK152 dangling-reference error
  An entry refers to itself or to something undeclared, as after a merge in which one side removed it; the reference is ignored. For a molecule this is a warning.
  `pk resolve` removes the reference; or restore what it names.
PK201 committed-atom-changed error INV-004
  The content of a committed atom differs from what the commitment froze.
  Restore it, and declare the new behaviour as a successor with `supersedes`.
PK202 committed-atom-missing error INV-004
  A committed atom is gone from the pact.
  Restore the atom.
PK203 stale-debt info
  A debt line matches no test any more.
  `pk debt prune` removes such lines.
PK204 expired-waiver warning
  A waiver's date has passed; what it waived counts again.
  Fix the finding, or renew the waiver with a reason.
PK301 implicit-commitment error INV-001
  An atom is committed without a person's explicit act, or its table says abandoned while it is committed.
  Commit with `pk commit`, and end a commitment with a committed successor or `pk atom abandon`.
PK302 untestable-atom error INV-002
  A committed atom does not say what can be observed when it holds, or what would show that it does not.
  Add the missing outcome or falsifier, or name the measure; a committed atom needs a successor for that.
PK303 ambiguous-atom error INV-003
  The words of a committed atom are ambiguous, or prescribe an implementation.
  Replace the words that the message cites; a committed atom needs a successor for that.
PK305 untraceable-atom error INV-005
  A committed atom not written by a person can be traced to no test, origin or recommendation.
  Link a test to it.
PK306 commit-by-agent error INV-006
  Something other than a person asked for a commit.
  Let a person commit.
PK307 changed-evidence error INV-007
  Recorded evidence has changed since it was recorded, or is gone.
  Restore the record.
PK308 unnamed-refusal error INV-008
  A commit was refused or allowed by something other than a rule.
  Name the rule that refused or was overridden, with a reason.
PK309 unanswered-doubt warning INV-009
  A question about a committed atom is unanswered.
  Answer the question, or declare a successor.
PK310 rule-switched-off info
  A built-in rule is switched off; a warning for rules that can't be overridden.
  `pk invariant enable` switches it on again.
PK311 rewriting-op error R001
  An op of a patch changes a committed atom, or takes the id of one that exists.
  Reject the op.
PK312 overlooked-change warning R002
  A run left a changed test without intent, op or question.
  `pk reconcile` for its file.
PK313 half-written error R003
  A write was started and never finished.
  `pk recover` finishes it or rolls it back.
PK314 blocking-molecule error R004
  A finding or a rule about a molecule would block a commit.
  Make it a warning.
PK315 bulk-in-state error R005
  A flow carries more than ids and counts between its steps.
  Keep the id in the state and the value in the store.
PK401 tampered-commitment error
  A commitment's file is inconsistent: something other than `pk commit` wrote or changed it.
  Restore the file from git's history, or remove it and commit its atoms again.
PK402 forged-signature error
  A commitment's signature does not match its content.
  Restore the file from git's history.
PK403 expired-key error
  The signing key is listed, but was not valid when the commitment was made.
  Have somebody with a valid key commit the atoms again.
PK404 unknown-signer error
  The signing key is not listed, or not for commitments.
  Add the key to the list of allowed signers, or have a listed person commit again.
PK405 wrong-namespace error
  The signature was made for something other than a commitment.
  `pk commit --sign KEY` commits the atoms again.
PK406 other-signer error
  The signing key belongs to somebody other than the person named in the commitment.
  Have the signer commit the atoms again under their own name.
PK407 unsigned-commitment error
  `[commitments] require_signed` is on and a commitment has no signature.
  `pk commit --sign KEY` commits the atoms again; the older file stays and no longer counts against you.
PK408 signature-not-checked warning
  Signatures could not be verified: `ssh-keygen` or the list of allowed signers is missing. `[commitments] require_signed` makes it an error.
  Install OpenSSH, or add the list; the message says which.
PK409 missing-commitment error
  A commitment is gone that an earlier state has, or that a later commitment builds on.
  Restore its file from git's history.
PK410 changed-commitment error
  A commitment differs from its content in an earlier state, or from what a later commitment builds on.
  Restore its file from git's history.
PK411 signers-changed warning
  The list of allowed signers has changed since the state compared with.
  Review the change: whoever is listed may commit.
PK412 succession-without-commitment error
  A committed atom claims to supersede another committed one, but none of its commitments says so.
  Remove `supersedes`, and declare the new behaviour with `pk atom supersede`.
PK413 abandoned-commitment warning
  A person gave up a committed atom since the state compared with. `pk guard` reports it too.
  Review the change: the tests of the atom no longer have to prove it.
PK601 deleted-test error
  A change removed a test, or nothing collects it any more, and its assertions are nowhere else.
  Restore it, or move its assertions to another test.
PK602 skipped-test error
  A test no longer runs, or its failure no longer counts; a warning if that affects only some platforms.
  Remove the skip, or have it approved: `pk guard accept`.
PK603 hollow-test error
  A test can no longer fail.
  Restore its assertions.
PK604 removed-assertion error
  An assertion is gone, or can no longer fail.
  Restore it, or assert at least as much in its place.
PK605 loosened-assertion error
  An assertion says less: a looser relation, a broader exception, a wider tolerance, fewer examples.
  Assert what was asserted, or have the new expectation approved: `pk guard accept`.
PK606 conditional-assertion error
  An assertion is now made only under a condition.
  Assert it on every path through the test.
PK607 unawaited-assertion error
  An assertion is no longer awaited, so its failure goes unnoticed.
  Await it, or return it.
PK608 replaced-subject error
  A test mocks what its assertions are about.
  Test the real thing; mock only its surroundings.
PK609 changed-expectation warning
  A test or a stored snapshot expects a different result for the same thing.
  Make sure the new result is intended: `pk guard accept` records it.
PK610 changed-subject warning
  The same result is asserted of something else, such as another input or after fewer steps.
  Make sure the former case is still tested.
PK611 changed-assertion warning
  An assertion about the same value changed, and is neither stronger nor weaker.
  Read both and decide.
PK612 switched-off-check error
  A setting or CI step checks less than before; a warning if that is uncertain.
  Restore the setting, or have it approved: `pk guard accept`.
PK613 unread-test info
  Something in a changed test cannot be read, so it is unknown whether it still asserts as much.
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
_ROWS: Final = [_code(*row) for row in zip(_LINES[::3], _LINES[1::3], _LINES[2::3], strict=True)]
CODES: Final = {one.code: one for one in _ROWS}


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
            f"git considers it unmerged{said}",
            path=one.path,
            line=one.line,
            fix=RESOLVE(),
            basis="unmerged",
        )


def quoted(text: str) -> str:
    """Quote a name for a POSIX shell if necessary."""
    from shlex import quote  # noqa: PLC0415 - only when there is something to print

    return quote(text)
