"""The implementation of verbs, one function each; a door imports the function, and `pactkeeper.verbs` lists them."""
