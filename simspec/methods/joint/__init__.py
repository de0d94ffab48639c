"""Verification of several drafts together: what a `Verifier` is, and all that follows from its outcomes."""
