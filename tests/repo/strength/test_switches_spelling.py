"""What an option of a command asks may move into a file of settings, and back; only less than that is reported."""

import json

import pytest

from tests.repo.strength.states import severities
from tests.repo.strength.test_switches_tox import tox

MYPY = "mypy src tests"
FLAGS = ("--disallow-untyped-defs", "--warn-unused-ignores", "--strict-equality", "--disallow-subclassing-any")
STRICT = f"{MYPY} {' '.join(FLAGS)}"
SET = "".join(f"{flag[2:].replace('-', '_')} = True\n" for flag in FLAGS)
CFG = {"setup.cfg": f"[mypy]\n{SET}"}
GATES = {"check-coverage": True, "lines": 90, "branches": 80}
UNDER = {".coveragerc": "[report]\nfail_under = 90\n"}
MEASURED = "pytest --cov=pkg"


def hooked(*given: str) -> dict[str, str]:
    return {".pre-commit-config.yaml": f"repos:\n- repo: x\n  hooks:\n  - id: mypy\n    args: {json.dumps(given)}\n"}


def ignoring(rules: str) -> dict[str, str]:
    return {**tox("ruff check"), "pyproject.toml": f"[tool.ruff]\nignore = {rules}\n"}


def measuring(command: str) -> dict[str, str]:
    return {"package.json": json.dumps({"scripts": {"test": command}})}


MOVED = {
    "to-a-file": (tox(STRICT), {**tox(MYPY), **CFG}),
    "to-all-at-once": (tox(f"{MYPY} --strict"), {**tox(MYPY), "pyproject.toml": "[tool.mypy]\nstrict = true\n"}),
    "from-a-file": ({**tox(MYPY), **CFG}, tox(STRICT)),
    "to-a-hook": ({**tox(MYPY), **CFG}, {**tox(MYPY), **hooked(*FLAGS)}),
    "leniency": (
        {**tox(MYPY), "setup.cfg": "[mypy]\nignore_missing_imports = True\n"},
        tox(f"{MYPY} --ignore-missing-imports"),
    ),
    "ignored": (tox("ruff check --ignore E501"), ignoring("['E501']")),
    "ignored-back": (ignoring("['E501']"), tox("ruff check --ignore E501")),
    "markers": (tox("pytest --strict-markers"), {**tox("pytest"), "pytest.ini": "[pytest]\naddopts = --strict-markers\n"}),
    "limit": ({**tox(MEASURED), **UNDER}, tox(f"{MEASURED} --cov-fail-under=90")),
    "gates": (
        {".nycrc": json.dumps(GATES), **measuring("nyc mocha")},
        measuring("c8 --check-coverage --lines 90 --branches 80 mocha"),
    ),
    "patterns": (
        {".coveragerc": "[run]\ninclude = pkg/*, tests/*\n"},
        {"pyproject.toml": "[tool.coverage.run]\nsource_pkgs = ['pkg', 'tests']\n"},
    ),
}  # fmt: skip
LESS = {
    "half-to-a-file": (tox(STRICT), {**tox(MYPY), "setup.cfg": "[mypy]\ndisallow_untyped_defs = True\n"}),
    "half-from-a-file": ({**tox(MYPY), **CFG}, tox(f"{MYPY} --disallow-untyped-defs")),
    "half-to-a-hook": ({**tox(MYPY), **CFG}, {**tox(MYPY), **hooked(*FLAGS[:2])}),
    "lower": ({**tox(MEASURED), **UNDER}, tox(f"{MEASURED} --cov-fail-under=50")),
    "patterns": (
        {".coveragerc": "[run]\ninclude = src/*, tests/*\n"},
        {"pyproject.toml": "[tool.coverage.run]\nsource_pkgs = ['tests']\n"},
    ),
}


@pytest.mark.parametrize("moved", MOVED)
def test_what_is_asked_elsewhere_is_still_asked(moved):
    assert severities(*MOVED[moved]) <= {"note"}


@pytest.mark.parametrize("less", LESS)
def test_what_is_asked_for_less_of_is_lost(less):
    assert "error" in severities(*LESS[less])
