"""The door: what is set before anybody comes in, and why somebody cannot."""

from collections.abc import Callable

from pages.shared import limits, visits
from pages.shared.logs import keep_words_out
from pages.shared.show import refuse


def closed() -> Callable[[], None] | None:
    """What to show in place of the app, where this tab is not served."""
    if limits.hosted():
        keep_words_out()
    if limits.problems():
        return _say_problems
    limits.bound_uploads()
    return None if visits.served() else visits.full


def _say_problems() -> None:
    for problem in limits.problems():
        refuse(problem, icon=":material/settings:")
