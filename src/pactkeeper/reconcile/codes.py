"""Every finding code of `pk check` in one table; `docs/findings.md` is written from it and a test compares the two."""

from __future__ import annotations

from dataclasses import dataclass

from pactkeeper.ledger.finding import Severity


@dataclass(frozen=True, slots=True)
class Code:
    """What a code means and how to settle it; `severity` is the one it has unless a setting says otherwise.

    `invariant` is the built-in rule that a finding of this code breaks.
    """

    code: str
    name: str
    severity: Severity
    meaning: str
    remedy: str
    invariant: str = ""


CODES: dict[str, Code] = {
    entry.code: entry
    for entry in (
        Code(
            "PK101",
            "orphan-test",
            "error",
            "A test has no link, no rejection and no debt line: nothing says what it is for.",
            "`pk accept TEST`, or paste the printed annotation when an atom exists already.",
        ),
        Code(
            "PK102",
            "unknown-atom",
            "error",
            "A link names an atom that the pact does not have.",
            "Correct the id, or restore the atom's table.",
        ),
        Code(
            "PK103",
            "malformed-annotation",
            "error",
            "What stands after `@atom` is no atom id.",
            "Write `@atom IA-…`, several ids separated by commas.",
        ),
        Code(
            "PK104",
            "superseded-atom",
            "error",
            "A link names an atom that another one supersedes.",
            "`pk accept TEST` links the test to the successor; change a suite's or file's annotation by hand.",
        ),
        Code(
            "PK105",
            "abandoned-atom",
            "error",
            "A link names an atom that was abandoned.",
            "Remove the link, or link the test to another atom.",
        ),
        Code(
            "PK106",
            "suspect-link",
            "warning",
            "The test's body, or what functions of its file assert for it, changed since a person reviewed its link."
            ' `[check] suspect = "fail"` makes it an error.',
            "`pk accept TEST` confirms the link; `pk reconcile` offers a successor where the assertions changed.",
        ),
        Code(
            "PK107",
            "changed-debt",
            "warning",
            'A test that was recorded as debt has changed. `[check] changed_debt = "fail"` makes it an error.',
            "`pk accept TEST` gives it an atom.",
        ),
        Code(
            "PK108",
            "unconfirmed-inherited-link",
            "warning",
            "A test is covered only by its suite's or file's annotation, and nobody has confirmed that it belongs "
            'there. `[check] inherited = "fail"` makes it an error.',
            "`pk accept TEST` confirms it.",
        ),
        Code(
            "PK109",
            "uncommitted-atom",
            "error",
            "`[links] require_committed` is on and a link names an atom that no commitment froze.",
            "Commit the atom.",
        ),
        Code(
            "PK110",
            "atom-without-test",
            "warning",
            "An atom that came from a test has no test any more; for a committed atom this is an error.",
            "Link a test to it; replace it where it is committed, abandon it where it is not.",
        ),
        Code(
            "PK111",
            "record-without-test",
            "warning",
            "`pact/links` holds a record of a test that is not there any more.",
            "`pk reconcile` follows a moved test and removes the record of a deleted one.",
        ),
        Code(
            "PK113",
            "removed-annotation",
            "warning",
            "An annotation that was reviewed stands in the code no longer, while the test has other links.",
            "Paste the printed annotation back, or take the id out of `annotated` in the test's record.",
        ),
        Code(
            "PK114",
            "moved-tests",
            "error",
            "Tests stand elsewhere now, with the same bodies; their reviews are filed under the old names. "
            "Where their annotations moved along this is a warning.",
            "`pk accept --moved` follows them.",
        ),
        Code(
            "PK120",
            "gap",
            "warning",
            "A place that cannot be seen completely; tests there may be missing from every list.",
            "The message says what stands in the way.",
        ),
        Code(
            "PK130",
            "two-successors",
            "error",
            "Two atoms say that they replace the same one, as after a merge of two branches; the firmer claim counts.",
            "Take `supersedes` out of one of the two, or abandon the one that is not committed.",
        ),
        Code(
            "PK131",
            "waiting-successor",
            "info",
            "An atom is declared to replace a committed one, which holds until the new one is committed.",
            "Commit the new atom, or abandon it.",
        ),
        Code(
            "PK140",
            "contradicting-atoms",
            "warning",
            "Two atoms say what cannot both hold of one thing. Found by `pk conflicts`, never settled by itself.",
            "One of the choices that are printed: replace or abandon one of them, or say when each holds.",
        ),
        Code(
            "PK141",
            "same-sentence",
            "info",
            "Atoms say the same in the same words. Found by `pk conflicts`.",
            "Keep one of them, or say in which they differ.",
        ),
        Code(
            "PK142",
            "near-sentence",
            "info",
            "Two atoms differ in the spelling of one word. Found by `pk conflicts`.",
            "Keep one of them, or say in which they differ.",
        ),
        Code(
            "PK143",
            "shared-test",
            "info",
            "One test alone realises several atoms: nothing tells which of them breaks. Found by `pk conflicts`.",
            "Give each atom a test of its own, or keep one of the atoms.",
        ),
        Code(
            "PK150",
            "contested-entry",
            "error",
            "Two branches changed one entry of the pact in different ways, and their merge left both values.",
            "`pk resolve` takes the side that the code or the commitment confirms, and asks about the rest.",
        ),
        Code(
            "PK151",
            "unmerged-file",
            "error",
            "A file of the pact holds conflict markers, or git does not take its merge for concluded.",
            "`pk resolve` joins both sides by entry.",
        ),
        Code(
            "PK152",
            "dangling-reference",
            "error",
            "An entry names what no file declares, or itself, as after a merge in which one side removed it; it is read"
            " without that reference. About a molecule this is a warning.",
            "`pk resolve` takes the reference out; or restore what it names.",
        ),
        Code(
            "PK201",
            "committed-atom-changed",
            "error",
            "The content of a committed atom differs from what the commitment froze.",
            "Restore it, and declare the new behaviour as a successor with `supersedes`.",
            "INV-004",
        ),
        Code(
            "PK202",
            "committed-atom-missing",
            "error",
            "A commitment froze an atom whose table is gone.",
            "Restore the atom's table.",
            "INV-004",
        ),
        Code(
            "PK203",
            "stale-debt",
            "info",
            "A debt line covers no test any more.",
            "`pk debt prune` removes such lines.",
        ),
        Code(
            "PK204",
            "expired-waiver",
            "warning",
            "A waiver's date has passed; what it waived counts again.",
            "Settle the finding, or renew the waiver with a reason.",
        ),
        Code(
            "PK301",
            "implicit-commitment",
            "error",
            "An atom is committed without a person's explicit act, or is called abandoned while it is committed.",
            "Commit by `pk commit`, and end a commitment by a committed successor.",
            "INV-001",
        ),
        Code(
            "PK302",
            "untestable-atom",
            "error",
            "A committed atom does not say what can be observed when it holds, or what would show that it does not.",
            "Add the missing outcome or falsifier, or name the measure; a committed atom needs a successor for that.",
            "INV-002",
        ),
        Code(
            "PK303",
            "ambiguous-atom",
            "error",
            "Words of a committed atom can be read in several ways, or say how to build instead of what is wanted.",
            "Replace the words that the message cites; a committed atom needs a successor for that.",
            "INV-003",
        ),
        Code(
            "PK305",
            "untraceable-atom",
            "error",
            "A committed atom that no person wrote leads to no test, no origin and no recommendation.",
            "Link a test to it.",
            "INV-005",
        ),
        Code(
            "PK306",
            "commit-by-agent",
            "error",
            "A commit is asked for by something that is no person.",
            "Let a person commit.",
            "INV-006",
        ),
        Code(
            "PK307",
            "changed-evidence",
            "error",
            "Recorded evidence says something else than when it was recorded, or is gone.",
            "Restore the record.",
            "INV-007",
        ),
        Code(
            "PK308",
            "unnamed-refusal",
            "error",
            "A commit was refused or let through by something that is no rule.",
            "Name the rule that refuses or is overridden, with a reason.",
            "INV-008",
        ),
        Code(
            "PK309",
            "unanswered-doubt",
            "warning",
            "A committed atom was asked about and nobody has answered.",
            "Answer the question, or declare a successor.",
            "INV-009",
        ),
        Code(
            "PK310",
            "rule-switched-off",
            "info",
            "A built-in rule is switched off; a warning for those that nobody can override.",
            "`pk invariant enable` switches it on again.",
        ),
        Code(
            "PK311",
            "rewriting-op",
            "error",
            "An op of a patch changes a committed atom, or takes the id of one that exists.",
            "Reject the op.",
            "R001",
        ),
        Code(
            "PK312",
            "overlooked-change",
            "warning",
            "A run left a changed test without intent, op or question.",
            "`pk reconcile` for its file.",
            "R002",
        ),
        Code(
            "PK313",
            "half-written",
            "error",
            "A write began and never ended.",
            "`pk settle` finishes it or rolls it back.",
            "R003",
        ),
        Code(
            "PK314",
            "blocking-molecule",
            "error",
            "A finding or a rule about a molecule would block.",
            "Make it a warning.",
            "R004",
        ),
        Code(
            "PK315",
            "bulk-in-state",
            "error",
            "A flow carries more than ids and counts between its steps.",
            "Keep the id in the state and the value in the store.",
            "R005",
        ),
        Code(
            "PK401",
            "tampered-commitment",
            "error",
            "A commitment's file contradicts itself: it was written or changed by something else than `pk commit`.",
            "Restore the file from git's history, or remove it and commit its atoms again.",
        ),
        Code(
            "PK402",
            "forged-signature",
            "error",
            "What stands as a commitment's signature is no signature over what the commitment says.",
            "Restore the file from git's history.",
        ),
        Code(
            "PK403",
            "expired-key",
            "error",
            "The key that signed was listed, but was not valid when the commitment was made.",
            "Somebody whose key is valid commits the atoms again.",
        ),
        Code(
            "PK404",
            "unknown-signer",
            "error",
            "Nobody is listed with the key that signed, or not for commitments.",
            "List the key in the file of allowed signers, or let somebody who is listed commit again.",
        ),
        Code(
            "PK405",
            "wrong-namespace",
            "error",
            "The signature was given for another purpose than a commitment.",
            "`pk commit --sign KEY` commits the atoms again.",
        ),
        Code(
            "PK406",
            "other-signer",
            "error",
            "The key that signed belongs to somebody else than the commitment names.",
            "The signer commits the atoms again under the own name.",
        ),
        Code(
            "PK407",
            "unsigned-commitment",
            "error",
            "`[commitments] require_signed` is on and a commitment has no signature.",
            "`pk commit --sign KEY` commits the atoms again; the older file stays and is then answered for.",
        ),
        Code(
            "PK408",
            "signature-not-checked",
            "warning",
            "Signatures could not be looked at: `ssh-keygen` or the list of allowed signers is missing. "
            "`[commitments] require_signed` makes it an error.",
            "Install OpenSSH, or add the list; the message says which.",
        ),
        Code(
            "PK409",
            "missing-commitment",
            "error",
            "A commitment that an earlier state has, or that a later commitment was made on top of, is gone.",
            "Restore its file from git's history.",
        ),
        Code(
            "PK410",
            "changed-commitment",
            "error",
            "A commitment says something else than in an earlier state, or than a later commitment was made on top of.",
            "Restore its file from git's history.",
        ),
        Code(
            "PK411",
            "signers-changed",
            "warning",
            "The list of allowed signers differs from the one in the state compared with.",
            "Look at the change: whoever is listed may commit.",
        ),
        Code(
            "PK412",
            "succession-without-commitment",
            "error",
            "A committed atom says that it supersedes another committed one, and none of its commitments says so.",
            "Take `supersedes` out again, and declare the new behaviour with `pk supersede`.",
        ),
    )
}
