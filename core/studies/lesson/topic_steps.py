"""The lesson's first steps, on topics: points, sisters, splits, how much leaks, and HITS."""

from itertools import pairwise

import numpy as np

from ...formats import percent
from .facts import FOLDS, Lesson, parted_chance
from .question import AnswerOption, ChoiceQuestion, EstimateQuestion, LessonStep

POINT = "cooking"  # of which the nearest topic is asked
SISTERS = "baseball", "softball"


def a_topic_is_a_point(lesson: Lesson) -> LessonStep:
    """Centroids and their similarity."""
    near, second, *others = lesson.by_similarity(POINT)
    middle, far = others[len(others) // 2], others[-1]
    at = {name: f"{lesson.alike(POINT, name):.2f}" for name in (near, second, middle, far)}
    said = {
        near: f"Yes. The two stand at {at[near]}: the same dishes and kitchens, in other sentences.",
        second: f"Close, but {second} stands at {at[second]} and {near} at {at[near]}. Both are relatives of {POINT}; buying "
        "food shares fewer words with cooking it than serving it does.",
    }
    for other in (middle, far):
        said[other] = (
            f"No: {other} stands at {at[other]}, where a typical pair of topics stands at {lesson.verdict.typical:.2f}. The nearest "
            f"is {near}, at {at[near]}: its texts name the same things."
        )
    return LessonStep(
        title="A topic is a point",
        about="A language model turns every text into a vector, a long list of numbers that is alike for texts that mean alike. "
        "The mean of a topic's vectors is its *centroid*, and the cosine of two centroids says how alike two topics are: 1 for "
        "the same, close to 0 for strangers.",
        question=ChoiceQuestion(
            f"Which topic of the newspaper lies nearest to *{POINT}*?",
            tuple(AnswerOption(name, name == near, said[name]) for name in sorted(at)),
        ),
        told="Similarities in this lesson are corrected for the noise of small topics: the centroid of few texts looks unlike "
        "everything.",
    )


def two_sisters(lesson: Lesson) -> LessonStep:
    """Near twins, and by which yardstick."""
    one, other = SISTERS
    value, line, typical = lesson.alike(one, other), lesson.verdict.line, lesson.verdict.typical
    pairs = len(lesson.names) * (len(lesson.names) - 1) // 2
    middle = (typical + line) / 2
    ends = (-1.0, middle, line, 1.01)
    above = int((np.triu(lesson.space.similarity, 1) > value).sum())
    fact = f"They stand at {value:.2f}, and {f'only {above}' if above else 'none'} of the {pairs} pairs {'is' if above == 1 else 'are'} closer."
    labels = (
        f"below {middle:.2f}: hardly more alike than any two topics",
        f"between {middle:.2f} and {line:.2f}: related, but two topics",
        f"above {line:.2f}: closer to being one topic than to being a typical pair",
    )
    said = (
        f"{fact} The labels are two, but the texts speak of the same things: {lesson.words(one, other)}.",
        f"Nearer than that. {fact} A model that knows one of them has met most of the words of the other.",
        f"Yes. {fact} Both lean on words like {lesson.words(one, other)}.",
    )
    right = [low <= value < high for low, high in pairwise(ends)]
    return LessonStep(
        title="Two sisters",
        about=f"*{one.capitalize()}* and *{other}* are two topics here, with labels of their own. Similarity has no fixed scale, "
        f"so the corpus is its own yardstick: of its {pairs} pairs of topics the typical one stands at {typical:.2f}, and a "
        "topic beside itself at 1.",
        question=ChoiceQuestion(
            f"Where does the pair {one} and {other} stand?",
            tuple(AnswerOption(*each) for each in zip(labels, right, said, strict=True)),
        ),
        told=f"We call two topics *near twins* from {line:.2f} on, half-way between the typical pair and identity. There are "
        f"{lesson.verdict.twin_pairs} such pairs, and {lesson.with_twins} of the {len(lesson.names)} topics are in one.",
    )


def a_random_split(lesson: Lesson) -> LessonStep:
    """How often a deal sets two sisters against each other."""
    one, other = SISTERS
    count = len(lesson.names)
    apart, part = parted_chance(count, k=FOLDS), 1 / FOLDS
    companions = round((1 - apart) * (count - 1))
    fact = (
        f"{other.capitalize()} shares its fold with {companions} of the {count - 1} other topics; with probability "
        f"{percent(apart)} {one} is not among them, and then it is in training."
    )
    labels = f"about {percent(part)}, one in {FOLDS}", "about 50 %, either way", f"about {percent(apart)}"
    return LessonStep(
        title="A random split parts them",
        about="Cross-topic evaluation deals topics into folds, tests on one fold and trains on all others, so that no test topic "
        f"has been seen. Here {count} topics are dealt into {FOLDS} folds at random, and nothing keeps sisters together.",
        question=ChoiceQuestion(
            f"How likely is it that *{other}* is tested while *{one}* is in training?",
            (
                AnswerOption(
                    labels[0], False, f"That is the share of topics in one fold, and so nearly the other case. {fact}"
                ),
                AnswerOption(labels[1], False, f"There are more than two places to land in. {fact}"),
                AnswerOption(labels[2], True, f"Yes. {fact}"),
            ),
        ),
        told="The labels say 'unseen'; the model has all but seen it. That is *topic leakage*.",
    )


def predict_the_leak(lesson: Lesson) -> LessonStep:
    """How many topics leak."""
    expected, count, able = lesson.verdict.leaking_topics, len(lesson.names), lesson.with_twins
    return LessonStep(
        title="Predict the leak",
        about=f"A test topic leaks when at least one of its near twins is in training. Of the {count} topics {able} have a near "
        f"twin, some of them two or three; the other {count - able} have none and cannot leak.",
        question=EstimateQuestion(
            f"Dealt into {FOLDS} folds at random: how many of the {count} topics are, on average, tested while a near twin is "
            "in training?",
            0,
            count,
            expected,
            2,
            "topics",
            right=f"Well predicted: {expected:.1f} on average. Nearly every topic that has a twin meets it.",
            too_low=f"More: {expected:.1f} on average. A twin need not lie in one certain fold; anywhere else is enough, and "
            f"{FOLDS - 1} of {FOLDS} folds are elsewhere. Of several twins one is enough.",
            too_high=f"Fewer: {expected:.1f} on average. At most {able} topics can leak, those that have a near twin, and now "
            "and then luck keeps twins in one fold.",
        ),
        told="Every deal is another experiment, but they all leak: what is called a test on unseen topics is mostly a test "
        "on cousins.",
    )


def move_m(lesson: Lesson) -> LessonStep:
    """What HITS keeps."""
    keep, names = lesson.verdict.keep, lesson.names
    joins = names[lesson.path.order[keep]]
    met = [name for name in lesson.twins_of(joins) if lesson.code(name) in lesson.path.order[:keep]]
    fact = f"At m = {keep + 1} *{joins}* joins, a near twin of *{met[0]}*, which is there already."
    return LessonStep(
        title="Move m",
        about="HITS keeps *m* topics that are unlike each other: it begins with the most distinct one and adds, each time, the "
        "topic that leaks least into those it has. A small *m* is clean but throws texts away; a large one lets sisters back in.",
        question=EstimateQuestion(
            f"How many of the {len(names)} topics can HITS keep without two near twins among them?",
            2,
            len(names),
            keep,
            1,
            "topics",
            right=f"Well predicted: {keep}. {fact}",
            too_low=f"More: {keep}. Topics without a near twin do no harm, and of every family of sisters one at least can stay. "
            f"{fact}",
            too_high=f"Fewer: {keep}. {fact}",
        ),
        told=f"These {keep} topics hold {lesson.verdict.keep_documents:,} of {lesson.verdict.documents:,} texts: what it costs to "
        "test on topics that are new.",
    )
