"""All steps of the lesson in their order; every number in them comes from the corpus."""

from ..dial_grid import DialGrid
from .evidence import Evidence
from .facts import Lesson
from .model_steps import few_topics_prove_little, reads_topic_words, swap_the_twin_out, when_hits_changes_nothing
from .question import Step
from .topic_steps import a_random_split, a_topic_is_a_point, move_m, predict_the_leak, two_sisters


def lesson_steps(lesson: Lesson, evidence: Evidence, grid: DialGrid) -> tuple[Step, ...]:
    """What each says, what it asks, and what is said to every answer."""
    return (
        a_topic_is_a_point(lesson),
        two_sisters(lesson),
        a_random_split(lesson),
        predict_the_leak(lesson),
        move_m(lesson),
        reads_topic_words(lesson, evidence),
        swap_the_twin_out(lesson, evidence),
        when_hits_changes_nothing(grid),
        few_topics_prove_little(),
    )
