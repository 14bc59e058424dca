"""The verb behind webhooks: an event of a forge becomes a job for the repository that it is about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pactkeeper.errors import UsageError
from pactkeeper.forges.deliveries import Heard
from pactkeeper.operators.job_places import tree_of
from pactkeeper.operators.jobs import JobRequest, add_job, list_schedules, retry_job
from pactkeeper.operators.team import Team
from pactkeeper.repo.fetching import is_url, place_of
from pactkeeper.store.repositories import repositories
from pactkeeper.workspace import Workspace, open_workspace

AGAIN = ("failed", "cancelled")


@dataclass(frozen=True, slots=True)
class Received:
    """What became of an event: the job that does it, or why there is none; `new` says that nobody had added it."""

    job: str = ""
    new: bool = False
    why: str = ""


def receive_event(team: Team, heard: Heard, *, notice: Callable[[str], None]) -> Received:
    """Add the job that an event asks for; one that failed is run again. Raises UsageError for an unknown repository.

    Only repositories with a schedule for proposals are proposed to, so nobody gets a pull request that was not wanted.
    """
    name = _registered(team, heard)
    with (
        open_workspace(tree_of(name), notice=notice) as opened,
        opened.watching().stretch(f"webhook {heard.kind}", {"repository": name}),
    ):
        if heard.kind == "propose" and not _proposes(opened):
            return Received(why="no schedule proposes to this repository: pk jobs schedule NAME propose CRON")
        found = add_job(opened, JobRequest(heard.kind, files=heard.takes, occasion=heard.occasion))
        if not found.new and found.row.state in AGAIN:
            retry_job(opened.surroundings, found.row.id)
        return Received(found.row.id, found.new)


def _registered(team: Team, heard: Heard) -> str:
    places = {place_of(url) for url in heard.urls}
    for one in repositories(team.database):
        if is_url(one.place) and place_of(one.place) in places:
            return one.name
    raise UsageError(f"this server fetches nothing from {heard.urls[:1]!r}; pk repos add NAME URL")


def _proposes(opened: Workspace) -> bool:
    kinds = {(one.kind, one.place) for one in list_schedules(opened.surroundings) if not one.paused}
    return ("propose", str(opened.repository.root)) in kinds
