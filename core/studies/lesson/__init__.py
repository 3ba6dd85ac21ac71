"""The lesson: what topic leakage is, in steps with a question each; truths come from the bundled corpus and the dial."""

from .evidence import (
    Evidence,
    HeldOut,
    Swapped,
    gather_evidence,
    held_out_scores,
    read_evidence,
    right_beside_twins,
    swapped_scores,
    write_evidence,
)
from .facts import (
    FOLDS,
    Deal,
    Lesson,
    chances_of_wins,
    dealt,
    leaking_counts,
    make_lesson,
    nearest_in_training,
    parted_chance,
    sign_p,
    wins_needed,
)
from .model_steps import TESTED, changes, hits_change, label_of, seen_authors
from .question import (
    AnswerOption,
    ChoiceQuestion,
    EstimateQuestion,
    Judgement,
    LessonQuestion,
    LessonStep,
    judged,
    signed,
)
from .steps import lesson_steps, score_sentence, summary_page
from .topic_steps import POINT, SISTERS
