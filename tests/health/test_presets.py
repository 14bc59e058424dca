"""Which checks a project's own files call for."""

import json
import os

import pytest

from pactkeeper.errors import CatalogError, InputError, UsageError
from pactkeeper.health.trust import plan_of
from tests.repo.repositories import write


def planned(root, files):
    write(root, files)
    return {one.check.name: one for one in plan_of(root, root).checks}


def package(**fields):
    return {"package.json": json.dumps(fields)}


def fit(found):
    return [name for name, one in found.items() if not one.unfit]


def test_node_project_is_built_compiled_and_tested_in_that_order(tmp_path):
    files = package(scripts={"test": "vitest run", "build": "vite build"}, devDependencies={"typescript": "5"})
    found = planned(tmp_path, {**files, "tsconfig.json": "{}", "package-lock.json": "{}"})
    assert fit(found) == ["npm run build", "tsc", "npm test"]
    assert found["npm test"].check.argv[:4] == ("npm", "run", "test", "--")
    assert "--outputFile.json={report}" in found["npm test"].check.argv
    assert found["tsc"].check.argv == ("npx", "--no-install", "tsc", "--noEmit", "--pretty", "false")
    assert {one.check.prepare for one in found.values()} == {("npm", "ci")}


@pytest.mark.parametrize(
    ("manifest", "reasons"),
    [
        ({}, ["there is no such script", "there is no tsconfig.json", "there is no such script"]),
        (
            {"scripts": {"build": "x", "test": 'echo "Error: no test specified" && exit 1'}},
            ["", "there is no tsconfig.json", "there is no such script"],
        ),
    ],
)
def test_what_a_node_project_does_not_have_is_not_applicable(tmp_path, manifest, reasons):
    found = planned(tmp_path, package(**manifest))
    assert [one.unfit for one in found.values()] == reasons


@pytest.mark.parametrize(
    ("lock", "prepare", "start"),
    [
        ("package-lock.json", ("npm", "ci"), ("npm", "run")),
        ("pnpm-lock.yaml", ("pnpm", "install", "--frozen-lockfile"), ("pnpm", "run")),
        ("yarn.lock", ("yarn", "install", "--frozen-lockfile"), ("yarn", "run")),
        ("bun.lock", ("bun", "install", "--frozen-lockfile"), ("bun", "run")),
        ("none", ("npm", "install", "--no-package-lock"), ("npm", "run")),
    ],
)
def test_lock_file_tells_the_package_manager(tmp_path, lock, prepare, start):
    manifest = package(dependencies={"a": "1"}, scripts={"test": "jest"})
    check = planned(tmp_path, {**manifest, lock: ""})[f"{start[0]} test"].check
    assert (check.prepare, check.argv[:2], check.parser) == (prepare, start, "jest")


def test_runner_inside_a_longer_script_gets_no_options(tmp_path):
    check = planned(tmp_path, package(scripts={"test": "npm run lint && vitest run"}))["npm test"].check
    assert (check.argv, check.parser) == (("npm", "run", "test"), "vitest")


def test_python_project_runs_what_it_has_settings_for_and_its_own_modules(tmp_path):
    toml = "[tool.pytest.ini_options]\n[tool.mypy]\nfiles = ['src']\n[tool.pyright]\n"
    found = planned(tmp_path, {"pyproject.toml": toml, "src/x.py": ""})
    assert fit(found) == ["mypy", "pyright", "pytest"]
    assert found["pytest"].check.environment["PYTHONPATH"] == "{root}/src:{root}"
    assert "--junitxml={report}" in found["pytest"].check.argv
    assert found["mypy"].check.argv[-1] == "--cache-dir={cache}/mypy"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tests/test_x.py", "def test_x():\n    assert True\n"),
        ("x_test.py", "class TestX:\n    def test_x(self):\n        assert True\n"),
        ("shop/tests/unit/test_x.py", "import unittest\n\nimport pytest\n"),
    ],
)
def test_test_files_for_pytest_call_for_it_without_settings(tmp_path, path, text):
    found = planned(tmp_path, {path: text})
    assert [(name, one.why) for name, one in found.items()] == [("pytest", "test files for pytest")]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tests/test_x.py", "X = 1\n"),
        ("tests/x.py", "def test_x(): ...\n"),
        ("node_modules/a/test_x.py", "import pytest\n"),
        (".tox/test_x.py", "import pytest\n"),
    ],
)
def test_files_that_are_no_tests_of_the_project_call_for_nothing(tmp_path, path, text):
    assert planned(tmp_path, {path: text}) == {}


def test_test_files_for_pytest_are_not_left_to_unittest(tmp_path):
    found = planned(tmp_path, {"setup.py": "", "tests/test_x.py": "def test_x(): ...\n"})
    assert fit(found) == ["pytest"]


def test_test_files_for_unittest_stay_with_it(tmp_path):
    text = "import unittest\n\n\nclass TestX(unittest.TestCase):\n    pass\n"
    assert fit(planned(tmp_path, {"setup.py": "", "tests/test_x.py": text})) == ["unittest"]


def test_settings_right_below_the_root_come_before_test_files_beside_them(tmp_path):
    found = planned(tmp_path, {"test_x.py": "import pytest\n", "api/pyproject.toml": "pytest\n"})
    assert fit(found) == ["pytest (api)"]


def test_virtual_environment_of_the_checkout_is_shared(tmp_path):
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/python").symlink_to("/bin/sh")
    check = planned(tmp_path, {"setup.cfg": "[tool:pytest]\n", "uv.lock": ""})["pytest"].check
    assert (check.argv[0], check.prepare) == (str(tmp_path / ".venv/bin/python"), ())


def test_lock_file_of_python_makes_the_environment_where_there_is_none(tmp_path):
    check = planned(tmp_path, {"pyproject.toml": "pytest", "uv.lock": ""})["pytest"].check
    assert (check.argv[0], check.prepare[:2]) == (".venv/bin/python", ("uv", "sync"))


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("go.mod", ["go build", "go vet", "go test"]),
        ("Cargo.toml", ["cargo build", "cargo test --no-run", "cargo test"]),
        ("pom.xml", ["mvn test-compile", "mvn test"]),
        ("build.gradle.kts", ["gradle testClasses", "gradle test"]),
        ("README.md", []),
    ],
)
def test_ecosystem_is_known_by_its_file(tmp_path, file, names):
    assert fit(planned(tmp_path, {file: ""})) == names


def test_project_right_below_the_root_is_found_and_named_by_its_folder(tmp_path):
    found = planned(tmp_path, {"api/go.mod": "", "node_modules/x/package.json": "{}", "web/package.json": "{}"})
    assert "go test (api)" in found
    assert found["npm test (web)"].check.directory == "web"
    assert not any("node_modules" in name for name in found)


def test_declared_checks_replace_the_presets(tmp_path):
    declared = '[pact]\nformat = 1\n[[health.check]]\nname = "all"\nargv = ["make"]\ncategory = "build"\n'
    assert list(planned(tmp_path, {"go.mod": "", "pact/pact.toml": declared})) == ["all"]


def test_broken_settings_and_unknown_parsers_are_errors(tmp_path):
    check = '[pact]\nformat = 1\n[[health.check]]\nname = "all"\nargv = ["make"]\ncategory = "build"\n'
    with pytest.raises(InputError, match="names the parser 'ada'; known are auto, ava, bun, cargo"):
        planned(tmp_path, {"pact/pact.toml": check + 'parser = "ada"\n'})
    with pytest.raises(CatalogError, match="argv is 'make'"):
        planned(tmp_path, {"pact/pact.toml": check.replace('["make"]', '"make"')})


def test_check_that_nobody_knows_cannot_be_asked_for(tmp_path):
    write(tmp_path, {"go.mod": ""})
    with pytest.raises(UsageError, match="there is no check 'test'; known are conflict-markers, go build"):
        plan_of(tmp_path, tmp_path).only(["test"])


def test_checks_of_a_file_that_is_not_marked_as_a_pact_are_not_passed_over(tmp_path):
    with pytest.raises(InputError, match=r"\[health\] but no \[pact\]"):
        planned(tmp_path, {"pact/pact.toml": '[[health.check]]\nname = "x"\nargv = ["true"]\ncategory = "test"\n'})


def test_a_file_of_another_program_is_left_alone(tmp_path):
    assert planned(tmp_path, {"pact/pact.toml": 'broker = "https://pact.example.org"\n'}) == {}


@pytest.mark.parametrize("name", ["pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg", "mypy.ini", "Makefile"])
def test_a_pipe_in_the_place_of_settings_keeps_no_one_waiting(tmp_path, name):
    os.mkfifo(tmp_path / name)
    found = planned(tmp_path, {"test_x.py": "import pytest\n"})
    assert fit(found) == ["pytest"]
