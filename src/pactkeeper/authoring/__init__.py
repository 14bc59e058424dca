"""From people's words to intent: refine sentences and take in notes, by rules."""
