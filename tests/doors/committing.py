"""A project with drafts that can be committed, keys to sign with, and a terminal at which somebody types."""

import os
import select
from dataclasses import dataclass
from pathlib import Path
from shutil import which

import click
from click.testing import CliRunner

from pactkeeper.catalog.write import put_atom
from pactkeeper.doors.cli.main import cli
from pactkeeper.errors import PactkeeperError
from pactkeeper.intent.atoms import Atom
from tests.doors.projects import Project, Result
from tests.doors.terminals import started_at_a_terminal
from tests.repo.keys import key, line

ATOMS = "pact/atoms/basket.toml"


@dataclass(frozen=True)
class Quick(Project):
    """A project in which `pk` runs in this process, as on a person's machine; with an `env` it is a process again."""

    def pk(self, *arguments, code=0, feed="", env=None):
        if env is not None:
            return super().pk(*arguments, code=code, feed=feed, env={"CI": "", **env})
        done = CliRunner().invoke(
            cli, ["-C", str(self.root), *arguments], input=feed, env={"CI": ""}, standalone_mode=False
        )
        found = self._result(done)
        assert code is None or found.code == code, f"exit {found.code}\n{found.out}\n{found.err}"
        return found

    @staticmethod
    def _result(done):
        error = done.exception
        if isinstance(error, PactkeeperError):
            return Result(error.exit_code, done.stdout, f"pk: {error}")
        if isinstance(error, click.ClickException):
            return Result(2, done.stdout, error.format_message())
        if error is not None:
            raise error
        return Result(done.return_value or 0, done.stdout, done.stderr)


ADA, KEY = "ada@example.org", key("ada")
INTERRUPT = "\x03"
PATIENCE = 20.0  # seconds, after which a person presses the key again; a process that is ending would die of it


def atom(number, **changes):
    values = {
        "intent": f"A basket with {number} boxes costs {number * 5} euros.",
        "outcomes": (f"The basket total is {number * 5} euros.",),
        "falsified_by": (f"The basket total is not {number * 5} euros.",),
    }
    return Atom(f"IA-{number:07d}", **{**values, **changes})


def start(root, *, atoms=3, signers=True, settings=""):
    """A committed project that declares drafts and, where asked, lists Ada's key."""
    project = Quick(root)
    root.mkdir(parents=True, exist_ok=True)
    project.git("init", "--quiet", "--initial-branch=main")
    for name, value in (("user.name", "Ada"), ("user.email", ADA), ("commit.gpgsign", "false")):
        project.git("config", name, value)
    project.write("pact/pact.toml", f"[pact]\nformat = 1\n{settings}")
    declare(project, *(atom(number) for number in range(1, atoms + 1)))
    if signers:
        project.write("pact/allowed_signers", line(ADA, "ada"))
    project.commit("Start")
    return project


def declare(project, *atoms, path=ATOMS):
    place = project.root / path
    source = place.read_bytes() if place.exists() else None
    for one in atoms:
        source = put_atom(source, one)
    project.write(path, source)


def sign(project, *arguments, name="ada", code=0, **options):
    """Commit with a signature; returns the commitment's id."""
    done = project.pk("commit", "--json", "--sign", str(key(name)), *arguments, code=code, **options)
    return done.document["commitment"] if done.out else done


def commitment_file(project, name=None):
    (place,) = (project.root / "pact/commitments").glob(f"{name or '*'}.toml")
    return place


def only_git(folder):
    """An environment in which git is the only program."""
    folder.mkdir()
    (folder / "git").symlink_to(Path(which("git") or ""))
    return {"PATH": str(folder)}


def at_terminal(project, *arguments, answer=None, asked=b"Type commit"):
    """Run `pk` at a terminal of its own and type an answer when asked; returns exit code and what was on the screen."""
    process, terminal = started_at_a_terminal(project, *arguments, TERM="dumb")
    screen = b""
    typed = answer is None
    while True:
        if typed and answer == INTERRUPT and not select.select([terminal], [], [], PATIENCE)[0]:
            os.write(terminal, INTERRUPT.encode())  # a key pressed while the prompt is being drawn may not be heard
            continue
        try:
            seen = os.read(terminal, 4096)
        except OSError:
            break  # the terminal closes with its last process
        screen += seen
        if not typed and asked in screen:
            os.write(terminal, answer.encode())
            typed = True
    os.close(terminal)
    return process.wait(), click.unstyle(screen.decode()).replace("\r\n", "\n")
