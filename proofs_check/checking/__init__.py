"""Checking proofs by the rules: agreement with the claim, second opinions, the record and the pages."""
