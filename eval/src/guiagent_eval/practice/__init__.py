"""What researchers make of runs: conversations to train on, judgements, lessons."""
