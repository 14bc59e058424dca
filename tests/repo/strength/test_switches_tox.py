"""Environments of tox: what they run by default, and in which of them tests run."""

import pytest

from tests.repo.strength.states import severities, switched

CI = ".github/workflows/ci.yml"


def ci(*steps: str) -> dict[str, str]:
    listed = "".join(f"      - {step}\n" for step in steps)
    return {CI: f"on: [push, pull_request]\njobs:\n  test:\n    steps:\n{listed}"}


def tox(*commands: str, more: str = "") -> dict[str, str]:
    listed = "".join(f"    {line}\n" for line in commands)
    return {
        "tox.ini": f"[tox]\nenvlist = lint,py{{39,313}}\n[testenv]\ncommands =\n{listed}[testenv:lint]\ncommands = ruff check\n{more}"
    }


PLAIN = tox("pytest {posargs}")
TOML = "env_list = ['py39', 'py313']\n[env_run_base]\ncommands = [['pytest']]\n"


@pytest.mark.parametrize(
    "command",
    [
        "pytest {posargs:tests/test_a.py}",
        "pytest {posargs:{toxinidir}/tests/test_a.py}",
        "pytest tests/test_a.py {posargs}",
        'pytest {posargs:-k "not slow"}',
        "pytest {posargs:--ignore tests/test_b.py}",
    ],
)
def test_arguments_that_narrow_a_run_by_default_are_an_error(command):
    assert severities(PLAIN, tox(command)) == {"error"}


@pytest.mark.parametrize(
    "command",
    ["pytest {posargs:tests}", "pytest tests {posargs}", "pytest {toxinidir}/tests {posargs:-n auto}", "pytest"],
)
def test_arguments_that_leave_no_test_out_are_silent(command):
    assert severities(PLAIN, tox(command)) == set()


@pytest.mark.parametrize(
    "after",
    [
        tox("py39: pytest {posargs}", 'py313: python -c "import pkg"'),
        tox("!py313: pytest {posargs}"),
        tox("pytest {posargs}", more="[testenv:py313]\ncommands = python -c 1\n"),
        tox("pytest {posargs}", more="[testenv:py{313,314}]\ncommands = python -c 1\n"),
    ],
)
def test_tests_in_fewer_environments_are_a_warning(after):
    (change,) = switched(PLAIN, after)
    assert (change.severity, change.message) == ("warning", "the tests run in fewer environments")
    assert "py313" in change.old


@pytest.mark.parametrize(
    "after",
    [
        tox("py{39,313}: pytest {posargs}"),
        tox("py39: pytest", "py313: pytest -x"),
        tox("!lint: pytest {posargs}"),
        tox("pytest {posargs}", more="[testenv:py313]\ncommands =\n    {[testenv]commands}\n    mypy src\n"),
        tox("pytest {posargs}", more="[testenv:docs]\ncommands = sphinx-build docs out\n"),
    ],
)
def test_tests_in_as_many_environments_are_silent(after):
    assert severities(PLAIN, after) <= {"note"}


def test_an_environment_of_toml_without_tests_is_a_warning():
    after = f"{TOML}[env.py313]\ncommands = [['python', '-c', '1']]\n"
    assert severities({"tox.toml": TOML}, {"tox.toml": after}) == {"warning"}


def test_settings_of_tox_inside_pyproject_are_read():
    old, new = (
        {"pyproject.toml": f'[tool.tox]\nlegacy_tox_ini = """\n{text["tox.ini"]}"""\n'}
        for text in (PLAIN, tox("pytest {posargs:tests/test_a.py}"))
    )
    assert severities(old, new) == {"error"}


CALLED = ci("run: python -m tox -e ${{ matrix.tox }}")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (CALLED, ci("run: pytest tests/test_a.py")),
        (CALLED, ci("run: pip install .[tests] && pytest tests/test_a.py")),
        (CALLED, ci("run: python -m unittest tests.test_a")),
        (CALLED, ci("run: pytest -k fast")),
        (ci("run: pytest"), ci("run: tox -e one")),
        (ci("run: python -m unittest"), ci("run: pytest tests/test_a.py")),
        (CALLED, {**ci("run: make test"), "Makefile": "test:\n\tpytest tests/test_a.py\n"}),
    ],
)
def test_another_program_that_runs_fewer_tests_is_an_error(before, after):
    there = tox("pytest {posargs}", more="[testenv:one]\ncommands = pytest tests/test_a.py\n")
    assert "error" in severities({**there, **before}, {**there, **after})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (CALLED, ci("run: pytest")),
        (CALLED, ci("run: pytest tests/test_a.py", "run: pytest tests/test_b.py")),
        (CALLED, ci("run: tox -e py313")),
        (ci("run: tox -e one"), ci("run: pytest tests/test_a.py")),
        (ci("run: pytest"), ci("run: tox -e py313")),
        (ci("run: python -m unittest"), ci("run: pytest tests")),
        (ci("run: pytest"), ci("run: python -m unittest discover -s tests")),
        (CALLED, {**ci("run: make test"), "Makefile": "test:\n\tpytest tests\n"}),
        (ci("run: make everything-tests"), ci("run: pytest tests/test_a.py")),
    ],
)
def test_another_program_that_runs_as_much_is_silent(before, after):
    there = tox("pytest {posargs}", more="[testenv:one]\ncommands = pytest tests/test_a.py\n")
    assert severities({**there, **before}, {**there, **after}) <= {"note"}


def test_a_file_that_is_new_is_none_that_a_command_lost():
    old, new = ({"Makefile": f"test:\n\tpytest{given}\n"} for given in ("", " tests"))
    assert severities(old, {**new, "bench/test_speed.py": ""}) == set()
    assert severities({**old, "tests/test_c.py": ""}, {**new, "bench/test_c.py": ""}) == {"error"}


@pytest.mark.parametrize(
    "line", ["{posargs:" * 50_000, "{a,b}" * 50_000, "{[testenv]commands}" * 20_000, "a-" * 100_000]
)
def test_lines_that_nobody_wrote_are_read_in_time(line):
    assert severities({"tox.ini": ""}, tox(line, more=f"[testenv:{line[:50_000]}]\ncommands = pytest\n")) <= {"warning"}
