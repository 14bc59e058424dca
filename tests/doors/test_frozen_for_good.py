"""No sequence of commands changes a committed atom's bytes or a commitment, and committed intent never lapses."""

import re
import shutil
from itertools import count
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pactkeeper.workspace import open_workspace
from tests.doors.committing import KEY, Quick, start

TESTS = "tests/test_basket.py"
SOURCE = """\
def test_two_boxes_cost_ten_euros():
    assert basket(boxes=2).total == 10


def test_empty_basket_costs_nothing():
    assert basket(boxes=0).total == 0
"""
ATOM, OTHER, NUMBER, TEST = "{atom}", "{other}", "{number}", f"{TESTS}::test_two_boxes_cost_ten_euros"
SEEN = ("--outcome", "The total is {number}.", "--falsified-by", "The total is not {number}.")
COMMANDS = (
    ("commit", "--sign", str(KEY), ATOM),
    ("commit", "--sign", str(KEY), ATOM, OTHER),
    ("atom", "new", "A basket with {number} bags costs {number} euros.", *SEEN),
    ("atom", "edit", ATOM, "--intent", "A basket with {number} bags costs {number} euros."),
    ("atom", "edit", ATOM, "--tag", "new"),
    ("atom", "edit", ATOM, "--no-supersedes"),
    ("atom", "edit", ATOM, "--status", "draft"),
    ("atom", "propose", ATOM),
    ("atom", "abandon", ATOM, "--reason", "no use"),
    ("atom", "remove", ATOM),
    ("atom", "supersede", ATOM, OTHER),
    ("atom", "supersede", ATOM, "--intent", "A basket with {number} bags costs {number} cents.", *SEEN),
    ("undo",),
    ("undo", NUMBER),
    ("recover",),
    ("reconcile", "--all"),
    ("apply", "--all"),
    ("accept", TEST),
    ("accept", TEST, "--intent", "A basket with {number} boxes costs money."),
    ("accept", TEST, "--atom", ATOM),
    ("annotate", "--to", "comment", TESTS),
    ("annotate", "--to", "sidecar", TESTS),
    ("invariant", "disable", "INV-004"),
    ("invariant", "disable", "INV-006"),
    ("edit the tests",),
    ("git commit",),
)


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A project with three drafts, one of them committed, and two tests."""
    project = start(tmp_path_factory.mktemp("template") / "project")
    project.write(TESTS, SOURCE)
    project.pk("commit", "--sign", str(KEY), "IA-0000001")
    project.commit("Commit the first")
    return project


def committed_bytes(project):
    """The lines of every committed atom, and every commitment's bytes, by what they are of."""
    with open_workspace(project.root, notice=print) as workspace:
        pact = workspace.pact(workspace.snapshot())
    found = {}
    for name in pact.committed_ids:
        path = project.root / pact.atoms[name].path
        found[name] = re.findall(rb"^%s\..*\n" % name.encode(), path.read_bytes(), re.MULTILINE)
    for place in (project.root / "pact/commitments").iterdir():
        found[place.name] = place.read_bytes()
    return pact, found


def run(project, command, picks, numbers):
    if command == ("edit the tests",):
        project.write(TESTS, re.sub(r"== \d+", f"== {next(numbers)}", project.read(TESTS)))
    elif command == ("git commit",):
        project.git("add", "--all")
        project.git("commit", "--quiet", "--allow-empty", "--message", "x")
    else:
        with open_workspace(project.root, notice=print) as workspace:
            names = sorted(workspace.pact(workspace.snapshot()).atoms)
        atom, other = (names[pick % len(names)] for pick in picks)
        words = {"atom": atom, "other": other, "number": str(next(numbers))}
        project.pk(*(word.format(**words) if "{" in word else word for word in command), code=None)


steps = st.lists(st.tuples(st.sampled_from(COMMANDS), st.tuples(*[st.integers(0, 9)] * 2)), min_size=4, max_size=12)


@given(steps)
@settings(max_examples=settings().max_examples // 5, suppress_health_check=list(HealthCheck))
def test_no_sequence_of_commands_changes_what_was_committed(template, sequence):
    folder = mkdtemp(prefix="pk-frozen-")
    try:
        project = Quick(Path(shutil.copytree(template.root, f"{folder}/project")))
        numbers = count(2)
        _, before = committed_bytes(project)
        for command, picks in sequence:
            run(project, command, picks, numbers)
            pact, after = committed_bytes(project)
            assert before.items() <= after.items(), command
            for name in pact.committed_ids:
                heir = pact.successor_of(name) or name
                assert pact.status_of(heir) == "committed", (command, name, heir)
            before = after
        errors = {code for code in project.codes() if re.match(r"PK(20[12]|4)", code)}
        assert errors == set()
    finally:
        shutil.rmtree(folder)
