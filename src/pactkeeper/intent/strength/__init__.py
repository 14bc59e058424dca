"""How strong a test is: what can still make it fail, as facts that can be compared between any two states of code."""
