"""What doors can have done, a function each; `pactkeeper.verbs` lists those that programs may call."""
