"""Turn the marked parts of a message into changes to a draft; unmarked words are kept and change nothing."""
