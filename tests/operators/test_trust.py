"""Nothing that a repository declares runs before a person trusted it."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from pactkeeper.errors import StaleError, UntrustedError
from pactkeeper.operators.fix_tasks import Completion, claim_fix_task, complete_fix_task
from pactkeeper.operators.sweep import SweepRequest, declared_checks, sweep, trust_checks
from pactkeeper.operators.watch import Clock, WatchRequest, watch_repo
from pactkeeper.workspace import open_workspace
from tests.health.sweeps import MARK, check
from tests.repo.repositories import commit, create, write

MANIFEST = {"scripts": {"test": "node run.js", "pretest": "touch {ran}"}}


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A repository whose checks leave a file where they ran."""
    monkeypatch.delenv("PACTKEEPER_TRUST_CHECKS")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    declared = check("x", f"touch {tmp_path}/ran", prepare=["touch", f"{tmp_path}/prepared"])
    create(tmp_path / "clone", {"pact/pact.toml": MARK + declared})
    return tmp_path


def called(clone, verb, *arguments):
    with open_workspace(clone / "clone", notice=lambda _: None) as workspace:
        return verb(workspace, *arguments)


def refused(clone, **request):
    with pytest.raises(UntrustedError) as error:
        called(clone, sweep, SweepRequest(**request))
    assert not (clone / "ran").exists()
    assert not (clone / "prepared").exists()
    return error.value


@pytest.mark.parametrize("request_", [{}, {"in_place": True}, {"only": ("x",)}, {"trust": "v1:another"}])
def test_nothing_runs_before_it_is_trusted(clone, request_):
    error = refused(clone, **request_)
    assert error.shown[0] == f"x: sh -c 'touch {clone}/ran'"


def test_a_watch_runs_nothing_before_it_is_trusted(clone):
    told: list[str] = []
    moments = [datetime(2026, 1, 2, tzinfo=UTC)]
    clock = Clock(lambda: moments[-1], lambda seconds: moments.append(moments[-1] + timedelta(seconds=seconds)))

    def opened():
        return open_workspace(clone / "clone", notice=lambda _: None)

    done = watch_repo(opened, WatchRequest(seconds=1), clock, told.append)
    assert (done.sweeps, done.failures) == (0, 1)
    assert "pk health trust" in told[-1]
    assert not (clone / "ran").exists()


def test_a_fix_runs_nothing_before_it_is_trusted(clone, monkeypatch):
    monkeypatch.setenv("PACTKEEPER_TRUST_CHECKS", "any")
    write(clone / "clone", {"pact/pact.toml": MARK + check("x", f"touch {clone}/ran; false")})
    commit(clone / "clone")
    (task,) = called(clone, sweep, SweepRequest()).tasks
    (clone / "ran").unlink()
    monkeypatch.delenv("PACTKEEPER_TRUST_CHECKS")
    called(clone, lambda workspace: claim_fix_task(workspace, task.id, by="ada"))
    write(clone / "clone", {"shop.py": "mended = True\n"})
    commit(clone / "clone")
    with pytest.raises(UntrustedError):
        called(clone, complete_fix_task, Completion(task.id, by="ada"))
    assert not (clone / "ran").exists()


def test_what_was_trusted_runs_until_the_declaration_changes(clone):
    called(clone, trust_checks, called(clone, declared_checks).declaration)
    assert called(clone, sweep, SweepRequest()).sweep.green
    (clone / "ran").unlink()
    write(clone / "clone", {"a.txt": "new code under the same declaration\n"})
    commit(clone / "clone")
    assert called(clone, sweep, SweepRequest()).sweep.green
    (clone / "ran").unlink()
    (clone / "prepared").unlink()
    write(clone / "clone", {"pact/pact.toml": MARK + check("x", f"touch {clone}/ran # more")})
    commit(clone / "clone")
    refused(clone)


@pytest.mark.parametrize(
    "later", ["", 'sandbox = "bubblewrap"', 'sandbox = "bubblewrap"\nreadable = ["~/.ssh", "~/.npm"]']
)
def test_a_sandbox_that_is_taken_away_or_opened_is_trusted_anew_and_shown(clone, later):
    inside = 'sandbox = "bubblewrap"\nreadable = ["~/.npm"]'
    write(clone / "clone", {"pact/pact.toml": f"{MARK}[health]\n{inside}\n{check('x', f'touch {clone}/ran')}"})
    commit(clone / "clone")
    called(clone, trust_checks, called(clone, declared_checks).declaration)
    write(clone / "clone", {"pact/pact.toml": f"{MARK}[health]\n{later}\n{check('x', f'touch {clone}/ran')}"})
    commit(clone / "clone")
    shown = "\n".join(refused(clone).shown)
    assert ("inside bubblewrap" in shown, "reading ~/.ssh" in shown) == (bool(later), "ssh" in later)


def test_only_what_was_shown_is_trusted(clone):
    with pytest.raises(StaleError, match="not 'v1:another'"):
        called(clone, trust_checks, "v1:another")


def test_trust_is_for_one_clone(clone):
    called(clone, trust_checks, called(clone, declared_checks).declaration)
    (clone / "clone").rename(clone / "elsewhere")
    with open_workspace(clone / "elsewhere", notice=lambda _: None) as workspace, pytest.raises(UntrustedError):
        sweep(workspace, SweepRequest())


def test_a_script_behind_a_preset_is_part_of_what_is_trusted(clone):
    write(clone / "clone", {"package.json": json.dumps(MANIFEST), "pact/pact.toml": MARK})
    commit(clone / "clone")
    error = refused(clone)
    assert "    script pretest: touch {ran}" in error.shown
    write(clone / "clone", {"package.json": json.dumps(MANIFEST).replace("run.js", "other.js")})
    commit(clone / "clone")
    assert refused(clone).declaration != error.declaration


@pytest.mark.parametrize("trust", ["any", "declared"])
def test_ci_says_by_a_variable_what_it_trusts(clone, monkeypatch, trust):
    name = called(clone, declared_checks).declaration
    monkeypatch.setenv("PACTKEEPER_TRUST_CHECKS", name if trust == "declared" else trust)
    assert called(clone, sweep, SweepRequest()).sweep.green
