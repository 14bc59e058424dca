"""Every table of the history, defined once; `migrations/` bring a database to this schema.

A row belongs to one repository: it names the repository, or belongs to a run or patch that does; rows about a server
itself (accounts, tokens, audit, its repositories) belong to none. `number` reflects insertion order, which is what
"newest" refers to. A `…_key` stands for text that may be too long for an index.
"""

from pactkeeper.store.columns import METADATA
from pactkeeper.store.tables import conversations, runs, team

__all__ = ["METADATA", "conversations", "runs", "team"]
