"""The REST door: paths from the table of verbs."""
