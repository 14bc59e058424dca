"""LangGraph building blocks shared by every package with a graph: checkpoints, pauses, edges, progress."""
