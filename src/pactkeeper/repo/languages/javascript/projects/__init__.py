"""What the packages of a repository say about which file an import names."""
