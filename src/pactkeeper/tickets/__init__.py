"""From threads to tickets: messages become a draft, open points become questions, and one approval a ticket."""
