"""Every table of the history, one definition each; `migrations/` brings a database to this shape.

A row belongs to one repository: it names it, or it belongs to a run or patch that does. `number` counts rows in the
order they came, which is what "newest" means. A `…_key` stands for a text that may be too long for an index.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
    UniqueConstraint,
)

from pactkeeper.store.columns import Json, Words

METADATA: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _number() -> Column[int]:
    return Column("number", Integer, primary_key=True, autoincrement=True)


def _words(name: str, *, key: bool = False) -> Column[str]:
    return Column(name, Words, primary_key=key, nullable=False)


def _maybe(name: str) -> Column[str | None]:
    return Column(name, Words, nullable=True)


def _whole(name: str, *, key: bool = False) -> Column[int]:
    return Column(name, Integer, primary_key=key, nullable=False, autoincrement=False)


def _large(name: str) -> Column[int]:
    """A whole number that counts bytes of a file."""
    return Column(name, BigInteger, nullable=False, autoincrement=False)


def _json(name: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, Json, nullable=nullable)


def _of(table: str, name: str, *, key: bool = False) -> Column[int]:
    """A reference to a run or patch by its number; the rows go when it goes."""
    target = ForeignKey(f"{table}.number", ondelete="CASCADE")
    return Column(name, Integer, target, primary_key=key, nullable=False, autoincrement=False)


RUNS: Final = Table(
    "runs",
    METADATA,
    _number(),
    _words("repository"),
    _words("id"),
    _words("root"),
    _words("mode"),
    _words("created_at"),
    _words("updated_at"),
    _words("status"),
    _words("phase"),
    _maybe("commit"),
    _words("base"),
    _maybe("baseline_run"),
    _maybe("baseline_commit"),
    _json("options"),
    _json("summary"),
    _maybe("patch"),
    _words("owner"),
    _words("error"),
    _words("cancel_requested_by"),
    _words("completed_at"),
    UniqueConstraint("repository", "id"),
    Index(None, "repository", "status", "number"),
)

PATCHES: Final = Table(
    "patches",
    METADATA,
    _number(),
    _words("repository"),
    _words("id"),
    _words("hash"),
    _words("base"),
    _json("sources"),
    _json("summary"),
    UniqueConstraint("repository", "id"),
)

# A run that goes on after an answer makes another patch, and two runs of one state make the same patch.
RUN_PATCHES: Final = Table(
    "run_patches",
    METADATA,
    _number(),
    _of("runs", "run"),
    _of("patches", "patch"),
    UniqueConstraint("run", "patch"),
    Index(None, "patch"),
)

OPS: Final = Table(
    "ops",
    METADATA,
    _of("patches", "patch", key=True),
    _whole("position", key=True),
    _words("id"),
    _words("verb"),
    _words("shown_hash"),
    _maybe("test_key"),
    _maybe("body_hash"),
    _maybe("atom"),
    _words("text"),
    UniqueConstraint("patch", "id"),
    Index(None, "patch", "verb"),
    Index(None, "id"),
    Index(None, "test_key"),
    Index(None, "atom"),
)

# The findings and questions of a patch as it shows them; what became of them stands in tables of their own.
PARTS: Final = Table(
    "parts",
    METADATA,
    _of("patches", "patch", key=True),
    _words("kind", key=True),
    _whole("position", key=True),
    _words("text"),
)

DECISIONS: Final = Table(
    "decisions",
    METADATA,
    _number(),
    _whole("patch"),
    _words("op"),
    _words("shown_hash"),
    _words("verdict"),
    _words("decided_by"),
    _words("decided_at"),
    _words("actor"),
    _words("assurance"),
    _words("reason"),
    _json("edited", nullable=True),
    ForeignKeyConstraint(["patch", "op"], ["ops.patch", "ops.id"], ondelete="CASCADE"),
    Index(None, "patch", "op", "number"),
)

PROPOSALS: Final = Table(
    "proposals",
    METADATA,
    _number(),
    _words("repository"),
    _words("patch"),
    _words("text"),
    Index(None, "repository", "patch", "number"),
)

APPLICATIONS: Final = Table(
    "applications",
    METADATA,
    _words("repository", key=True),
    _words("entry", key=True),
    _words("op", key=True),
    _words("patch"),
    _words("applied_at"),
    Index(None, "repository", "op"),
)

UNDOS: Final = Table(
    "undos",
    METADATA,
    _words("repository", key=True),
    _words("entry", key=True),
    _words("by_entry", key=True),
    _words("undone_at"),
)

TEST_RECORDS: Final = Table(
    "test_records",
    METADATA,
    _of("runs", "run", key=True),
    _words("test_key", key=True),
    _words("test_id"),
    _words("file_path"),
    _words("test_name"),
    _whole("line_number"),
    _words("body_hash"),
    _words("node"),
    _words("outcome"),
    _words("inference"),
    _words("created_at"),
    _maybe("recommendation"),
    Index(None, "test_key", "run"),
    Index(None, "body_hash"),
)

MOLECULE_RECOMMENDATIONS: Final = Table(
    "molecule_recommendations",
    METADATA,
    _of("runs", "run", key=True),
    _words("id", key=True),
    _whole("position"),
    _words("name"),
    _words("description"),
    _json("atom_recommendation_ids"),
    _json("atom_ids"),
    _words("confidence"),
    _words("status"),
    _maybe("molecule_id"),
    _words("created_at"),
    Index(None, "run", "status"),
    Index(None, "id"),
)

FINDINGS: Final = Table(
    "findings",
    METADATA,
    _number(),
    _words("repository"),
    _words("fingerprint"),
    _words("code"),
    _words("text"),
    _words("first_run"),
    _words("last_run"),
    _words("first_at"),
    _words("last_at"),
    UniqueConstraint("repository", "fingerprint"),
)

STANDINGS: Final = Table(
    "standings",
    METADATA,
    _number(),
    _words("repository"),
    _words("fingerprint"),
    _words("state"),
    _whole("failures"),
    _words("evidence_hash"),
    _words("until"),
    _words("said_by"),
    _words("reason"),
    _words("said_at"),
    ForeignKeyConstraint(
        ["repository", "fingerprint"], ["findings.repository", "findings.fingerprint"], ondelete="CASCADE"
    ),
    Index(None, "repository", "fingerprint", "number"),
)

QUESTIONS: Final = Table(
    "questions",
    METADATA,
    _of("runs", "run", key=True),
    _words("id", key=True),
    _whole("position"),
    _words("kind"),
    _words("text"),
    Index(None, "id"),
)

ANSWERS: Final = Table(
    "answers",
    METADATA,
    _number(),
    _words("repository"),
    _words("question"),
    _json("value", nullable=True),
    _words("answerer"),
    _words("answered_by"),
    _words("answered_at"),
    Index(None, "repository", "question", "number"),
)

CURSORS: Final = Table(
    "cursors",
    METADATA,
    _words("repository", key=True),
    _words("source_key", key=True),
    _words("source"),
    _words("kind"),
    _words("position"),
    _whole("offset"),
)

TRACE: Final = Table(
    "trace",
    METADATA,
    _of("runs", "run", key=True),
    _whole("sequence", key=True),
    _words("node"),
    _words("at"),
    _whole("milliseconds"),
    _json("counts"),
    _words("note"),
)

TEST_OUTCOMES: Final = Table(
    "test_outcomes",
    METADATA,
    _number(),
    _words("repository"),
    _words("test_key"),
    _words("commit"),
    _words("source"),
    _words("test_id"),
    _words("body_hash"),
    _words("file_blob"),
    _words("outcome"),
    _words("at"),
    _words("instant"),
    UniqueConstraint("repository", "test_key", "commit", "source"),
)

ATTESTATIONS: Final = Table(
    "attestations",
    METADATA,
    _number(),
    _words("repository"),
    _words("commit"),
    _words("hash"),
    _words("catalog_hash"),
    _words("origin"),
    _words("attested_by"),
    _words("at"),
    _words("instant"),
    _words("text"),
    _words("signature"),
    UniqueConstraint("repository", "hash"),
    Index(None, "repository", "commit"),
)

TIMERS: Final = Table(
    "timers",
    METADATA,
    _words("repository", key=True),
    _words("id", key=True),
    _words("kind"),
    _words("subject"),
    _words("due_at"),
    _json("payload"),
    _words("done_at"),
    Index(None, "repository", "done_at", "due_at"),
)

REFUSED_ANSWERS: Final = Table(
    "refused_answers",
    METADATA,
    _number(),
    _words("repository"),
    _words("question"),
    _json("value", nullable=True),
    _json("reasons"),
    _whole("final"),
    _words("answerer"),
    _words("answered_by"),
    _words("answered_at"),
    Index(None, "repository", "question", "number"),
)

MODEL_CALLS: Final = Table(
    "model_calls",
    METADATA,
    _number(),
    _words("repository"),
    _words("run"),
    _words("question"),
    _words("kind"),
    _words("version"),
    _words("model"),
    _words("at"),
    _words("instant"),
    _whole("input_tokens"),
    _whole("output_tokens"),
    Column("money", Integer, nullable=True),
    _whole("milliseconds"),
    _words("state"),
    _whole("cached"),
    Index(None, "repository", "run", "number"),
    Index(None, "repository", "instant"),
)

MODEL_ANSWERS: Final = Table(
    "model_answers",
    METADATA,
    _words("repository", key=True),
    _words("prompt_key", key=True),
    _words("model", key=True),
    _words("endpoint", key=True),
    _words("version"),
    _json("value", nullable=True),
    _words("at"),
)

CONVERSATIONS: Final = Table(
    "conversations",
    METADATA,
    _number(),
    _words("repository"),
    _words("id"),
    _words("source"),
    _words("file"),
    _words("session"),
    _words("kind"),
    _words("cwd"),
    _words("branch"),
    _words("first_at"),
    _words("last_at"),
    _whole("entries"),
    _whole("replays"),
    _large("offset"),
    _words("uuid"),
    _words("inode"),
    _large("size"),
    _words("head"),
    _whole("head_length"),
    _words("tail"),
    _json("context"),
    _json("gaps"),
    _whole("gap_count"),
    _words("read_at"),
    UniqueConstraint("repository", "id"),
)

# Every record that was read, so that a fork or a resumed session does not bring it a second time.
ENTRIES: Final = Table(
    "entries",
    METADATA,
    _words("repository", key=True),
    _words("uuid_key", key=True),
    _of("conversations", "conversation"),
    _large("first_byte"),
    _large("end_byte"),
    _words("role"),
    _words("at"),
    Index(None, "conversation", "first_byte"),
)

ARTIFACTS: Final = Table(
    "artifacts",
    METADATA,
    _number(),
    _words("repository"),
    _words("id"),
    _words("fingerprint"),
    _of("conversations", "conversation"),
    _words("type"),
    _words("title"),
    _words("summary"),
    _words("domain"),
    _words("at"),
    _words("value"),
    _words("persistence"),
    _words("evidence"),
    _words("target"),
    _words("change"),
    _whole("strength"),
    _whole("explicitness"),
    _words("identity"),
    _json("entities"),
    _json("facts"),
    _json("excerpts"),
    _words("found_at"),
    UniqueConstraint("repository", "fingerprint"),
    Index(None, "repository", "type", "number"),
    Index(None, "repository", "id"),
)

# Each time an artifact was met; conversations that show the same one corroborate it.
SIGHTINGS: Final = Table(
    "sightings",
    METADATA,
    _of("artifacts", "artifact", key=True),
    _of("conversations", "conversation", key=True),
    _words("entry_key", key=True),
    _words("at"),
    Index(None, "conversation"),
)

KNOWLEDGE: Final = Table(
    "knowledge",
    METADATA,
    _number(),
    _words("repository"),
    _words("id"),
    _words("kind"),
    _words("subject_key"),
    _words("subject"),
    _words("text"),
    _words("predicate"),
    _words("object"),
    _words("domain"),
    _words("since"),
    _words("until"),
    _words("by"),
    _words("quote"),
    _words("at"),
    _words("conversation"),
    _words("artifact"),
    _words("entry"),
    _json("span"),
    _words("recorded_at"),
    UniqueConstraint("repository", "id"),
)

KNOWLEDGE_MARKS: Final = Table(
    "knowledge_marks",
    METADATA,
    _number(),
    _words("repository"),
    _words("item"),
    _words("kind"),
    _words("other"),
    _words("reason"),
    _words("by"),
    _words("at"),
    Index(None, "repository", "item"),
)

RECONCILIATIONS: Final = Table(
    "reconciliations",
    METADATA,
    _number(),
    _words("repository"),
    _words("id"),
    _words("at"),
    _words("text"),
    Index(None, "repository", "id"),
)

SETTLEMENTS: Final = Table(
    "settlements",
    METADATA,
    _number(),
    _words("repository"),
    _words("question"),
    _json("value"),
    _words("answerer"),
    _words("by"),
    _words("at"),
    Index(None, "repository", "question"),
)

# What became of an action, by the id of its op; the steps are what happened to it, appended and never changed.
DEEDS: Final = Table(
    "deeds",
    METADATA,
    _number(),
    _words("repository"),
    _words("id"),
    _words("fingerprint"),
    _words("artifact"),
    _words("verb"),
    _words("standing"),
    _whole("automatic"),
    _words("began_at"),
    _words("at"),
    _words("seen_at"),
    _json("text"),
    UniqueConstraint("repository", "id"),
    Index(None, "repository", "standing", "number"),
)

DEED_STEPS: Final = Table(
    "deed_steps",
    METADATA,
    _number(),
    _words("repository"),
    _words("action"),
    _words("step"),
    _words("at"),
    _words("by"),
    _words("reason"),
    _json("written", nullable=True),
    Index(None, "repository", "action", "number"),
)

SWEEPS: Final = Table(
    "sweeps",
    METADATA,
    _number(),
    _words("repository"),
    _words("id"),
    _words("commit"),
    _words("branch"),
    _words("started_at"),
    _words("ended_at"),
    _whole("stale"),
    _words("infrastructure"),
    _json("tasks"),
    UniqueConstraint("repository", "id"),
)

SWEEP_RESULTS: Final = Table(
    "sweep_results",
    METADATA,
    _of("sweeps", "sweep", key=True),
    _whole("position", key=True),
    _words("check_name"),
    _words("category"),
    _words("verdict"),
    _words("reason"),
    _json("code", nullable=True),
    _whole("milliseconds"),
    _json("seen", nullable=True),
)

HEALTH_FINDINGS: Final = Table(
    "health_findings",
    METADATA,
    _number(),
    _words("repository"),
    _words("fingerprint"),
    _words("state"),
    _words("first_sweep"),
    _words("last_sweep"),
    _json("text"),
    UniqueConstraint("repository", "fingerprint"),
    Index(None, "repository", "state", "number"),
)

FIX_TASKS: Final = Table(
    "fix_tasks",
    METADATA,
    _number(),
    _words("repository"),
    _words("id"),
    _words("status"),
    _json("text"),
    UniqueConstraint("repository", "id"),
    Index(None, "repository", "status", "number"),
)

THREADS: Final = Table(
    "threads",
    METADATA,
    _number(),
    _words("repository"),
    _words("id"),
    _words("channel"),
    _words("place"),
    _words("opened_by"),
    _words("opened_at"),
    UniqueConstraint("repository", "id"),
)

THREAD_MESSAGES: Final = Table(
    "thread_messages",
    METADATA,
    _number(),
    _words("repository"),
    _words("thread"),
    _words("id"),
    _whole("sequence"),
    _words("author"),
    _words("at"),
    _json("text"),
    UniqueConstraint("repository", "thread", "id"),
    Index(None, "repository", "thread", "sequence"),
)

THREAD_DRAFTS: Final = Table(
    "thread_drafts",
    METADATA,
    _number(),
    _words("repository"),
    _words("thread"),
    _whole("version"),
    _words("hash"),
    _words("at"),
    _json("text"),
    _json("patches"),
    UniqueConstraint("repository", "thread", "version"),
)

THREAD_ASKS: Final = Table(
    "thread_asks",
    METADATA,
    _number(),
    _words("repository"),
    _words("thread"),
    _words("id"),
    _whole("round"),
    _words("asked_at"),
    _words("closed_at"),
    _words("closed_by"),
    _json("text"),
    UniqueConstraint("repository", "thread", "id", "round"),
)

THREAD_CONSTRAINTS: Final = Table(
    "thread_constraints",
    METADATA,
    _number(),
    _words("repository"),
    _words("thread"),
    _words("key_name"),
    _words("key"),
    _words("value"),
    _words("status"),
    _words("at"),
    _json("said"),
    Index(None, "repository", "key_name", "number"),
)

THREAD_EVENTS: Final = Table(
    "thread_events",
    METADATA,
    _number(),
    _words("repository"),
    _words("thread"),
    _words("id"),
    _words("position"),
    _words("state"),
    _whole("run"),
    _words("due_at"),
    _json("text"),
    UniqueConstraint("repository", "thread", "id"),
    Index(None, "repository", "state", "thread", "position"),
)

THREAD_STATES: Final = Table(
    "thread_states",
    METADATA,
    _words("repository", key=True),
    _words("thread", key=True),
    _json("text"),
)

THREAD_STEPS: Final = Table(
    "thread_steps",
    METADATA,
    _number(),
    _words("repository"),
    _words("thread"),
    _whole("run"),
    _words("node"),
    _words("at"),
    _whole("milliseconds"),
    _words("reason"),
    _json("changed"),
    Index(None, "repository", "thread", "number"),
)

THREAD_POSTS: Final = Table(
    "thread_posts",
    METADATA,
    _number(),
    _words("repository"),
    _words("thread"),
    _words("key"),
    _words("at"),
    _words("said_at"),
    _words("ref"),
    _json("text"),
    UniqueConstraint("repository", "thread", "key"),
    Index(None, "repository", "said_at", "number"),
)

THREAD_TICKETS: Final = Table(
    "thread_tickets",
    METADATA,
    _number(),
    _words("repository"),
    _words("thread"),
    _words("key"),
    _words("state"),
    _json("text"),
    UniqueConstraint("repository", "thread", "key"),
)
