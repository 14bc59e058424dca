"""Background jobs of a team: which runs when, and on which host, kept in a durable queue (DBOS) on the team's Postgres.

Nothing here is loaded when one person works on one machine.
"""
