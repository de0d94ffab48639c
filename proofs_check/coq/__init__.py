"""Derivations written out for Coq: a second, independent check of each step, and of the conclusion from what is given."""
