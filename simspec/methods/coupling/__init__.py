"""Couplings by shared noise: Gumbel, minhash, lists of drafts."""
