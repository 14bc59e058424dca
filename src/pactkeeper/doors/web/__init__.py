"""The REST API, with paths from the table of verbs."""
