"""Shell scripts of the repository are followed by whatever calls them; other programs are checks by their words."""

import json

import pytest

from pactkeeper.repo.strength.switches.signs import UNREAD
from tests.repo.strength.states import severities, switched
from tests.repo.strength.test_switches_pipelines import CI, ci

TEST = "scripts/test"
STARLETTE = """#!/bin/sh

export PREFIX=""
if [ -d 'venv' ] ; then
    export PREFIX="venv/bin/"
fi
export FILES="src tests"

set -ex

if [ -z $GITHUB_ACTIONS ]; then
    scripts/check
fi

${PREFIX}mypy $FILES
${PREFIX}coverage run $branch -m pytest $@

if [ -z "$CI" ]; then
    scripts/coverage
fi
"""
CHECK = "#!/bin/sh -e\nmypy src\n"
COVERAGE = "#!/bin/sh\ncoverage report --fail-under=100\n"
STEPS = ("run: scripts/test", "run: ./scripts/check", "run: scripts/coverage")
WHOLE = {**ci(*STEPS), TEST: STARLETTE, "scripts/check": CHECK, "scripts/coverage": COVERAGE}


def edited(path: str, old: str, new: str) -> dict[str, str]:
    assert old in WHOLE[path]
    return {**WHOLE, path: WHOLE[path].replace(old, new)}


WEAKER = [
    *(
        (f"step-{at}", {**WHOLE, **ci(*steps, **given)}, said)
        for at, (steps, given, said) in enumerate((
            (("run: scripts/test\n        continue-on-error: true", *STEPS[1:]), {}, "error"),
            (STEPS[1:], {}, "error"),
            (STEPS[:1], {}, "error"),
            (STEPS[:2], {}, "error"),
            ((*STEPS[:2], "run: scripts/coverage\n        if: matrix.python == '3.13'"), {}, "warning"),
            (("run: scripts/test tests/test_a.py", *STEPS[1:]), {}, "error"),
            (("run: scripts/test || true", *STEPS[1:]), {}, "error"),
            (("run: bash scripts/test -k 'not slow'", *STEPS[1:]), {}, "error"),
            (("run: scripts/test\n        env: {PYTEST_ADDOPTS: -k fast}", *STEPS[1:]), {}, "error"),
            (("run: PYTEST_ADDOPTS='-k fast' scripts/test", *STEPS[1:]), {}, "error"),
            (('run: echo "PYTEST_ADDOPTS=-k fast" >> $GITHUB_ENV', *STEPS), {}, "error"),
            (STEPS, {"on": "[workflow_dispatch]"}, "error"),
            (STEPS, {"extra": "    continue-on-error: true\n"}, "error"),
        ))
    ),
    *(
        (f"script-{at}", edited(TEST, old, new), said)
        for at, (old, new, said) in enumerate((
            ("pytest $@", "pytest tests/test_a.py $@", "error"),
            ("pytest $@", 'pytest -k "not slow" $@', "error"),
            ("pytest $@", "pytest $@ || true", "error"),
            ("set -ex", "set -x", "error"),
            ("set -ex", "set -ex\nexit 0", "error"),
            ("${PREFIX}mypy $FILES\n", "", "warning"),
            ('FILES="src tests"', 'FILES="src"', "warning"),
        ))
    ),
    ("fail-under", edited("scripts/coverage", "100", "90"), "error"),
    ("slightly-less", {**WHOLE, "scripts/coverage": COVERAGE.replace("100", "96.9")}, "error"),
    ("gate-lower-elsewhere", {**ci("run: pytest --cov-fail-under=100"), **edited("scripts/coverage", "100", "90")}, "error"),
    ("omitted", edited("scripts/coverage", "=100", "=100 --omit 'src/*'"), "warning"),
    ("only-outside-ci", edited(TEST, "${PREFIX}coverage run", "[ -z $CI ] && coverage run"), "error"),
    ("never", edited(TEST, "${PREFIX}coverage run", "[ a = b ] && coverage run"), "error"),
    ("last-status", {**WHOLE, TEST: STARLETTE.replace("set -ex", "set -x") + "exit 0\n"}, "error"),
]  # fmt: skip


@pytest.mark.parametrize(("after", "said"), [pytest.param(*row[1:], id=row[0]) for row in WEAKER])
def test_what_a_step_does_to_the_checks_of_a_script_is_reported(after, said):
    assert said in severities(WHOLE, after)


def test_a_changed_script_is_said_of_the_script_and_a_changed_step_of_the_workflow():
    [one] = switched(WHOLE, edited(TEST, "pytest $@", "pytest $@ || true"))
    assert (one.test, one.line) == (TEST, STARLETTE[: STARLETTE.index("pytest")].count("\n") + 1)
    found = switched(WHOLE, {**WHOLE, **ci("run: scripts/test || true", *STEPS[1:])})
    assert {one.test for one in found} == {f"{CI} jobs.test.steps"}


def test_a_change_of_a_script_that_several_files_call_is_said_once():
    calling = {
        **ci(STEPS[0]),
        "Makefile": "test:\n\tscripts/test\n",
        "package.json": '{"scripts": {"t": "scripts/test"}}',
    }
    before, after = ({**calling, TEST: f"set -e\npytest{end}\n"} for end in ("", " || true"))
    assert [one.test for one in switched(before, after)] == [TEST]


def test_slightly_less_coverage_is_a_warning_since_removed_code_may_cause_it():
    before, after = ({**WHOLE, "scripts/coverage": COVERAGE.replace("100", share)} for share in ("96.96", "96.93"))
    assert severities(before, after) == {"warning"}


@pytest.mark.parametrize("setting", ["", "disallow_any_generics = True\n", "disallow_untyped_defs = False\n"])
def test_an_option_that_no_file_sets_instead_is_lost(setting):
    before, after = ({**ci("run: ./a"), "a": f"mypy src {option}\n"} for option in ("--disallow-untyped-defs", ""))
    assert "error" in severities(before, {**after, "mypy.ini": f"[mypy]\n{setting}"})


def test_a_gate_that_allows_the_job_of_a_script_to_fail_is_an_error():
    gate = "  check:\n    needs: [test]\n    steps:\n      - uses: re-actors/alls-green@v1\n        with: {jobs: x}\n"
    before = {**WHOLE, CI: WHOLE[CI] + gate}
    after = {**before, CI: before[CI].replace("{jobs: x}", "{jobs: x, allowed-failures: test}")}
    assert severities(before, after) == {"error"}


HONEST = [
    ("moved-into-a-script", ci("run: mypy src", "run: pytest tests"), {**ci("run: ci/run.sh"), "ci/run.sh": "set -e\nmypy src\npytest tests\n"}),
    ("moved-out", {**ci("run: bash ci/run"), "ci/run": "set -e\nmypy src\npytest\n"}, ci("run: mypy src", "run: pytest")),
    ("renamed", {**ci("run: ci/run"), "ci/run": "pytest\n"}, {**ci("run: scripts/all.sh"), "scripts/all.sh": "pytest\n"}),
    ("into-a-function", {**ci("run: ci/run"), "ci/run": "set -e\npytest tests\n"},
     {**ci("run: ci/run"), "ci/run": 'set -e\nunit() {\n    pytest "$@"\n}\nunit tests\n'}),
    ("into-another", {**ci("run: ci/run"), "ci/run": "set -e\npytest\n"},
     {**ci("run: ci/run"), "ci/run": 'set -e\n. "$(dirname "$0")/lib.sh"\nunit\n', "ci/lib.sh": "unit() { pytest; }\n"}),
    ("from-its-folder", {**ci("run: ci/run"), "ci/run": "set -e\npytest\n"},
     {**ci("run: ci/run"), "ci/run": 'set -e\ncd "$(dirname "$0")/.."\npytest\n'}),
    ("own-folder-named", {**ci("run: ci/run"), "ci/run": "pytest\n"},
     {**ci("run: ci/run"), "ci/run": 'HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\n"$HERE/unit"\n', "ci/unit": "pytest\n"}),
    ("arguments-as-before", {**ci("run: ci/run"), "ci/run": "pytest tests\n"}, {**ci("run: ci/run tests"), "ci/run": 'pytest "${1:-src}"\n'}),
    ("in-ci-alone", {**ci("run: ci/run"), "ci/run": "pytest\n"}, {**ci("run: ci/run"), "ci/run": 'if [ -n "$CI" ]; then\n  pytest\nelse\n  pytest -x -k a\nfi\n'}),
    ("asked-for", {**ci("run: ci/run unit", "run: ci/run types"), "ci/run": 'case "$1" in\n  unit) pytest ;;\n  types)\n    mypy src\n    ;;\nesac\n'},
     ci("run: pytest", "run: mypy src")),
    ("only-locally", WHOLE, edited(TEST, "if [ -z $GITHUB_ACTIONS ]; then\n    scripts/check\nfi\n", "")),
    ("ended-at-a-failure", {**ci("run: ci/run"), "ci/run": "pytest\n"}, {**ci("run: ci/run"), "ci/run": "set -e\npytest\nexit 0\n"}),
    ("shell-named", {**ci("run: ci/run"), "ci/run": "#!/bin/sh -e\npytest\necho done\n"}, {**ci("run: sh -e ci/run"), "ci/run": "pytest\necho done\n"}),
    ("inline", ci("run: pytest"), ci("run: bash -ec 'cd . && pytest'")),
    ("fast-if-asked", {**ci("run: ci/run"), "ci/run": "pytest $ARGS\n"},
     {**ci("run: ci/run"), "ci/run": 'if [ "$FAST" = 1 ]; then ARGS="-k fast"; fi\npytest $ARGS\n'}),
    ("locally-less", {**ci("run: ci/run"), "ci/run": "pytest\n"}, {**ci("run: ci/run"), "ci/run": "pytest\n", "scripts/mine": "pytest -k a || true\n"}),
    ("gate-apart", {**ci("run: ci/run"), "ci/run": "pytest --cov-fail-under=100\n"},
     {**ci("run: ci/run"), "ci/run": "set -e\npytest\ncoverage report --fail-under=100\n"}),
    ("option-set-by-a-file", {**ci("run: ci/run"), "ci/run": "mypy src --disallow-untyped-defs --warn-unreachable\n"},
     {**ci("run: ci/run"), "ci/run": "mypy src\n", "mypy.ini": "[mypy]\ndisallow_untyped_defs = True\nwarn_unreachable = True\n"}),
    ("from-tox", {"tox.ini": "[testenv]\ncommands = pytest tests\n"},
     {"tox.ini": "[testenv]\ncommands = sh scripts/test tests\n", TEST: 'pytest "$@"\n'}),
    ("docs", {**ci("run: ci/docs"), "ci/docs": "mkdocs build\n"}, ci("run: mkdocs build")),
    ("emitting", ci("run: tsc --noEmit -p test/tsconfig.json"), ci("run: tsc -p test/tsconfig.json")),
    ("to-a-program", {**ci("run: python runtests.py"), "runtests.py": ""}, ci("run: pytest")),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), [pytest.param(*row[1:], id=row[0]) for row in HONEST])
def test_a_script_that_runs_what_was_run_before_is_fine(before, after):
    assert not {"error", "warning"} & severities(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("unit() {\n  pytest\n}\nunit\n", "unit() {\n  pytest\n}\nunit || true\n"),
        ("unit() {\n  pytest\n}\nunit\n", "unit() {\n  pytest || true\n}\nunit\n"),
        ("unit() {\n  pytest\n}\n$1\n", "unit() {\n  pytest -k a\n}\n$1\n"),
        ('pytest "$@"\n', 'pytest "$@" -k a\n'),
        ("unit() {\n  pytest\n}\nunit\n", "unit() {\n  pytest\n  return 0\n}\nunit\n"),
        ("pytest\n", "trap 'exit 0' EXIT\npytest\n"),
        ("set -e\npytest\n", "set -e\npytest | tee log\n"),
        ("pytest\n", "pytest &\n"),
        ('CMD="pytest -x"\n$CMD\n', 'CMD="pytest -k x"\n$CMD\n'),
        ("unit() { pytest $1; }\nunit tests\n", "unit() { pytest $1; }\nunit tests/test_a.py\n"),
        ("pytest() { command pytest; }\npytest\n", "pytest() { true; }\npytest\n"),
        ("if [ -n $CI ]; then pytest; else true; fi\n", "if [ -z $CI ]; then pytest; else true; fi\n"),
        ("exec ./inner\n", "./inner; true\n"),
        (". ./inner\n", ". ./inner || true\n"),
        ("cd sub && ../inner\n", "cd sub && ../inner -k a\n"),
        ("cd sub && ../inner\n", "cd sub && ../other\n"),
    ],
)
def test_functions_and_scripts_that_call_each_other_are_followed(before, after):
    inner = {**ci("run: ./run"), "inner": 'pytest "$@"\n'}
    assert "error" in severities({**inner, "run": before}, {**inner, "run": after})


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Makefile", "test:\n\tscripts/test\n"),
        ("tox.ini", "[testenv]\ncommands = bash {toxinidir}/scripts/test\n"),
        ("package.json", json.dumps({"scripts": {"unit": "sh scripts/test"}})),
        (".pre-commit-config.yaml", "repos:\n- repo: local\n  hooks:\n  - {id: unit, entry: ./scripts/test, language: script}\n"),
        (".gitlab-ci.yml", "t:\n  script: [scripts/test]\n"),
        (".github/actions/check/action.yml", "runs:\n  steps:\n  - run: ${{ github.workspace }}/scripts/test\n"),
        (".claude/settings.json", json.dumps({"hooks": {"Stop": [{"hooks": [{"command": "$CLAUDE_PROJECT_DIR/scripts/test"}]}]}})),
        ("packages/a/package.json", json.dumps({"scripts": {"test": "../../scripts/test"}})),
    ],
)  # fmt: skip
def test_whatever_calls_a_script_is_read_when_that_changes(path, text):
    before, after = ({path: text, TEST: f"#!/bin/sh\n{line}\n"} for line in ("pytest", "pytest || true"))
    assert "error" in severities(before, after)
    assert {change.test for change in switched(before, after)} == {TEST}


def test_a_guard_in_a_script_rests_on_what_the_script_does_before():
    before, after = ({**ci("run: ci/guard"), "ci/guard": f"{line}\npk guard --since origin/main\n"} for line in
                     ("set -e", "set -e\ngit checkout origin/main -- tests"))  # fmt: skip
    assert severities(before, after) == {"error"}
    assert severities(before, {**before, "ci/guard": "set -e\npk guard --since origin/main || true\n"}) == {"error"}


PROGRAM = {"tools/runtests.py": "", "tools/docs.py": "", "tools/all.py": "import pytest\npytest.main([])\n", "tests/run.js": "",
           "tools/check_links.py": "", "tools/quote.py": "'pytest '", "setup.py": "'pytest '"}  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("python tools/runtests.py", "echo", "error"),
        ("python tools/runtests.py", "python tools/runtests.py || true", "error"),
        ("python tools/runtests.py", "python tools/runtests.py\n        continue-on-error: true", "error"),
        ("python tools/runtests.py", "python tools/runtests.py\n        if: github.ref == 'refs/heads/x'", "warning"),
        ("python tools/runtests.py a b", "python tools/runtests.py a", "error"),
        ("python tools/runtests.py", "python tools/runtests.py tests/test_a.py", "error"),
        ("python tools/runtests.py", "python tools/runtests.py -k fast", "error"),
        ("python tools/runtests.py", "PYTEST_ADDOPTS='-k a' python tools/runtests.py", "error"),
        ("python tools/runtests.py --integration", "python tools/runtests.py", "warning"),
        ("pytest", "python tools/runtests.py", "warning"),
        ("uv run tools/all.py", "echo", "error"),
        ("node tests/run.js", "echo", "error"),
        ("python tools/check_links.py", "echo", "warning"),
        ("python tools/docs.py", "echo", ""),
        ("python tools/quote.py", "echo", ""),
        ("python setup.py sdist", "echo", ""),
        ("python tools/runtests.py", "tools/runtests.py", ""),
        ("./gone/runtests.py", "echo", ""),
    ],
)
def test_a_program_that_says_it_runs_checks_is_compared_by_its_words(before, after, said):
    found = severities({**PROGRAM, **ci(f"run: {before}")}, {**PROGRAM, **ci(f"run: {after}")})
    assert found - {"note"} == ({said} if said else set())


def test_scripts_that_call_each_other_without_end_are_read_to_an_end():
    loop = {**ci("run: ./a"), "a": "./b\n./b\npytest\n", "b": "./a\nmypy src\n"}
    assert severities(loop, {**loop, "a": "./b\n./b\n"}) == {"error"}
    steps = {f"s{at}": f"./s{at + 1}\n" * 4 for at in range(9)}
    deep = {f"s{at}": f"./s{at + 1}\n" for at in range(30)}
    for endless in (steps, deep, {"s0": "./s1\n" * 99, "s1": "# long\n" * 9999}):
        before = {**ci("run: ./s0"), "s9": "pytest\n", **endless}
        assert [one.message.partition(":")[0] for one in switched(before, {**before, **ci("run: ./s0 a")})] == [UNREAD]


def test_a_variable_that_repeats_itself_stays_short():
    lines = "\n".join("A=$A$A$A$A$A$A$A$A$A$A" for _ in range(60))
    text = f"A=xxxxxxxxxx\n{lines}\npytest $A\n"
    assert severities({**ci("run: ./a"), "a": text}, {**ci("run: ./a"), "a": text + "true\n"}) == {"error"}


@pytest.mark.parametrize(
    ("scripts", "times"),
    [({"test": "npm run test:node && npm run test:edge", "test:node": "jest"}, 1), ({"test": "jest --env edge"}, 2)],
    ids=["called by another", "written twice"],
)
def test_what_a_script_says_that_another_one_calls_is_told_once(scripts, times):
    old = {
        **ci("run: npm run test:edge"),
        "package.json": json.dumps({"scripts": {**scripts, "test:edge": "jest --env edge"}}),
    }
    new = {**old, "package.json": old["package.json"].replace("jest --env edge", "jest --env edge --no-coverage")}
    assert [one.message for one in switched(old, new)] == ["coverage is off"] * times
