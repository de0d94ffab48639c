"""What several files of csqs.* tests use."""

LITERAL, KEEP_TOP = 0, 1
