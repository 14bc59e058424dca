"""How a change affects the strength of tests: two snapshots are read and compared, without a pact."""
