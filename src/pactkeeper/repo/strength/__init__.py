"""What a change does to the strength of tests: two snapshots read and compared; no pact is needed."""
