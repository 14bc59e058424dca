"""Where threads are: the port that every channel has, and the channels that need no network."""
