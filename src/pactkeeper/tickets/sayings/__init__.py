"""What people say as claims about a thing, so that two sayings can be held against each other in whatever words."""
