"""The web pages of one repository: rendered on the server, and acting through the same verbs as everything else."""
