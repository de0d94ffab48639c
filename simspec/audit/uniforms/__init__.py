"""Exact laws of samplers whose uniforms are arguments, from their own code."""
