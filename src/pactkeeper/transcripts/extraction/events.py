"""What tools did, judged by their results: commits, pushes, merges, releases, deployments, test runs, pull requests.

A command shows only what was attempted; its result shows what happened: a rejected push ships nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.intent.conversation import Artifact, Block, Signals, ToolCall, Value, excerpt
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.transcripts.extraction import Window, Words, exit_tells, simple_commands
from pactkeeper.transcripts.extraction.products import PLAN_TOOL, REFUSED, TODO_TOOLS

EventOutcome = Literal["succeeded", "failed", "no_change", "unknown"]
# Signal strength by how the outcome is known: stated by the tool, by its silence or by a failed call, or unknown.
SAID, SILENT, UNKNOWN = 95, 75, 20
_NEVER: Final = re.compile(r"(?!)")
_BROKEN: Final = r"^(?:fatal:|error:|ERROR\b|npm ERR!|Error:|panic:|Traceback \(most recent call last\))"


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.MULTILINE)


@dataclass(frozen=True, slots=True)
class EventRule:
    """One kind of event: how its command begins, and patterns for results of success, failure and no change.

    `silent` means that a successful command may print nothing; `decisive` that a match of `well` counts even if a later
    command on the same line fails; `strict` that a failed call has failed whatever it printed. With an option in
    `without`, or without any of `needs`, it is no such event.
    """

    kind: str
    begins: tuple[Words, ...]
    well: re.Pattern[str]
    ill: re.Pattern[str]
    idle: re.Pattern[str] = _NEVER
    silent: bool = False
    decisive: bool = False
    strict: bool = False
    without: frozenset[str] = frozenset({"--dry-run", "--help", "-h"})
    needs: frozenset[str] = frozenset()
    value: Value = "medium"

    def fits(self, words: Words) -> bool:
        """Whether a command is of this kind."""
        forms = (words, words[1:]) if words[0] in _PACKAGES else (words,)
        begun = any(form[: len(begin)] == begin for form in forms for begin in self.begins)
        return begun and self.without.isdisjoint(words) and not (self.needs and self.needs.isdisjoint(words))


_COMMITTED: Final = r"^\[(?P<branch>[^\]]+?) (?:\(root-commit\) )?(?P<commit>[0-9a-f]{7,40})\] (?P<subject>.+)$"
_PUSHED: Final = (
    r"^ (?:  |\* |\+ ) ?(?:\[new (?:branch|tag|reference)\]|[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40})"
    r" +(?P<from>\S+) +-> +(?!\S{1,200}/(?P=from)$)(?P<to>\S+)"  # `main -> origin/main` is fetched
)
_FETCHED: Final = re.compile(r"^From \S+\n(?: .*\n?)*", re.MULTILINE)
_PACKAGES: Final = frozenset({"pnpm", "yarn", "bun", "bunx"})  # they run a program by its name alone


def _commands(text: str) -> tuple[Words, ...]:
    """Parse comma-separated commands into their words."""
    return tuple(tuple(one.split()) for one in text.split(","))


_TESTS: Final = _commands("""pytest, py.test, python -m pytest, python3 -m pytest, python -m unittest,
    python3 -m unittest, jest, vitest, mocha, npm test, npm run test, pnpm test, yarn test, go test, cargo test,
    cargo nextest, mvn test, gradle test, gradlew test, rspec, phpunit, dotnet test, tox, nox, make test, just test,
    playwright test, node --test""")
# The summaries of pytest, unittest, node:test, Vitest, Jest, Mocha, Playwright, cargo, go, RSpec, PHPUnit and Maven.
_COUNTED: Final = r"(?:\d+ [a-z]{1,20}(?: \([^()\n]{1,60}\))?(?:, | \| )){0,8}"
_PASSED: Final = (
    rf"^(?:=+ )?{_COUNTED}\d+ passed\b|^OK(?: \(|$)|^(?:ℹ|#) fail 0$|^ *Tests:? +{_COUNTED}\d+ passed\b"
    r"|^ *\d+ passing\b|^test result: ok|^ok +\t?\S+\s|^\d+ examples?, 0 failures|Failures: 0, Errors: 0"
)
_FAILED: Final = (
    rf"^(?:=+ )?{_COUNTED}[1-9]\d* (?:failed|errors?)\b|^FAIL(?:ED|URES)?\b|^ERROR\b|^(?:ℹ|#) (?:fail|cancelled) [1-9]"
    rf"|^ *(?:Tests|Test Suites|Test Files):? +{_COUNTED}[1-9]\d* failed\b|^ *[1-9]\d* failing\b|^test result: FAILED"
    r"|^--- FAIL|^\d+ examples?, [1-9]|\b(?:Failures|Errors): [1-9]|^=+ no tests ran|^ *Errors +[1-9]\d* error"
)
# What pytest says of tests that pass or are skipped: its header, its progress and its count.
_ALL_WELL: Final = (
    r"=+ test session starts =+|platform \w+ -- Python .+|(?:rootdir|configfile|plugins|cachedir): .+"
    r"|collected \d+ items?|(?:\S{1,200}\.py )?[.sx]+ *\[ {0,2}\d{1,3}%\]"
    r"|\S{1,200}\.py::\S{1,200} (?:PASSED|SKIPPED|XFAIL) *\[ {0,2}\d{1,3}%\]"
    r"|(?:=+ )?(?:\d+ (?:passed|skipped|xfailed|deselected|warnings?)(?:, )?){1,5} in [\d.]+s(?: \([\d:]+\))?(?: =+)?"
)
_DEPLOYS: Final = _commands("""kubectl apply, helm upgrade, helm install, terraform apply, fly deploy, flyctl deploy,
    vercel deploy, vercel --prod, netlify deploy, firebase deploy, gcloud run deploy, gcloud app deploy, cdk deploy,
    serverless deploy, wrangler deploy, ansible-playbook, cap production deploy, make deploy, just deploy,
    npm run deploy, pnpm deploy, yarn deploy, deploy.sh, deploy""")
RULES: Final = (
    EventRule(
        "commit",
        (("git", "commit"),),
        _any(_COMMITTED),
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
        "revert",
        (("git", "revert"), ("gh", "pr", "revert")),
        _any(_COMMITTED, r"(?P<url>https?://\S{1,500}/pull/\d+)"),
        _any(r"^(?:fatal|error): ", r"^CONFLICT ", _BROKEN),
        silent=True,
        without=frozenset({"--abort", "--quit", "--help"}),
        value="low",
    ),
    EventRule(
        "reset",
        (("git", "reset"),),
        _any(r"^HEAD is now at (?P<commit>[0-9a-f]{7,40})"),
        _any(r"^(?:fatal|error): "),
        silent=True,
        needs=frozenset({"--hard", "--keep", "--merge"}),
        value="low",
    ),
    EventRule(
        "push",
        (("git", "push"),),
        _any(_PUSHED),
        _any(r"^ ! \[(?:remote )?rejected\]", r"^error: failed to push", r"^(?:fatal|error): ", r"^remote: error"),
        _any(r"^Everything up-to-date"),
        silent=True,
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
            r"(?:Merged|Squashed and merged|Rebased and merged) pull request (?P<request>\S+)"
            r"(?:.{0,300}\) into (?P<into>\S+))?",
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
    EventRule("test_run", _TESTS, _any(_PASSED), _any(_FAILED), silent=True, strict=True, value="low"),
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
        _commands("gh release create, npm publish, twine upload, cargo publish, uv publish"),
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
        _DEPLOYS,
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
_RUN: Final = next(rule for rule in RULES if rule.kind == "test_run")
# Lines by which git and the forges say only that it worked; the group is a title or a subject in one.
_FORMS: Final = re.compile(
    r"(?:✓ )?(?:Merged|Squashed and merged|Rebased and merged) pull request (?:[\w.-]{1,100}/[\w.-]{1,100})?#\d+"
    r"(?: \((.*)\)(?: into \S+)?)?"
    r"|\[\S+ (?:\(root-commit\) )?[0-9a-f]{7,40}\] (.+)"
    r"|Fast-forward|Merge made by .{1,60}\.|Squash commit -- not updating HEAD|Everything up-to-date|Auto-merging .+"
    r"|Already on '\S+'|Switched to (?:a new )?branch '\S+'|Your branch is up to date with '\S+'\."
    r"|Updating [0-9a-f]{7,40}\.\.[0-9a-f]{7,40}|To \S+|From \S+|https?://\S+|branch '\S+' set up to track .+"
    r"|(?:[*+] )?(?:[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40}|\[new (?:branch|tag)\]|\* branch) +\S+ +-> +\S+"
    r"|(?:remote: )?(?:(?:Enumerating|Counting|Compressing|Writing|Resolving|Unpacking|Receiving) (?:objects|deltas): "
    r"[\w %(),./|]+|Total \d[\w (),/-]+)|remote:|Delta compression using .+"
    # One commit in a log: a line, or what stands above its message.
    r"|[0-9a-f]{7,40} (?:\([^()]{1,200}\) )?(.+)|commit [0-9a-f]{40}(?: \([^()]{1,200}\))?|Merge: [0-9a-f ]{14,400}"
    r"|(?:Author|Commit): [^<>]{1,200} <[^<>]{0,200}>|(?:Author|Commit)?Date: +\w{3} \w{3} [\d :]{8,20} [+-]\d{4}"
    r"|[^|]+\| +(?:\d+ ?[+-]*|Bin .+)|\d+ files? changed[\w (),+-]*|(?:create|delete) mode \d+ .+|rename .+ \(\d+%\)"
    r"|✓ Deleted (?:local|remote) branch \S+(?: and switched to branch (?:main|master|trunk))?"
    r"|Deleted branch \S+ \(was [0-9a-f]+\)\."
    r"|(?:Co-authored-by|Co-Authored-By|Signed-off-by): [^<>]+ <[^<>]+>"
    r"|🤖 Generated with \[Claude Code\]\(https://\S+\)"
    rf"|{_ALL_WELL}"
)
_LONGEST_ANSWER: Final = 20_000  # characters of an answer that are kept besides the line that decides
# Kinds of events that may close a task without a person; their whole answer is kept.
CLOSING: Final = frozenset({"merge", "push"})
INTERESTING: Final = re.compile(
    r"\b(?:git|gh|glab|deploy|kubectl|helm|terraform|vercel|publish|twine|cap|ansible-playbook|test\w*|jest|vitest"
    r"|mocha|rspec|phpunit|tox|nox|py\.?test|unittest)\b"
)
_BACKGROUND: Final = "Command running in background"


def events(window: Window) -> Iterator[Artifact]:
    """Every event in the calls that have a result, at most one of each kind per call.

    A call that failed and printed failures was a run of tests whatever its name, and so is the same call from then on.
    """
    failing = set[str]()
    for call in window.calls:
        if call.result is not None and _is_shell(call.call) and not call.result.text.startswith(REFUSED):
            if call.result.failed and _RUN.ill.search(call.result.text):
                failing.add(call.call.text)
            found = list(_of_call(call, call.result)) if INTERESTING.search(call.call.text) else []
            if call.call.text in failing and all(one.facts["kind"] != _RUN.kind for one in found):
                how: EventOutcome = "failed" if call.result.failed else "succeeded"
                found.append(_judged(call, call.result, _RUN, (call.call.text,), by_exit=how))
            yield from found


def _of_call(call: ToolCall, result: Block) -> Iterator[Artifact]:
    seen: set[str] = set()
    commands = simple_commands(call.call.text)
    for words in commands:
        rule = next((rule for rule in RULES if rule.fits(words)), None)
        if rule is None or rule.kind in seen or words == ("git", "tag"):  # lists tags
            continue
        seen.add(rule.kind)
        yield _judged(call, result, rule, words, by_exit=_by_exit(rule, commands, call, result))


def told(text: str) -> Iterator[str]:
    """What an answer or a message says beyond that it worked: titles and subjects, and every line of no known form."""
    for line in map(str.strip, text.splitlines()):
        form = _FORMS.fullmatch(line)
        said = line if form is None else next(filter(None, form.groups()), "")
        if said:
            yield said


def _further(text: str, shown: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """The span from the first to the last line that says something, besides the shown one; none without such a line."""
    at, found = 0, list[tuple[int, int]]()
    for line in text.splitlines(keepends=True):
        if not shown[0] <= at < shown[1] and any(told(line)):
            found.append((at, at + len(line.rstrip())))
        at += len(line)
    if found:
        yield found[0][0], min(found[-1][1], found[0][0] + _LONGEST_ANSWER)


def _is_shell(block: Block) -> bool:
    return block.text != block.arguments and block.tool not in {PLAN_TOOL, *TODO_TOOLS}


def _judged(call: ToolCall, result: Block, rule: EventRule, words: Words, *, by_exit: EventOutcome) -> Artifact:
    answer = _FETCHED.sub(_blank, result.text) if rule.kind == "push" else result.text
    well = rule.well.search(answer)
    hits: dict[EventOutcome, re.Match[str] | None] = {"succeeded": well}
    if not (well and rule.decisive):
        hits = {"failed": rule.ill.search(answer), "no_change": rule.idle.search(answer), **hits}
    outcome: EventOutcome = next((one for one, hit in hits.items() if hit), "unknown")
    shown, strength = hits.get(outcome), SAID
    if rule.strict and by_exit == "failed":
        outcome = "failed"
    elif shown is None and not result.text.startswith(_BACKGROUND):
        outcome, strength = by_exit, _STRENGTHS[by_exit]
    elif outcome == "succeeded" and result.failed and not rule.decisive:
        strength = SILENT  # a later command of the call may have failed, or this one
    facts: dict[str, JsonValue] = {}
    if shown:
        facts |= {key: text for key, text in shown.groupdict().items() if text}
    if words[:2] == ("git", "merge") and call.entry.branch:
        facts["into"] = call.entry.branch
    end = len(result.text.rstrip())  # without a match, the last line of the result is quoted
    span = _line(result.text, *(shown.span() if shown else (end, end)))
    spans = (*(_further(result.text, span) if rule.kind in CLOSING else ()), span)
    return _event(call, rule.kind, outcome, {**facts, "command": " ".join(words)[:300]}, spans, (strength, rule.value))


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


_STRENGTHS: Final[Mapping[EventOutcome, int]] = {"failed": SAID, "succeeded": SILENT, "unknown": UNKNOWN}


def _by_exit(rule: EventRule, commands: tuple[Words, ...], call: ToolCall, result: Block) -> EventOutcome:
    """What an exit code says of a command that printed nothing telling: nothing where another one may have set it."""
    told = commands[len(commands) - exit_tells(call.call.text) :]
    if result.failed:
        return "failed" if told and rule.fits(told[-1]) else "unknown"
    is_told = rule.silent and sum(map(rule.fits, commands)) == sum(map(rule.fits, told))
    return "succeeded" if is_told and result.failed is False else "unknown"


def _line(text: str, first: int, last: int) -> tuple[int, int]:
    """Extend a match to whole lines."""
    end = text.find("\n", last)
    return text.rfind("\n", 0, first) + 1, len(text) if end < 0 else end


def _event(  # noqa: PLR0913, PLR0917 - the parts of an event
    call: ToolCall,
    kind: str,
    outcome: EventOutcome,
    facts: Mapping[str, JsonValue],
    spans: Iterable[tuple[int, int]],
    weight: tuple[int, Value],
) -> Artifact:
    assert call.result_entry is not None  # noqa: S101 - only calls with a result become events
    called = excerpt(call.entry, call.block, 0, len(call.call.text))
    shown = tuple(excerpt(call.result_entry, call.result_block, *span) for span in spans)
    strength, value = weight
    return Artifact(
        "event",
        _title(kind, outcome, facts),
        (called, *shown),
        Signals(strength, EXPLICIT),
        value if outcome == "succeeded" else "low",
        f"{call.call.call or call.entry.uuid}/{kind}",
        facts={**facts, "kind": kind, "outcome": outcome, "tool": call.call.tool},
    )


EXPLICIT: Final = 100  # a tool did it, so no words need interpretation


def _title(kind: str, outcome: str, facts: Mapping[str, JsonValue]) -> str:
    about = next(
        (facts[key] for key in ("subject", "url", "to", "package", "request", "command") if facts.get(key)), ""
    )
    return f"{kind} {outcome}: {about}"
