"""Commands of CI, scripts and hooks: switched off, silenced or narrowed is reported; renamed or regrouped is not."""

import json

import pytest

from tests.repo.strength.states import severities, switched

CI = ".github/workflows/ci.yml"


def ci(*steps: str, on: str = "[push, pull_request]", job: str = "test", extra: str = "") -> dict[str, str]:
    listed = "".join(f"      - {step}\n" for step in steps)
    return {CI: f"on: {on}\njobs:\n  {job}:\n    runs-on: ubuntu\n{extra}    steps:\n{listed}"}


def rows(*listed: str) -> str:
    return f"    strategy: {{matrix: {{include: [{', '.join(listed)}]}}}}\n"


def package(**scripts: str) -> dict[str, str]:
    lines = ", ".join(f'"{name.replace("_", ":")}": "{line}"' for name, line in scripts.items())
    return {"package.json": f'{{"scripts": {{{lines}}}}}'}


JOBS = ("    strategy: {{matrix: {{node: {}}}}}\n    steps: [{{run: pytest}}]\n"
        "  {}:\n    runs-on: ubuntu\n    strategy: {{matrix: {{node: {}}}}}\n")  # fmt: skip
PROGRAMS = "    strategy: {matrix: {node: [22, 24], task: [test:a, test:b]}}\n"
WEAKER = [
    ("or-true", ci("run: pytest"), ci("run: pytest || true"), "error"),
    ("or-echo", ci("run: pytest"), ci("run: pytest || echo failed"), "error"),
    ("then-true", ci("run: pytest"), ci("run: pytest; true"), "error"),
    *((f"shell-{at}", {"check.sh": "set -eu\npython -m unittest\n"}, {"check.sh": after}, "error") for at, after in enumerate((
        "set -u\npython -m unittest\necho done\n", "python -m unittest\nstatus=$?\n[ $status = 0 ] || echo failed\n"))),
    *((f"unittest-{at}", {"check.sh": f"{before}\n"}, {"check.sh": f"{after}\n"}, "error") for at, (before, after) in enumerate((
        ("python -m unittest discover -s tests -t .", "python -m unittest tests.test_a"),
        ("python -m unittest", "python -m unittest discover -s tests -p 'test_[b-z]*.py'"),
        ("python -m unittest tests.test_a tests.test_b", "python -m unittest tests.test_b.ShopTest"),
        ("python -m unittest discover tests", "python -m unittest discover tests --pattern=test_b.py")))),
    ("set-e", ci("run: pytest"), ci("run: |\n          set +e\n          pytest"), "error"),
    ("piped", ci("run: pytest"), ci("run: pytest | tee log"), "error"),
    ("step-continues", ci("run: pytest"), ci("run: pytest\n        continue-on-error: true"), "error"),
    ("job-continues", ci("run: pytest"), ci("run: pytest", extra="    continue-on-error: true\n"), "error"),
    ("step-never", ci("run: pytest"), ci("run: pytest\n        if: false"), "error"),
    ("job-never", ci("run: pytest"), ci("run: pytest", extra="    if: ${{ false }}\n"), "error"),
    ("step-sometimes", ci("run: pytest"), ci("run: pytest\n        if: github.ref == 'refs/heads/x'"), "warning"),
    ("or-true-behind-expression", ci("run: uv run tox -e ${{ matrix.tox || format('py{0}', matrix.python) }}"),
     ci("run: uv run tox -e ${{ matrix.tox || format('py{0}', matrix.python) }} || true"), "error"),
    ("every-call-narrowed", ci("run: tox run -e py", "run: tox run -e lowest"),
     ci("run: tox run -e py", "run: tox run -e lowest", extra="    env: {PYTEST_ADDOPTS: --ignore=tests}\n"), "error"),
    ("one-call-narrowed", ci("run: tox run -e py", "run: tox run -e lowest"),
     ci("run: tox run -e py", "run: tox run -e lowest -- -k fast"), "warning"),
    ("tests-gone", ci("run: mypy src", "run: pytest"), ci("run: mypy src"), "error"),
    ("types-gone", ci("run: mypy src", "run: pytest"), ci("run: pytest"), "error"),
    ("lint-gone", ci("run: ruff check .", "run: pytest"), ci("run: pytest"), "warning"),
    ("echoed", ci("run: pytest"), ci("run: echo pytest"), "error"),
    ("narrowed", ci("run: pytest -q"), ci("run: pytest -q tests/test_a.py"), "error"),
    ("narrower", ci("run: python -m pytest tests"), ci("run: python -m pytest tests/test_a.py"), "error"),
    ("selected", ci("run: pytest"), ci("run: pytest -k fast"), "error"),
    ("piped-behind-substitution", ci("run: pytest"), ci("run: pytest $(ls | head -1) | tee log"), "error"),
    ("action-narrowed", ci("uses: pre-commit/action@v3"), ci("uses: pre-commit/action@v3\n        with: {extra_args: mypy}"), "error"),
    ("only-measured", ci("run: pytest"), ci("run: pytest --benchmark-only"), "error"),
    ("selected-behind-letters", ci("run: pytest -ra"), ci("run: python -m pytest -ra -k fast"), "error"),
    ("deselected-behind-letters", ci("run: pytest -n4"), ci("run: pytest -n4 --deselect tests/test_a.py::test_x"), "error"),
    ("race", ci("run: go test ./..."), ci("run: go test -race -run Fast ./..."), "error"),
    ("cov-lost", ci("run: pytest --cov-fail-under=90"), ci("run: pytest"), "error"),
    *((f"gate-{at}", package(test="c8 --100 node --test"), package(test=line), "error") for at, line in enumerate((
        "c8 node --test", "node --test", "c8 --check-coverage --lines 50 node --test", "c8 --check-coverage node --test",
        "c8 --check-coverage=false node --test"))),
    *((f"runner-{name}", package(test=f"{name} && tsc"), package(test="tsc"), "error") for name in ("borp", "tape", "uvu")),
    ("run-by-node-less", package(test="node --run test:unit && node --run test:types", test_unit="node --test", test_types="tstyche"),
     package(test="node --run test:unit", test_unit="node --test", test_types="tstyche"), "error"),
    ("gate-of-nyc", package(test="nyc --check-coverage --lines=90 mocha"), package(test="nyc --check-coverage --lines=80 mocha"), "error"),
    ("gate-of-vitest", package(test="vitest --coverage.thresholds.lines=90"), package(test="vitest"), "error"),
    *((f"prepared-{at}", package(test="node --test"), package(test="node --test", pretest=line), "warning") for at, line in enumerate((
        "node scripts/patch.js", "rm test/a.test.ts"))),
    *((f"posargs-{at}", {"tox.ini": f"[testenv]\ncommands = pytest {before}\n"}, {"tox.ini": f"[testenv]\ncommands = pytest {after}\n"},
       "error") for at, (before, after) in enumerate((
        ("{posargs}", "{posargs:tests/test_a.py}"), ("{posargs:tests}", "{posargs:{toxinidir}/tests/test_a.py}"),
        ("{posargs}", "{posargs:-k fast}")))),
    ("strict-lost", ci("run: mypy --strict src"), ci("run: mypy src"), "error"),
    ("npm-update", ci("run: npm test"), ci("run: npm test -- -u"), "error"),
    ("trigger", ci("run: pytest"), ci("run: pytest", on="[push]"), "warning"),
    ("paths-ignored", ci("run: pytest", on="{pull_request: {}}"),
     ci("run: pytest", on="{pull_request: {paths-ignore: [src/**]}}"), "warning"),
    ("matrix", ci("run: pytest", extra="    strategy: {matrix: {os: [linux, windows]}}\n"),
     ci("run: pytest", extra="    strategy: {matrix: {os: [linux]}}\n"), "warning"),
    ("matrix-of-one-job", ci("run: pytest", extra=JOBS.format("[20, 22]", "old", "[20, 22]")),
     ci("run: pytest", extra=JOBS.format("[22]", "old", "[18, 20, 22]")), "warning"),
    ("matrix-of-a-job-by-another-name", ci("run: pytest", extra=JOBS.format("[24]", "old", "[18, 20, 22]")),
     ci("run: pytest", extra=JOBS.format("[24]", "new", "[20, 22]")), "warning"),
    *((f"matrix-row-{at}", ci("run: tox -e ${{ matrix.tox }}", extra=rows("{py: 3.9, tox: py39}", "{py: 3.13, tox: py313}")),
       ci("run: tox -e ${{ matrix.tox }}", extra=rows(*after)), "warning") for at, after in enumerate((
        ("{py: 3.9, tox: py39}",), ("{py: 3.9, tox: py39}", "{py: 3.13, tox: lint}"), ("{py: 3.9, tox: py39}", "{py: 3.13, tox: docs}")))),
    ("by-hand", ci("run: pytest"), ci("run: pytest", on="[workflow_dispatch]"), "error"),
    ("other-branches", ci("run: pytest", on="{push: {branches: [main]}}"), ci("run: pytest", on="{push: {branches: [release]}}"), "error"),
    ("tags-only", ci("run: pytest"), ci("run: pytest", on="{push: {tags: ['v*']}}"), "error"),
    ("beside-another", {**ci("run: pytest"), ".github/workflows/lint.yml": ci("run: ruff check")[CI]},
     {**ci("run: pytest", on="workflow_dispatch"), ".github/workflows/lint.yml": ci("run: ruff check")[CI]}, "error"),
    *((f"matrix-of-programs-{at}", ci("run: npm run ${{ matrix.task }}", extra=PROGRAMS), after, said) for at, (after, said) in enumerate((
        (ci("run: npm run ${{ matrix.task }}", extra=PROGRAMS.replace("test:a, ", "")), "warning"),
        (ci("run: npm run ${{ matrix.task }}", extra=PROGRAMS.replace("test:a, test:b", "typecheck")), "error"),
        (ci("run: npm run ${{ matrix.task }}", extra=PROGRAMS.replace("}}", ", exclude: [{task: 'test:a'}]}}")), "warning"),
        (ci("run: npm run ${{ matrix.task }}", extra=PROGRAMS.replace("}}", ", exclude: [{task: 'test:a'}, {task: 'test:b'}]}}")), "error"),
        (ci("run: npm run ${{ matrix.task }} || true", extra=PROGRAMS), "error"),
        (ci("run: npm run ${{ matrix.task }}\n        if: matrix.node == 24", extra=PROGRAMS), "warning"),
        (ci("run: npm run ${{ matrix.task }}", extra=PROGRAMS, on="[workflow_dispatch]"), "error"), (ci("run: npm ci"), "error")))),
    ("matrix-of-commands", ci("run: ${{ matrix.is.command }}", extra="    strategy: {matrix: {include: [{is: {command: pytest}}]}}\n"),
     ci("run: ${{ matrix.is.command }}", extra="    strategy: {matrix: {include: [{is: {command: ruff check}}]}}\n"), "error"),
    ("matrix-empty", ci("run: pytest", extra="    strategy: {matrix: {os: [linux]}}\n"),
     ci("run: pytest", extra="    strategy: {matrix: {os: []}}\n"), "error"),
    *((f"deaf-shell-{at}", ci("run: pytest"), ci(f"run: pytest\n        shell: {shell}"), "error")
      for at, shell in enumerate(("bash {0} || true", "bash +e {0}", "bash -c 'exit 0' {0}", "echo passed"))),
    *((f"shell-of-another-program-{at}", ci("run: npm test"), ci(f"run: npm test\n        shell: {shell}"), "error")
      for at, shell in enumerate(("true {0}", "/bin/true {0}", "python"))),
    *((f"flow-{at}", ci("run: npm test"), ci("run: |\n" + "".join(f"          {line}\n" for line in lines)), severity)
      for at, (lines, severity) in enumerate((
        (('trap "exit 0" EXIT', "npm test"), "error"), (("exit 0", "npm test"), "error"), (("exec npm run docs", "npm test"), "error"),
        (('if [ -n "$X" ]; then npm test; fi',), "warning"), (("if [ -n $X ]", "then", "  npm test", "fi"), "warning"),
        (("[ -n $X ] && npm test",), "warning"), (("npm test || [ $? = 1 ]",), "error"), (("timeout 1 npm test || [ $? -eq 124 ]",), "error"),
        (("npm test || npm run docs",), "error"), (("npm test || code=$?", "echo $code"), "error"), (("cd docs && npm test",), "warning"),
        (("npm test -- test/b.test.ts",), "error"), (('npm test -- --exclude "**/a.test.ts"',), "error"), (("npm test -- --dir src",), "warning"),
        (("npm test --script-shell=/bin/true",), "warning"), (("npm test -- --test-shard=1/3",), "error")))),
    ("goes-on", ci("run: npm test"), ci("run: |\n          npm test\n          echo done\n        shell: bash {0}"), "error"),
    *((f"written-{at}", ci("run: npm test"), ci(f"run: {line}", "run: npm test"), "warning") for at, line in enumerate((
        'echo "NODE_OPTIONS=--import ./x.mjs" >> $GITHUB_ENV', 'echo "$PWD/tools" >> "$GITHUB_PATH"', "git checkout origin/main -- src",
        "rm -rf test", 'sed -i "s/it(/it.skip(/" test/*.ts'))),
    ("written-addopts", ci("run: pytest"), ci("run: echo PYTEST_ADDOPTS=--co >> $GITHUB_ENV", "run: pytest"), "error"),
    ("another-state", ci("uses: actions/checkout@v4", "run: pytest"), ci("uses: actions/checkout@v4\n        with: {ref: main}", "run: pytest"), "error"),
    ("another-folder", ci("run: pytest"), ci("run: pytest\n        working-directory: docs"), "warning"),
    ("pulls-of-a-type", ci("run: pytest"), ci("run: pytest", on="{push: , pull_request: {types: [closed]}}"), "warning"),
    ("pulls-into-a-branch", ci("run: pytest"), ci("run: pytest", on="{push: , pull_request: {branches: [release]}}"), "warning"),
    ("pulls-of-another-state", ci("run: pytest"), ci("run: pytest", on="[push, pull_request_target]"), "warning"),
    ("pulls-elsewhere", {**ci("run: pytest"), ".github/workflows/docs.yml": ci("run: make docs")[CI]},
     {**ci("run: pytest", on="[push]"), ".github/workflows/docs.yml": ci("run: make docs")[CI]}, "warning"),
    *((f"semicolon-{at}", before, after, "error") for at, (before, after) in enumerate((
        (package(test="node --test && npm run types", types="tsc"), package(test="node --test ; npm run types", types="tsc")),
        ({"Makefile": "test:\n\tpytest && echo done\n"}, {"Makefile": "test:\n\tpytest; echo done\n"})))),
    ("if-none-in-a-script", package(test="vitest run"), package(test="if [ -z $CI ]; then vitest run; fi"), "warning"),
    ("deaf-default", ci("run: pytest"), ci("run: pytest", extra="    defaults: {run: {shell: 'bash {0}; true'}}\n"), "error"),
    ("or-status", package(test="jest"), package(test="jest || [ $? -le 124 ]"), "error"),
    ("gitlab", {".gitlab-ci.yml": "t:\n  script:\n    - pytest\n"},
     {".gitlab-ci.yml": "t:\n  script:\n    - pytest\n  allow_failure: true\n"}, "error"),
    ("azure", {"azure-pipelines.yml": "steps:\n- script: npm test\n"},
     {"azure-pipelines.yml": "steps:\n- script: npm test\n  continueOnError: true\n"}, "error"),
    ("circle", {".circleci/config.yml": "jobs:\n  a:\n    steps:\n      - run: go test ./...\n"},
     {".circleci/config.yml": "jobs:\n  a:\n    steps:\n      - checkout\n"}, "error"),
    ("circle-command", {".circleci/config.yml": "jobs:\n  a:\n    steps:\n      - run: {name: t, command: jest}\n"},
     {".circleci/config.yml": "jobs:\n  a:\n    steps:\n      - run: {name: t, command: jest || true}\n"}, "error"),
    ("script-emptied", package(test="jest"), package(test=""), "error"),
    ("script-echo", package(test="jest"), package(test="echo ok", test_full="jest"), "error"),
    ("addopts-of-a-step", ci("run: pytest"), ci("run: pytest\n        env: {PYTEST_ADDOPTS: '-k fast'}"), "error"),
    ("addopts-of-a-job", ci("run: tox"), ci("run: tox", extra="    env: {PYTEST_ADDOPTS: -ra --deselect tests/test_a.py}\n"), "error"),
    ("addopts-in-a-line", ci("run: pytest"), ci("run: PYTEST_ADDOPTS='-m fast' python -m pytest"), "error"),
    ("addopts-exported", ci("run: pytest"), ci("run: |\n          export PYTEST_ADDOPTS='--lf'\n          pytest"), "error"),
    ("addopts-of-tox", {"tox.ini": "[testenv]\ncommands = pytest\n"},
     {"tox.ini": "[testenv]\nsetenv =\n  PYTEST_ADDOPTS=-k fast\ncommands = pytest\n"}, "error"),
    *((f"optimized-{at}", ci("run: pytest"), after, "error") for at, after in enumerate((
        ci("run: python -O -m pytest"), ci("run: PYTHONOPTIMIZE=1 pytest"), ci("run: pytest\n        env: {PYTHONOPTIMIZE: 2}")))),
    ("optimized-tox", {"tox.ini": "[testenv]\ncommands = pytest\n"},
     {"tox.ini": "[testenv]\nsetenv = PYTHONOPTIMIZE=1\ncommands = pytest\n"}, "error"),
    ("outcome-ignored", {"tox.ini": "[testenv]\ncommands = pytest\n"},
     {"tox.ini": "[testenv]\nignore_outcome = true\ncommands = pytest\n"}, "error"),
    ("outcome-ignored-toml", {"tox.toml": "[env_run_base]\ncommands = [['pytest']]\n"},
     {"tox.toml": "[env_run_base]\nignore_outcome = true\ncommands = [['pytest']]\n"}, "error"),
    ("notest", ci("run: tox"), ci("run: tox --notest"), "error"),
    ("listed", package(test="vitest run"), package(test="vitest list"), "error"),
    ("shard-alone", package(test="vitest"), package(test="vitest --shard=1/4"), "error"),
    ("required", package(test="vitest"), package(test="NODE_OPTIONS=--require=./quiet.cjs vitest"), "warning"),
    ("required-in-ci", ci("run: npm test"), ci("run: npm test\n        env: {NODE_OPTIONS: --import ./quiet.mjs}"), "warning"),
    ("behind-tox", ci("run: tox -e py -- -ra"), ci("run: tox -e py -- -ra -k fast"), "error"),
    ("behind-hatch", ci("run: hatch test -ra"), ci("run: hatch test -rak fast -xk slow"), "error"),
    ("shell-or-true", {"ci/test.sh": "set -e\npytest\n"}, {"ci/test.sh": "set -e\npytest || true\n"}, "error"),
    ("shell-gone", {"ci/test.sh": "set -e\npytest\n"}, {"ci/test.sh": "set -e\n"}, "error"),
    ("script-unknown", package(test="jest"), package(test="egg-bin test test"), "warning"),
    ("script-unknown-gone", package(test="egg-bin test test"), package(test="echo ok"), "error"),
    ("script-true", package(test="jest"), package(test="jest || true"), "error"),
    ("script-exit", package(test="jest"), package(test="jest; exit 0"), "error"),
    ("no-tests", package(test="vitest run"), package(test="vitest run --passWithNoTests"), "error"),
    ("update", package(test="jest --ci"), package(test="jest -u --ci=false"), "error"),
    ("types-lost", package(test="tsc --noEmit && jest"), package(test="jest"), "error"),
    ("lint-lost", package(test="npm run lint && jest", lint="eslint ."), package(test="jest", lint="eslint ."), "warning"),
    ("inner", package(test="npm run unit", unit="jest"), package(test="npm run unit", unit="jest -t add"), "error"),
    ("warnings-allowed", package(lint="eslint . --max-warnings 0"), package(lint="eslint . --max-warnings 99"), "error"),
    ("make", {"Makefile": "test:\n\tpytest\n"}, {"Makefile": "test:\n\t-pytest\n"}, "error"),
    ("make-variable", {"Makefile": "PYTEST = python -m pytest\ntest:\n\t$(PYTEST) tests\n"},
     {"Makefile": "PYTEST = echo\ntest:\n\t$(PYTEST) tests\n"}, "error"),
    ("make-prerequisite", {"Makefile": "check: types test\ntypes:\n\tmypy src\ntest:\n\tpytest\n"},
     {"Makefile": "check: test\ntypes:\n\tmypy src\ntest:\n\tpytest\n"}, "error"),
    ("tox-toml", {"tox.toml": "[env_run_base]\ncommands = [['pytest']]\n"},
     {"tox.toml": "[env_run_base]\ncommands = [['pytest', '-k', 'fast']]\n"}, "error"),
    ("tox-toml-gone", {"tox.toml": "[env.type]\ncommands = [['mypy', 'src']]\n"}, {"tox.toml": "[env.type]\n"}, "error"),
    ("tox-toml-base-options", {"tox.toml": "[env_run_base]\n[env.a]\ncommands = [['pytest']]\n"},
     {"tox.toml": "[env_run_base]\nset_env.PYTEST_ADDOPTS = '-k fast'\n[env.a]\ncommands = [['pytest']]\n"}, "error"),
    ("tox-environments", {"tox.toml": "env_list = ['py', 'type']\n"}, {"tox.toml": "env_list = ['py']\n"}, "warning"),
    ("tox", {"tox.ini": "[testenv]\ncommands = pytest {posargs}\n"},
     {"tox.ini": "[testenv]\ncommands = pytest -x --lf {posargs}\n"}, "error"),
    ("nox", {"noxfile.py": "def tests(session):\n    session.run('pytest')\n"},
     {"noxfile.py": "def tests(session):\n    session.run('pytest', '-k', 'a')\n"}, "error"),
    ("poe", {"pyproject.toml": "[tool.poe.tasks]\ntest = 'pytest'\n"},
     {"pyproject.toml": "[tool.poe.tasks]\ntest = 'pytest --co'\n"}, "error"),
    *((f"tox-factor-{at}", {"tox.ini": "[testenv]\ncommands =\n    tests: pytest {posargs}\n    mypy: mypy src\n"},
       {"tox.ini": f"[testenv]\ncommands =\n    {after}\n"}, "error") for at, after in enumerate((
        "tests: - pytest {posargs}\n    mypy: mypy src", "tests: pytest -k fast {posargs}\n    mypy: mypy src", "mypy: mypy src",
        "tests: pytest {posargs}\n    mypy: - mypy src", "tests: pytest {posargs}", "tests: python -c 'print(1)'\n    mypy: mypy src"))),
    ("tox-dash", {"tox.ini": "[testenv]\ncommands = pytest\n"}, {"tox.ini": "[testenv]\ncommands = - pytest\n"}, "error"),
    ("tox-toml-dash", {"tox.toml": "[env_run_base]\ncommands = [['pytest']]\n"},
     {"tox.toml": "[env_run_base]\ncommands = [['-', 'pytest']]\n"}, "error"),
    ("tox-other-environment", ci("run: tox run -f $PYTHON-tests"), ci("run: tox run -f $PYTHON-mypy"), "error"),
    ("nox-other-session", ci("run: nox -s tests"), ci("run: nox -s lint"), "error"),
    ("nox-codes", {"noxfile.py": "def tests(session):\n    session.run('pytest')\n"},
     {"noxfile.py": "def tests(session):\n    session.run('pytest', success_codes=[0, 1])\n"}, "error"),
    ("make-ignores", {"Makefile": "test:\n\tpytest\n"}, {"Makefile": "test:\n\tpytest\n.IGNORE:\n"}, "error"),
    ("make-ignores-one", {"Makefile": "test:\n\tpytest\n"}, {"Makefile": ".IGNORE: test\ntest:\n\tpytest\n"}, "error"),
    *((f"through-{path}", ci("run: pytest"), {**ci(f"run: {command}"), path: text}, severity) for path, command, text, severity in (
        ("Makefile", "make test", "test:\n\t-pytest\n", "error"), ("Makefile", "make check", "check:\n\tmypy src\n", "warning"),
        ("tox.ini", "pipx run tox", "[testenv]\ncommands = - pytest\n", "error"), ("package.json", "npm test", '{"scripts": {"test": "jest || true"}}', "error"),
        ("noxfile.py", "nox -s tests", "def tests(session):\n    session.run('pytest', success_codes=[0, 1])\n", "error"))),
    *((f"concurrently-{at}", package(test="concurrently -n a,b 'eslint .' 'vitest run'"), package(test=after), "error") for at, after in enumerate((
        "concurrently -s first 'eslint .' 'vitest run'", "concurrently -n a,b 'eslint .' 'vitest list'"))),
    ("hook-gone", {".pre-commit-config.yaml": "repos:\n- repo: x\n  hooks:\n  - id: mypy\n  - id: ruff\n"},
     {".pre-commit-config.yaml": "repos:\n- repo: x\n  hooks:\n  - id: ruff\n"}, "warning"),
    ("broken", ci("run: pytest"), {CI: "on: [push\njobs:\n  - : }"}, "warning"),
    ("workflow-gone", ci("run: pytest"), {}, "error"),
    ("vitest-run-one-file", package(test="vitest run"), package(test="vitest run test/a.test.ts"), "error"),
    ("vitest-run-part", package(test="vitest run"), package(test="vitest run a.test"), "error"),
    ("vitest-project", package(test="vitest run"), package(test="vitest run --project unit"), "warning"),
    ("mocha-one-file", package(test="mocha"), package(test="mocha test/a.test.ts"), "error"),
    ("playwright-one-file", package(test="playwright test"), package(test="playwright test a.test.ts"), "error"),
    ("node-one-file", package(test="node --test"), package(test="node --test test/a.test.ts"), "error"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "severity"), [pytest.param(*row[1:], id=row[0]) for row in WEAKER])
def test_a_check_that_is_off_silenced_or_narrowed_is_reported(before, after, severity):
    assert severity in severities(before, after)


HONEST = [
    ("other-runner", package(test="tap --ts && tsc"), package(test="borp --timeout 60000 && tsc")),
    ("script-named-for-its-runner", package(test="tap"), package(test="npm run borp", borp="borp --timeout 60000")),
    ("watching", {"package.json": '{"scripts": {"watch": "tsc && run-p npm:watch:*", "dev": "vitest --watch", "build": "tsc"}}'},
     {"package.json": '{"scripts": {"watch": "run-p npm:watch:*", "build": "tsc"}}'}),
    ("tox-as-toml", {"tox.ini": "[tox]\nenv_list =\n  py\n  type\n[testenv]\ncommands = pytest -ra -m 'not slow' {posargs:-n auto}\n"
                                "[testenv:type]\ncommands =\n  - mypy src\n"},
     {"tox.toml": "env_list = ['py', 'type']\n[env_run_base]\ncommands = [['pytest', '-ra', '-m', 'not slow', "
                  "{ replace = 'posargs', default = ['-n', 'auto'], extend = true }]]\n[env.type]\ncommands = [['-', 'mypy', 'src']]\n"}),
    ("tox-python", {"tox.ini": "[testenv]\ncommands = coverage run -m pytest {posargs}\n"},
     {"tox.ini": "[testenv]\ncommands = {envpython} -b -m coverage run -m pytest {posargs}\n"}),
    ("addopts-of-colour", ci("run: pytest"), ci("run: pytest\n        env: {PYTEST_ADDOPTS: '--color=yes -ra'}")),
    ("addopts-for-another", ci("run: npm test"), ci("run: npm test\n        env: {OTHER: '-k fast'}")),
    ("trigger-more", ci("run: pytest", on="[push]"), ci("run: pytest", on="{push: {branches: [main]}, pull_request: , workflow_dispatch: }")),
    ("branch-renamed", ci("run: pytest", on="{push: {branches: [master]}}"), ci("run: pytest", on="{push: {branches: [main]}}")),
    ("branch-kept", ci("run: pytest", on="{push: {branches: [release, v2]}}"), ci("run: pytest", on="{push: {branches: [release]}}")),
    *((f"shell-{at}", ci("run: pytest"), ci(f"run: pytest\n        shell: {shell}"))
      for at, shell in enumerate(("bash", "bash -el {0}", "micromamba-shell {0}", "pwsh"))),
    ("or-none-found", package(test="jest"), package(test="jest || [ $? -eq 5 ]")),
    ("not-optimized", ci("run: pytest"), ci("run: PYTHONOPTIMIZE=0 python -B -m pytest")),
    ("outcome-heard", {"tox.ini": "[testenv]\ncommands = pytest\n"},
     {"tox.ini": "[testenv]\nignore_outcome = false\nskip_install = true\ncommands = pytest\n"}),
    ("tox-notices", ci("run: tox"), ci("run: tox --colored yes")),
    ("every-shard", package(test="vitest"), package(test="vitest --shard=1/1")),
    ("shards", ci("run: vitest"), ci("run: vitest --shard=${{ matrix.shard }}/4")),
    ("node-options", package(test="vitest"), package(test="NODE_OPTIONS='--max-old-space-size=4096 --import tsx' vitest")),
    ("renamed-job", ci("run: pytest"), ci("run: pytest", job="unit")),
    ("named-step", ci("run: pytest"), ci("name: Tests\n        run: |\n          # all\n          pytest")),
    ("renamed-file", ci("run: pytest"), {".github/workflows/tests.yaml": ci("run: pytest")[CI]}),
    ("run-by-node", package(test="npm run test:unit && npm run test:types", test_unit="node --test", test_types="tstyche"),
     package(test="node --run test:unit && node --run=test:types", test_unit="node --test", test_types="tstyche")),
    ("gate-moved", package(test="c8 --100 node --test"),
     {**package(test="c8 node --test"), ".c8rc.json": '{"check-coverage": true, "lines": 100, "branches": 100}'}),
    ("gate-respelled", package(test="c8 --lines 90 --check-coverage node --test"), package(test="c8 --check-coverage --lines=90 node --test")),
    *((f"prepared-as-ever-{at}", package(test="node --test"), package(test="node --test", pretest=line)) for at, line in enumerate((
        "npm run build", "eslint .", "rimraf dist && tsc"))),
    ("posargs-of-all", {"tox.ini": "[testenv]\ncommands = pytest {posargs}\n"}, {"tox.ini": "[testenv]\ncommands = pytest {posargs:tests}\n"}),
    ("bumped", ci("uses: actions/checkout@v3", "run: pytest"), ci("uses: actions/checkout@v4", "run: pytest")),
    ("more-steps", ci("run: pytest"), ci("run: ruff check .", "run: pytest")),
    ("always", ci("run: pytest"), ci("run: pytest\n        if: ${{ !cancelled() }}")),
    ("through-make", ci("run: pytest"), ci("run: make test")),
    ("other-runner", ci("run: npx jest"), ci("run: npx vitest run")),
    ("other-wrapper", ci("run: pytest -q"), ci("run: uv run --frozen python -m pytest -q")),
    ("flake8-to-ruff", ci("run: flake8 src"), ci("run: ruff check src")),
    ("split-paths", ci("run: pytest tests"), ci("run: pytest tests/test_a.py", "run: pytest tests/test_b.py")),
    ("through-tox", ci("run: pytest"), {**ci("run: tox -e py"), "tox.ini": "[testenv]\ncommands =\n  py: pytest\n  lint: - ruff check\n"}),
    ("through-nox", ci("run: pytest"), {**ci("run: nox -s tests"), "noxfile.py": "def tests(session):\n    session.run('pytest', success_codes=[0, 5])\n"}),
    ("concurrently", package(test="npm run lint && vitest run", lint="eslint ."),
     package(test="concurrently --names a,b 'npm:lint' 'vitest run'", lint="eslint .")),
    ("tox-factor", {"tox.ini": "[testenv]\ncommands =\n  pytest {posargs}\n  python -m build\n"},
     {"tox.ini": "[testenv]\ncommands =\n  !mypy,{py311,py312}-tests: pytest \\\n    {posargs}\n  python -m build\n"}),
    ("push-dropped", ci("run: pytest"), ci("run: pytest", on="[pull_request]")),
    ("pulls-of-main", ci("run: pytest"), ci("run: pytest", on="{push: , pull_request: {branches: [main], types: [opened, synchronize]}}")),
    *((f"flow-{at}", ci("run: npm test"), ci("run: |\n" + "".join(f"          {line}\n" for line in lines))) for at, lines in enumerate((
        ("trap 'kill $PID' EXIT", "npm test"), ("npm ci || exit 1", "npm test"), ("npm test || (cat log; exit 1)",),
        ("npm test || { cat log; exit 1; }",), ("npm test || code=$?", "cat log", "exit $code"), ("if [ -n $X ]; then echo; fi", "npm test"),
        ("timeout 600 npm test",), ("cd $GITHUB_WORKSPACE && npm test",), ("if [ -z $X ]; then exit 0; fi; npm test",), ("npm test -- --reporter=dot",)))),
    ("login-shell", ci("run: npm test"), ci("run: |\n          npm ci\n          npm test\n        shell: bash -l {0}")),
    *((f"step-before-{at}", ci("run: npm test"), ci(f"run: {line}", "run: npm test")) for at, line in enumerate((
        "git fetch origin +refs/heads/*:refs/remotes/origin/*", "git config user.name x", 'echo "$HOME/.local/bin" >> $GITHUB_PATH', "echo CI=1 >> $GITHUB_ENV"))),
    ("this-state", ci("uses: actions/checkout@v4", "run: pytest"),
     ci("uses: actions/checkout@v4\n        with: {ref: '${{ github.head_ref }}'}", "run: pytest")),
    ("first-fails", ci("run: pytest"), ci("run: pytest -x -q --maxfail=3")),
    ("whole-folder", ci("run: pytest"), ci("run: pytest tests")),
    ("options", ci("run: pytest"), ci("run: pytest -n auto --durations 5 --junitxml out.xml")),
    ("matrix-of-programs-grows", ci("run: npm run ${{ matrix.task }}", extra=PROGRAMS),
     ci("run: npm run ${{ matrix.task }}", extra=PROGRAMS.replace("test:b", "test:b, test:c"))),
    ("matrix-of-programs-as-steps", ci("run: npm run ${{ matrix.task }}", extra=PROGRAMS), ci("run: npm run test:a", "run: npm run test:b")),
    ("matrix-of-environments", ci("run: tox -e ${{ matrix.env }}", extra="    strategy: {matrix: {env: [py39, lint]}}\n"),
     ci("run: tox -e ${{ matrix.env }}", extra="    strategy: {matrix: {env: [py310, lint]}}\n")),
    ("matrix-of-shards", ci("run: vitest --shard=${{ matrix.shard }}/2", extra="    strategy: {matrix: {shard: [1, 2]}}\n"),
     ci("run: vitest run --shard=${{ matrix.shard }}/2", extra="    strategy: {matrix: {shard: [1, 2]}}\n")),
    ("matrix-of-a-new-job", ci("run: pytest", extra="    strategy: {matrix: {node: [20, 22]}}\n"),
     ci("run: pytest", extra=JOBS.format("[20, 22]", "new", "[24]"))),
    ("matrix-of-a-renamed-job", ci("run: pytest", extra=JOBS.format("[20, 22]", "old", "[24]")),
     ci("run: pytest", extra=JOBS.format("[20, 22]", "new", "[24]"))),
    ("matrix-bumped", ci("run: pytest", extra="    strategy: {matrix: {py: ['3.8', '3.9']}}\n"),
     ci("run: pytest", extra="    strategy: {matrix: {py: ['3.9', '3.10']}}\n")),
    *((f"matrix-row-{at}", ci("run: tox", extra=rows("{py: 3.9}", "{py: 3.13}")), ci("run: tox", extra=rows(*after))) for at, after in enumerate((
        ("{py: 3.10}", "{py: 3.13}"), ("{py: 3.9}", "{py: 3.13}", "{py: 3.13, tox: lint}"), ("{py: 3.9, name: old}", "{name: new, py: 3.13}")))),
    ("matrix-row-of-details", ci("run: pytest", extra="    strategy: {matrix: {os: [linux, mac], include: [{os: mac, cache: x}]}}\n"),
     ci("run: pytest", extra="    strategy: {matrix: {os: [linux, mac], include: []}}\n")),
    ("installed", ci("run: pip install pytest mypy", "run: pytest"), ci("run: pip install -e .[dev]", "run: pytest")),
    ("merged", ci("run: mypy src", "run: pytest"), ci("run: |\n          mypy src\n          pytest")),
    ("to-gitlab", ci("run: pytest"), {".gitlab-ci.yml": "t:\n  script: [pytest]\n"}),
    ("pipefail", ci("run: pytest"), ci("run: |\n          set -o pipefail\n          pytest | tee log")),
    ("looked-up", package(test="jest"), package(test="yarn node --experimental-vm-modules $(yarn bin jest)")),
    ("by-path", package(test="jest"), package(test="node --no-warnings node_modules/jest/bin/jest.js")),
    ("script-renamed", package(unit="jest"), package(test="jest")),
    ("script-inside", package(test="jest --ci"), package(test="npm run unit", unit="jest --ci")),
    ("script-more", package(test="jest"), package(test="npm run lint && jest", lint="eslint .")),
    ("target-split", {"Makefile": "test:\n\tpytest\n", "tests/conftest.py": ""},
     {"Makefile": "test: unit integration\nunit:\n\tpytest tests/test_a.py\nintegration:\n\tpytest tests/test_b.py\n",
      "tests/conftest.py": ""}),
    ("script-split", package(test="vitest run"), package(test="npm run unit && npm run smoke", unit="vitest run a.test", smoke="vitest run b.test")),
    ("target-inside", {"Makefile": "test:\n\tpytest\n\tmypy src\n"},
     {"Makefile": ".PHONY: test\ntest: unit types\nunit:\n\t@pytest\ntypes:\n\tmypy src\n"}),
    ("hooks-bumped", {".pre-commit-config.yaml": "repos:\n- repo: x\n  rev: v1\n  hooks:\n  - id: mypy\n"},
     {".pre-commit-config.yaml": "repos:\n- repo: x\n  rev: v2\n  hooks:\n  - id: mypy\n    args: [--strict]\n"}),
    ("expressions", ci("run: uv run tox -e ${{ matrix.tox || 'py' }}"), ci("run: uv run --group dev tox -e $TOX")),
    ("tox-to-toml", {"tox.ini": "[testenv]\ncommands = pytest {posargs}\n"},
     {"pyproject.toml": "[tool.tox.env_run_base]\ncommands = [['pytest', '-q']]\n"}),
    ("substituted", ci("run: tox -e py"), ci("run: tox -e $(echo $V | tr -d .)-tests")),
    ("pre-commit-action", ci("run: pre-commit run --all-files"), ci("uses: pre-commit/action@v3.0.1")),
    ("benchmark", ci("run: pytest --codspeed", "run: pytest"), ci("run: pytest --codspeed bench/test_a.py", "run: pytest")),
    ("type-runner", package(test="npm run test_types && jest", test_types="tsc a.ts && tsd"),
     package(test="npm run types && jest", types="tsd && tstyche")),
    ("anchors", {".gitlab-ci.yml": "a:\n  script: [pytest]\n"},
     {".gitlab-ci.yml": ".base: &base\n  script: [pytest]\na:\n  <<: *base\n"}),
    ("shell-exits", {"check.sh": "set -e\npytest\n"}, {"check.sh": "pytest\nstatus=$?\necho done\nexit $status\n"}),
    ("shell-last", {"check.sh": "#!/bin/sh\npytest\n"}, {"check.sh": "#!/bin/sh\necho start\npytest\n\n# the end\n"}),
    ("unittest-all", {"check.sh": "python -m unittest tests.test_a tests.test_b\n"},
     {"check.sh": "python -m unittest discover -s tests -t .\n"}),
    ("unittest-folder", {"check.sh": "python -m unittest\n"}, {"check.sh": "python -m unittest discover tests 'test_*.py'\n"}),
    ("native-compiler", package(types="tsc --noEmit"), package(types="tsgo --noEmit")),
    ("vitest-once", package(test="vitest"), package(test="vitest run")),
    ("vitest-all-files", package(test="vitest run"), package(test="vitest run a.test b.test")),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), [pytest.param(*row[1:], id=row[0]) for row in HONEST])
def test_an_honest_edit_of_commands_is_silent(before, after):
    assert severities(before, after) <= {"note"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", "tool = 1\n"),
        ("pyproject.toml", "\0"),
        ("package.json", '{"scripts": '),
        ("noxfile.py", "def tests(session):\n    session.run(((\n"),
        (CI, "a: " + "[" * 9_000),
    ],
)
def test_what_cannot_be_read_is_one_warning(path, text):
    (change,) = switched({}, {path: text})

    assert change.severity == "warning"
    assert change.message.startswith("what it asks for cannot be read")


@pytest.mark.parametrize("line", ["a" * 500_000, "a=b " * 120_000, "uv run " * 70_000, "pytest && " * 400])
def test_a_recipe_that_nobody_wrote_is_read_in_time(line):
    assert severities({"Makefile": ""}, {"Makefile": f"test:\n\t{line}\n"}) <= {"note"}


def test_the_change_names_the_commands_and_the_line():
    (change,) = switched(ci("run: pytest -q"), ci("name: unit", "run: pytest -q || true"))

    assert (change.old, change.new) == ("pytest -q", "pytest -q (|| true)")
    assert (change.test, change.line) == (f"{CI} jobs.test.steps", 7)


GUARD = "run: pk guard --at HEAD --since origin/main --github"
STOP = ".claude/settings.json"
HOOKS = ".pre-commit-config.yaml"


def stop(command: str, **more: object) -> dict[str, str]:
    return {STOP: json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}, **more})}


def hooks(*listed: str) -> dict[str, str]:
    return {HOOKS: "repos:\n- repo: local\n  hooks:\n" + "".join(f"  - {hook}\n" for hook in listed)}


OURS = "repos:\n- repo: https://github.com/acme/pactkeeper\n  rev: v1\n  hooks:\n  - id: pk-guard\n"
GUARDS_OFF = [
    ("step-gone", ci("run: pytest", GUARD), ci("run: pytest")),
    ("check-gone", ci("run: pytest", "run: pk check --at HEAD", GUARD), ci("run: pytest", GUARD)),
    ("file-gone", ci(GUARD), {"README": ""}),
    ("or-true", ci(GUARD), ci(f"{GUARD} || true")),
    ("continues", ci(GUARD), ci(f"{GUARD}\n        continue-on-error: true")),
    ("never", ci(GUARD), ci(f"{GUARD}\n        if: false")),
    ("since-head", ci(GUARD), ci(GUARD.replace("origin/main", "HEAD"))),
    ("since-this", ci(GUARD), ci(GUARD.replace("--since origin/main", "--since=$GITHUB_SHA"))),
    ("since-this-expression", ci(GUARD), ci(GUARD.replace("origin/main", "${{ github.sha }}"))),
    ("since-itself", ci(GUARD), ci("run: pk guard --at origin/main --since origin/main")),
    ("by-hand", ci(GUARD), ci(GUARD, on="[workflow_dispatch]")),
    ("accepted-instead", ci(GUARD), ci("run: pk guard accept g1:aa --why x")),
    *((f"told-otherwise-{at}", ci(GUARD), ci(after)) for at, after in enumerate((
        "run: pk guard --at HEAD", "run: pk guard --staged", GUARD.replace("origin/main", "HEAD^2"), GUARD.replace("run: pk", "run: tools/pk"),
        GUARD.replace("pk guard", "pk guard --new"), f"{GUARD}\n        shell: true {{0}}", f"{GUARD}\n        if: github.actor != 'x'"))),
    *((f"told-after-{at}", ci(GUARD), ci(before, GUARD)) for at, before in enumerate((
        "run: git reset --hard origin/main", "run: git checkout origin/main", "run: git update-ref refs/remotes/origin/main HEAD",
        "run: git fetch . HEAD:main", "run: echo $PWD/tools >> $GITHUB_PATH", "uses: actions/checkout@v4\n        with: {ref: main}"))),
    ("check-without-a-base", ci("run: pk check --at HEAD --since origin/main"), ci("run: pk check --at HEAD")),
    ("pulls-closed", ci(GUARD), ci(GUARD, on="{pull_request: {types: [closed]}}")),
    ("pulls-not", ci(GUARD), ci(GUARD, on="[push]")),
    ("own-programs", ci(GUARD), ci(GUARD, extra="    env: {PATH: ./tools}\n")),
    ("git-hook-ends", {".husky/pre-commit": "npx x\npk guard --staged\n"}, {".husky/pre-commit": "npx x\nexit 0\npk guard --staged\n"}),
    ("git-hook-runs-another", {".husky/pre-commit": "npx x\npk guard --staged\n"}, {".husky/pre-commit": "exec npx x\npk guard --staged\n"}),
    ("git-hook-goes-on", {".githooks/pre-commit": "pk guard --staged\n"}, {".githooks/pre-commit": "pk guard --staged\necho done\n"}),
    ("git-hook-sometimes", {".husky/pre-commit": "pk guard --staged\n"}, {".husky/pre-commit": "[ -n $CI ] || pk guard --staged\n"}),
    ("by-module", ci("run: uv run python -m pactkeeper guard"), ci("run: 'true'")),
    ("by-action", ci("uses: acme/pactkeeper@v1\n        with: {base: origin/main}"), ci("uses: acme/pactkeeper@v1")),
    ("stop-true", stop("pk guard --hook"), stop("true")),
    ("stop-or-true", stop("pk guard --hook"), stop("pk guard --hook || true")),
    ("stop-unheard", stop("pk guard --hook"), stop("pk guard")),
    ("stop-emptied", stop("pk guard --hook"), {STOP: "{}"}),
    ("stop-deleted", stop("pk guard --hook"), {"README": ""}),
    ("stop-disabled", stop("pk guard --hook"), stop("pk guard --hook", disableAllHooks=True)),
    *((f"stop-{name}", stop("pk guard --hook"), {STOP: stop("pk guard --hook")[STOP].replace(*change)}) for name, change in {
        "too-late": ('"Stop"', '"SessionEnd"'), "async": ('"type"', '"async": true, "type"'), "timeout": ('"type"', '"timeout": 1, "type"')}.items()),
    ("stop-disabled-locally", stop("pk guard --hook"),
     {**stop("pk guard --hook"), ".claude/settings.local.json": '{"disableAllHooks": true}'}),
    ("hook-helps", hooks("id: pk-guard"), hooks("{id: pk-guard, args: [--help]}")),
    ("hook-of-documents", hooks("id: pk-guard"), hooks("{id: pk-guard, always_run: false, files: ^docs/}")),
    ("hook-from-elsewhere", {HOOKS: OURS}, {HOOKS: OURS.replace("acme/pactkeeper", "acme/nothing")}),
    ("hook-gone", hooks("id: pk-guard", "id: ruff"), hooks("id: ruff")),
    *((f"hook-of-ours-{at}", {HOOKS: OURS.replace("acme/pactkeeper", "acme/fork")}, {HOOKS: after}) for at, after in enumerate((
        OURS.partition("  hooks")[0] + "  hooks:\n  - id: pk-check\n", f"{OURS}    entry: 'true'\n", f"{OURS}    stages: [manual]\n",
        f"{OURS}    always_run: false\n    files: ^src/\n", f"{OURS}    always_run: false\n    exclude: ^tests/\n",
        f"exclude: .*\n{OURS}    always_run: false\n", f"default_stages: [manual]\n{OURS}"))),
    ("hook-emptied", hooks("id: pk-guard"), {HOOKS: "repos: []\n"}),
    ("hook-deleted", hooks("id: pk-guard"), {"README": ""}),
    ("hook-does-nothing", hooks("{id: tests, entry: pk guard --staged}"), hooks("{id: tests, entry: 'true'}")),
    ("hook-renamed-entry", hooks("id: pk-check"), hooks("{id: pk-check, entry: 'true'}")),
    ("git-hook", {".husky/pre-commit": "npx lint-staged\npk guard --staged\n"}, {".husky/pre-commit": "npx lint-staged\n"}),
    ("git-hook-deleted", {".githooks/pre-push": "#!/bin/sh\npk guard\n"}, {"README": ""}),
    ("lefthook", {"lefthook.yml": "pre-commit:\n  commands:\n    guard:\n      run: pk guard --staged\n"},
     {"lefthook.yml": "pre-commit:\n  commands: {}\n"}),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), [pytest.param(*row[1:], id=row[0]) for row in GUARDS_OFF])
def test_a_guard_that_is_switched_off_is_an_error(before, after):
    assert "error" in severities({**before, "README": "x"}, {"README": "x", **after})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (ci(GUARD), ci(GUARD.replace(" --github", " --markdown"))),
        (ci(GUARD), ci(GUARD.replace("pk guard", "uvx pactkeeper guard"))),
        (ci(GUARD), ci(GUARD.replace("origin/main", "origin/master"))),
        (ci(GUARD), ci(GUARD.replace("origin/main", "${{ github.event.pull_request.base.sha }}"))),
        (ci(GUARD), ci(GUARD.replace("pk guard", ".venv/bin/pk guard"))),
        (ci(GUARD), ci(f"{GUARD}\n        if: github.event_name == 'pull_request'")),
        (stop("pk guard --hook"), stop("uv run pk guard --hook")),
        (stop("pk guard --hook"), stop("pk guard --hook", model="x")),
        (
            stop("pk guard --hook"),
            {STOP: stop("pk guard --hook")[STOP].replace('"type"', '"timeout": 60, "async": false, "type"')},
        ),
        (stop("pk guard --hook"), {**stop("pk guard --hook"), ".claude/settings.local.json": '{"model": "x"}'}),
        (hooks("id: pk-guard"), hooks("{id: pk-guard, args: [--strict], name: guard}")),
        (hooks("id: pk-guard"), hooks("{id: pk-guard, always_run: true, files: ^docs/}")),
        ({HOOKS: OURS}, {HOOKS: OURS.replace("rev: v1", "rev: v1.2")}),
        (hooks("id: pk-guard"), hooks("{id: ours, entry: pk guard --staged}")),
        (hooks("id: pk-guard"), {".husky/pre-commit": "pk guard --staged"}),
    ],
)
def test_a_guard_that_is_called_otherwise_is_no_finding(before, after):
    assert severities({**before, "README": "x"}, {"README": "x", **after}) <= {"note"}


GATE = """on: pull_request
jobs:
  lint: {steps: [run: ruff check]}
  test: {needs: lint, steps: [run: pytest]}
  e2e: {steps: [run: npm test]}
  all:
    if: always()
    needs: [test, e2e]
    steps:
      - uses: re-actors/alls-green@release/v1
        with: {jobs: "${{ toJSON(needs) }}"}
"""


@pytest.mark.parametrize(
    "change",
    [
        ("[test, e2e]", "[e2e]"),
        ("{jobs:", "{allowed-failures: test, jobs:"),
    ],
)
def test_a_job_whose_failure_no_required_job_hears_of_is_an_error(change):
    assert severities({CI: GATE}, {CI: GATE.replace(*change)}) == {"error"}


def test_a_job_that_a_required_job_waits_for_in_turn_is_heard():
    assert (
        severities({CI: GATE}, {CI: GATE.replace("needs: lint", "needs: [lint, e2e]").replace("[test, e2e]", "[test]")})
        == set()
    )


@pytest.mark.parametrize(("left", "severity"), [("mocha tests", "warning"), ("mocha other", "error")])
def test_a_runner_may_go_where_another_one_is_given_its_files(left, severity):
    files = {"tests/test_c.js": "", "other/test_d.js": ""}
    old, new = ({"package.json": json.dumps({"scripts": {"test": line}})} for line in (f"{left} && tap tests", left))
    assert severities({**files, **old}, {**files, **new}) == {severity}


def test_files_that_a_command_finds_are_not_taken_for_more():
    old = {"package.json": json.dumps({"scripts": {"test": "mocha $(ls tests)"}})}
    assert severities(old, {"package.json": json.dumps({"scripts": {"test": "mocha tests/unit"}})}) == set()


def test_a_script_that_runs_what_two_others_did_takes_their_place():
    scripts = package(lint="eslint .", test="jest", check="npm run lint && npm test", quick="npm run lint")
    before = {**scripts, **ci("run: npm run lint", "run: npm test")}
    assert severities(before, {**scripts, **ci("run: npm run check")}) <= {"note"}
    assert severities(before, {**scripts, **ci("run: npm run quick")}) >= {"error"}


@pytest.mark.parametrize("line", ["vitest --watch", "jest --watch", "npm run watch"])
def test_tests_that_are_only_watched_from_now_on_are_no_longer_run(line):
    old, new = ({"package.json": json.dumps({"scripts": {"test": one}})} for one in ("vitest run", line))
    assert severities(old, new) == {"error"}


DIVIDED = """
on: [push, pull_request]
jobs:
  test:
    strategy:
      matrix:
        select: {}
    steps:
      - run: pytest -m "${{{{ matrix.select }}}}"
"""


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ("[io, not io]", set()),
        ("[io, not (io)]", set()),
        ("[not io]", {"error"}),
        ("[io, not io and not slow]", {"error"}),
    ],
)
def test_jobs_of_a_matrix_that_divide_the_tests_leave_none_out(values, said):
    assert severities(ci("run: pytest"), {CI: DIVIDED.format(values)}) - {"note"} == said
