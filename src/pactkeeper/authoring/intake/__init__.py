"""From notes, issues and acceptance lists to proposed atoms, each with the lines it comes from."""
