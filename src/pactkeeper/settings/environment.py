"""Environment variables, read once into one value.

For a watch, also the secret that signs a webhook, and the search path for programs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pactkeeper.errors import UsageError

JOB_VARIABLE: Final = "PACTKEEPER_JOB"
CREDENTIALS: Final = "git-credentials"
SPAN_VARIABLE: Final = "TRACEPARENT"
THRESHOLD_VARIABLE: Final = "PACTKEEPER_THRESHOLD"
TEAM_VARIABLE: Final = "PACTKEEPER_TEAM"
_LANGSMITH: Final = ("LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2", "LANGSMITH_TRACING", "LANGCHAIN_TRACING")
_SPAN_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
# By the variable that a CI system sets: its name, and the variables that say who runs what.
_CI_SYSTEMS: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "GITHUB_ACTIONS": (
        "github",
        {
            "server": "GITHUB_SERVER_URL",
            "repository": "GITHUB_REPOSITORY",
            "workflow": "GITHUB_WORKFLOW_REF",
            "run": "GITHUB_RUN_ID",
            "attempt": "GITHUB_RUN_ATTEMPT",
            "event": "GITHUB_EVENT_NAME",
            "actor": "GITHUB_ACTOR",
            "ref": "GITHUB_REF",
            "commit": "GITHUB_SHA",
        },
    ),
    "GITLAB_CI": (
        "gitlab",
        {
            "server": "CI_SERVER_URL",
            "repository": "CI_PROJECT_PATH",
            "run": "CI_PIPELINE_ID",
            "url": "CI_JOB_URL",
            "event": "CI_PIPELINE_SOURCE",
            "actor": "GITLAB_USER_LOGIN",
            "ref": "CI_COMMIT_REF_NAME",
            "commit": "CI_COMMIT_SHA",
        },
    ),
    "BUILDKITE": (
        "buildkite",
        {
            "url": "BUILDKITE_BUILD_URL",
            "run": "BUILDKITE_BUILD_ID",
            "actor": "BUILDKITE_BUILD_CREATOR",
            "ref": "BUILDKITE_BRANCH",
            "commit": "BUILDKITE_COMMIT",
        },
    ),
    "CIRCLECI": (
        "circleci",
        {
            "url": "CIRCLE_BUILD_URL",
            "run": "CIRCLE_WORKFLOW_ID",
            "actor": "CIRCLE_USERNAME",
            "ref": "CIRCLE_BRANCH",
            "commit": "CIRCLE_SHA1",
        },
    ),
    "TF_BUILD": (
        "azure",
        {
            "repository": "BUILD_REPOSITORY_NAME",
            "run": "BUILD_BUILDID",
            "actor": "BUILD_REQUESTEDFOR",
            "ref": "BUILD_SOURCEBRANCH",
            "commit": "BUILD_SOURCEVERSION",
        },
    ),
    "JENKINS_URL": ("jenkins", {"url": "BUILD_URL", "run": "BUILD_ID", "ref": "BRANCH_NAME", "commit": "GIT_COMMIT"}),
}


@dataclass(frozen=True, slots=True)
class Environment:
    """The settings from the environment; `ci` means that nobody can answer a question.

    `database_url` names the history database; it may hold a password and is never shown. `repository` is this
    repository's id in it, for clones that can't determine it themselves. `editor` is the command, with options, that a
    person edits text with. `claims` are what a CI system says about who runs what where, under our own names; empty
    elsewhere. `log` is a file for structured log lines; `spans` means that OpenTelemetry's own variables name an
    endpoint, `langsmith` that LangSmith's own turn it on. `personal` is the folder for data that belongs to the person
    rather than to a repository, `preferences` the one for personal settings files, `caches` the one for data that can
    be recreated, all following the XDG base directories. `trust` is the declaration of checks that CI trusts, or `any`.
    `job` is the job that a worker started this process for, with the token by which it may write; `parent_span` the W3C
    trace context that its spans belong to. `team` is the name under which threads, boards and transcripts are kept on
    the server of `database_url`, shared by all hosts that set it; empty if they belong to this account. `threshold`
    replaces `[inference] threshold` in a pact that doesn't set it.
    """

    ci: bool
    plain: bool
    processes: int
    database_url: str | None = field(default=None, repr=False)
    repository: str | None = None
    personal: Path | None = None
    preferences: Path | None = None
    caches: Path | None = None
    log: str | None = None
    spans: bool = False
    langsmith: bool = False
    editor: str = ""
    claims: Mapping[str, str] = field(default_factory=dict)
    trust: str = ""
    job: str = ""
    parent_span: str = ""
    team: str = ""
    threshold: float | None = None

    @property
    def credentials(self) -> Path | None:
        """A file of `https://USER:TOKEN@HOST` lines for git, in addition to its own helpers; None if there is none."""
        place = None if self.preferences is None else self.preferences / CREDENTIALS
        return place if place is not None and place.is_file() else None


def environment() -> Environment:
    """Read the environment once: CI variables, `NO_COLOR`, `VISUAL`, `EDITOR`, `PACTKEEPER_…` and the CPU count."""
    variables = os.environ
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Environment(
        ci=bool(variables.get("CI")),
        plain=bool(variables.get("NO_COLOR")),
        processes=cores,
        database_url=variables.get("PACTKEEPER_DATABASE_URL") or None,
        repository=variables.get("PACTKEEPER_REPOSITORY") or None,
        personal=_xdg(variables, "XDG_DATA_HOME", ".local/share"),
        preferences=_xdg(variables, "XDG_CONFIG_HOME", ".config"),
        caches=_xdg(variables, "XDG_CACHE_HOME", ".cache"),
        log=variables.get("PACTKEEPER_LOG") or None,
        spans=any(variables.get(name) for name in _SPAN_ENDPOINTS),
        langsmith=any(variables.get(name) == "true" for name in _LANGSMITH),
        editor=variables.get("VISUAL") or variables.get("EDITOR") or "",
        claims=_claims(variables),
        trust=variables.get("PACTKEEPER_TRUST_CHECKS", ""),
        job=variables.get(JOB_VARIABLE, ""),
        parent_span=variables.get(SPAN_VARIABLE, ""),
        team=_team(variables.get(TEAM_VARIABLE, ""), variables.get("PACTKEEPER_DATABASE_URL", "")),
        threshold=_share(variables.get(THRESHOLD_VARIABLE, "")),
    )


def _share(said: str) -> float | None:
    """A number from 0 to 1, or None for an empty text; raises UsageError for anything else."""
    if not said:
        return None
    if not re.fullmatch(r"0(?:\.\d{1,4})?|1(?:\.0{1,4})?", said):
        raise UsageError(f"{THRESHOLD_VARIABLE} is {said!r}, not a number from 0 to 1")
    return float(said)


def _team(said: str, url: str) -> str:
    """A plain name, which needs a Postgres URL; raises UsageError for anything else."""
    if said and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}", said):
        raise UsageError(f"{TEAM_VARIABLE} is {said!r}; use up to 40 letters, digits, dots, dashes and underscores")
    if said and not url.startswith("postgres"):
        raise UsageError(f"{TEAM_VARIABLE} is {said!r}, which needs PACTKEEPER_DATABASE_URL at Postgres")
    return said


def for_job(job: str, token: str, trace: str) -> dict[str, str]:
    """The variables of a job's process: this process's own, plus the job and the token by which it may write."""
    return {**os.environ, JOB_VARIABLE: f"{job} {token}", **({SPAN_VARIABLE: trace} if trace else {})}


def _claims(variables: Mapping[str, str]) -> dict[str, str]:
    for marker, (name, wanted) in _CI_SYSTEMS.items():
        if variables.get(marker):
            return {"ci": name, **{claim: found for claim, key in wanted.items() if (found := variables.get(key))}}
    return {"ci": "unnamed"} if variables.get("CI") else {}


def _xdg(variables: Mapping[str, str], variable: str, below_home: str) -> Path | None:
    """Our folder below the one that the variable names, or below the home folder; None if there is neither."""
    named = variables.get(variable, "")
    home = variables.get("HOME", "")
    if Path(named).is_absolute():
        return Path(named) / "pactkeeper"
    return Path(home) / below_home / "pactkeeper" if home else None


SHORTEST: Final = 16
_NAME: Final = re.compile(r"PACTKEEPER_[A-Z0-9_]{1,60}")


def webhook_secret(variable: str) -> str:
    """The secret in a variable; raises UsageError if the name is not allowed or the secret is too short.

    The name must begin with PACTKEEPER_, because such variables are removed before a project's checks run.
    """
    if not _NAME.fullmatch(variable):
        raise UsageError(f"checks would see {variable!r}; keep the secret in one like PACTKEEPER_WEBHOOK_SECRET")
    secret = os.environ.get(variable, "")
    if len(secret) < SHORTEST:
        raise UsageError(f"the variable {variable!r} holds no secret of at least {SHORTEST} characters; set it")
    return secret


def search_path() -> str:
    """The folders in which programs are looked up, as in `PATH`."""
    return os.environ.get("PATH", "")
