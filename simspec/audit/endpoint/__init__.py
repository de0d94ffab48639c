"""Audit of a running engine by its URL: are the tokens that it serves still the reference model's?

`exchange` talks HTTP, `protocols/` knows each engine's fields, `records` is the form that all of them share.  `categories`,
`bets`, `paired`, `greedy` and `books` are pure: numbers in, evidence out.  `auditing` asks and collects, `verdict` decides,
`showing` prints.  Nothing here loads HTTPX until an endpoint is opened.
"""
