"""Workflows and actions that a workflow calls: of another repository, where only names are known, and of this one."""

import pytest

from tests.repo.strength.states import severities
from tests.repo.strength.test_switches_pipelines import CI

OTHER = "uses: acme/workflows/.github/workflows/plugins-ci.yml@v6"
OWN = ".github/workflows/own.yml"
ACTION = ".github/actions/check/action.yml"


def calling(
    uses: str = OTHER, *, on: str = "[push, pull_request]", job: str = "main", more: str = ""
) -> dict[str, str]:
    return {CI: f"on: {on}\njobs:\n  {job}:\n    {uses}\n{more}"}


def steps(run: str, *, on: str = "[push, pull_request]", path: str = CI) -> dict[str, str]:
    return {path: f"on: {on}\njobs:\n  main:\n    steps:\n      - {run}\n"}


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ({}, {"error"}),
        (calling(on="[workflow_dispatch]"), {"error"}),
        (calling(more="    if: false\n"), {"error"}),
        (calling(on="[push]"), {"warning"}),
        (calling(more="    if: github.actor == 'nobody'\n"), {"warning"}),
        (calling(OTHER.replace("acme", "someone")), {"warning"}),
        (calling(more="    with: {lint: false}\n"), {"warning"}),
        (steps("run: pytest"), set()),
        (calling(OTHER.replace("v6", "v7")), set()),
        (calling(more="    with: {node-versions: '[22, 24]'}\n"), set()),
    ],
)
def test_a_workflow_of_another_repository_is_a_check_that_it_is_named_for(after, said):
    assert severities(calling(), after) == said


@pytest.mark.parametrize(
    ("name", "job", "said"), [("all", "main", {"warning"}), ("all", "test", {"error"}), ("release", "main", set())]
)
def test_a_called_workflow_may_run_tests_unless_its_name_says_otherwise(name, job, said):
    before = calling(OTHER.replace("plugins-ci", name), job=job)
    assert severities(before, {}) == said


def test_filters_and_unknown_runs_of_a_called_workflow_are_warnings():
    before, after = (calling(on=f"{{pull_request: {{{more}}}}}") for more in ("", "paths-ignore: [src/**]"))
    assert severities(before, after) == {"warning"}
    assert severities(steps("run: pytest"), calling()) == {"warning"}


@pytest.mark.parametrize(
    ("path", "call"),
    [(OWN, "uses: ./.github/workflows/own.yml"), (ACTION, "steps: [{uses: ./.github/actions/check}]")],
)
@pytest.mark.parametrize(
    ("after", "said"),
    [
        (steps("run: echo"), {"error"}),
        ({"on": "[workflow_dispatch]"}, {"error"}),
        ({"on": "[push]"}, {"warning"}),
        ({"more": "    if: github.actor == 'nobody'\n"}, {"warning"}),
        ({"more": "    continue-on-error: true\n"}, {"error"}),
        (steps("run: pytest"), set()),
        ({"job": "other"}, set()),
    ],
)
def test_what_starts_a_called_workflow_is_what_starts_its_callers(path, call, after, said):
    called = steps("run: pytest", on="[workflow_call]", path=path)
    later = after if CI in after else calling(call, **after)
    kept = {} if after == steps("run: pytest") else called
    assert severities({**calling(call), **called}, {**later, **kept}) == said


def test_workflows_that_call_each_other_are_started_by_their_other_events():
    calls = f"on: [push, workflow_call]\njobs:\n  a: {{uses: ./{OWN}}}\n"
    called = f"on: [workflow_call]\njobs:\n  b: {{uses: ./{CI}}}\n  c: {{steps: [{{run: pytest}}]}}\n"
    round_ = {CI: calls, OWN: called}
    assert severities(round_, {**round_, CI: calls.replace("push", "workflow_dispatch")}) == {"error"}
