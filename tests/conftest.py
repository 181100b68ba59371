"""Settings of the whole suite: the same random problems on every run, or new ones when asked for."""

import os

from hypothesis import HealthCheck, settings

# Random problems are the same on every run, so that a red suite is red for everybody. To search for new ones:
# HYPOTHESIS_PROFILE=search python -m pytest tests. With `quick`, `make check` tries a few of them only.
SLOW_TO_DRAW = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile(
    "fixed", deadline=None, derandomize=True, database=None, max_examples=40, suppress_health_check=SLOW_TO_DRAW
)
settings.register_profile("quick", settings.get_profile("fixed"), max_examples=6)
settings.register_profile(
    "search", deadline=None, max_examples=1000, print_blob=True, suppress_health_check=SLOW_TO_DRAW
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))
