"""How strong a test is: what can still make it fail, as facts that compare between any two states of the code."""
