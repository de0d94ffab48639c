"""Benchmarks against peers: every candidate is checked first and timed after; none of this runs in the tests as a claim.

One file per question (`tv`), each with `add_arguments(parser)` and `run(args) -> exit code`; `harness` holds what they share.
"""
