"""A whole review by keyboard at a real terminal."""

import pytest

from tests.doors.terminals import Terminal

TESTS = 60
PLAIN = "[q]uit"


def source():
    """Test functions whose names are claims, each with an assertion of its own."""
    return "\n\n".join(
        f"def test_number_{one:02d}_is_doubled():\n    assert double({one}) == {2 * one}\n" for one in range(TESTS)
    )


@pytest.fixture
def unregistered(project):
    project.write("tests/test_numbers.py", source())
    project.commit()
    return project


@pytest.fixture
def numbers(unregistered):
    unregistered.pk("init")
    unregistered.pk("reconcile", "tests/test_numbers.py")
    return unregistered


def at_a_terminal(project, *arguments):
    """What a command that asks nothing leaves on the screen."""
    with Terminal(arguments, cwd=project.root) as terminal:
        assert terminal.code() == 0
        return terminal.text


def states(project):
    tests = project.pk("scan", "tests/test_numbers.py", "--json").document["tests"]
    found = [one["state"] for one in tests]
    return {state: found.count(state) for state in sorted(set(found))}


@pytest.mark.slow
def test_sixty_tests_are_registered_run_reviewed_applied_and_taken_back_at_a_terminal(unregistered):
    numbers = unregistered
    assert "pk reconcile" in at_a_terminal(numbers, "init")
    assert "next: pk review" in at_a_terminal(numbers, "reconcile", "tests/test_numbers.py")
    with Terminal(["review"], cwd=numbers.root) as terminal:
        terminal.press("", until=f"0/{TESTS}")
        done = 0
        for _ in range(5):
            done += 1
            terminal.press("e", until="Ctrl-S")
            terminal.press("Edited: \x13", until=f" {done}/{TESTS}")
        for _ in range(5):
            done += 1
            terminal.press("r", until="why reject?")
            terminal.press("not ours\r", until=f" {done}/{TESTS}")
        terminal.press("uu", until=f" {done - 2}/{TESTS}")
        for number in range(2):
            terminal.press("r", until="why reject?")
            terminal.press("not ours\r", until=f" {done - 1 + number}/{TESTS}")
        while done < TESTS:
            done += 1
            terminal.press("a", until=f" {done}/{TESTS}")
        terminal.press("d", until="w applies this")
        assert "+++ b/pact/atoms/tests/test_numbers.py.toml" in terminal.text
        terminal.press("wy", until="U reverts it")
        assert states(numbers) == {"rejected": 5, "unratified": 55}
        terminal.press("U", until="undo the write")
        terminal.press("y", until="undid the apply")
        assert states(numbers) == {"debt": TESTS}
        terminal.press("q", until="60 answers saved, 0 to go; next: pk apply")
        assert terminal.code() == 0
    assert "Edited: " in numbers.pk("apply", "--dry-run", "--diff").out


@pytest.mark.slow
def test_an_edit_line_by_line_changes_category_outcomes_and_falsifiers(numbers):
    with Terminal(["review", "--plain"], cwd=numbers.root, rows=80) as terminal:
        terminal.press("", until=PLAIN)
        terminal.press("e", until="intent [")
        terminal.press("\r", until="category (")
        terminal.press("reliability\r", until="outcome (- drops it)")
        terminal.press("\r", until="another outcome")
        terminal.press("Twice zero is told.\r", until="another outcome", times=2)
        terminal.press("\r", until="another falsified by")
        terminal.press("Zero grows.\r", until="another falsified by", times=2)
        terminal.press("\r", until=PLAIN, times=2)
        terminal.press("q", until="1 answer saved")
        assert terminal.code() == 0
    decisions = numbers.pk("review", "--export", "-").document["decisions"]
    [edited] = [one["edited"] for one in decisions if one["verdict"] == "edit"]
    assert (edited["category"], edited["falsifiedBy"]) == ("reliability", ["Zero grows."])
    assert edited["observableOutcomes"][1:] == ["Twice zero is told."]


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "kind"), [(["--plain"], "xterm"), ([], "dumb")])
def test_line_by_line_there_is_a_way_back_as_well(numbers, arguments, kind):
    with Terminal(["review", "--batch", "3", *arguments], cwd=numbers.root, rows=80, TERM=kind) as terminal:
        terminal.press("", until=PLAIN)
        terminal.press("a", until=PLAIN, times=2)
        terminal.press("b", until=PLAIN, times=3)
        assert "accepted already" in terminal.text
        terminal.press("r", until="why (optional)")
        terminal.press("\r", until=PLAIN, times=4)
        terminal.press("u", until="undone")
        terminal.press("", until=PLAIN, times=5)
        terminal.press("q", until="1 answer saved, 59 to go; next: pk review")
        assert terminal.code() == 0
    verdicts = [one["verdict"] for one in numbers.pk("review", "--export", "-").document["decisions"]]
    assert (verdicts.count("accept"), verdicts.count("reject")) == (2, 0)
