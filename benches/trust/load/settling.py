"""A quiet moment before a load begins."""

import time

# The start of several programs at once is an overload of its own, which a criterion sees for a
# second.
SECONDS = 1.5


def settle():
    """Until that is over."""
    time.sleep(SECONDS)
