"""What a pact declares for sweeps is compared like the steps of CI."""

import pytest

from tests.repo.strength.states import severities, switched
from tests.repo.strength.test_switches_pipelines import ci

FILE = "pact/pact.toml"


def pact(*checks: str, file: str = FILE) -> dict[str, str]:
    tables = "".join(f"[[health.check]]\nname = 'check {at}'\n{one}\n" for at, one in enumerate(checks))
    return {file: f"[pact]\nformat = 1\n{tables}", f"{file.rpartition('/')[0]}/debt.txt": ""}


def sweeping(argv: str, more: str = "") -> str:
    return f"argv = [{', '.join(repr(word) for word in argv.split())}]\ncategory = 'test'\n{more}"


LINT = "argv = ['ruff', 'check', '.']\ncategory = 'lint'"
INLINE = "argv = ['python3', '-c', 'print(1)']\ncategory = 'test'"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (pact(), pact(INLINE), "error"),
        (pact(), pact(LINT), "error"),
        (pact(), pact(sweeping("echo ok")), "error"),
        (pact(), pact(sweeping("pytest tests/test_a.py")), "error"),
        (pact(), pact(sweeping("python -m pytest -k fast")), "error"),
        (pact(), pact(sweeping("pytest", "environment = {PYTEST_ADDOPTS = '-k fast'}")), "error"),
        (pact(), pact(sweeping("pytest -q"), LINT), ""),
        (pact(), pact(sweeping("phpunit")), "warning"),
        (pact(sweeping("pytest"), LINT), pact(LINT), "error"),
        (pact(sweeping("pytest"), LINT), pact(sweeping("pytest")), "warning"),
        (pact(sweeping("pytest")), pact(INLINE), "error"),
        (pact(sweeping("pytest")), pact(sweeping("pytest tests/test_a.py")), "error"),
        (pact(sweeping("pytest")), pact("argv = ['sh', '-c', 'pytest || true']\ncategory = 'test'"), "error"),
        (pact(sweeping("pytest")), pact(sweeping("pytest", "directory = 'docs'")), "warning"),
        (pact(sweeping("pytest --cov-fail-under=90")), pact(), "error"),
        (pact(sweeping("pytest")), pact(), ""),
        (pact(sweeping("pytest")), pact(sweeping("python -m pytest -ra", "timeout = 60")), ""),
        ({}, pact(LINT), ""),
        (pact(sweeping("pytest")), {}, ""),
        (pact(sweeping("pytest"), file="mine/pact.toml"), pact(INLINE, file="mine/pact.toml"), "error"),
        ({"src/pact.toml": "[health]\n"}, {"src/pact.toml": "[[health.check]]\nargv = ['true']\n"}, ""),
    ],
)
def test_a_check_of_sweeps_that_is_replaced_narrowed_or_removed_is_reported(before, after, said):
    assert severities(before, after) - {"note"} == ({said} if said else set())


def test_the_check_and_its_line_are_named():
    [found] = switched(pact(LINT, sweeping("pytest")), pact(LINT, sweeping("pytest tests/test_a.py")))
    assert (found.test, found.line) == (f"{FILE} check 1", 8)


def test_a_script_that_a_sweep_runs_is_followed():
    before, after = ({**pact(sweeping("./run")), "run": f"#!/bin/sh\n{line}\n"} for line in ("pytest", "pytest -k a"))
    assert {one.test for one in switched(before, after)} == {"run"}


def test_a_sweep_takes_the_place_of_no_step():
    assert severities({**ci("run: pytest"), **pact()}, {**ci("run: echo"), **pact(sweeping("pytest"))}) == {"error"}
