"""The history: runs with what they saw, proposed and decided, on SQLite or Postgres through SQLAlchemy Core."""
