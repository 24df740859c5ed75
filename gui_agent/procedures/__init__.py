"""What the agent has learned: the remembered demonstrations, and the procedures that they make."""
