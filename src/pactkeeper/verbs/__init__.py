"""The table of verbs: name, arguments, result, risk and implementation of each; tools and routes derive from it."""
