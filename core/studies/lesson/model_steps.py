"""The lesson's later steps, on models: what topic words are worth, what a near twin buys, when HITS changes nothing, and
what few topics prove."""

from math import sqrt

import numpy as np

from ...evaluation import TASKS
from ...formats import counted, percent
from ...statistics import signed_points
from ..dial_grid import DialGrid, DialRow
from .evidence import METRIC, TASK, Evidence
from .facts import Lesson, sign_p, wins_needed
from .question import AnswerOption, ChoiceQuestion, LessonStep, signed

READER, STYLIST = "topic_fit", "char_svm"
TESTED = "clinics"  # the test topic whose twin is swapped out
CLEARLY = 0.03  # of accuracy: less we call about the same
SISTERS_SHARE = 0.8  # of their words, on the dial
LOYALTIES = 0.0, 0.8  # of authors to one family: none, and most of their texts
TOPICS, AHEAD = 12, 9  # of a comparison that proves nothing


def label_of(model: str) -> str:
    """A model's name as pages show it."""
    return TASKS[TASK].models[model].label


def reads_topic_words(lesson: Lesson, evidence: Evidence) -> LessonStep:
    """A model without style names authors all the same."""
    reader, stylist = evidence.held_out[READER], evidence.held_out[STYLIST]
    authors = np.bincount(np.asarray(lesson.corpus.author_codes))
    guess = float(authors.max() / authors.sum())
    name, other = label_of(READER), label_of(STYLIST)
    subjects = (
        "Authors have subjects, and subjects have words: who has written on hospitals is a good guess for clinics."
    )
    return LessonStep(
        title="A model that reads topic words",
        about=f"*{name}* says which of {len(authors)} authors wrote a text, but the most frequent words, which carry style, are "
        f"hidden from it: what it reads is mostly topic. Naming the busiest author every time would be right for {percent(guess)} "
        "of the texts.",
        question=ChoiceQuestion(
            "Tested on topics that were held out of training, how often is it right?",
            (
                AnswerOption(
                    f"about {percent(guess)}, no better than naming the busiest author",
                    False,
                    f"Far more often: {percent(reader.overall)}. {subjects}",
                ),
                AnswerOption(
                    f"about {percent(reader.overall)}, far better than that",
                    True,
                    f"Yes, {percent(reader.overall)}, on topics it has 'never seen'. {subjects}",
                ),
                AnswerOption(
                    f"about {percent(stylist.overall)}, as often as a model of style",
                    False,
                    f"Not that often: {percent(reader.overall)}. {percent(stylist.overall)} is what *{other}* reaches, which reads letters "
                    f"and marks as well. {subjects}",
                ),
            ),
        ),
        told=_beside_twins(lesson, evidence),
    )


def _beside_twins(lesson: Lesson, evidence: Evidence) -> str:
    reader, stylist = evidence.held_out[READER], evidence.held_out[STYLIST]
    return (
        f"In ordinary folds, with every topic on both sides, {label_of(READER)} is right for {percent(reader.ordinary)}; holding "
        f"topics out costs it {100 * (reader.ordinary - reader.overall):.0f} points, and {label_of(STYLIST)} "
        f"{100 * (stylist.ordinary - stylist.overall):.0f}. That it does better beside a near twin is a hint and no "
        "proof: topics differ in their authors, too."
    )


def swap_the_twin_out(lesson: Lesson, evidence: Evidence) -> LessonStep:
    """Only the twin changes."""
    found = evidence.swapped[READER]
    twin, without, with_twin = found.sides(lesson.code(TESTED))
    gain, name, near = with_twin - without, label_of(READER), lesson.names[twin]
    fact = f"With {near} in training {name} is right for {percent(with_twin)} of the same texts, {_points(gain)}."
    labels = "fewer than that", "about as many", "clearly more than that"
    right = [gain < -CLEARLY, -CLEARLY <= gain <= CLEARLY, gain > CLEARLY]
    because = (
        f"{fact} Texts on {near} by the same authors show it which words go with whom.",
        f"{fact} Equally many texts by every author are in training both times; what differs is that the twin's use the words of "
        "the test.",
        f"{fact} The words of the twin are the words of the test, and it has seen who uses them.",
    )
    means = [
        f"{label_of(model)} {signed_points(float(each.effects.mean()))} points (95 %: {signed_points(each.low)} to "
        f"{signed_points(each.high)})"
        for model, each in evidence.swapped.items()
    ]
    sure = any(each.low > 0 for each in evidence.swapped.values())
    doubt = "" if sure else f", which {len(found.topics)} topics cannot tell from nothing"
    most = [lesson.names[found.topics[row]] for row in np.argsort(-found.effects, kind="stable")[:2].tolist()]
    return LessonStep(
        title="Swap the twin out",
        about="A fair test changes one thing: the same test texts, as many training texts, as many by every author, once with "
        f"texts of the near twin and once with strangers in their place. Tested on *{TESTED}*, without *{near}* in training, "
        f"{name} is right for {percent(without)}.",
        question=ChoiceQuestion(
            f"Now texts on *{near}* replace strangers by the same authors. For how many is it right?",
            tuple(AnswerOption(*each) for each in zip(labels, right, because, strict=True)),
        ),
        told=f"{TESTED.capitalize()} and {near} are one of the closest pairs, and one topic is no result: over all "
        f"{len(found.topics)} the nearest topic buys {' and '.join(means)}{doubt}. It is worth most on {' and '.join(most)}; "
        "where other sisters stay in training, one is hardly missed.",
    )


def _points(difference: float) -> str:
    value = round(100 * difference)
    return f"{counted(abs(value), 'point')} {'more' if value > 0 else 'fewer'}" if value else "no more"


def hits_change(grid: DialGrid, *, loyal: float, model: str = READER) -> DialRow:
    """What HITS changes of a model's accuracy, beside random topics, where sisters share most words."""
    return grid.row(SISTERS_SHARE, loyal, task=TASK, model=model, metric=METRIC, sampler="hits")


def seen_authors(grid: DialGrid, *, loyal: float, sampler: str) -> float:
    """The share of test texts by authors that are in training, too."""
    return grid.row(SISTERS_SHARE, loyal, task="folds", model="", metric="seen_authors", sampler=sampler).mean


def changes(row: DialRow) -> bool:
    """Whether a change stands out from what the made corpora of its cell differ by: two standard errors, and three points."""
    return abs(row.change) > max(CLEARLY, 2 * row.change_sd / sqrt(row.corpora))


def when_hits_changes_nothing(grid: DialGrid) -> LessonStep:
    """Alike topics without shared authors."""
    free, loyal = (hits_change(grid, loyal=each) for each in LOYALTIES)
    moved = changes(free)
    name = label_of(READER)
    fact = (
        f"Beside random topics {name} changes by {signed(free.change)} points, where made corpora differ by "
        f"{round(100 * free.change_sd)} among themselves. Its topic words name no author here, so a sister in training has nothing "
        "to give away."
    )
    return LessonStep(
        title="When HITS changes nothing",
        about=f"In a made corpus we turn two dials: sister topics share {percent(SISTERS_SHARE)} of their words, and authors are loyal to "
        "one family of topics, or write on everything. Near twins are everywhere; first, every author writes on everything.",
        question=ChoiceQuestion(
            f"HITS keeps one sister of every family. What becomes of {name}'s score, beside random topics?",
            (
                AnswerOption(
                    "It falls clearly: the twins are gone", moved and free.change < 0, f"One would think so. {fact}"
                ),
                AnswerOption("Hardly anything", not moved, f"Right. {fact}"),
                AnswerOption("It rises clearly: cleaner data", moved and free.change > 0, f"No. {fact}"),
            ),
        ),
        told=f"Now let authors keep to their family for {percent(LOYALTIES[1])} of their texts: HITS changes the score by "
        f"{signed(loyal.change)} points, for with the sisters go the texts that show who writes on such things. Whether near twins "
        "matter hangs on the authors: measure it on your own corpus.",
    )


def few_topics_prove_little() -> LessonStep:
    """Few topics prove little."""
    p, needed = sign_p(AHEAD, TOPICS), wins_needed(TOPICS)
    doubled = sign_p(2 * AHEAD, 2 * TOPICS)
    fact = (
        f"Two equal models part {AHEAD} to {TOPICS - AHEAD} or further with probability {p:.2f}, about once in "
        f"{round(1 / p)} comparisons. To be called better it takes {needed} of {TOPICS}."
    )
    return LessonStep(
        title=f"What a p-value does with {TOPICS} topics",
        about=f"A corpus without near twins has few topics, {TOPICS} say; and texts of one topic are right or wrong together, so "
        "that topics are what counts and not texts. The sign test asks how often two equally good models would part so far by chance.",
        question=ChoiceQuestion(
            f"Model A is ahead of model B on {AHEAD} of {TOPICS} topics. Is A better, at the usual p ≤ .05?",
            (
                AnswerOption(f"Yes: {AHEAD} of {TOPICS} is three quarters", False, f"Not yet. {fact}"),
                AnswerOption("No: chance does that too often", True, f"Right. {fact}"),
                AnswerOption(
                    "Neither model can ever be called better on so few topics",
                    False,
                    f"It can, but it takes more. {fact}",
                ),
            ),
        ),
        told=f"The same three quarters of {2 * TOPICS} topics give p = {doubled:.2f}. Not significant does not mean equal; it "
        "means that so few topics cannot tell.",
    )
