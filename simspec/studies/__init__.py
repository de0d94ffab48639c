"""Studies: a question on a grid of cells, measures of what is simulated, and rules that say when a cell has enough.

What one writes a study with is here; what runs one is `simspec.run` (`simspec.engine.run`), or `simspec study run`.
"""

from simspec.engine.estimates.derived import Control
from simspec.engine.estimates.estimators import Conditional
from simspec.engine.estimates.sharing import Shared
from simspec.engine.estimates.statistics import Counts, Mean, Share
from simspec.engine.estimates.stopping import AllOf, AnyOf, Comparison, Decision, HalfWidth, RelativeError
from simspec.engine.study import Study, cross

__all__ = [
    "AllOf",
    "AnyOf",
    "Comparison",
    "Conditional",
    "Control",
    "Counts",
    "Decision",
    "HalfWidth",
    "Mean",
    "RelativeError",
    "Share",
    "Shared",
    "Study",
    "cross",
]
