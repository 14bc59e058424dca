"""What verbs do, one function each; a door imports the function, and `pactkeeper.verbs` is their table."""
