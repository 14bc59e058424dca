"""Options of commands as the settings that ask for the same: what a file no longer asks, a command may ask now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.javascript.settings.values import SettingsFiles
from pactkeeper.repo.strength.switches.commands import ASPECTS, MEASURED, Check, check_of, parsed, split
from pactkeeper.repo.strength.switches.options import words_changes
from pactkeeper.repo.strength.switches.pipelines import all_checks
from pactkeeper.repo.strength.switches.rules import rule_of
from pactkeeper.repo.strength.switches.tools import Setting, Settings, expanded, members
from pactkeeper.repo.strength.switches.verdicts import RuleContext

if TYPE_CHECKING:
    from pactkeeper.intent.strength.change import Change
    from pactkeeper.repo.snapshot import Snapshot
    from pactkeeper.repo.strength.switches.reading import Value

_BY_OPTION: Final = {
    "--cov-fail-under": "coverage.report.fail_under", "--fail-under": "coverage.report.fail_under",
    "--cov-branch": "coverage.run.branch", "--branch": "coverage.run.branch",
    "--strict-markers": "pytest.strict_markers", "--strict-config": "pytest.strict_config",
    "-W": "pytest.filterwarnings", "--check-coverage": "nyc.check-coverage",
    **{f"--{part}": f"nyc.{part}" for part in MEASURED},
}  # fmt: skip
_WITH_DASHES: Final = frozenset({"ruff", "flake8", "pylint"})  # tools whose settings are called like their options
_ROOT: Final = ("", "")
_NEGATED: Final = "no_"
_IMPLICIT: Final = "no_implicit_"  # the beginning of a setting's name, not the negation of one


def given_anew(before: Snapshot, after: Snapshot) -> Mapping[str, Setting]:
    """Return the settings that a later command asks for by its options, and none did before."""
    known = {(key, one.value) for key, one in _given(before)}
    return {key: one for key, one in _given(after) if (key, one.value) not in known}


def _given(side: Snapshot) -> Iterator[tuple[str, Setting]]:
    for check in all_checks(side):
        for one in (check, *check.runs) if not check.ignored else ():
            yield from _settings_of(one).items()


def _settings_of(check: Check) -> dict[str, Setting]:
    options, _ = parsed(check.words, check.program)
    asked = ((key, Setting(value, check.path, key)) for one in options.items() for key, value in _asked(check, *one))
    return expanded(dict(asked))


def _asked(check: Check, option: str, values: tuple[str, ...]) -> Iterator[tuple[str, Value]]:
    """Yield the setting that an option asks for, with its value; nothing for an option that is no setting."""
    tool, value = check.program.partition(" ")[0], values or True
    word = option.lstrip("-").removeprefix("extend-")
    if option in _BY_OPTION:
        yield _BY_OPTION[option], value if option == "-W" else values[-1] if values else True
    elif tool == "mypy" and option.startswith("--"):
        plain = word.replace("-", "_")
        off = plain.startswith(_NEGATED) and not plain.startswith(_IMPLICIT)
        yield f"mypy.{plain.removeprefix(_NEGATED) if off else plain}", False if off else value
    elif tool in _WITH_DASHES and option.startswith("--"):
        yield f"{tool}.{word}", tuple(part for each in values for part in each.split(",")) or True


def are_settings(changes: Iterable[Change], before: Snapshot, after: Snapshot) -> list[Change]:
    """Return those changes of commands that only lost an option, or got one, as files set now or did before."""
    sides: list[Mapping[str, Setting]] = []
    found = []
    for change in changes:
        old, new = (check_of(split(text.partition(" (")[0])) for text in (change.old, change.new))
        if old is None or new is None or old.program != new.program or old.program not in ASPECTS:
            continue
        sides = sides or [_of_files(side) for side in (before, after)]
        rest = [replace(check, words=tuple(_others(check, old, new, sides))) for check in (old, new)]
        whole, less = (_messages(*pair) for pair in ((old, new), rest))
        if change.message in whole and change.message not in less:
            found.append(change)
    return found


def _messages(old: Check, new: Check) -> set[str]:
    return {message for _, message in words_changes(old.program, old.words, new.words)}


def _of_files(side: Snapshot) -> Mapping[str, Setting]:
    return Settings(side, SettingsFiles(side), {}).facts(members(side.paths, {_ROOT})[_ROOT])


def _others(check: Check, old: Check, new: Check, files: list[Mapping[str, Setting]]) -> Iterator[str]:
    """Yield a command's words without the options whose settings are no weaker than before, wherever they are set."""
    one, two = ({**settings, **_settings_of(side)} for settings, side in zip(files, (old, new), strict=True))
    options, rest = parsed(check.words, check.program)
    yield from rest
    for option, values in options.items():
        only = replace(check, words=(option, *values) if values else (option,))
        kept = _settings_of(only).keys()
        if not kept or any(_is_weaker(key, one.get(key), two.get(key)) for key in kept):
            yield from (f"{option}={value}" for value in values) if values else (option,)


def _is_weaker(key: str, old: Setting | None, new: Setting | None) -> bool:
    rule, (one, two) = rule_of(key), (side.value if side is not None else None for side in (old, new))
    if rule is None:
        return one != two
    return rule.judge(one, two, RuleContext((), rule.default, rule.lines, key)) not in {"same", "stronger"}
