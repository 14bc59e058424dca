"""One check on one ground: run it, read what it said, and judge."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pactkeeper.health import sandbox
from pactkeeper.health.environment import check_environment
from pactkeeper.health.ground import CheckTree
from pactkeeper.health.parsers import COUNTING, parse
from pactkeeper.health.parsers.seen import NO_TESTS, Parsed, CheckOutput
from pactkeeper.health.parsers.surroundings import not_started
from pactkeeper.health.running import Command, Ran, run
from pactkeeper.intent.health import UNREAD, CheckResult, Diagnostic, HealthCheck, Verdict

_LARGEST_REPORT: Final = 64 << 20  # bytes; a report beyond this is no report of tests
_KILLED: Final = (-9, -15, 137, 143)


def run_check(check: HealthCheck, ground: CheckTree) -> CheckResult:
    """Run a check to its end and say what came of it; the tree is as it was afterwards, or `notes` say what is not."""
    report = ground.new_report()
    ground.note()
    ran = run_command(check, check.argv, ground, report)
    notes = (*ground.tend(), *_left(ran))
    parsed = parse(check.parser, check, _seen(ran, ground, report))
    verdict, reason = judge(check, ran, parsed)
    return CheckResult(
        check.name,
        check.category,
        verdict,
        reason,
        code=ran.code,
        milliseconds=ran.milliseconds,
        output=ran.output,
        diagnostics=_told(verdict, parsed),
        notes=notes,
    )


def run_command(check: HealthCheck, argv: tuple[str, ...], ground: CheckTree, report: Path) -> Ran:
    """Run an argument list with the folder, the environment and the time of a check."""
    folder = ground.root / check.directory
    if not folder.resolve().is_relative_to(ground.root.resolve()):
        return Ran(None, unstarted=f"the folder {check.directory!r} leads out of the repository")
    own: Mapping[str, str] = {name: ground.filled(value, report) for name, value in check.environment.items()}
    filled = [ground.filled(one, report) for one in argv]
    environment = check_environment(own, named=ground.inherit)
    if ground.sandbox != "none":
        if why := sandbox.unready():
            return Ran(None, unstarted=why)
        filled, environment = (
            sandbox.inside(filled, folder, ground),
            {**environment, **sandbox.variables(ground, environment), **own},
        )
    return run(Command(filled, folder, environment, check.timeout, owner=ground.owner))


def judge(check: HealthCheck, ran: Ran, parsed: Parsed) -> tuple[Verdict, str]:
    """The verdict, and why where it is neither pass nor fail; what could not run never passes and never fails."""
    if ran.unstarted:
        advice = f"; check argv of [[health.check]] {check.name!r}, or install it" if ran.absent else ""
        return "could not run", ran.unstarted + advice
    if ran.timed_out:
        return "timed out", f"it was ended after {check.timeout} s"
    if ran.code == 0:
        return _of_success(check, parsed)
    if parsed.verdict_hint is not None:
        return parsed.verdict_hint.verdict, parsed.verdict_hint.reason
    read = any(one.severity == "error" and one.rule != UNREAD for one in parsed.diagnostics)
    missing = "" if read else not_started(ran.code, ran.output.text)
    if missing:
        return "could not run", missing
    if ran.code in _KILLED:
        return "could not run", "it was killed from outside, perhaps for want of memory"
    return "fail", ""


def _of_success(check: HealthCheck, parsed: Parsed) -> tuple[Verdict, str]:
    """The verdict of a check that exited with 0: what its tool reports counts more, as after `pytest | tee log`."""
    failures = sum(one.severity == "error" for one in parsed.diagnostics)
    if failures:
        return "fail", f"it exited with 0, but reports {failures} {'failure' if failures == 1 else 'failures'}"
    hint = parsed.verdict_hint
    if hint is not None and hint.verdict != "could not run":
        return hint.verdict, hint.reason
    if check.category != "test":
        return "pass", ""
    if parsed.tests_seen == 0:
        return "could not tell", NO_TESTS
    if parsed.tests_seen is None and check.parser in COUNTING:
        return "could not tell", f"it exited with 0, but printed no result that the parser {check.parser!r} can read"
    return "pass", ""


def _told(verdict: Verdict, parsed: Parsed) -> tuple[Diagnostic, ...]:
    """What counts of what a parser read: nothing of a check that could not judge."""
    return parsed.diagnostics if verdict in {"pass", "fail", "timed out"} else ()


def _seen(ran: Ran, ground: CheckTree, report: Path) -> CheckOutput:
    roots = tuple(dict.fromkeys((str(ground.root), str(ground.root.resolve()), str(ground.home.root))))
    return CheckOutput(ran.output.text, _bytes(report), roots=roots, files=ground.files(), failed=ran.code != 0)


def _bytes(report: Path) -> bytes | None:
    try:
        return report.read_bytes() if report.stat().st_size <= _LARGEST_REPORT else None
    except OSError:
        return None


def _left(ran: Ran) -> tuple[str, ...]:
    if not ran.left:
        return ()
    return (f"it left {ran.left} {'process' if ran.left == 1 else 'processes'} running, which were ended",)
