"""The history: runs and what they saw, proposed and decided, on SQLite or Postgres through SQLAlchemy Core."""
