"""What conversations suggest for boards and documents: artifacts against a fresh view, without side effects."""
