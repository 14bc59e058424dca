"""From words of people to intent: refining sentences and taking in notes, by rules."""
