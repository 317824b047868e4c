"""unity-bridge."""
