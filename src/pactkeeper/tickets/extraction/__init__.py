"""Reading the messages of a thread by rules: which words fill which field, and which words no rule can place."""
