"""`pk pr`: report on a pull request what it does to the tests and the pact."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import document, note, say
from pactkeeper.doors.cli.parameters import as_json, in_workspace, workspace
from pactkeeper.errors import InputError, UsageError, WriteFailed
from pactkeeper.forges.deliveries import numbers_of
from pactkeeper.forges.github import app_tokens, open_forge
from pactkeeper.forges.port import Forge, comment_of, headline
from pactkeeper.operators import pull_requests
from pactkeeper.operators.pull_requests import BRANCH
from pactkeeper.personal import pace_of
from pactkeeper.published.plain import plain
from pactkeeper.repo.fetching import place_of
from pactkeeper.repo.named_file import read_named
from pactkeeper.repo.origin import origin_url
from pactkeeper.settings import environment
from pactkeeper.settings.forges import KINDS, ForgeSetup, forge_setup, git_host
from pactkeeper.workspace import Workspace

SCHEMA = "change/1"
MOST_READ = 5_000_000
MOST_ASKED = 10_000
_UNNUMBERED = {
    "nothing": "nothing to propose",
    "declined": f"the pull request of {BRANCH} was closed by hand; to have it reopened, delete that branch",
}


@click.group(cls=CommandGroup)
def command() -> None:
    """Report what a pull request promises, proves, weakens and leaves without intent.

    The token comes from PACTKEEPER_FORGE_TOKEN, GITHUB_TOKEN or GITLAB_TOKEN, or from a GitHub App.
    docs/pull-requests.md has the workflows.
    """


forge_option = click.option("--forge", "kind", type=click.Choice(KINDS), help="Default: taken from CI or the clone.")
repo_option = click.option("--repo", default="", metavar="OWNER/NAME", help="The repository on the forge.")


@command.command()
@click.option("--since", required=True, metavar="REF", help="The branch or commit that the change starts from.")
@click.option("--at", default="HEAD", show_default=True, metavar="REF", help="The last commit of the change.")
@as_json
def show(*, since: str, at: str, json_: bool) -> int:
    """Print the comment for two commits without contacting a forge; exit 1 if the change fails."""
    change = in_workspace(pull_requests.read_change, since, at)
    if json_:
        document({"holds": change.holds, **plain(change)}, SCHEMA)
    else:
        say(comment_of(change))
    return 0 if change.holds else 1


@command.command()
@click.argument("number", type=click.IntRange(min=1), required=False)
@forge_option
@repo_option
@click.option(
    "--answers", is_flag=True, help="Offer `/pk accept` lines, for repositories with a workflow that listens for them."
)
def report(number: int | None, *, kind: str | None, repo: str, answers: bool) -> int:
    """Set the status of pull request NUMBER and update its comment; exit 1 if the change fails.

    Missing commits are fetched and only read; nothing from a pull request is run.
    """
    with workspace() as (opened, _), _forge(opened, kind, repo) as (forge, setup):
        request = forge.pull_request(_number(number, setup))
        pull_requests.bring_here(opened, request)
        told = pull_requests.report_pull_request(opened, forge, request, answers=answers)
    _summarize(setup, told.text)
    if told.untold:
        note(f"the report is in the log only; the token may not comment on a pull request of a fork: {told.untold}")
        say(told.text)
    else:
        say(f"pull request {request.number}: {headline(told.change)}")
    return 0 if told.change.holds else 1


@command.command()
@click.argument("number", type=click.IntRange(min=1), required=False)
@click.option("--comment", metavar="ID", help="The comment with the request.")
@click.option("--event", type=click.Path(path_type=Path), help="The forge's JSON event that names both.")
@forge_option
@repo_option
def answer(number: int | None, *, comment: str | None, event: Path | None, kind: str | None, repo: str) -> None:
    """Carry out a comment's `/pk accept`, as a commit on the pull request's branch.

    The forge is asked whether the comment's author has write access; pull requests from forks are refused.
    """
    if event is not None:
        number, comment = numbers_of(_event(event))
    if not number or not comment:
        raise UsageError("which comment? give NUMBER and --comment ID, or --event FILE")
    with workspace() as (opened, _), _forge(opened, kind, repo) as (forge, _):
        done = pull_requests.answer_comment(opened, forge, number, comment)
    if done.commit:
        say(f"accepted for {done.by}: {', '.join(done.tests)}; pushed {done.commit[:12]}")
    else:
        say("the comment has no /pk accept")


@command.command()
@click.option(
    "--target", default="", metavar="BRANCH", help="The branch to propose to (default: origin's default branch)."
)
@click.option("--most", type=click.IntRange(min=1), default=50, show_default=True, metavar="N", help="At most N tests.")
@forge_option
@repo_option
def propose(*, target: str, most: int, kind: str | None, repo: str) -> None:
    """Open, update or close a pull request with what reconciling proposes.

    Merging it accepts everything in it. It is one commit on top of the target branch, on its own branch.
    """
    with workspace() as (opened, _), _forge(opened, kind, repo) as (forge, _):
        done = pull_requests.propose_branch(opened, forge, target=target, most=most)
    say(_UNNUMBERED.get(done.outcome) or f"pull request {done.number}: {done.outcome}")


@command.command()
@click.argument("operation", metavar="get|store|erase")
def credential(operation: str) -> None:
    """Act as git's credential helper, with a token of your GitHub App.

    For git's configuration, with credential.useHttpPath; docs/pull-requests.md shows how.
    """
    setup = forge_setup("github", "-")
    asked = dict(line.split("=", 1) for line in sys.stdin.read(MOST_ASKED).splitlines() if "=" in line)
    owner, _, name = asked.get("path", "").removesuffix(".git").strip("/").partition("/")
    if operation != "get" or setup.app is None or asked.get("host") != git_host(setup.base_url) or not name:
        return
    token = app_tokens(setup.app, setup.base_url, environment().personal).installed(f"{owner}/{name}").token
    say(f"username=x-access-token\npassword={token}")


def _event(place: Path) -> object:
    data = read_named(place, f"--event {str(place)!r}", most=MOST_READ)
    try:
        found: object = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{str(place)!r} is not a JSON event: {error}") from error
    return found


@contextmanager
def _forge(opened: Workspace, kind: str | None, repo: str) -> Iterator[tuple[Forge, ForgeSetup]]:
    """The forge that is named, or CI's, or the one that the clone comes from."""
    origin = origin_url(opened.repository)
    setup = forge_setup(kind or "", repo, origin=place_of(origin) if origin else "")
    pace = pace_of(opened.history().database) if opened.surroundings.database_url else None
    forge = open_forge(setup, pace, folder=opened.surroundings.personal)
    try:
        yield forge, setup
    finally:
        forge.close()


def _number(given: int | None, setup: ForgeSetup) -> int:
    number = given or setup.number
    if not number:
        raise UsageError("which pull request? give its NUMBER")
    return number


def _summarize(setup: ForgeSetup, text: str) -> None:
    if not setup.summary:
        return
    try:
        with Path(setup.summary).open("a", encoding="utf-8") as file:
            file.write(text + "\n")
    except OSError as error:
        raise WriteFailed(f"the summary {setup.summary!r} cannot be written: {error.strerror}") from error
