"""The reporter for Vitest and Jest, with the real runners: what it writes is what evidence takes in."""

import json
import os
import shutil
import subprocess
import sys

import pytest

RUNNERS = {"vitest": "^4", "jest": "^30"}
TESTS = """\
{imports}
describe('slug', () => {{
  // @atom IA-7F3KQ9T
  it('joins words with dashes', () => {{
    expect('red-box').toBe('red-box')
  }})

  // @atom IA-2M8QD1R
  it('keeps :: colons and \\\\ backslashes', () => {{
    expect(1).toBe(2)
  }})

  it.skip('is skipped', () => {{}})
  it.todo('is to be written')
  it.each([[1, 2], [2, 4]])('doubles %i', (one, two) => {{
    expect(one * 2).toBe(two)
  }})
}})
"""
BROKEN = "throw new Error('cannot be loaded')\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder for each runner with it installed, made when first asked for."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not there")
    made = {}

    def install(runner):
        if runner not in made:
            place = tmp_path_factory.mktemp(runner)
            wanted = {"name": "shop", "private": True, "devDependencies": {runner: RUNNERS[runner]}}
            (place / "package.json").write_text(json.dumps(wanted))
            command = ["npm", "install", "--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"]
            done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=400, check=False)
            if done.returncode:
                pytest.skip(f"npm cannot install {runner}: {done.stderr.strip()[-200:]}")
            made[runner] = place
        return made[runner]

    return install


@pytest.fixture(params=RUNNERS)
def shop(request, installed, project):
    """A project whose tests the runner runs; gives a function that runs them with the reporter."""
    runner = request.param
    folder = installed(runner)
    imports = "import { describe, expect, it } from 'vitest'\n" if runner == "vitest" else ""
    shutil.rmtree(project.root / "web")
    shutil.copy(folder / "package.json", project.root / "package.json")
    project.write(".gitignore", "node_modules\n")
    project.write("web/slug.test.js", TESTS.format(imports=imports))
    project.write("web/broken.test.js", imports + BROKEN)
    project.commit("Web")
    project.pk("init")
    (project.root / "node_modules").symlink_to(folder / "node_modules")
    project.write("pk", f'#!/bin/sh\nexec {sys.executable} -m pactkeeper "$@"\n').chmod(0o755)
    reporter = project.pk("evidence", "reporter").out.strip()

    def run(**env):
        command = {
            "vitest": ["node_modules/.bin/vitest", "run", "--reporter", reporter, "--includeTaskLocation"],
            "jest": ["node_modules/.bin/jest", "--reporters", reporter, "--testLocationInResults"],
        }[runner]
        surroundings = {**os.environ, "PACT_PK": str(project.root / "pk"), "PACT_REPORT": "out/report.json", **env}
        done = subprocess.run(
            command, cwd=project.root, env=surroundings, capture_output=True, text=True, timeout=120, check=False
        )
        assert (project.root / "out/report.json").is_file(), done.stdout + done.stderr
        return done.stdout + done.stderr, json.loads(project.read("out/report.json"))

    return project, run


def cases(report):
    return {one["fullName"]: one for file in report["testResults"] for one in file["assertionResults"]}


@pytest.mark.slow
def test_each_test_is_recorded_with_its_id_and_atoms_and_evidence_takes_it_in(shop):
    project, run = shop
    out, report = run()
    found = cases(report)
    passing = found["slug joins words with dashes"]
    assert (passing["status"], passing["atoms"]) == ("passed", ["IA-7F3KQ9T"])
    assert passing["id"] == "web/slug.test.js::slug::joins words with dashes"
    failing = found["slug keeps :: colons and \\ backslashes"]
    assert (failing["status"], failing["atoms"]) == ("failed", ["IA-2M8QD1R"])
    assert f"failing  {failing['id']}  IA-2M8QD1R" in out
    assert found["slug doubles 1"]["id"] == found["slug doubles 2"]["id"] == "web/slug.test.js::slug::doubles %i"
    assert found["slug is skipped"]["status"] in {"skipped", "pending"}
    assert found["slug is to be written"]["status"] == "todo"
    counts = project.pk("evidence", "read", "out/report.json", "--json").document["reports"][0]["counts"]
    assert counts == {"passed": 3, "failed": 1, "error": 1, "skipped": 2}
    stored = project.pk("evidence", "import", "out/report.json", "--json").document
    assert stored["counts"]["failed"] == 1


@pytest.mark.slow
def test_without_the_command_the_report_lacks_ids_and_atoms_and_says_so(shop):
    _, run = shop
    out, report = run(PACT_PK="no-such-command")
    assert "ids and atoms are left out" in out
    assert not any("atoms" in one for one in cases(report).values())
