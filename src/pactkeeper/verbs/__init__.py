"""One table of verbs: what each is called, takes, gives, risks and does; agents' tools and REST routes come from it."""
