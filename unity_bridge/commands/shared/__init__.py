"""What several commands share, and what is apart from a command because it is long."""
