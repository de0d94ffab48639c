"""TASC: n-gram drafters (TASC-spec) and enriched tokenizers (TASC-ft)."""
