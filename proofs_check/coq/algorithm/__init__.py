"""Statements about the algorithms themselves, written and proved in Coq by hand.

`laws.v` has finite sums, laws and programs that toss coins, as the finite distributions which they induce; each other file
writes algorithms as such programs, and proves theorems that bear the ids of claims.
"""
