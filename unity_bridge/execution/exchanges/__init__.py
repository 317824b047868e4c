"""What is exchanged with Unity: one class for each purpose of a round trip, with all the ways that it can end."""
