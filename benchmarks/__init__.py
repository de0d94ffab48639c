"""Benchmarks against peers: every candidate is checked first and timed after; none of this runs in the tests as a claim.

One file per question (`tv`), each with its `BENCH`; `cases` and `harness` hold what they share.
"""
