"""PAD: pivot-aware decoding, and decision processes whose pivots are known."""
