"""The shared vocabulary: plain values and protocols, without I/O or vendor code."""
