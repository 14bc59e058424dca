"""From notes, issues and acceptance lists to proposed atoms, each with its source lines."""
