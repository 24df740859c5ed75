"""The procedures that are remembered: kept, joined, proven and promoted."""
