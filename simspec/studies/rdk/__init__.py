"""Studies of RDK and TLI: pruned drafters, affinities, shapes of logits, token counts."""
