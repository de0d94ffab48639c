"""Acceptance lengths from the logs of engines: what was counted, one definition of each number, and intervals by request.

`records` holds the counts and what follows from them, `readers` chooses the reader of a format: `json_records`, `prometheus`,
`vllm_lines`, `llama_lines` and `sglang_lines`.  `printed` works out counts from rounded numbers, `conventions` names and
converts the ways in which engines print a length, `written` writes the files that other tools read.  `compared` tests the
difference of two logs by request.
"""

from simspec.tools.lengths.compared import Comparison, compared
from simspec.tools.lengths.conventions import CONVENTIONS, converted
from simspec.tools.lengths.readers import read
from simspec.tools.lengths.records import Counts, Lengths, Log, Number, lengths, speeds
from simspec.tools.lengths.written import ENGINES, profile, synthetic

__all__ = [
    "CONVENTIONS",
    "ENGINES",
    "Comparison",
    "Counts",
    "Lengths",
    "Log",
    "Number",
    "compared",
    "converted",
    "lengths",
    "profile",
    "read",
    "speeds",
    "synthetic",
]
