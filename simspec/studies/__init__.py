"""Studies: a question on a grid of cells, measures of what is simulated, and rules that say when a cell has enough.

What one writes a study with is here; what runs one is `simspec.run` (`simspec.studies.engine`), or `simspec study run`.
"""

from simspec.studies.statistics import Counts, Mean, Share
from simspec.studies.stopping import AllOf, AnyOf, Comparison, Decision, HalfWidth, RelativeError
from simspec.studies.study import Study, cross

__all__ = [
    "AllOf",
    "AnyOf",
    "Comparison",
    "Counts",
    "Decision",
    "HalfWidth",
    "Mean",
    "RelativeError",
    "Share",
    "Study",
    "cross",
]
