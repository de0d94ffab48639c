"""The version and the name of the distribution, in the one place that every layer may import."""

from __future__ import annotations

__all__ = ["DISTRIBUTION", "__version__"]

__version__ = "0.1.0"
DISTRIBUTION = "simspec-decoding"
"""What pip calls this package: on the public index `simspec` is a package of astronomers."""
