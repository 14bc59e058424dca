"""Main is green: what a project's own checks say of a commit, and the few tasks that mend it."""
