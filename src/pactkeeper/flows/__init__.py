"""LangGraph blocks that every room with a graph shares: checkpoints, pausing, edges, progress."""
