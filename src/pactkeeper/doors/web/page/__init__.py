"""The pages of one repository, for people: rendered on the server, decided through the same verbs as everywhere."""
