"""The published form of what verbs give: one JSON document for each result, the same at every door."""
