"""Which changes to which settings are weakenings, as one table; the first row whose pattern matches applies."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import translate
from typing import Final

from pactkeeper.intent.strength.change import Severity
from pactkeeper.repo.strength.switches.reading import Value
from pactkeeper.repo.strength.switches.signs import WARNINGS
from pactkeeper.repo.strength.switches.verdicts import (
    RuleContext,
    Verdict,
    aliased,
    changes,
    chosen,
    elsewhere,
    farther,
    filters,
    grows,
    higher,
    ignored,
    is_false,
    is_true,
    level,
    limit,
    lower,
    measured,
    mode,
    narrowed,
    off,
    own,
    same,
    set_level,
    severity_word,
    shorter,
    shrinks,
    threshold,
    unjudged,
    unmeasured,
    unset,
)

_TYPE_TESTS: Final = ("**/*.tst.*", "**/__typetests__/*.test.*", "**/typetests/*.test.*")  # of TSTyche
_SHELL: Final = re.compile(r"(?:\A|[/\\])(?:(?:ba|da|z|k|fi)?sh|pwsh|powershell|cmd)(?:\.exe)?\Z")


@dataclass(frozen=True, slots=True)
class Rule:
    """Which change to a setting is a weakening; `lines` says that a list has one item per line.

    `keys` is a pattern, compiled only when a setting is looked up, since most changes don't touch any.
    """

    keys: str
    judge: Callable[[Value, Value, RuleContext], Verdict]
    message: str
    severity: Severity = "error"
    default: float | None = None
    lines: bool = False


def _rule(  # noqa: PLR0913 - one row of the table
    keys: str, judge: Callable[[Value, Value, RuleContext], Verdict], message: str, severity: Severity = "error", *,
    default: float | None = None, lines: bool = False,
) -> Rule:  # fmt: skip
    joined = "|".join(translate(key) for key in keys.split())
    return Rule(joined, judge, message, severity, default, lines)


RULES: Final = (
    # what stands in for the runner, or may rewrite the tests; first, since a package may be called like a setting
    _rule("deps.*vitest deps.*jest deps.*mocha deps.*ava deps.*chai deps.*@vitest/* deps.*@jest/* "
          "deps.*@playwright/test", elsewhere, "another package stands in for the one that runs the tests"),
    _rule("deps.patched.*vitest* deps.patched.*jest* deps.patched.*mocha* deps.patched.*chai*", unjudged,
          "the package that runs the tests is patched", "warning"),
    _rule("deps.* vitest.define.__* vitest.define.process.* vitest.define.import.* vitest.define.global*", same, ""),
    _rule("vitest.define.* vitest.plugins.*", unjudged, "what it makes of the tests' code cannot be judged", "warning"),
    _rule("npm.script-shell", lambda _, n, __: "same" if n is None or _SHELL.search(str(n)) else "weaker",
          "what runs the scripts is no shell"),
    _rule("npm.node-options", unjudged, "code is loaded before what the scripts run", "warning"),
    # pytest, unittest and their plugins; `addopts` is read as a command line
    _rule("pytest.testpaths", chosen, "tests are searched for in fewer places"),
    _rule("pytest.python_files", chosen, "fewer files are collected as tests"),
    _rule("pytest.python_classes pytest.python_functions", shrinks, "fewer names are collected as tests"),
    _rule("pytest.norecursedirs pytest.collect_ignore*", ignored, "tests are searched for in fewer folders"),
    _rule("pytest.filterwarnings", filters, WARNINGS, lines=True),
    _rule("pytest.xfail_strict pytest.strict_* pytest.empty_parameter_set_mark", is_false,
          "a stricter mode of the tests is off"),
    _rule("pytest.asyncio_mode", lambda o, n, _: "weaker" if o == "auto" != n else "same",
          "asynchronous tests without a mark are no longer run", "warning"),
    _rule("pytest.plugins", shrinks, "a plugin that runs tests is no longer installed", "warning"),
    _rule("pytest.timeout pytest.faulthandler_timeout", farther, "tests may take much longer", "warning", default=0),
    _rule("pytest.doctest_optionflags", grows, "examples in documents are compared more loosely", "warning"),
    _rule("pytest.usefixtures pytest.required_plugins", shrinks, "a plugin or fixture is no longer there", "warning"),
    # coverage
    _rule("coverage.run.omit coverage.report.omit", unmeasured, "coverage leaves more code out", "warning"),
    _rule("coverage.report.exclude_*", grows, "coverage leaves more lines out", "warning", lines=True),
    _rule("coverage.run.source* coverage.run.include coverage.report.include", measured, "coverage measures less"),
    _rule("coverage.run.branch", is_false, "branches are no longer measured"),
    _rule("coverage.report.ignore_errors", is_true, "errors of coverage are ignored"),
    _rule("codecov.*.target", threshold, "less coverage is enough", default=None),
    _rule("codecov.*.threshold", higher, "coverage may fall farther", default=0),
    _rule("codecov.*.informational", is_true, "coverage does not fail any more"),
    _rule("coverage.report.fail_under *.coverageThreshold.* *.coverage.thresholds.* bun.coverageThreshold* nyc.lines "
          "nyc.branches nyc.functions nyc.statements interrogate.fail-under",
          threshold, "less coverage is enough", default=0),
    _rule("nyc.check-coverage", is_false, "coverage does not fail any more"),
    _rule("jest.coveragePathIgnorePatterns vitest.coverage.exclude nyc.exclude", unmeasured,
          "coverage leaves more code out", "warning"),
    _rule("jest.collectCoverage vitest.coverage.enabled", is_false, "coverage is not measured", "warning"),
    _rule("jest.collectCoverageFrom vitest.coverage.include nyc.include", shrinks, "coverage measures less", "warning"),
    # type checkers
    _rule("mypy.strict mypy.*disallow_* mypy.*check_untyped_defs", is_false, "types are checked less strictly"),
    _rule("mypy.*warn_* mypy.*no_implicit_* mypy.*strict_*", unset, "types are checked less strictly"),
    _rule("mypy.*ignore_errors", is_true, "errors of types are ignored"),
    _rule("mypy.*ignore_missing_imports mypy.*allow_*", is_true, "types are checked less strictly", "warning"),
    _rule("mypy.*follow_imports mypy.*disable_error_code", grows, "types are checked less strictly"),
    _rule("mypy.*enable_error_code", shrinks, "types are checked less strictly"),
    _rule("mypy.exclude pyright.exclude pyright.ignore", unmeasured, "types of fewer files are checked"),
    _rule("mypy.files mypy.packages mypy.modules pyright.include pyright.strict", narrowed,
          "types of fewer files are checked"),
    _rule("pyright.typeCheckingMode", mode, "types are checked less strictly"),
    _rule("pyright.report*", lambda o, n, s: level(severity_word(o), severity_word(n), s),
          "types are checked less strictly"),
    _rule("typescript.noImplicit* typescript.noUnused* typescript.noUnchecked* typescript.noFallthrough* "
          "typescript.noProperty* typescript.strict* typescript.alwaysStrict typescript.useUnknownInCatchVariables "
          "typescript.exactOptionalPropertyTypes typescript.checkJs", is_false, "types are checked less strictly"),
    _rule("typescript.files.exclude", ignored, "types of the tests are no longer checked", "warning"),
    _rule("typescript.files.include typescript.files.files", narrowed, "types of fewer files are checked", "warning"),
    _rule("vitest.typecheck.enabled", is_false, "types are no longer checked"),
    _rule("jest.*.diagnostics", off, "types of the tests are no longer checked"),
    _rule("jest.*.diagnostics.warnOnly", is_true, "types of the tests are no longer checked"),
    _rule("jest.*.isolatedModules", is_true, "types of the tests are no longer checked", "warning"),
    _rule("jest.*.diagnostics.ignoreCodes jest.*.diagnostics.exclude", grows, "types are checked less strictly",
          "warning"),
    _rule("tstyche.testFileMatch", lambda o, n, s: chosen(_TYPE_TESTS if o is None else o, n, s),
          "types of fewer files are checked"),
    # linters
    _rule("ruff.select flake8.select pylint.*enable", shrinks, "fewer rules are checked", "warning"),
    _rule("ruff.ignore flake8.ignore pylint.*disable", grows, "more rules are ignored", "warning"),
    _rule("*per-file-ignores*", grows, "more rules are ignored", "warning", lines=True),
    _rule("ruff.line-length ruff.*max-* flake8.max-* pylint.*max-* eslint.*rules.*.max", higher,
          "a linter's limit is wider", "warning"),
    _rule("pylint.*fail-under", lower, "a lower score is enough for a linter", "warning"),
    _rule("eslint.*rules.max-*", limit, "a linter's limit is wider, or it reports less", "warning"),
    _rule("eslint.*rules.*ts-expect*", set_level, "a rule reports less", "warning"),
    _rule("eslint.*rules.*expect* eslint.*rules.*no-only* eslint.*rules.*no-focused* eslint.*rules.*no-exclusive* "
          "eslint.*rules.*no-disabled* eslint.*rules.*no-skipped*", set_level, "a rule about tests reports less"),
    _rule("eslint.*rules.*", set_level, "a rule reports less", "warning"),
    _rule("ruff.exclude flake8.exclude eslint.*ignores eslint.ignorePatterns", unmeasured, "fewer files are checked",
          "warning"),
    # JavaScript runners
    _rule("vitest.dir vitest.root *.testMatch vitest.*include mocha.spec *.testRegex jest.*roots jest.roots *.testDir "
          "jest.projects", chosen,
          "fewer files are run as tests"),
    _rule("*.testPathIgnorePatterns jest.modulePathIgnorePatterns vitest.*exclude *.testIgnore mocha.exclude "
          "mocha.ignore", ignored, "fewer files are run as tests"),
    _rule("*.onUnhandledError", lambda o, n, _: "weaker" if n not in (None, o) else "same",
          "the tests may pass although they should fail"),
    _rule("vitest.reporters jest.reporters vitest.runner vitest.environment "
          "jest.testRunner jest.runner jest.testEnvironment jest.testResultsProcessor "
          "jest.transform* jest.filter jest.resolver jest.automock jest.snapshotSerializers", own,
          "code of the repository takes part in what the tests say", "warning"),
    _rule("playwright.*grep* vitest.testNamePattern jest.testNamePattern mocha.grep mocha.fgrep mocha.invert",
          changes, "tests are chosen by their names"),
    _rule("jest.*moduleNameMapper* vitest.*alias*", aliased, "another file stands in place of one of the product"),
    _rule("*.retries *.reruns *.retry jest.retryTimes", higher, "failing tests are tried again", default=0),
    _rule("*.passWithNoTests *.allowOnly *.dangerouslyIgnoreUnhandledErrors *.ignoreSnapshots mocha.allowUncaught "
          "mocha.passOnFailingTestSuite", is_true, "the tests may pass although they should fail"),
    _rule("*.forbidOnly *.forbidPending *.failOnFlakyTests *.errorOnDeprecated *.failZero", is_false,
          "a stricter mode of the tests is off"),
    _rule("*.updateSnapshots *.update", lambda o, n, _: "weaker" if o != n and n not in ("none", "missing", False)
          else "same", "snapshots are rewritten instead of compared"),
    _rule("*maxDiffPixel* *toHaveScreenshot.threshold *toMatchSnapshot.threshold", higher,
          "pictures may differ more", default=0),
    _rule("jest.testTimeout vitest.testTimeout vitest.hookTimeout playwright.expect.timeout", farther,
          "tests may take much longer", "warning", default=5000),
    _rule("playwright.*timeout playwright.timeout", farther, "tests may take much longer", "warning", default=30000),
    _rule("mocha.timeout", farther, "tests may take much longer", "warning", default=2000),
    _rule("tox.*ignore_outcome", is_true, "nobody hears of a failure any more"),
    _rule("tox.envlist", shorter, "fewer environments are tested", "warning"),
    _rule("tox.tests.*", shorter, "the tests run in fewer environments", "warning"),
    _rule("ci.filters", grows, "fewer changes start the checks", "warning"),
    _rule("ci.matrix.*", shorter, "the checks run in fewer environments", "warning"),
)  # fmt: skip


def rule_of(key: str) -> Rule | None:
    """Return the rule that applies to a setting; None if there is none."""
    return next((rule for rule in RULES if re.match(rule.keys, key)), None)
