"""The wording of questions for whoever answers them: versioned templates, and fenced material."""
