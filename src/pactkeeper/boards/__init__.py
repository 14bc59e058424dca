"""Task boards, documents and trackers behind one port."""
