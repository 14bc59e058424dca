"""Every key of every file in the pact; the reader, the writer and docs/files.md are driven by these tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from pactkeeper.intent.atoms import CATEGORIES, LENSES, PLEDGES, SOURCES
from pactkeeper.intent.health import AFTER_FAILURE, CHECK_CATEGORIES, SANDBOXES
from pactkeeper.intent.pact import ID_STYLES, LINK_CARRIERS, STRICTNESSES, SUBJECTS
from pactkeeper.intent.tests import CARRIERS, escape_part
from pactkeeper.ledger.finding import EVIDENCE_ORDER, RISKS, SEVERITIES
from pactkeeper.ledger.health import ACTORS, HEALTH_STATUSES
from pactkeeper.ledger.policy import Permission

Kind = Literal[
    "text",  # one or more lines, not blank
    "texts",
    "globs",
    "choice",
    "choices",
    "flag",
    "code",
    "count",  # an integer of at least 1
    "share",  # a number from 0 to 1
    "date",
    "day",  # a date, kept as ISO 8601 text
    "moment",  # an RFC 3339 date and time, kept as written
    "atom",
    "atoms",
    "molecules",
    "prefix",
    "hash",
    "format",
    "rules",
    "checks",
    "command",  # a non-empty argument list
    "folder",  # a path relative to the root, or `.`
    "places",  # paths that begin with `/` or `~/`
    "variables",  # a table from environment variable to text
    "regex",
    "hashes",  # a table from atom id to hash
    "reasons",  # a table from invariant id to text
    "words",  # a table from atom id to a table with the keys of WORDS
    "successors",  # a table from atom id to atom id
    "earlier",  # a table from commitment id to hash
    "signers",  # a path inside the repository
    "id",
    "selection",  # a table with the keys of WHERE
    "needs",  # a table with the keys of NEEDS
]
PERMISSIONS: tuple[str, ...] = get_args(Permission)
FORMAT = 1
ROOT = "pact/"
SETTINGS_FILE = "pact/pact.toml"
MOLECULES_FILE = "pact/molecules.toml"
INVARIANTS_FILE = "pact/invariants.toml"
WAIVERS_FILE = "pact/waivers.toml"
CLARIFICATIONS_FILE = "pact/clarifications.toml"
DEBT_FILE = "pact/debt.txt"
ATTRIBUTES_FILE = "pact/.gitattributes"
ATOMS_FOLDER = "pact/atoms/"
LINKS_FOLDER = "pact/links/"
COMMITMENTS_FOLDER = "pact/commitments/"


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a table; `field` is the field it fills, if named differently.

    For a setting, the field's own default is the default; others say theirs in `default`.
    """

    name: str
    kind: Kind
    meaning: str
    default: str = ""
    required: bool = False
    choices: tuple[str, ...] = ()
    field: str = ""
    most: int = 0


PACT = (
    Key("format", "format", "marks the folder as a pact; other numbers are refused", required=True),
    Key("id_style", "choice", "how new atoms get their ids", choices=ID_STYLES),
    Key("atom_prefix", "prefix", "prefix of atom ids"),
)
TESTS = (
    Key("include", "globs", "more test files, besides those in the test runners' settings"),
    Key("exclude", "globs", "paths without tests, overriding everything else"),
    Key("classes", "texts", "more names of pytest classes, as in python_classes: prefixes or globs"),
    Key("functions", "texts", "more names of pytest functions, as in python_functions: prefixes or globs"),
    Key("runners", "texts", "functions of JavaScript or TypeScript that declare tests, as `it` does"),
)
LINKS = (
    Key(
        "write",
        "choice",
        "where new links are written: in a comment, in pact/links/, or in a comment only if the test changed anyway",
        choices=LINK_CARRIERS,
        field="link_carrier",
    ),
    Key("require_committed", "flag", "whether a link to an uncommitted atom is a finding"),
)
CHECK = (
    Key("changed_debt", "choice", "how to report a changed debt test", choices=STRICTNESSES),
    Key("suspect", "choice", "how to report a linked test that changed since review", choices=STRICTNESSES),
    Key(
        "inherited",
        "choice",
        "how to report a test that only inherits an unconfirmed annotation of its suite or file",
        choices=STRICTNESSES,
    ),
)
INFERENCE = (
    Key(
        "threshold",
        "share",
        "confidence below which a test becomes a question, not an operation",
        field="inference_threshold",
    ),
)
REVIEW = (Key("batch", "count", "how many operations one review shows, at most 50", field="review_batch", most=50),)
COMMITMENTS = (
    Key("allowed_signers", "signers", "the list of allowed signers, in `ssh-keygen` format"),
    Key("require_signed", "flag", "whether a commitment without a valid signature is an error"),
)
QUALITY = (
    Key(
        "domain_terms",
        "texts",
        "domain terms that never count as vague, as code or as test jargon",
        field="quality_domain_terms",
    ),
    Key("vague_words", "texts", "words that are vague here, beside the built-in ones", field="quality_vague_words"),
    Key("clear_words", "texts", "built-in vague words that are clear here", field="quality_clear_words"),
    Key(
        "threshold",
        "count",
        "points of 100 that words need to be committed, and to be accepted with `--all`",
        field="quality_threshold",
        most=100,
    ),
)
REPORTS = tuple(
    Key(kind, "globs", f"more files that are {kind} reports, by name or path{form}", field=f"{kind}_reports")
    for kind, form in {
        "coverage": "",
        "results": "",
        "quality": "",
        "build": "; JSON with `status` and `commit`, see [`pk ask`](../ask.md#build-reports)",
    }.items()
)
POLICY = (Key("rule", "rules", "`[[policy.rule]]` tables; the first that matches decides", "Pactkeeper's own policy"),)
POLICY_RULE = (
    Key("name", "text", "the rule's name in explanations", required=True),
    Key("permission", "choice", "what happens to an operation the rule matches", required=True, choices=PERMISSIONS),
    Key("why", "text", "the reason, shown with the verdict", required=True),
    Key("risks", "choices", "risk classes the rule applies to", "any", choices=RISKS),
    Key(
        "evidence",
        "choices",
        "evidence the rule applies to: the weakest that an operation is based on",
        "any",
        choices=EVIDENCE_ORDER,
    ),
    Key("actors", "choices", "who asks for the operation", "any", choices=ACTORS),
    Key("health", "choices", "how completely the source was read", "any", choices=HEALTH_STATUSES),
    Key("from_absence", "flag", "whether the operation is based on something being absent", "either"),
    Key("cap", "count", "how many operations of one run the rule lets through", "no cap"),
)
HEALTH = (
    Key("check", "checks", "`[[health.check]]` tables, instead of the presets", "what the project's files suggest"),
    Key("after_failure", "choice", "whether later categories run after one failed", choices=AFTER_FAILURE),
    Key("interval", "count", "seconds between two sweeps"),
    Key("fastest", "count", "seconds between two sweeps while something fails"),
    Key("greens", "count", "green sweeps after which `interval` applies again"),
    Key("max_tasks", "count", "fix tasks that one sweep makes at most"),
    Key("max_files", "count", "files of one fix task at most"),
    Key("attempts", "count", "failed tries after which a person is asked"),
    Key("rerun", "count", "failed tests that are run again to tell flaky from failing, at most"),
    Key("inherit", "texts", "additional variables of your environment that checks get"),
    Key("sandbox", "choice", "the sandbox checks run in; bubblewrap must be installed", choices=SANDBOXES),
    Key("readable", "places", "your folders that sandboxed checks may read, such as `~/.cargo`"),
)
HEALTH_CHECK = (
    Key("name", "text", "the check's name; unique", required=True),
    Key("argv", "command", "the command, run without a shell", required=True),
    Key("category", "choice", "the kind of failure it reports", required=True, choices=CHECK_CATEGORIES[1:]),
    Key("directory", "folder", "where it is run", '"."'),
    Key("environment", "variables", "variables in addition to the inherited ones", "{}"),
    Key("timeout", "count", "seconds after which it is killed", "900"),
    Key("parser", "text", "the tool whose output is parsed; `auto`: the tool that `argv` runs", '"auto"'),
    Key("prepare", "command", "run before the check, once per state of the lock files", "nothing"),
    Key("pattern", "regex", "what the parser `regex` looks for", "none"),
)
# Tables decoded into separate values rather than into fields of the settings.
GROUPED = frozenset({"policy", "health"})
SETTINGS: dict[str, tuple[Key, ...]] = {
    "pact": PACT,
    "tests": TESTS,
    "links": LINKS,
    "check": CHECK,
    "inference": INFERENCE,
    "review": REVIEW,
    "quality": QUALITY,
    "policy": POLICY,
    "commitments": COMMITMENTS,
    "health": HEALTH,
    "reports": REPORTS,
}
ATOM = (
    Key("intent", "text", "the behaviour, one sentence", required=True),
    Key("category", "choice", "the quality it belongs to", '"functional"', choices=CATEGORIES),
    Key("outcomes", "texts", "what can be observed when it holds", "[]"),
    Key("falsified_by", "texts", "what would show that it does not hold", "[]"),
    Key(
        "status",
        "choice",
        "the written status; committed and superseded follow from other files",
        '"draft"',
        choices=("draft", "proposed", "abandoned"),
    ),
    Key("origin", "text", "the test or document it came from; never looked up", "none"),
    Key("source", "choice", "who or what proposed it", '"person"', choices=SOURCES),
    Key("recommendation", "text", "the operation that created it", "none"),
    Key("tags", "texts", "free words to search by", "[]"),
    Key(
        "supersedes",
        "atom",
        "the atom that this one replaces, once its status is at least as high (proposed, draft, committed)",
        "none",
    ),
    Key("reason", "text", "why it was abandoned", "none"),
)
LINK = (
    Key("atoms", "atoms", "links recorded only here", "[]"),
    Key("annotated", "atoms", "links in the code that were reviewed", "[]"),
    Key("body", "hash", "the test's body hash when it was reviewed", "none"),
    Key("helpers", "hash", "the digest of the functions in its file that asserted for it at the time", "none"),
    Key("asserts", "texts", "what the test proved at the time, one line per assertion", "[]"),
    Key("rests", "texts", "what this was read from: the reader, and each file with its content id", "[]"),
    Key("left", "texts", "what it proved of committed atoms before it was linked to others", "[]"),
    Key("rejected", "hash", "the fingerprint of a recommendation that was turned down", "none"),
    Key("by", "text", "who reviewed", "none"),
    Key("reason", "text", "why it was turned down", "none"),
    Key("at", "moment", "when it was reviewed", "none"),
)
MOLECULE = (
    Key("name", "text", "the group's name", required=True),
    Key("atoms", "atoms", "the atoms it groups", required=True),
    Key("description", "text", "what they have in common", '""'),
    Key("lens", "choice", "the view it takes of them", "none", choices=LENSES),
    Key("molecules", "molecules", "the molecules it holds, over at most 10 levels", "[]"),
    Key("tests", "texts", "the tests that a change set concerns", "[]"),
)
INVARIANT = (
    Key("rule", "text", "the rule in words", "built from the other keys"),
    Key("every", "choice", "what the rule ranges over", "none", choices=SUBJECTS),
    Key("where", "selection", "which of them; all conditions must hold", "{}"),
    Key("needs", "needs", "what each selected one must have", "{}"),
    Key("code", "code", "the finding's code", "the id"),
    Key("severity", "choice", "how bad a violation is; for molecules at most a warning", '"error"', choices=SEVERITIES),
    Key("blocking", "flag", "whether a violation blocks a commit", "whether `severity` is `error`"),
    Key("enabled", "flag", "whether the rule is checked", "true"),
)
WHERE = (
    Key("category", "choices", "categories of the atom", choices=CATEGORIES),
    Key("tag", "texts", "any of these tags"),
    Key("status", "choices", "derived status", choices=("draft", "proposed", "abandoned", "committed", "superseded")),
    Key("source", "choices", "who proposed the atom", choices=SOURCES),
    Key("path", "globs", "path of the test, of an atom's tests, or of what the atom came from"),
    Key("language", "texts", "languages of the test, such as `python`"),
    Key("framework", "texts", "frameworks of the test, such as `pytest`"),
    Key("by", "texts", "who committed, as `pact/commitments` says"),
    Key("since", "day", "committed on this day or later"),
)
NEEDS = (
    Key("min_tests", "count", "linked tests at least"),
    Key("max_tests", "count", "linked tests at most"),
    Key("min_atoms", "count", "linked, grouped or frozen atoms at least"),
    Key("max_atoms", "count", "linked, grouped or frozen atoms at most"),
    Key("min_outcomes", "count", "outcomes at least"),
    Key("min_falsifiers", "count", "falsifiers at least"),
    Key("min_quality", "count", "points of quality at least", most=100),
    Key("category", "choices", "one of these categories", choices=CATEGORIES),
    Key("tags", "texts", "all of these tags"),
    Key("committed", "flag", "be committed (or, for false, not be)"),
    Key("signed", "flag", "be committed with a signature (or, for false, without)"),
    Key("by", "texts", "be committed by one of these"),
    Key("proven", "flag", "have passed in its current version (or, for false, not be known to)"),
    Key("reviewed", "flag", "have links reviewed in their current state (or, for false, not)"),
    Key("carrier", "choices", "links in these carriers only", choices=CARRIERS),
    Key("path", "globs", "be at such a path"),
)
WAIVER = (
    Key("by", "text", "who answers for it", required=True),
    Key("why", "text", "the reason", required=True),
    Key("until", "date", "the last day it holds", required=True),
    Key("evidence", "hash", "the evidence of the finding; the waiver ends when it changes", "none"),
)
CLARIFICATION = (
    Key("atom", "atom", "the atom in question", required=True),
    Key("question", "text", "what its words leave open", required=True),
    Key("answer", "text", "what is meant", required=True),
    Key("by", "text", "who answered", required=True),
    Key("at", "moment", "when", required=True),
)
COMMITMENT = (
    Key("id", "id", "the same as the file's name; follows from everything below", required=True),
    Key("by", "text", "the person who committed", required=True),
    Key("at", "moment", "when", required=True),
    Key("assurance", "choice", "the assurance that it was that person", '"terminal"', choices=PLEDGES),
    Key("signature", "text", "an ssh signature over the rest", "none"),
    Key("frozen", "hashes", "the frozen hash of every committed atom", required=True),
    Key("words", "words", "what was frozen of each of them, word for word", "none"),
    Key("replaces", "successors", "which atom each of them replaces", "none"),
    Key("overrides", "reasons", "the invariants that were overridden, and why", "none"),
    Key("after", "earlier", "the commitments this one builds on, and their hashes", "none"),
    Key("abandons", "text", "why its atoms are given up; without this key, they are committed", "none"),
)
WORDS = tuple(key for key in ATOM if key.name in {"intent", "category", "outcomes", "falsified_by"})
TABLES: dict[str, tuple[Key, ...]] = {
    **{f"pact.toml [{name}]": keys for name, keys in SETTINGS.items()},
    "pact.toml [[policy.rule]]": POLICY_RULE,
    "pact.toml [[health.check]]": HEALTH_CHECK,
    "atoms": ATOM,
    "links": LINK,
    "molecules.toml": MOLECULE,
    "invariants.toml": INVARIANT,
    "invariants.toml where": WHERE,
    "invariants.toml needs": NEEDS,
    "waivers.toml": WAIVER,
    "clarifications.toml": CLARIFICATION,
    "commitments": COMMITMENT,
    "commitments words": WORDS,
}


def atoms_path(topic: str) -> str:
    """Return the file of the atoms that come from a test file, or that belong to a topic."""
    return f"{ATOMS_FOLDER}{topic}.toml"


def links_path(test_file: str) -> str:
    """Return the file of one test file's links."""
    return f"{LINKS_FOLDER}{test_file}.toml"


def test_id_opening(test_file: str) -> str:
    """Return the common prefix of the ids of all tests in a file."""
    return f"{escape_part(test_file)}::"


def commitment_path(commitment_id: str) -> str:
    """Return the file of a commitment."""
    return f"{COMMITMENTS_FOLDER}{commitment_id}.toml"
