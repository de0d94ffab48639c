"""What code rests on: one walk from functions to all that they refer to, and the text of code that a hash is taken of.

Stored rows of studies (`simspec.engine.store.fingerprint`), recorded proofs (`simspec.claims.deciding.proved`) and decided
claims (`simspec.claims.deciding.kept`) count while what they rest on is what it was.  Renaming a local variable, editing a
comment, or moving the package changes nothing; a changed operator, constant, callee or data file does.
"""
