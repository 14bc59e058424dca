"""The published form of results: one JSON document for each, the same through every door."""
