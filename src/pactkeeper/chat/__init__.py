"""Questions in words: which verb is meant, what is found with which proof, and an answer whose claims are cited."""
