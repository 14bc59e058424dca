"""Jobs of a team: what runs when on which host, kept by a durable queue (DBOS) on the team's Postgres.

Nothing here is loaded where one person works on one machine.
"""
