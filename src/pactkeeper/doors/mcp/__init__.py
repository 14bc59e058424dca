"""The door for agents: every verb of the table that an agent may have, as tools of the Model Context Protocol."""
