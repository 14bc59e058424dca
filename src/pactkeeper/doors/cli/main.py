"""The `pk` program: a table of commands imported on use, and the only mapping from errors to exit codes."""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
from collections.abc import Callable
from io import TextIOWrapper
from typing import Final

import click

from pactkeeper.doors.cli.groups import CommandEntry, CommandGroup
from pactkeeper.errors import PactkeeperError, UsageError, WriteFailed

MOST_NEW: Final = 200_000  # values before cycles are looked for: a command makes many values and few cycles
FOUND, USAGE, BUG, INTERRUPTED = 1, 2, 3, 130
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
REFUSALS = NO_ROOM | {errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG}


START, LOOK, INTENT, PROOF, ASK, TALK, TEAM, CARE = SECTIONS = (
    "Main commands",
    "Look closer",
    "Intent",
    "Evidence and health",
    "Models and agents",
    "Conversations and tickets",
    "Team server",
    "Upkeep",
)
DESCRIBED: Final = (START, LOOK)  # the sections `pk --help` describes; for the others it lists names
# A name of two words is a member of the group named by its first word.
COMMANDS: dict[str, CommandEntry] = {
    "init": CommandEntry("init", "Start a pact; tests without intent are recorded as debt.", START),
    "status": CommandEntry("status", "Show the state of the repository and its pact.", START),
    "check": CommandEntry("check", "Compare tests with the pact; exit 1 if anything drifted.", START),
    "guard": CommandEntry("guard", "Compare tests with a branch; exit 1 if a change weakened one.", START),
    "reconcile": CommandEntry("reconcile", "Propose a patch that brings pact and tests into agreement.", START),
    "review": CommandEntry("review", "Accept, edit or reject what the patch proposes.", START),
    "apply": CommandEntry("apply", "Write the accepted part of the patch.", START),
    "accept": CommandEntry(
        "reconcile:accept_command", "Propose, accept and apply for single tests in one step.", START
    ),
    "words": CommandEntry("words", "Say what tests are for, many at once, in an editor or a spreadsheet.", START),
    "commit": CommandEntry("commit", "Freeze atoms: a person promises to keep them.", START),
    "undo": CommandEntry("apply:undo_command", "Undo the last apply, or one action on a board.", START),
    "next": CommandEntry("status:next_", "Print the next task and the command that closes it.", START),
    "gaps": CommandEntry("status:gaps_command", "List all open tasks, the most urgent first.", LOOK),
    "scan": CommandEntry("scan", "List every test with its links.", LOOK),
    "delta": CommandEntry("scan:delta_command", "Compare tests with a commit: added, changed, moved, deleted.", LOOK),
    "explain": CommandEntry("explain", "Show everything about one atom.", LOOK),
    "context": CommandEntry("docs:context", "Show what a test is about: assertions, code, documents.", LOOK),
    "ask": CommandEntry("chat:ask_command", "Answer a question in words, with the lines that prove it.", LOOK),
    "pr": CommandEntry("pr", "Report to a pull request what it promises, proves and weakens.", LOOK),
    "report": CommandEntry("status:report_command", "Write a page, a summary or a badge of the current state.", LOOK),
    "trace": CommandEntry("log:trace", "Follow an atom to its recommendation, run and test, and back.", LOOK),
    "log": CommandEntry("log", "Show who decided what, and when.", LOOK),
    "structure": CommandEntry("scan:structure_command", "Show which files import each other, and the cycles.", LOOK),
    "docs": CommandEntry("docs", "Search documents and documentation comments.", LOOK),
    "atom": CommandEntry("atom", "List, read, search and write atoms.", INTENT),
    "atom new": CommandEntry("atom_writing:new", "Declare what the program does, in one sentence.", INTENT),
    "atom edit": CommandEntry("atom_writing:edit", "Change a draft or a proposal.", INTENT),
    "atom propose": CommandEntry("atom_writing:propose", "Make a draft a proposal.", INTENT),
    "atom abandon": CommandEntry("atom_writing:abandon", "Give an atom up but keep its record.", INTENT),
    "atom remove": CommandEntry("atom_writing:remove", "Remove a draft or a proposal from the pact.", INTENT),
    "atom supersede": CommandEntry("atom_writing:supersede", "Declare that one atom replaces another.", INTENT),
    "atom clarify": CommandEntry(
        "atom_writing:clarify", "Record what an atom means, without changing its words.", INTENT
    ),
    "atom refine": CommandEntry("quality:refine", "Split a sentence into behaviours, with open questions.", INTENT),
    "atom quality": CommandEntry("quality", "Score the words of atoms, with reasons and suggestions.", INTENT),
    "atom conflicts": CommandEntry(
        "quality:conflicts_command", "Find atoms that may contradict or repeat each other.", INTENT
    ),
    "atom import": CommandEntry("intake", "Propose atoms from a note, an issue or a feature file.", INTENT),
    "molecule": CommandEntry("molecule", "List, show and edit groups of atoms.", INTENT),
    "commitment": CommandEntry("commit:commitment_command", "List and show commitments.", INTENT),
    "invariant": CommandEntry("invariant", "List, show, test and configure the rules for pact and tests.", INTENT),
    "annotate": CommandEntry("init:annotate_command", "Move links between test comments and the pact.", INTENT),
    "debt": CommandEntry("init:debt_command", "List, add or prune recorded debt.", INTENT),
    "runs": CommandEntry("runs", "List, show, compare, cancel, recover and export runs.", PROOF),
    "recommendations": CommandEntry(
        "findings:recommendations_command", "List the recommendations of runs; decide in batches.", PROOF
    ),
    "findings": CommandEntry("findings", "List findings with their history; snooze or reject one.", PROOF),
    "questions": CommandEntry("questions", "List and answer questions that rules could not decide.", PROOF),
    "policy": CommandEntry("log:policy_command", "Explain which rule decides about an op.", PROOF),
    "evidence": CommandEntry("evidence", "Import test reports, and show what is proven.", PROOF),
    "attest": CommandEntry("evidence:attest_command", "Write, sign and verify an attestation of a commit.", PROOF),
    "health": CommandEntry("health", "Show whether main is green, and since when.", PROOF),
    "health sweep": CommandEntry("sweep", "Run the project's own checks of a commit; exit 1 if any fails.", PROOF),
    "health watch": CommandEntry("sweep:watch_command", "Sweep whenever one is due, and notify planners.", PROOF),
    "fixes": CommandEntry("fixes", "List, show, claim and complete tasks that fix a red main branch.", PROOF),
    "chat": CommandEntry("chat", "Ask question after question, with choices in one word.", ASK),
    "models": CommandEntry("models", "Show the configured language model; test it.", ASK),
    "agents": CommandEntry("agents", "Tell the coding agents that work here about the pact.", ASK),
    "mcp": CommandEntry("serve:mcp_command", "Serve coding agents over the Model Context Protocol.", ASK),
    "serve": CommandEntry("serve", "Serve the web pages and the REST API, on this machine or to a team.", ASK),
    "transcripts": CommandEntry("transcripts", "Read conversations with coding agents; keep what they produced.", TALK),
    "transcripts standup": CommandEntry("standup", "Do what conversations clearly call for; ask about the rest.", TALK),
    "knowledge": CommandEntry("knowledge", "Search and keep facts, relations and decisions with their sources.", TALK),
    "boards": CommandEntry("boards", "List, test and show task boards and documents.", TALK),
    "thread": CommandEntry("thread", "Turn a conversation into a ticket: ask, preview, approve, create.", TALK),
    "slack": CommandEntry("serve:slack", "Serve Slack threads; test the set-up, print the app's manifest.", TALK),
    "users": CommandEntry("team:users_command", "Add, list, change and disable the accounts of a server.", TEAM),
    "tokens": CommandEntry("team:tokens_command", "Add, list and revoke the tokens of programs and agents.", TEAM),
    "audit": CommandEntry("team:audit", "Show who did what on a server.", TEAM),
    "repos": CommandEntry("team:repos_command", "Add, list, fetch and remove the repositories of a server.", TEAM),
    "jobs": CommandEntry("jobs", "List, show, cancel and retry jobs, and show their schedules.", TEAM),
    "worker": CommandEntry("jobs:worker_command", "Run jobs from the team's queue until stopped.", TEAM),
    "tick": CommandEntry("upkeep:tick_command", "Do what is due: reminders, ended snoozes, waiting threads.", CARE),
    "doctor": CommandEntry("upkeep:doctor", "Check that everything Pactkeeper needs is there.", CARE),
    "resolve": CommandEntry("resolve", "Resolve what a merge of two branches left open in the pact.", CARE),
    "recover": CommandEntry("upkeep:recover", "Finish or roll back an interrupted write.", CARE),
    "completion": CommandEntry("upkeep:completion", "Print the completion script for bash, zsh or fish.", CARE),
}


class Program(CommandGroup):
    """`pk` itself: the main commands with their summaries, then the names of the rest."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Print the help from the table, so that it imports no command."""
        for section in DESCRIBED:
            with formatter.section(section):
                formatter.write_dl([(name, self.entries[name].summary) for name in self._names(section)])
        with formatter.section("More (`pk NAME --help` shows what each can do)"):
            rest = [section for section in SECTIONS if section not in DESCRIBED]
            formatter.write_dl([(section, ", ".join(self._names(section))) for section in rest])

    def _names(self, section: str) -> list[str]:
        return [name for name, entry in self.entries.items() if entry.section == section and " " not in name]


@click.group(
    cls=Program,
    entries=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Exit codes: 0 in agreement, 1 findings, 2 usage or input, 3 bug, 130 interrupted.",
)
@click.option("-C", "folder", default=".", metavar="DIR", help="Run as if started in DIR.")
@click.version_option(package_name="pactkeeper", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context, folder: str) -> None:
    """Keep what a team declared and what its tests check in agreement.

    Start with `pk init`, `pk reconcile PATH`, `pk review`, `pk apply`, `pk check`.
    """
    ctx.obj = folder


def run() -> None:
    """Run `pk` as a program: print errors on stderr and leave with the documented exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # None if it was closed before the start
            stream.reconfigure(errors="backslashreplace")  # a limited encoding gets escapes, not an error
    gc.set_threshold(MOST_NEW, 20)
    try:
        _see_that_the_system_is_known()
        _see_that_here_exists()
        code = cli.main(standalone_mode=False)
    except click.exceptions.Abort:
        code = _interrupted()
    except KeyboardInterrupt:
        code = _interrupted()
    except click.ClickException as error:
        _say(error.show)
        code = USAGE
    except PactkeeperError as error:
        _complain(error)
        code = error.exit_code
    except BrokenPipeError:
        code = _pipe_closed()
    except OSError as error:
        code = _refused(error)
    except Exception as error:  # noqa: BLE001 - the outermost frame: a bug is reported as one, with its traceback
        code = _bug(error)
    gc.freeze()  # the process ends, so there is no point in looking for cycles once more
    sys.exit(code if isinstance(code, int) else 0)


def _complain(error: PactkeeperError) -> None:
    from pactkeeper.doors.cli.output import note  # noqa: PLC0415 - most commands end without an error

    _say(lambda: note(f"pk: {error}"))


def _say(show: Callable[[], object]) -> None:
    """Print on stderr; if that fails too, only the exit code remains."""
    try:
        show()
    except OSError:
        sys.stderr = None  # keeps the interpreter from changing the exit code at shutdown


def _interrupted() -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one during shutdown would become the exit code
    _say(lambda: click.echo("pk: interrupted; nothing was half-written", err=True))
    return INTERRUPTED


def _pipe_closed() -> int:
    # The reader is gone, as in `pk scan | head`; unread output is not an error.
    sys.stdout = None  # keeps the interpreter from flushing into the closed pipe
    return 0


def _see_that_the_system_is_known() -> None:
    """Refuse to run on systems without the file locks Pactkeeper uses."""
    if os.name != "posix":
        raise UsageError("Pactkeeper runs on Linux and macOS; on Windows, run it in WSL")


def _see_that_here_exists() -> None:
    """Refuse to run in a deleted folder, where no path can be resolved."""
    try:
        os.getcwd()  # noqa: PTH109 - pathlib is not loaded for this
    except FileNotFoundError:
        raise UsageError("the current folder no longer exists; change to one that does") from None


def _refused(error: OSError) -> int:
    """Report an error of the operating system; it is a bug unless its reason is a known refusal."""
    if error.filename is None and error.errno in NO_ROOM:
        return _no_room(error)
    if error.filename is None or error.errno not in REFUSALS:
        return _bug(error)
    _complain(WriteFailed(f"{error.filename!r} cannot be used: {error.strerror}; fix that, then try again"))
    return USAGE


def _no_room(error: OSError) -> int:
    sys.stdout = None  # what is still buffered can't be written either
    _say(lambda: click.echo(f"pk: the output cannot be written: {error.strerror}", err=True))
    return USAGE


def _bug(error: Exception) -> int:
    _say(lambda: _trace(error))
    return BUG


def _trace(error: Exception) -> None:
    import traceback  # noqa: PLC0415 - only needed on the way out

    traceback.print_exception(error)
    click.echo(
        f"pk: this is a bug in Pactkeeper ({type(error).__name__}); please report it with the lines above", err=True
    )
