"""Machine-checked proofs of the claims: one file per claim, checked by ``python -m proofs_check``.

A file names its claim, the steps of the proof, three mutations under which it must fail, and what its symbols stand for in an
instance of the claim.  `proofs_check.rules.derivation` holds the rules by which a step may follow.
"""
