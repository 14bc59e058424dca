"""Options that weaken test runners and other checks when they are added or removed."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pactkeeper.intent.strength.change import Change, Severity
from pactkeeper.repo.strength.switches.commands import ASPECTS, CALLED, GUARDS, SCRIPT, Check, parsed
from pactkeeper.repo.strength.switches.given import (
    BY_NAME,
    HANDING,
    PROGRAM,
    PYTHON,
    divided,
    fewer_files,
    takes_files,
    with_files,
)
from pactkeeper.repo.strength.switches.guarding import other_commits, unknown
from pactkeeper.repo.strength.switches.signs import LENIENT, LESS_COVERED, WARNINGS
from pactkeeper.repo.strength.switches.verdicts import number
from pactkeeper.repo.strength.switches.workflows import GATE, OTHER_STATE

Options = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Option:
    """An option with the values that make it a weakening; with `lost`, removing it is one.

    `names` and `values` are patterns, compiled only when commands are compared, since most changes don't touch any.
    """

    names: str
    values: str
    message: str
    severity: Severity = "error"
    lost: bool = False


def _option(names: str, message: str, severity: Severity = "error", *, values: str = "", lost: bool = False) -> Option:
    return Option(rf"(?:{names})\Z", values, message, severity, lost)


_FEWER: Final = "fewer tests are run"
_OPTIONS: Final = (
    _option(r"-k|-m|--deselect|--ignore|--ignore-glob|--lf|--last-failed|--sw|--stepwise", _FEWER),
    _option(r"-t|--testNamePattern|--testPathPatterns?|--testPathIgnorePatterns|--exclude|-g|-f|--grep|--fgrep|"
            r"--grep-invert|--invert|--test-name-pattern|--test-skip-pattern|--test-only|--only|-run|-skip", _FEWER),
    _option(r"-p", "a plugin of the tests is off", values=r"no:(?!cacheprovider|randomly|xdist|sugar)"),
    _option(r"-W", WARNINGS, "warning", values=r"ignore|default|once"),
    _option(r"--reruns|--retries|--retry|--flaky-report|--force-flaky", "failing tests are tried again"),
    _option(r"--no-cov|--no-coverage|--coverage\.enabled", "coverage is off", values=r"false\Z|\Z"),
    _option(r"--help|--version", "it runs nothing"),
    _option(r"--notest", "tests are no longer run"),
    _option(r"--shard|--test-shard", _FEWER, values=r"(?!1/1\Z)\d++/\d"),
    _option(r"-O", "assertions are off"),
    _option(r"--node-options", "code is loaded before the runner", "warning",
            values=r".*--?(?:r|require|import|[\w-]{0,40}loader)[= ]\.{0,2}/"),
    _option(r"--co|--collect-only|--listTests|--list|--setup-only|--setup-plan|--no-run|-DskipTests|-Dmaven\.test\.skip|"
            r"-x=test|--suppress-no-test-exit-code|--listFiles|--showConfig", "tests are no longer run"),
    _option(r"-Dmaven\.test\.failure\.ignore|--continue-on-failure|--exit-zero|--pass-on-unpruned-suppressions|"
            r"--passWithNoTests|--pass-with-no-tests|--allowOnly|--dangerouslyIgnoreUnhandledErrors|--runxfail-off",
            "a failure is no longer one"),
    _option(r"--snapshot-update|--inline-snapshot|--force-regen|-u|--update|--updateSnapshot|--update-snapshots|"
            r"--test-update-snapshots", "snapshots are rewritten instead of compared"),
    _option(r"--ci|--forbid-only|--forbid-pending|--typecheck|--strict|--check", LENIENT,
            values=r"false\Z"),
    _option(r"--no-ci|--no-forbid-only|--no-typecheck|--no-strict\S*|--allow-\S+|--ignore-missing-imports|"
            r"--follow-imports", LENIENT),
    _option(r"--ignore|--extend-ignore|--disable|--disable-error-code|--ignore-pattern|--exclude", "less is checked"),
    _option(r"--override-ini", "a setting is overruled", values=r"(?!log|cache|junit)"),
    _option(r"--since", "nothing is compared", values=r"(?:HEAD|@)(?:[~^]0|\^2)?\Z|(?:origin/)?\$\{?GITHUB_SHA"),
    _option(r"--since", "fewer commits are compared", "warning", values=r"HEAD|@"),
    _option(r"--since", "nothing is compared with the base", lost=True),
    _option(r"--hook", "a failure is no longer one", lost=True),
    _option(r"--rule", "a rule is off", values=r"off|:\s*0"),
    _option(r"--ci|--forbid-only|--forbid-pending|--strict\S*|--disallow-\S+|--doctest-\S+|--typecheck|--max-warnings|"
            r"--fail-on-flaky-tests|--fail-on-\S+|--errorOnDeprecated|"
            r"--all-files|--all-targets|-race|--workspaces", LENIENT, lost=True),
    _option(r"--(?:cov-)?fail-under|--check-coverage|--lines|--branches|--functions|--statements|--coverage\.thresholds\.\S+|--coverageThreshold",
            LESS_COVERED, lost=True),
    _option(r"--omit|--include", "coverage leaves more code out", "warning"),
    _option(r"-W", WARNINGS, values=r"error", lost=True),
    _option(r"-p", "a plugin of the tests is off", "warning", values=r"(?!no:)", lost=True),
    _option(r"--coverage|--cov|--cov-branch|--hypothesis-profile", "coverage is not measured", "warning", lost=True),
)  # fmt: skip
_LOWER: Final = re.compile(
    r"--(?:cov-)?fail-under|--coverage\.thresholds\.\w+|--lines|--branches|--functions|--statements"
)
_HIGHER: Final = re.compile(r"--max-warnings|--reruns|--retries|--retry")
# Other programs use the same letter for something else.
_ELSEWHERE: Final = {
    **dict.fromkeys(("-m", "-p", "-W"), ("pytest", "hatch")),
    "-k": ("pytest", "unittest", "tox", "hatch", "script"),
    "-t": ("jest", "vitest", "npm"),
    "-O": ("pytest", "py.test", "unittest", "tox", "nox", "hatch"),
    "--notest": ("tox",),
    "-g": ("mocha", "playwright"),
    "-f": ("mocha",),
    "-u": ("jest", "vitest", "npm", "playwright"),
    "-b": ("mocha", "jest"),
    "-x": ("pytest", "playwright"),
    "--list": ("playwright", "vitest"),
    "--check": ("tsc",),
    "--exclude": ("vitest", "npm", "mypy", "ruff", "flake8"),
    "--only": ("cypress",),
    **dict.fromkeys(("--omit", "--include"), ("coverage",)),
    **dict.fromkeys(("--since", "--hook"), ("pk",)),
}


def option_changes(program: str, old: Options, new: Options) -> Iterator[tuple[Severity, str]]:
    """Yield how the options of a command became weaker."""
    for name, values in new.items():
        gained = tuple(value for value in values if value not in old.get(name, ()))
        if _HIGHER.match(name) or _LOWER.match(name):
            yield from _limit(name, old, values)
        if name in old and not gained:
            continue
        for option in () if name in old and (_HIGHER.match(name) or _LOWER.match(name)) else _OPTIONS:
            if not option.lost and _means(option, name, program) and re.match(option.values, " ".join(gained)):
                yield option.severity, option.message
                break
    for name, values in old.items():
        lost = tuple(value for value in values if value not in new.get(name, ()))
        if name not in new or (lost and name in {"-W", "-p", "--doctest-glob"}):
            found = (one for one in _OPTIONS if one.lost and _means(one, name, program))
            for option in found:
                if re.match(option.values, " ".join(lost)) and "false" not in lost and "no:" not in " ".join(lost):
                    yield option.severity, option.message
                    break


def _means(option: Option, name: str, program: str) -> bool:
    programs = _ELSEWHERE.get(name)
    if option.message == _FEWER and ASPECTS.get(program, "tests") != "tests":
        return False
    return re.match(option.names, name) is not None and (programs is None or program.partition(" ")[0] in programs)


def _limit(name: str, old: Options, values: tuple[str, ...]) -> Iterator[tuple[Severity, str]]:
    before = number(old.get(name, ())[0]) if old.get(name) else None
    after = number(values[0]) if values else None
    if before is None or after is None or before == after:
        return
    if (after < before) is (_LOWER.match(name) is not None):
        slight = 1 < after < before < after + 1  # removing code can cause that, too
        yield "warning" if slight else "error", f"{name} asks less"


def words_changes(program: str, old: tuple[str, ...], new: tuple[str, ...]) -> Iterator[tuple[Severity, str]]:
    """Yield how one command line is weaker than another, apart from its file arguments.

    Words after `--` are for the program that this one runs: pytest, where Python tests are run.
    """
    (one, inner), (two, later) = divided(old), divided(new)
    behind = "pytest" if program.partition(" ")[0] in HANDING else program
    yield from option_changes(program, *(_since(parsed(words, program)[0]) for words in (one, two)))
    yield from option_changes(behind, parsed(inner, behind)[0], parsed(later, behind)[0])


def _since(options: Options) -> Options:
    """Return the options with a base that is the compared state itself spelled as HEAD."""
    at = options.get("--at")
    return {**options, "--since": ("HEAD",)} if at and options.get("--since") == at else options


# Options of which a runner's verdict doesn't depend.
_HARMLESS: Final = re.compile(
    r"-(?:[efsvqrnjxblw]|-|-(?:session|python|bail|exitfirst|maxfail|max-failures|tb|dist|run|w|ci)s?) |"
    r"--(?:verbos|quiet|silent|no-|color|duration|junit|cov|report|output|format|log|tap|work|max-?workers|numproc|parallel|watch|"
    r"test-(?:report|timeout|conc)|experimental|filter|prefix|recursive|all|browser|head|timeout|skip-|result|"
    r"discover|show|pool|threads|detect|force|runInBand|clearCache|basetemp|benchmark|capture|expose|slow-|instafail|frozen|locked)"
)
_HARMLESS_OF_GUARDS: Final = re.compile(
    r"--(?:strict|github|markdown|json|sarif|color|no-color|hook|verbose|quiet|all)\b|-[vq] |"
    r"--at (?:HEAD|\$)|--since (?:(?:origin|upstream)/|\$_|\$\{?GITHUB_BASE|main\Z|master\Z)"
)
_OF_PULLS: Final = re.compile(r"(?:\$\{\{)?\s*+github\.event_name\s*+==\s*+'pull_request'\s*+(?:\}\})?\Z")
_SHOWN: Final = 160
_CALLED: Final = {"lint": "linters", "types": "type checks", "coverage": "coverage checks"}
_MAIN: Final = re.compile(
    r"\*\*|\A\*|\A\$|\b(?:main|master|trunk|dev\w*|next|default|canary|stable|edge|staging|head)\b|\A[\d.x]++\Z",
    re.IGNORECASE,
)  # the branches that a repository develops on


def running_changes(
    old: Sequence[Check], new: Sequence[Check], *, elsewhere: Iterable[Check], entries: set[str], paths: Sequence[str]
) -> Iterator[Change]:
    """Yield what happened to every check of one family.

    `elsewhere` are checks that the change adds to other families. `entries` are what the later state calls by name, so
    that what one of them ran can't simply be assumed to run under another name.
    """
    if entries:
        for entry in sorted(entries & {check.entry for check in old}):
            yield from _family([c for c in old if c.entry == entry], [c for c in new if c.entry == entry], (), paths)
        old = [check for check in old if check.entry not in entries]
        elsewhere = [*elsewhere, *new]
        new = []
    yield from _family(old, new, tuple(elsewhere), paths)


def _key(check: Check) -> tuple[object, ...]:
    return check.program, check.words, check.ignored, check.condition, check.branches, check.around


def _family(
    old: Sequence[Check], new: Sequence[Check], elsewhere: Sequence[Check], paths: Sequence[str]
) -> Iterator[Change]:
    rest, gained = _without(old, new), _without(new, old)
    sound = {(check.program, check.words) for check in new if not check.ignored}
    later: list[Check] = []
    pairs: list[tuple[Check, Check]] = []
    for check in rest:
        other = _closest(check, gained)
        if other is None:
            later.append(check)
            continue
        gained.remove(other)
        pairs.append((check, other))
    for check, other in pairs:
        yield from _compared(check, other, new, paths, everywhere=_everywhere(check.program, pairs, new))
    gone: defaultdict[tuple[str, str], list[Check]] = defaultdict(list)
    for check in later:
        if (check.program, check.words) in sound or check.ignored:
            continue
        instead = [one for one in (*gained, *elsewhere) if one.aspect == check.aspect and not one.ignored]
        if not instead or (check.aspect == GUARDS and all(one.program != check.program for one in instead)):
            gone[check.path, check.aspect].append(check)
        elif (check.known or _is_called(check)) and not any(one.known and not _is_called(one) for one in instead):
            yield _change(check, instead[0], "tests are run by something unknown now", "warning")
        else:
            yield from _replaced(check, instead, new, paths)
    for (_, aspect), some in gone.items():
        beside = [one for one in new if one.aspect == aspect and not one.ignored]
        yield _not_run(some, beside, elsewhere, paths)


def _not_run(
    gone: Sequence[Check], beside: Sequence[Check], elsewhere: Sequence[Check], paths: Sequence[str]
) -> Change:
    """Report checks of one kind that nothing replaces; those `beside` them still run."""
    aspect = gone[0].aspect
    left = {other.program for other in beside}
    named = all(
        one.program.startswith(BY_NAME) or one.program in left or takes_files(one, beside, paths) for one in gone
    )
    hooks = [other for other in elsewhere if not other.ignored] if aspect != "tests" else []
    hooked = {inner.program for other in hooks for inner in other.runs}
    unsure = all((_is_called(one) and not one.known) or one.program in hooked for one in gone)
    severity: Severity = "warning" if aspect == "lint" or (named and left) or unsure else "error"
    change = _change(gone[0], None, f"{_CALLED.get(aspect, aspect)} are no longer run here", severity)
    return replace(change, old="; ".join(dict.fromkeys(one.text for one in gone)))


def _replaced(
    check: Check, instead: Sequence[Check], all_new: Sequence[Check], paths: Sequence[str]
) -> Iterator[Change]:
    """Yield what tests lose by which other programs run them, if it is known what both run in turn."""
    taken = [check, *instead]
    if check.aspect != "tests" or any(one.program.startswith((*BY_NAME, *HANDING)) and not one.runs for one in taken):
        return
    later = [inner for one in (*instead, *all_new) if one.aspect == "tests" and not one.ignored
             for inner in one.runs or (one,)]  # fmt: skip
    for inner in check.runs or (check,):
        offered = [one for one in later if (one.program in PYTHON) is (inner.program in PYTHON)]
        same = [one for one in offered if one.program == inner.program]
        weaker = [set(words_changes(inner.program, inner.words, one.words)) for one in same]
        found = set.intersection(*weaker) if weaker else set()
        mine, others = (
            (inner, offered)
            if same == offered
            else (with_files(inner, paths), [with_files(one, paths) for one in offered])
        )
        others = [replace(one, program=mine.program) for one in others]
        if others and fewer_files(mine, others, others[0], paths):
            found.add(("error", "it is given fewer files"))
        yield from (_change(check, instead[0], message, severity) for severity, message in sorted(found))


def _is_called(check: Check) -> bool:
    """Whether it is a workflow of another repository, of which only the name is known."""
    return check.program.startswith(CALLED)


def _without(some: Sequence[Check], others: Sequence[Check]) -> list[Check]:
    counted = Counter(map(_key, others))
    rest = []
    for check in some:
        if counted[_key(check)]:
            counted[_key(check)] -= 1
        else:
            rest.append(check)
    return rest


def _closest(check: Check, offered: Sequence[Check]) -> Check | None:
    same = [other for other in offered if (other.program, other.aspect) == (check.program, check.aspect)]
    return max(same, key=lambda o: (o.entry == check.entry, len(set(o.words) & set(check.words))), default=None)


def _everywhere(program: str, pairs: Iterable[tuple[Check, Check]], new: Sequence[Check]) -> set[tuple[Severity, str]]:
    """Return what became weaker in every call of a program, so that none of them makes up for another."""
    found = [set(words_changes(program, one.words, two.words)) for one, two in pairs if one.program == program]
    same = len(found) == sum(check.program == program for check in new)
    return set.intersection(*found) if same and found else set()


def _compared(
    old: Check, new: Check, all_new: Sequence[Check], paths: Sequence[str], *, everywhere: set[tuple[Severity, str]]
) -> Iterator[Change]:
    if new.ignored and not old.ignored:
        yield _change(old, new, "nobody hears of a failure any more", "error")
        return
    sound = [check for check in all_new if check.program == old.program and not check.ignored]
    started = {event for check in (new, *sound) for event in _events(check)}
    if _events(old) and not started:
        yield _change(old, new, f"no change starts it any more{_only(new)}", "error")
        return
    several = old.aspect != GUARDS and sum(other.program == old.program for other in all_new) > 1
    changed = dict.fromkeys(words_changes(old.program, old.words, new.words))
    found = [one for one in changed if one[1] != LESS_COVERED or not _is_gated(old, all_new)]
    if less := _given_less(old, all_new, new, paths):
        found.append(("error" if old.aspect == "tests" else "warning", less))
    unclear: Severity = "error" if old.aspect == GUARDS else "warning"
    asked = new.condition if not _OF_PULLS.match(new.condition) else ""
    if asked not in {"", old.condition} and (not old.condition or old.aspect == GUARDS):
        found.append((unclear, "it runs only under a condition now"))
    if not found and old.aspect in {"tests", GUARDS} and _is_called_otherwise(old, new):
        found.append((unclear, "it is called in another way"))
    if several:
        found = sorted(everywhere & {*found}) or [("warning", message) for _, message in found[:1]]
    for event in sorted({"pull_request", "merge_group"} & _events(old) - started) if "" not in started else ():
        found.append((unclear, f"{event} no longer starts it"))
    if gained := unknown(old.around, new.around):
        moved = other_commits(old.around, gained)
        worst = next((one for one in gained if one.startswith((OTHER_STATE, GATE))), "")
        shown = worst or next((one for one in gained if one not in moved), gained[0])
        severity = "error" if worst else "warning" if shown in moved else unclear
        found.append((severity, f"it runs under other circumstances: {shown[:_SHOWN]}"))
    for severity, message in found:
        yield _change(old, new, message, severity)


def _is_gated(old: Check, all_new: Iterable[Check]) -> bool:
    """Whether a later command asks for the coverage that one asked for: `coverage report` after the tests, say."""
    asked = _covered(old)
    return asked is not None and any((_covered(one) or 0) >= asked for one in all_new if not one.ignored)


def _covered(check: Check) -> float | None:
    options, _ = parsed(check.words, check.program)
    values = [value for name in ("--fail-under", "--cov-fail-under") for value in options.get(name, ())]
    return number(values[-1]) if values else None


def _given_less(old: Check, all_new: Sequence[Check], new: Check, paths: Sequence[str]) -> str:
    """Return what fewer a check is given; "" if nothing. Of a program of the repository, any argument may matter."""
    if fewer_files(old, all_new, new, paths):
        return "it is given fewer files"
    one, two = (set(parsed(check.words, check.program)[1]) for check in (old, new))
    return "it is given fewer arguments" if old.program.startswith(SCRIPT) and two < one else ""


def _is_called_otherwise(old: Check, new: Check) -> bool:
    """Whether options of a command changed that may mean anything."""
    if any("$" in word for word in (*old.words, *new.words) if old.aspect == "tests") or old.program == PROGRAM:
        return False  # only running it would tell
    one, two = (parsed(check.words, check.program)[0] for check in (old, new))
    changed = [
        f"{name} {' '.join(two.get(name, ()))}" for name in one.keys() | two.keys() if one.get(name) != two.get(name)
    ]
    if old.aspect == GUARDS:
        return not all(map(_HARMLESS_OF_GUARDS.match, changed))
    names = (name.partition(" ")[0] for name in changed if not _HARMLESS.match(name))
    return not all(any(_means(option, name, old.program) for option in _OPTIONS) for name in names)


def _events(check: Check) -> set[str]:
    """Return the events by which changes of the main branches start a check; "" for one of any kind."""
    named = (branch.rpartition(" ") for branch in check.branches)
    return {event for event, _, pattern in named if _MAIN.search(pattern)}


def _only(check: Check) -> str:
    return f", except on {', '.join(check.branches)}" if check.branches else ""


def _change(old: Check, new: Check | None, message: str, severity: Severity) -> Change:
    shown = new if new is not None else old
    subject = shown.path if shown.path in shown.through else f"{shown.path} {shown.entry}".strip()
    return Change("switched_off", subject, message, old.text,
                  new.text if new and new.text != old.text else "", 0, severity, old.path)  # fmt: skip
