"""The health of the main branch: what a project's own checks say about a commit, and the few tasks that repair it."""
