"""What several files of sqs.* tests use."""

import numpy as np

from simspec.claims.authoring import law

QUARTERS = {"p": np.stack([law("1/2", "1/2")] * 3), "q": np.stack([law("3/4", "1/4")] * 3), "k": 2, "resolution": 4}
QUARTERS |= {"threshold": None, "step_size": None, "dropped_target": None, "budget": None}
