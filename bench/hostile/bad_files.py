"""Give bad files to every command: `python -m bench.hostile.bad_files [FILE …]`.

Each of the files below is put into a small repository with a pact, and every command is run beside it. A command may
agree, find something or refuse; it may not end as a bug, print a traceback, hang, or refuse without a word.
"""

# mypy: disable-error-code="no-untyped-call,no-any-return,func-returns-value"
# The project that commands run in is that of the tests, whose helpers have no types.

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click

from bench.hostile.readers import memory
from pactkeeper.doors.cli.main import cli
from tests.doors.projects import Project, Result, new_project

Spoil = Callable[[Project], object]
TEST: Final = "tests/test_basket.py"
ATOMS: Final = f"pact/atoms/{TEST}.toml"
LINKS: Final = f"pact/links/{TEST}.toml"
STATE: Final = ".git/pact"
JUNK: Final = bytes(range(256)) * 8


def _with(path: str, data: bytes | str) -> Spoil:
    return lambda project: project.write(path, data)


def _after(path: str, data: bytes) -> Spoil:
    return lambda project: (project.root / path).write_bytes((project.root / path).read_bytes() + data)


def _cut(path: str) -> Spoil:
    return lambda project: os.truncate(project.root / path, (project.root / path).stat().st_size // 2)


def _folder(path: str) -> Spoil:
    def make(project: Project) -> None:
        place = project.root / path
        shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
        place.mkdir(parents=True)
        (place / "inside").write_text("x", encoding="utf-8")

    return make


def _link(path: str, target: str) -> Spoil:
    def make(project: Project) -> None:
        place = project.root / path
        place.unlink(missing_ok=True)
        place.symlink_to(target)

    return make


def _pipe(path: str) -> Spoil:
    def make(project: Project) -> None:
        (project.root / path).unlink(missing_ok=True)
        os.mkfifo(project.root / path)

    return make


def _gone(path: str) -> Spoil:
    return lambda project: shutil.rmtree(project.root / path)


def _conflict(path: str) -> Spoil:
    def make(project: Project) -> None:
        text = project.read(path)
        project.write(path, f"<<<<<<< HEAD\n{text}=======\n{text.replace('a', 'b')}>>>>>>> other\n")

    return make


BAD: Final[Mapping[str, Spoil]] = {
    "test cut": _cut(TEST),
    "test of junk": _with(TEST, JUNK),
    "test in latin-1": _with(
        TEST, "def test_caf\xe9():\n    '''Kaffee f\xfcr alle.'''\n    assert 1\n".encode("latin-1")
    ),
    "test in utf-16": _with(TEST, "def test_a():\n    assert 1\n".encode("utf-16")),
    "test with a cookie that lies": _with(TEST, b"# coding: klingon\ndef test_a():\n    assert 1\n"),
    "test with nul": _with(TEST, b"def test_a():\n    assert '\0'\n"),
    "test of brackets": _with(TEST, "def test_a():\n    assert " + "(" * 20_000),
    "test of a long line": _with(TEST, "def test_a():\n    assert '" + "x" * 2_000_000 + "'\n"),
    "test of a long name": _with(TEST, "def test_" + "a" * 200_000 + "():\n    assert 1\n"),
    "test with surrogates": _with(TEST, "def test_a():\n    assert f('\\ud800') == '\\udfff'\n"),
    "test with a large number": _with(TEST, "def test_a():\n    assert " + "9" * 5_000 + "\n"),
    "test with escapes": _with(TEST, "def test_a():\n    '''\x1b[31mred\x07 \u202e back'''\n    assert 1\n"),
    "test with many marks": _with(TEST, "def test_a():  # @atom " + ", ".join(["IA-1"] * 20_000) + "\n    assert 1\n"),
    "test with blanks": _with(TEST, "def test_a():  # @atom IA-1" + " " * 50_000 + "x\n    assert 1\n"),
    "test as folder": _folder(TEST),
    "test as loop": _link(TEST, "test_basket.py"),
    "test as pipe": _pipe(TEST),
    "test outside": _link(TEST, "/etc/hostname"),
    "test of conflict marks": _conflict(TEST),
    "name with newline": _with("tests/test_a\nerror: b.py", "def test_a():\n    assert f() == 1\n"),
    "name that is no text": lambda project: (
        Path(os.fsdecode(os.fsencode(project.root) + b"/tests/test_\xff.py")).write_text("def test_a(): assert 1\n"),
    ),
    "name with escapes": _with("tests/test_\x1b[31m.py", "def test_a():\n    assert f() == 1\n"),
    "title of two megabytes": _with(
        "web/slug.test.ts", "it('" + "t" * 2_000_000 + "', () => { expect(1).toBe(f()) })\n"
    ),
    "title with surrogates": _with("web/slug.test.ts", "it('\\ud83d x', () => { expect(f()).toBe('\\udc00') })\n"),
    "script cut": _cut("web/slug.test.ts"),
    "package of junk": _with("web/package.json", JUNK),
    "package of depth": _with("web/package.json", "[" * 50_000),
    "package with a bad regex": _with("web/package.json", '{"jest": {"testRegex": "(?!x)(a+)+$"}}'),
    "settings cut": _cut("pact/pact.toml"),
    "settings of junk": _with("pact/pact.toml", JUNK),
    "settings of another type": _with("pact/pact.toml", "format = 'x'\ntests = 3\n"),
    "settings as folder": _folder("pact/pact.toml"),
    "settings of conflict marks": _conflict("pact/pact.toml"),
    "settings of dots": _with("pact/pact.toml", ".".join(["a"] * 8_000) + " = 1\n"),
    "atoms cut": _cut(ATOMS),
    "atoms of junk": _with(ATOMS, JUNK),
    "atoms in latin-1": _after(ATOMS, "# caf\xe9\n".encode("latin-1")),
    "atoms twice": lambda project: project.write(ATOMS, project.read(ATOMS) * 2),
    "atoms as folder": _folder(ATOMS),
    "atoms of conflict marks": _conflict(ATOMS),
    "atom with a large number": _after(ATOMS, b"\n[IA-9]\nintent = " + b"9" * 5_000 + b"\n"),
    "atom with a long intent": _after(ATOMS, b'\n[IA-9]\nintent = "' + b"x" * 2_000_000 + b'"\n'),
    "atom with unknown keys": _after(ATOMS, b'\n[IA-9]\nfoo = "x"\nbar = [1]\n'),
    "links cut": _cut(LINKS),
    "links of junk": _with(LINKS, JUNK),
    "debt of junk": _with("pact/debt.txt", JUNK),
    "debt as folder": _folder("pact/debt.txt"),
    "commitment of junk": _with("pact/commitments/COM-1.toml", JUNK),
    "molecules of junk": _with("pact/molecules.toml", JUNK),
    "invariants of junk": _with("pact/invariants.toml", JUNK),
    "waivers of junk": _with("pact/waivers.toml", JUNK),
    "stray file in atoms": _with("pact/atoms/a\nb.toml", "x"),
    "history of junk": _with(f"{STATE}/history.db", JUNK),
    "history cut": _cut(f"{STATE}/history.db"),
    "history as folder": _folder(f"{STATE}/history.db"),
    "cache of junk": _with(f"{STATE}/cache.sqlite", JUNK),
    "documents of junk": _with(f"{STATE}/docs.sqlite", JUNK),
    "checkpoints of junk": _with(f"{STATE}/checkpoints.db", JUNK),
    "journal torn": _with(f"{STATE}/journal/000099.open", b'{"half'),
    "journal of junk": _with(f"{STATE}/journal/000099.open", JUNK),
    "journal as file": lambda project: (
        shutil.rmtree(project.root / STATE / "journal"),
        project.write(f"{STATE}/journal", JUNK),
    ),
    "repository id of junk": _with(f"{STATE}/repository", JUNK),
    "lock as folder": _folder(f"{STATE}/lock"),
    "state as file": lambda project: (shutil.rmtree(project.root / STATE), project.write(STATE, JUNK)),
    "index of junk": _with(".git/index", JUNK),
    "head of junk": _with(".git/HEAD", JUNK),
    "objects gone": _gone(".git/objects"),
    "git settings of junk": _with(".git/config", JUNK),
    "attributes of junk": _with(".gitattributes", JUNK),
    "personal settings of junk": lambda project: [
        project.write(f"../config/pactkeeper/{name}.toml", JUNK)
        for name in ("boards", "models", "slack", "threads", "transcripts")
    ],
}

# What commands are given that do nothing without; every other command of the program is run as it is. `ATOM` and
# `THREAD` stand for what the project has.
GIVEN: Final[tuple[str, ...]] = (
    *("guard", "guard --since HEAD", "delta --since HEAD", "ask 'what is committed?'", "jobs add check"),
    *("docs search basket", "policy explain op-1", "review --plain", "attest --allow-dirty", "health checks --json"),
    *("invariant show INV-003", "invariant test INV-003", "evidence show ATOM", "repos add shop ."),
    *("check --json", "scan --json", "reconcile --all", "reconcile tests", "apply --all", "recover --set-aside"),
    *(f"context {TEST}", "explain ATOM", "trace ATOM", "guard accept v1:1 --why so"),
    *("runs diff 1 2", "runs cancel 1", "recommendations accept --all", "recommendations reject --all --reason so"),
    *("recommendations edit ATOM --intent 'It holds.'", "findings reject v1:1 --reason so", "findings reopen v1:1"),
    *("findings snooze v1:1 --until 2030-01-01 --reason so", "atom import note.md", "words --print"),
    *("atom refine 'It works.'", "atom abandon ATOM --reason so", "atom edit ATOM --intent 'It holds.'"),
    *("atom history ATOM", "atom propose ATOM", "atom new 'The total is shown.'", "atom remove ATOM", "atom show ATOM"),
    *("atom search basket", "molecule create Shop", "molecule remove M-1", "molecule keep tests", "molecule show M-1"),
    *("molecule rename M-1 Shop", "molecule lens M-1 feature", "molecule nest M-1 M-2", "molecule unnest M-1 M-2"),
    *(
        "molecule edit M-1 --add ATOM",
        "commit ATOM --dry-run",
        "commitment show COM-1",
        "atom supersede ATOM --intent 'The total is printed.'",
    ),
    *("atom clarify ATOM why --answer so", "invariant disable INV-003", "invariant enable INV-003"),
    *("invariant severity INV-003 warning", "invariant supersede INV-003 INV-004", "review --export decided.json"),
    *(f"accept {TEST}::test_total_adds_prices", f"debt add {TEST} --reason so", "evidence import report.xml"),
    *("evidence read report.xml", "attest import report.xml", "attest verify report.xml", "fixes claim FIX-1"),
    *("fixes complete FIX-1", "fixes release FIX-1 --reason so", "fixes show FIX-1", "questions show q-1"),
    *("questions answer q-1 --yes", "questions raise better_words ATOM", "transcripts show s"),
    *(
        "transcripts ingest session.jsonl --no-wait",
        "transcripts answer q-1 yes",
        "knowledge add Shop 'It opens at 8.'",
    ),
    *("knowledge flag K-1 --reason so", "knowledge show K-1", "thread new 'Title: Export'", "thread show THREAD"),
    *("thread say THREAD ok", "thread answer THREAD ok", "thread approve THREAD 1", "thread changes THREAD"),
    *("thread files .", "thread place THREAD 1=title", "agents install --yes", "annotate --to comment"),
)
# These go on until they are stopped.
SERVING: Final = frozenset({"serve", "health watch", "worker", "transcripts watch", "slack test"})


def every_command() -> tuple[str, ...]:
    """Each command of the program, with what it needs where the table has it."""
    plain = (name for name in leaves(cli, ()) if name not in SERVING)
    rest = (name for name in plain if not any(one.startswith(f"{name} ") for one in GIVEN))
    return (*GIVEN, "check", "scan", "reconcile", "apply", "recover", *rest)


def leaves(command: click.Command, path: tuple[str, ...]) -> Iterator[str]:
    if not isinstance(command, click.Group):
        yield " ".join(path)
        return
    if path and command.invoke_without_command:
        yield " ".join(path)
    context = click.Context(command)
    for name in command.list_commands(context):
        if found := command.get_command(context, name):
            yield from leaves(found, (*path, name))


PLAIN: Final = (0, 1, 2)


@dataclass(frozen=True, slots=True)
class Sound:
    """A repository with a pact and a thread, and files that commands are given."""

    project: Project
    names: Mapping[str, str]

    def words(self, command: str) -> list[str]:
        """The command with the names that this repository has."""
        return [self.names.get(word, word) for word in shlex.split(command)]


def ready(folder: Path) -> Sound:
    """The repository that bad files are put into."""
    project = new_project(folder / "ready" / "project")
    words = ("accept", f"{TEST}::test_total_adds_prices", "--intent", "The total adds prices up.")
    for command in (("init",), words, ("reconcile", "--all"), ("apply", "--all")):
        project.pk(*command, env=_home(project))
    project.commit("Adopt the pact")
    project.write("note.md", "# Basket\n\nAcceptance criteria:\n- The total is shown.\n")
    project.write("session.jsonl", '{"role":"user","content":"Pay the rent by 2026-03-01."}\n')
    project.write("report.xml", '<testsuite><testcase classname="tests.test_basket" name="test_total"/></testsuite>')
    thread = project.pk("thread", "new", "Title: Export", "--json", env=_home(project)).document["thread"]
    atom = project.pk("atom", "list", "--json", env=_home(project)).document["atoms"][0]["id"]
    return Sound(project, {"ATOM": atom, "THREAD": thread})


def _home(project: Project) -> dict[str, str]:
    folder = project.root.parent
    names = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("STATE", "CONFIG", "DATA", "CACHE")}
    return {"HOME": str(folder), **names}


@dataclass(frozen=True, slots=True)
class Said:
    """What one command ended with beside a bad file, what it said, and what of that it should not have."""

    command: str
    code: int
    told: str
    wrong: str


def said(sound: Sound, spoil: Spoil, commands: Sequence[str]) -> Iterator[Said]:
    """Run commands beside one bad file, each in a copy of its own."""
    for command in commands:
        with TemporaryDirectory(dir=memory()) as scratch:
            copy = shutil.copytree(sound.project.root.parent, Path(scratch) / "all", symlinks=True)
            project = Project(Path(copy) / "project")
            spoil(project)
            try:
                done = project.pk(*sound.words(command), code=None, env=_home(project))
            except (subprocess.TimeoutExpired, UnicodeError, ValueError) as error:
                yield Said(command, -1, "", f"{type(error).__name__}: {error}"[:300])
            else:
                yield Said(command, done.code, (done.out + done.err)[:300], _wrong(done))


def problems(sound: Sound, name: str, commands: Sequence[str]) -> Iterator[str]:
    """What commands say beside one bad file that they should not."""
    found = said(sound, BAD[name], commands)
    yield from (f"{name}: pk {one.command}: {one.wrong}" for one in found if one.wrong)


def _wrong(done: Result) -> str:
    both = done.out + done.err
    if done.code not in PLAIN:
        return f"exit {done.code}: {done.err[-1500:]}"
    if "Traceback (most recent call last)" in both:
        return f"a traceback: {both[-1500:]}"
    if done.code == 2 and not both.strip():
        return "exit 2 without a word"
    if any(character in both for character in "\x1b\x07\u202e"):
        return "a control character reached the terminal"
    return ""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench.hostile.bad_files")
    parser.add_argument("files", nargs="*", metavar="FILE", help="names from the table; default: all")
    asked = parser.parse_args(arguments)
    found, commands = 0, every_command()
    with TemporaryDirectory(dir=memory()) as scratch:
        sound = ready(Path(scratch))
        for name in asked.files or BAD:
            for one in problems(sound, name, commands):
                found += 1
                print(one, flush=True)
            print(f"{name}: done", file=sys.stderr, flush=True)
    print(f"{len(asked.files or BAD)} files x {len(commands)} commands: {found} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
