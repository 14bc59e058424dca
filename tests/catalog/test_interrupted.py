import json
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from pactkeeper.catalog.journal import FileEdit, entries, unfinished
from pactkeeper.catalog.transaction import PactPlace, apply, ensure_settled, set_aside, settle, undo
from pactkeeper.errors import UnfinishedError
from tests.catalog.trees import EDITS, NEW, NOTE, OLD, PYTHONPATH, files, folders, make_place
from tests.doors.forking import SERVER
from tests.waiting import PATIENCE, running


def steps(folder: Path) -> list[str]:
    """Every step of applying EDITS, as the checkpoints name them."""
    seen: list[str] = []
    apply(make_place(folder / "steps"), EDITS, NOTE, checkpoint=seen.append)
    return seen


CHILD = textwrap.dedent(
    """
    import json, os, signal, sys
    from pathlib import Path
    from pactkeeper.catalog.transaction import PactPlace, apply, settle, undo
    from tests.catalog.trees import EDITS, NOTE

    def run(root, state, verb, step):
        place = PactPlace(Path(root), Path(state))
        def die(now):
            if now == step:
                os.kill(os.getpid(), signal.SIGKILL)
        if verb == "apply":
            apply(place, EDITS, NOTE, checkpoint=die)
        elif verb == "undo":
            undo(place, NOTE, checkpoint=die)
        else:
            settle(place, checkpoint=die)

    for job in json.loads(sys.argv[1]):
        pid = os.fork()
        if not pid:
            run(*job)
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    """
)


def killed(*jobs: tuple[PactPlace, str, str]) -> None:
    """Run every (place, verb, step) in a process of its own, which kills itself with signal 9 at the step."""
    plain = json.dumps([[str(place.root), str(place.state_dir), verb, step] for place, verb, step in jobs])
    done = subprocess.run(SERVER.program("-c", CHILD, plain), env=PYTHONPATH, capture_output=True, check=True)
    assert done.stdout.split() == [b"-9"] * len(jobs)


def test_a_process_killed_at_any_step_leaves_old_or_new_after_the_next_writer(tmp_path):
    places = {step: make_place(tmp_path / str(number)) for number, step in enumerate(steps(tmp_path))}
    made = folders(places["done"])
    killed(*((place, "apply", step) for step, place in places.items()))
    outcomes = {}
    for step, place in places.items():
        outcomes[step] = settle(place)
        assert files(place) == (OLD if outcomes[step] == "rolled back" else NEW), step
        assert files(place) == NEW or folders(place) == made, step
        ensure_settled(place.state_dir)
    assert outcomes["journalled"] == outcomes["staged tests/a.py"] == "rolled back"
    assert outcomes["swapped run.sh"] == outcomes["synced"] == "finished"
    assert outcomes["done"] is None


def test_an_undo_killed_at_any_step_leaves_old_or_new_after_the_next_writer(tmp_path):
    seen: list[str] = []
    place = make_place(tmp_path / "seen")
    apply(place, EDITS, NOTE)
    undo(place, NOTE, checkpoint=seen.append)
    places = {step: make_place(tmp_path / str(number)) for number, step in enumerate(seen)}
    for place in places.values():
        apply(place, EDITS, NOTE)
    killed(*((place, "undo", step) for step, place in places.items()))
    for step, place in places.items():
        settle(place)
        assert files(place) in (OLD, NEW), step
        undone = entries(place.state_dir)[0].undone_by is not None
        assert undone == (files(place) == OLD), step


def test_a_settling_killed_at_any_step_is_settled_by_the_next(tmp_path):
    cut = ("swapped run.sh", "swapped tests/a.py", "synced")
    places = {step: make_place(tmp_path / str(number)) for number, step in enumerate(cut)}
    killed(*((place, "apply", "swapped pact/links/deep/er/a.toml") for place in places.values()))
    killed(*((place, "settle", step) for step, place in places.items()))
    for place in places.values():
        assert settle(place) == "finished"
        assert files(place) == NEW


def interrupted(place: PactPlace, step: str) -> None:
    killed((place, "apply", step))


def test_a_reader_stops_at_an_interrupted_write_and_says_what_to_do(place):
    interrupted(place, "swapped run.sh")
    with pytest.raises(UnfinishedError, match=r"2030-01-01.*was interrupted; run `pk recover`"):
        ensure_settled(place.state_dir)


def test_the_next_write_settles_first(place):
    interrupted(place, "swapped run.sh")
    apply(place, [FileEdit("more.txt", None, b"x")], NOTE)
    assert files(place) == {**NEW, "more.txt": b"x"}
    assert len(entries(place.state_dir)) == 2


def test_a_file_that_somebody_changed_meanwhile_is_never_overwritten(place):
    interrupted(place, "swapped run.sh")
    (place.root / "tests/a.py").write_bytes(b"mine\n")
    before = files(place)
    for _ in range(2):
        with pytest.raises(UnfinishedError, match=r"somebody else changed 'tests/a\.py'"):
            settle(place)
        assert files(place) == before
    set_aside(place)
    ensure_settled(place.state_dir)
    assert files(place)["tests/a.py"] == b"mine\n"
    assert not [path for path in files(place) if ".pk-" in path]


def test_a_change_by_somebody_else_does_not_hinder_rolling_back_what_never_began(place):
    interrupted(place, "staged run.sh")
    (place.root / "tests/a.py").write_bytes(b"mine\n")
    assert settle(place) == "rolled back"
    assert files(place) == {**OLD, "tests/a.py": b"mine\n"}


def test_an_interrupt_at_any_step_gives_the_old_state_back(tmp_path):
    for number, step in enumerate(steps(tmp_path)):
        place = make_place(tmp_path / str(number))
        before = folders(place)

        def stop(now: str, step: str = step) -> None:
            if now == step:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            apply(place, EDITS, NOTE, checkpoint=stop)
        if step != "done":
            assert (files(place), folders(place)) == (OLD, before), step
        assert unfinished(place.state_dir) is None, step


def test_a_real_interrupt_signal_gives_the_old_state_back(place):
    child = textwrap.dedent(
        """
        import sys, time
        from pathlib import Path
        from pactkeeper.catalog.transaction import PactPlace, apply
        from tests.catalog.trees import EDITS, NOTE
        def wait(now):
            if now == "swapped run.sh":
                print("here", flush=True)
                time.sleep(600)
        apply(PactPlace(Path(sys.argv[1]), Path(sys.argv[2])), EDITS, NOTE, checkpoint=wait)
        """
    )
    command = [sys.executable, "-c", child, str(place.root), str(place.state_dir)]
    with running(command, env=PYTHONPATH, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) != 0
    assert files(place) == OLD
    ensure_settled(place.state_dir)


def test_what_a_process_left_that_died_while_writing_the_journal_is_in_nobodys_way(place):
    (place.state_dir / "journal").mkdir(parents=True)
    (place.state_dir / "journal/000001.new").write_bytes(b'{"torn')
    ensure_settled(place.state_dir)
    apply(place, EDITS, NOTE)
    assert files(place) == NEW


def test_a_torn_journal_entry_can_be_set_aside(tmp_path):
    place = make_place(tmp_path)
    apply(place, EDITS, NOTE)
    (done,) = (place.state_dir / "journal").glob("*.done")
    done.with_suffix(".open").write_bytes(done.read_bytes()[:40])
    done.unlink()
    with pytest.raises(UnfinishedError, match="pk recover --set-aside"):
        settle(place)
    assert set_aside(place)
    assert files(place) == NEW
    assert unfinished(place.state_dir) is None
    assert not set_aside(place)
