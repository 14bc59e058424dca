"""The words in which questions are put to whoever answers them: templates with versions, and material in a fence."""
