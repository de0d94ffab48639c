"""Coq, a second checker of what is proved here."""
