"""What tools did, by what they answered: commits, pushes, merges, releases, deployments, test runs, pull requests.

A command says what was tried and only its result says what happened: a rejected push ships nothing.

How many tests passed and failed, as the summaries of test runners say it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.intent.conversation import Artifact, Block, Excerpt, Signals, ToolCall, Value, excerpt
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.transcripts.extraction.products import PLAN_TOOL, REFUSED, TODO_TOOL
from pactkeeper.transcripts.extraction.shell import Words, simple_commands
from pactkeeper.transcripts.extraction.window import Window

EventOutcome = Literal["succeeded", "failed", "no_change", "unknown"]
# Signal strength by how an outcome is known: the tool says it in words, or is silent where that means success.
SAID, SILENT, UNKNOWN = 95, 75, 20
_NEVER: Final = re.compile(r"(?!)")
_BROKEN: Final = r"^(?:fatal:|error:|ERROR\b|npm ERR!|Error:|panic:|Traceback \(most recent call last\))"


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.MULTILINE)


@dataclass(frozen=True, slots=True)
class EventRule:
    """One kind of event: the first words of its command, and what its result says when it went well, ill or nowhere.

    `silent` tells that a successful command may say nothing; `decisive` that what is said when it went well stands for
    itself, whatever a later command of the line complains about. Options in `without` make it something else.
    """

    kind: str
    begins: tuple[Words, ...]
    well: re.Pattern[str]
    ill: re.Pattern[str]
    idle: re.Pattern[str] = _NEVER
    silent: bool = False
    decisive: bool = False
    without: frozenset[str] = frozenset({"--dry-run", "--help", "-h"})
    value: Value = "medium"

    def fits(self, words: Words) -> bool:
        """Whether a command is of this kind."""
        return any(words[: len(begin)] == begin for begin in self.begins) and self.without.isdisjoint(words)


_PUSHED: Final = (
    r"^ (?:  |\* |\+ ) ?(?:\[new (?:branch|tag|reference)\]|[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40})"
    r" +(?P<from>\S+) +-> +(?P<to>\S+)"
)
RULES: Final = (
    EventRule(
        "commit",
        (("git", "commit"),),
        _any(r"^\[(?P<branch>[^\]]+?) (?:\(root-commit\) )?(?P<commit>[0-9a-f]{7,40})\] (?P<subject>.+)$"),
        _any(
            r"^(?:fatal|error): ",
            r"^Aborting commit",
            r"hook .{0,300}(?:failed|exited with)",
            r"^no changes added to commit",
        ),
        _any(r"^nothing (?:added )?to commit"),
        silent=True,
        decisive=True,
        value="low",
    ),
    EventRule(
        "push",
        (("git", "push"),),
        _any(_PUSHED),
        _any(r"^ ! \[(?:remote )?rejected\]", r"^error: failed to push", r"^(?:fatal|error): ", r"^remote: error"),
        _any(r"^Everything up-to-date"),
        without=frozenset({"--dry-run", "-n", "--delete", "-d", "--help"}),
    ),
    EventRule(
        "merge",
        (("git", "merge"),),
        _any(r"^(?:Fast-forward|Merge made by|Squash commit)"),
        _any(r"^CONFLICT ", r"^Automatic merge failed", r"^(?:fatal|error|merge): ", r"^Aborting"),
        _any(r"^Already up[ -]to[ -]date"),
        without=frozenset({"--abort", "--quit", "--help"}),
    ),
    EventRule(
        "merge",
        (("gh", "pr", "merge"), ("glab", "mr", "merge")),
        _any(
            r"(?:Merged|Squashed and merged|Rebased and merged) pull request (?P<request>\S+)",
            r"[Mm]erge request .{0,300}merged",
        ),
        _any(_BROKEN, r"is not mergeable", r"^X ", r"GraphQL: ", r"^failed to"),
        without=frozenset({"--auto", "--help"}),
        value="very_high",
    ),
    EventRule(
        "pull_request",
        (("gh", "pr", "create"), ("glab", "mr", "create")),
        _any(r"(?P<url>https?://\S{1,500}/(?:pull|merge_requests)/\d+)"),
        _any(_BROKEN, r"^pull request create failed", r"^failed to", r"already exists"),
    ),
    EventRule(
        "tag",
        (("git", "tag"),),
        _NEVER,
        _any(r"^(?:fatal|error): "),
        silent=True,
        without=frozenset({"-l", "--list", "-d", "--delete", "-v", "--contains", "--points-at", "--sort", "--help"}),
    ),
    EventRule(
        "release",
        (("gh", "release", "create"), ("npm", "publish"), ("twine", "upload"), ("cargo", "publish"), ("uv", "publish")),
        _any(
            r"(?P<url>https?://\S{1,500}/releases/tag/\S+)",
            r"^\+ (?P<package>\S+@\S+)",
            r"^View at:",
            r"^[ \t]*Published (?P<crate>\S+)",
        ),
        _any(_BROKEN, r"^HTTP [45]\d\d", r"HTTPError", r"already exists"),
        value="very_high",
    ),
    EventRule(
        "deploy",
        (
            ("kubectl", "apply"),
            ("helm", "upgrade"),
            ("helm", "install"),
            ("terraform", "apply"),
            ("fly", "deploy"),
            ("flyctl", "deploy"),
            ("vercel", "deploy"),
            ("vercel", "--prod"),
            ("netlify", "deploy"),
            ("firebase", "deploy"),
            ("gcloud", "run", "deploy"),
            ("gcloud", "app", "deploy"),
            ("cdk", "deploy"),
            ("serverless", "deploy"),
            ("wrangler", "deploy"),
            ("ansible-playbook",),
            ("cap", "production", "deploy"),
            ("make", "deploy"),
            ("just", "deploy"),
            ("npm", "run", "deploy"),
            ("pnpm", "deploy"),
            ("yarn", "deploy"),
            ("deploy.sh",),
            ("deploy",),
        ),
        _any(
            r"(?i:\b(?:successfully deployed|deployed to|rolled out)\b)",
            r"(?i:\bdeploy(?:ment)? (?:complete|succeeded|successful|is live)\b)",
            r"^Apply complete!",
            r"^STATUS: deployed",
            r"^\S+ (?:configured|created)$",
        ),
        _any(
            _BROKEN,
            r"(?i:\b(?:deploy(?:ment)? (?:failed|aborted)|rolling back|rollback)\b)",
            r"^UPGRADE FAILED",
            r"failed=[1-9]",
        ),
        _any(r"^Apply complete! Resources: 0 added, 0 changed, 0 destroyed", r"^No changes\."),
        silent=True,
        without=frozenset({"--dry-run", "--dry-run=client", "--dry-run=server", "--check", "--help", "-h"}),
        value="very_high",
    ),
)
_TESTS: Final = (
    ("pytest",), ("py.test",), ("python", "-m", "pytest"), ("python3", "-m", "pytest"), ("python", "-m", "unittest"),
    ("python3", "-m", "unittest"), ("jest",), ("vitest",), ("mocha",), ("npm", "test"), ("npm", "run", "test"),
    ("pnpm", "test"), ("yarn", "test"), ("go", "test"), ("cargo", "test"), ("cargo", "nextest"), ("mvn", "test"),
    ("gradle", "test"), ("gradlew", "test"), ("rspec",), ("phpunit",), ("dotnet", "test"), ("tox",), ("nox",),
    ("make", "test"), ("just", "test"), ("playwright", "test"), ("node", "--test"),
)  # fmt: skip
_INTERESTING: Final = re.compile(
    r"\b(?:git|gh|glab|deploy|kubectl|helm|terraform|vercel|publish|twine|cap|ansible-playbook|test\w*|jest|vitest"
    r"|mocha|rspec|phpunit|tox|nox|py\.?test|unittest)\b"
)
_BACKGROUND: Final = "Command running in background"


def events(window: Window) -> Iterator[Artifact]:
    """Every event of the calls that have a result, one for each kind of a call."""
    for call in window.calls:
        if call.result is not None and _INTERESTING.search(call.call.text):
            yield from _of_call(call, call.result)


def _of_call(call: ToolCall, result: Block) -> Iterator[Artifact]:
    if result.text.startswith(REFUSED) or not _is_shell(call.call):
        return
    seen: set[str] = set()
    for words in simple_commands(call.call.text):
        rule = next((rule for rule in RULES if rule.fits(words)), None)
        kind = rule.kind if rule else "test_run" if _runs_tests(words) else ""
        if not kind or kind in seen or (kind == "tag" and len(words) <= 2):  # noqa: PLR2004 - `git tag` lists them
            continue
        seen.add(kind)
        yield _judged(call, result, rule, words) if rule else _tested(call, result, words)


def _is_shell(block: Block) -> bool:
    return block.text != block.arguments and block.tool not in {PLAN_TOOL, TODO_TOOL}


def _runs_tests(words: Words) -> bool:
    return any(words[: len(begin)] == begin for begin in _TESTS)


def _judged(call: ToolCall, result: Block, rule: EventRule, words: Words) -> Artifact:
    ill, idle, well = (pattern.search(result.text) for pattern in (rule.ill, rule.idle, rule.well))
    if well and rule.decisive:
        ill = idle = None
    shown = ill or idle or well
    outcome: EventOutcome = "failed" if ill else "no_change" if idle else "succeeded" if well else "unknown"
    strength = SAID
    if shown is None and not result.text.startswith(_BACKGROUND):
        outcome, strength = _by_exit(rule, result)
    facts: dict[str, JsonValue] = {key: text for key, text in (shown.groupdict() if shown else {}).items() if text}
    span = _line(result.text, shown.start(), shown.end()) if shown else None
    return _event(call, rule.kind, outcome, {**facts, "command": " ".join(words)[:300]}, span, (strength, rule.value))


def _by_exit(rule: EventRule, result: Block) -> tuple[EventOutcome, int]:
    if result.failed:
        return "failed", SAID
    return ("succeeded", SILENT) if rule.silent and result.failed is False else ("unknown", UNKNOWN)


def _tested(call: ToolCall, result: Block, words: Words) -> Artifact:
    found: Counts | None = counts_in(result.text)
    facts: dict[str, JsonValue] = {"command": " ".join(words)[:300]}
    if found is None:
        outcome: EventOutcome = "failed" if result.failed else "unknown"
        return _event(call, "test_run", outcome, facts, None, (SILENT if result.failed else UNKNOWN, "low"))
    facts |= {"passed": found.passed, "failed": found.failed, "skipped": found.skipped}
    outcome = "failed" if found.failed or result.failed else "succeeded" if found.passed else "no_change"
    return _event(call, "test_run", outcome, facts, (found.first, found.last), (SAID, "low"))


def _line(text: str, first: int, last: int) -> tuple[int, int]:
    """The whole lines around a match."""
    end = text.find("\n", last)
    return text.rfind("\n", 0, first) + 1, len(text) if end < 0 else end


def _event(  # noqa: PLR0913, PLR0917 - the parts of an event
    call: ToolCall,
    kind: str,
    outcome: EventOutcome,
    facts: Mapping[str, JsonValue],
    span: tuple[int, int] | None,
    weight: tuple[int, Value],
) -> Artifact:
    assert call.result_entry is not None  # noqa: S101 - only calls with a result become events
    shown = excerpt(call.result_entry, call.result_block, *(span or (0, 0)))
    strength, value = weight
    return Artifact(
        "event",
        _title(kind, outcome, facts),
        (_called(call), shown),
        Signals(strength, EXPLICIT),
        value if outcome == "succeeded" else "low",
        f"{call.call.call or call.entry.uuid}/{kind}",
        facts={**facts, "kind": kind, "outcome": outcome, "tool": call.call.tool},
    )


EXPLICIT: Final = 100  # a tool did it; nobody needs to interpret words


def _called(call: ToolCall) -> Excerpt:
    return excerpt(call.entry, call.block, 0, len(call.call.text))


def _title(kind: str, outcome: str, facts: Mapping[str, JsonValue]) -> str:
    about = next(
        (facts[key] for key in ("subject", "url", "to", "package", "request", "command") if facts.get(key)), ""
    )
    return f"{kind} {outcome}: {about}"


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts of one summary, with the characters of the output that hold it."""

    passed: int
    failed: int
    skipped: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class _Summary:
    """One runner's summary line; `total` counts all tests where it does not count those that passed.

    A runner that prints one summary a package has `each`, and they are added.
    """

    line: re.Pattern[str]
    passed: str
    failed: str
    skipped: str = r"(?!)"
    total: str = ""
    each: bool = False


def _row(line: str, passed: str, failed: str, skipped: str = r"(?!)", **more: object) -> _Summary:
    return _Summary(re.compile(line, re.MULTILINE), passed, failed, skipped, **more)  # type: ignore[arg-type]


_SUMMARIES: Final = (
    _row(  # cargo
        r"^test result: .*$", r"(?<!\d)(\d++) passed", r"(?<!\d)(\d++) failed", r"(?<!\d)(\d++) ignored", each=True
    ),
    _row(  # jest, vitest
        r"^[ \t]*Tests:? +(?:\d+ \w+[,| ]*)+.*$",
        r"(?<!\d)(\d++) passed",
        r"(?<!\d)(\d++) failed",
        r"(?<!\d)(\d++) (?:skipped|todo|pending)",
    ),
    _row(  # pytest
        r"^(?:=+ )?(?:\d+ \w+, )*\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed)\b.* in [\d.:]+ ?s.*$",
        r"(?<!\d)(\d++) passed",
        r"(?<!\d)(\d++) (?:failed|errors?)",
        r"(?<!\d)(\d++) skipped",
    ),
    _row(  # maven, gradle
        r"^.*Tests run: \d+, .*$", r"(?!)", r"(?:Failures|Errors): (\d+)", r"Skipped: (\d+)", total=r"Tests run: (\d+)"
    ),
    _row(  # rspec
        r"^\d+ examples?, \d+ failures?.*$",
        r"(?!)",
        r"(?<!\d)(\d++) failures?",
        r"(?<!\d)(\d++) pending",
        total=r"(?<!\d)(\d++) examples?",
    ),
    _row(  # unittest
        r"^Ran \d+ tests? in [^\n]+(?:\n\n?(?:OK|FAILED)[^\n]*)?$",
        r"(?!)",
        r"(?:failures|errors)=(\d+)",
        r"skipped=(\d+)",
        total=r"Ran (\d+)",
    ),
    _row(
        r"^[ \t]*\d+ passing\b[^\n]*(?:\n[ \t]*\d+ (?:pending|failing))*$",
        r"(?<!\d)(\d++) passing",
        r"(?<!\d)(\d++) failing",
        r"(?<!\d)(\d++) pending",
    ),
    _row(r"^OK \(\d+ tests?.*$", r"OK \((\d+)", r"(?!)"),  # phpunit
    _row(r"^(?:Passed|Failed)!.*Passed: +\d+.*$", r"Passed: +(\d+)", r"Failed: +(\d+)", r"Skipped: +(\d+)"),  # dotnet
    _row(r"^# pass \d+\n# fail \d+.*$", r"# pass (\d+)", r"# fail (\d+)"),  # node
)
_GO: Final = re.compile(r"^(?:(?P<ok>ok)|(?P<bad>FAIL))\s+\S+.*$", re.MULTILINE)
_END: Final = 20_000  # characters at the end of an output in which summaries stand


def counts_in(output: str) -> Counts | None:
    """The counts of the last summary in an output, or of all where a runner writes one a package; None if none."""
    start = max(0, len(output) - _END)
    for summary in _SUMMARIES:
        found = list(summary.line.finditer(output, start))
        if found:
            return _added(summary, found if summary.each else found[-1:])
    return _go(output, start)


def _added(summary: _Summary, found: list[re.Match[str]]) -> Counts:
    def add(pattern: str) -> int:
        return sum(int(number[:9]) for one in found for number in re.findall(pattern, one[0]))

    failed, skipped = add(summary.failed), add(summary.skipped)
    passed = max(0, add(summary.total) - failed - skipped) if summary.total else add(summary.passed)
    return Counts(passed, failed, skipped, found[0].start(), found[-1].end())


def _go(output: str, start: int) -> Counts | None:
    """Go counts packages."""
    found = list(_GO.finditer(output, start))
    if not found:
        return None
    bad = sum(1 for one in found if one["bad"])
    return Counts(len(found) - bad, bad, 0, found[0].start(), found[-1].end())
