"""The path that users import, for TASC-ft's enrichment of a tokenizer; it is written in `simspec.methods.tasc.enrichment`."""

from simspec.methods.tasc.enrichment import (
    COUNTINGS,
    Enrichment,
    count_ngrams,
    enrich,
    enrich_naive,
    merge_text,
)

__all__ = ["COUNTINGS", "Enrichment", "count_ngrams", "enrich", "enrich_naive", "merge_text"]
