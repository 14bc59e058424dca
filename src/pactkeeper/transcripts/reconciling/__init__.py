"""What conversations suggest for boards and documents: artifacts compared with a fresh view, without side effects."""
