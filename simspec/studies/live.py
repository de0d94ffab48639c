"""The path that users import, for what a run shows of itself; it is written in `simspec.engine.show.live`."""

from simspec.engine.show.live import (
    Live,
    constant,
    digits,
    duration,
    labels,
    line,
    table,
    varying,
)

__all__ = ["Live", "constant", "digits", "duration", "labels", "line", "table", "varying"]
