"""Products of runs for research: conversations to train on, judgements, lessons."""
