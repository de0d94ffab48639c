"""Counterexamples, checked by Coq over the fractions.

`vocabulary.v` has what statements are written in; each other file states claims as truth values of named quantities, which
`library` fills with the recorded counterexamples.
"""
