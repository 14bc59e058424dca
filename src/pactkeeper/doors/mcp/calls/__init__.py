"""How each tool calls its verb: arguments in, one call, a document out."""
