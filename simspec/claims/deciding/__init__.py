"""The machine that decides claims: search, shrink, evidence, verdict, record."""
