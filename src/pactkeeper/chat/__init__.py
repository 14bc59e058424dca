"""Free-text questions: find the verb that is meant, gather evidence, and answer with cited claims."""
