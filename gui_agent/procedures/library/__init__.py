"""The learned procedures: stores them, adds demonstrations, tracks evidence and promotes them to skills."""
