"""Several drafts of one token: recursive rejection, K-SEQ, SpecHub, greedy drafting, optimal transport."""
