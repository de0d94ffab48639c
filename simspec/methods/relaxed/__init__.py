"""Relaxed rules beside EARS, PAD, lenience and mixtures: Cactus, ensembles, cascades, thresholds, other vocabularies."""
