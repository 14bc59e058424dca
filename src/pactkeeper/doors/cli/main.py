"""The `pk` program: a table of commands imported only when they run, and the one map from errors to exit codes."""

from __future__ import annotations

import errno
import os
import sys
from dataclasses import dataclass
from importlib import import_module
from io import TextIOWrapper

import click

from pactkeeper.errors import PactkeeperError, UsageError, WriteFailed

FOUND, USAGE, BUG, INTERRUPTED = 1, 2, 3, 130
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
REFUSALS = NO_ROOM | {errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG}


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a command lives and what `pk --help` says of it; the module has a `command` attribute."""

    module: str
    summary: str
    section: str


START, LOOK, INTENT, PROOF, ASK, TALK, CARE = SECTIONS = (
    "Every day",
    "Look closer",
    "Intent",
    "Evidence and health",
    "Questions, models, agents",
    "Conversations, boards, tickets",
    "Care",
)
COMMANDS: dict[str, Entry] = {
    "init": Entry("init", "Start a pact: what has no intent yet is recorded as debt.", START),
    "status": Entry("status", "Where the repository and its pact stand, on one screen.", START),
    "check": Entry("check", "Tell what has drifted; exit 1 if anything fails.", START),
    "guard": Entry("guard", "Tell what a change did to the tests; exit 1 if it weakened one.", START),
    "reconcile": Entry("reconcile", "Propose a patch that brings pact and tests into agreement.", START),
    "review": Entry("review", "Accept, edit or reject what the patch proposes.", START),
    "apply": Entry("apply", "Write the accepted part of the patch.", START),
    "accept": Entry("accept", "Propose, accept and apply for single tests in one step.", START),
    "words": Entry("words", "Say what tests are for, many at once, in an editor or a spreadsheet.", START),
    "undo": Entry("undo", "Take the last apply back, or one action on a board.", START),
    "gaps": Entry("gaps", "List what there is to do, the most urgent first.", START),
    "next": Entry("next", "Print the next task with the op that closes it.", START),
    "scan": Entry("scan", "List every test with its links.", LOOK),
    "delta": Entry("delta", "Compare tests with a commit: added, changed, moved, deleted.", LOOK),
    "structure": Entry("structure", "Show which files import each other, and what goes round in circles.", LOOK),
    "context": Entry("context", "Show what a test is about: assertions, code, documents.", LOOK),
    "docs": Entry("docs", "Search documents and documentation comments.", LOOK),
    "explain": Entry("explain", "Tell everything about one atom.", LOOK),
    "log": Entry("log", "Tell who decided what when.", LOOK),
    "trace": Entry("trace", "Follow an atom to its recommendation, run and test, and back.", LOOK),
    "runs": Entry("runs", "List, show, compare, cancel, recover and export runs.", LOOK),
    "recommendations": Entry("recommendations", "List what runs recommend; decide it in batches.", LOOK),
    "findings": Entry("findings", "List findings with their history; snooze or reject one.", LOOK),
    "policy": Entry("policy", "Explain which rule decides about an op.", LOOK),
    "intake": Entry("intake", "Propose atoms from a note, an issue or a feature file.", INTENT),
    "refine": Entry("refine", "Take a sentence apart: one behaviour or several, open questions, better words.", INTENT),
    "quality": Entry("quality", "Score the words of atoms, with reasons and suggestions.", INTENT),
    "conflicts": Entry("conflicts", "Find atoms that may contradict or repeat each other.", INTENT),
    "atom": Entry("atom", "List, read, search and write atoms.", INTENT),
    "molecule": Entry("molecule", "Show, create, keep, edit and nest groups of atoms.", INTENT),
    "commit": Entry("commit", "Freeze atoms: the act of a person, in a ceremony.", INTENT),
    "commitment": Entry("commitment", "List and show commitments.", INTENT),
    "supersede": Entry("supersede", "Declare what replaces an atom.", INTENT),
    "clarify": Entry("clarify", "Record what is meant by an atom, beside its words.", INTENT),
    "invariant": Entry("invariant", "List, explain, test and set the rules over pact and tests.", INTENT),
    "annotate": Entry("annotate", "Move links between test comments and pact/links.", INTENT),
    "debt": Entry("debt", "Show, add or prune recorded debt.", INTENT),
    "evidence": Entry("evidence", "Take in reports of test runs, and show what is proven.", PROOF),
    "attest": Entry("attest", "Vouch for a commit, and check what others vouched for.", PROOF),
    "sweep": Entry("sweep", "Run the project's own checks of a commit; exit 1 if any fails.", PROOF),
    "watch": Entry("watch", "Sweep whenever one is due, and tell planners of it.", PROOF),
    "health": Entry("health", "Tell whether main is green, since when, and what a sweep would run.", PROOF),
    "fixes": Entry("fixes", "Show, claim and complete the tasks that keep main green.", PROOF),
    "questions": Entry("questions", "List what rules could not settle; answer it.", ASK),
    "models": Entry("models", "Show which language model is set up; try it.", ASK),
    "mcp": Entry("mcp", "Serve coding agents by the Model Context Protocol.", ASK),
    "serve": Entry("serve", "Serve programs on this machine over REST.", ASK),
    "agents": Entry("agents", "Tell coding agents of this repository about its pact.", ASK),
    "transcripts": Entry("transcripts", "Read conversations with agents; keep what they produced.", TALK),
    "knowledge": Entry("knowledge", "Search and keep facts, relations and decisions with their sources.", TALK),
    "standup": Entry("standup", "Tell what was done on boards because of conversations; decide the rest.", TALK),
    "boards": Entry("boards", "List, test and show task boards and documents.", TALK),
    "thread": Entry("thread", "Turn what people say into a ticket: ask, show, approve, create.", TALK),
    "slack": Entry("slack", "Serve threads of Slack; test the set-up, print the app's manifest.", TALK),
    "tick": Entry("tick", "Do what is due: reminders and the ends of snoozes.", CARE),
    "resolve": Entry("resolve", "Settle what a merge of two branches left open in the pact.", CARE),
    "settle": Entry("settle", "Finish or roll back an interrupted write.", CARE),
}


class LazyGroup(click.Group):
    """A command group whose members are imported by name on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module; None lets click report an unknown name."""
        if cmd_name not in COMMANDS:
            return None
        found = import_module(f"pactkeeper.doors.cli.{COMMANDS[cmd_name].module}").command
        if not isinstance(found, click.Command):
            raise TypeError(f"{cmd_name!r} is not a command")
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the summaries from the table, so that help imports no command."""
        for section in SECTIONS:
            rows = [(name, entry.summary) for name, entry in COMMANDS.items() if entry.section == section]
            with formatter.section(section):
                formatter.write_dl(rows)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Exit codes: 0 in agreement, 1 findings, 2 usage or input, 3 bug, 130 interrupted.",
)
@click.option("-C", "folder", default=".", metavar="DIR", help="Work as if started in DIR.")
@click.version_option(package_name="pactkeeper", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context, folder: str) -> None:
    """Keep what a team declared and what is really there in agreement.

    The first ten minutes: `pk init`, then `pk reconcile PATH`, `pk review`, `pk apply`, `pk check`.
    """
    ctx.obj = folder


def run() -> None:
    """Run `pk` as a program: print errors on stderr and leave with the documented exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # None where it was closed before the start
            stream.reconfigure(errors="backslashreplace")  # a terminal of few letters gets escapes, not an error
    try:
        _see_that_here_exists()
        code = cli.main(standalone_mode=False)
    except click.exceptions.Abort:
        code = _interrupted()
    except KeyboardInterrupt:
        code = _interrupted()
    except click.ClickException as error:
        error.show()
        code = USAGE
    except PactkeeperError as error:
        _complain(error)
        code = error.exit_code
    except BrokenPipeError:
        code = _pipe_closed()
    except OSError as error:
        code = _refused(error)
    except Exception as error:  # noqa: BLE001 - the outermost door: a bug is reported as one, with its trace
        code = _bug(error)
    sys.exit(code if isinstance(code, int) else 0)


def _complain(error: PactkeeperError) -> None:
    from pactkeeper.doors.cli.output import note  # noqa: PLC0415 - most commands end without an error

    note(f"pk: {error}")


def _interrupted() -> int:
    click.echo("pk: interrupted; nothing was half-written", err=True)
    return INTERRUPTED


def _pipe_closed() -> int:
    # The reader went away, as in `pk scan | head`; what was not read is not an error.
    sys.stdout = None  # keeps the interpreter from flushing into the closed pipe
    return 0


def _see_that_here_exists() -> None:
    """Refuse to work where the folder that the shell is in was deleted meanwhile: no path means anything there."""
    try:
        os.getcwd()  # noqa: PTH109 - pathlib is not loaded for this
    except FileNotFoundError:
        raise UsageError("the folder that you are in no longer exists; change to one that does") from None


def _refused(error: OSError) -> int:
    """What the system refuses is no bug of ours where its reason says so."""
    if error.filename is None and error.errno in NO_ROOM:
        return _no_room(error)
    if error.filename is None or error.errno not in REFUSALS:
        return _bug(error)
    _complain(WriteFailed(f"{error.filename!r} cannot be used: {error.strerror}; see to that, then try again"))
    return USAGE


def _no_room(error: OSError) -> int:
    sys.stdout = None  # what is still buffered cannot be written either
    click.echo(f"pk: the output cannot be written: {error.strerror}", err=True)
    return USAGE


def _bug(error: Exception) -> int:
    import traceback  # noqa: PLC0415 - only needed on the way out

    traceback.print_exception(error)
    click.echo(
        f"pk: this is a bug in Pactkeeper ({type(error).__name__}); please report it with the lines above", err=True
    )
    return BUG
