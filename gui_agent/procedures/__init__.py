"""What the agent has learned: stored demonstrations and the procedures induced from them."""
