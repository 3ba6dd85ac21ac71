"""The lesson's steps: what each says, what it asks and what it answers, every number from the corpus; and a page to print."""

import re
from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise
from math import isfinite, sqrt

import numpy as np

from ..arrays import record
from ..errors import SettingError
from ..evaluation import TASKS
from ..formats import percent
from .evidence import FOLDS, METRIC, TASK, DialGrid, DialRow, Evidence, Lesson, separated_chance, sign_p, wins_needed

POINT = "cooking"  # of which the nearest topic is asked
TWINS = "baseball", "softball"
READER, STYLIST = "topic_fit", "char_svm"
CONTROL_NAMES = {"content": "topic words", "all": "all words", "function": "function words"}  # of the leakage curve
CLEARLY = 0.03  # of accuracy: less we call about the same
SHARED = 0.8  # of the words of near twins, on the dial
LOYALTIES = 0.0, 0.8  # share of an author's texts in one group of near twins: none, and most
TOPICS, AHEAD = 12, 9  # of a comparison that proves nothing
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;color:#0e1621;background:#fff}"
    "h1{font-size:1.6rem}h2{font-size:1.1rem;margin:1.6rem 0 .3rem}p{margin:.3rem 0}section{break-inside:avoid}"
    ".said{border-left:3px solid #2c6faf;padding-left:.8rem}"
)


@record
class AnswerOption:
    """One of several answers: what it reads, whether it is right, and the reply."""

    label: str
    right: bool
    because: str


@record
class ChoiceQuestion:
    """A question with options, of which one is right."""

    text: str
    options: tuple[AnswerOption, ...]

    def __post_init__(self) -> None:
        labels = [option.label for option in self.options]
        if len(set(labels)) < len(labels) or sum(option.right for option in self.options) != 1:
            raise SettingError(f"'{self.text}': options must differ, and exactly one of them must be right.")

    @property
    def truth(self) -> str:
        """Return the right answer in words."""
        return next(option.label for option in self.options if option.right)


@record
class EstimateQuestion:
    """A question for a number from `low` to `high`: `truth` is right, and so is whatever lies within `close` of it.

    The reply depends on which side an answer errs.
    """

    text: str
    low: int
    high: int
    value: float
    close: float
    unit: str
    right: str
    too_low: str
    too_high: str

    def __post_init__(self) -> None:
        if not self.low <= self.value <= self.high:
            raise SettingError(f"'{self.text}': the answer {self.value:g} lies outside {self.low} to {self.high}.")

    @property
    def truth(self) -> str:
        """Return the right answer in words."""
        number = f"{self.value:.0f}" if self.value == round(self.value) else f"{self.value:.1f}"
        return f"{number} {self.unit}"


LessonQuestion = ChoiceQuestion | EstimateQuestion


@record
class LessonStep:
    """One idea: two sentences, a question, and what to take along once it is answered."""

    title: str
    about: str
    question: LessonQuestion
    told: str


@record
class Judgement:
    """An answer in words, whether it is right, the right one, and the reply to it."""

    given: str
    right: bool
    truth: str
    because: str


def judged(question: LessonQuestion, given: str | int) -> Judgement:
    """Judge an answer: a label for a choice, a number for an estimate."""
    if isinstance(question, ChoiceQuestion):
        for option in question.options:
            if option.label == given:
                return Judgement(option.label, option.right, question.truth, option.because)
        labels = ", ".join(f"'{option.label}'" for option in question.options)
        raise SettingError(f"'{given}' is not one of the answers. Choose one of: {labels}.")
    if isinstance(given, str) or not isfinite(given) or not question.low <= given <= question.high:
        raise SettingError(f"'{given}' is not an answer here. Give a number from {question.low} to {question.high}.")
    error = given - question.value
    right = abs(error) <= question.close
    because = question.right if right else question.too_low if error < 0 else question.too_high
    return Judgement(f"{given} {question.unit}", right, question.truth, because)


def signed(difference: float) -> str:
    """Format a difference of shares in points, such as "−7"."""
    points = round(100 * difference)
    return f"{points:+d}".replace("-", "−") if points else "0"


def a_topic_is_a_point(lesson: Lesson) -> LessonStep:
    """Make the step on centroids and their similarity."""
    near, second, *others = lesson.by_similarity(POINT)
    middle, far = others[len(others) // 2], others[-1]
    at = {name: f"{lesson.similarity_of(POINT, name):.2f}" for name in (near, second, middle, far)}
    said = {
        near: f"Yes. Their similarity is {at[near]}: the same dishes and kitchens, in other sentences.",
        second: f"Close, but {second} has {at[second]} and {near} {at[near]}. Both are related to {POINT}. Serving food shares more "
        "words with cooking than shopping does.",
    }
    for other in (middle, far):
        said[other] = (
            f"No. {other.capitalize()} has a similarity of {at[other]}; a typical pair of topics has {lesson.verdict.typical:.2f}. The "
            f"most similar is {near} ({at[near]}): its texts name the same things."
        )
    return LessonStep(
        title="A topic is a point",
        about="A language model turns every text into a vector: a list of numbers that is similar for texts with similar meaning. "
        "The mean of a topic's vectors is its *centroid*. The cosine of two centroids is the similarity of two topics: 1 if they are "
        "the same, close to 0 if they are unrelated.",
        question=ChoiceQuestion(
            f"Which topic of the newspaper is most similar to *{POINT}*?",
            tuple(AnswerOption(name, name == near, said[name]) for name in sorted(at)),
        ),
        told="Similarities in this lesson are corrected for topic size. Without that, the centroid of a few texts would look "
        "distinct from everything.",
    )


def two_near_twins(lesson: Lesson) -> LessonStep:
    """Make the step on near twins and their yardstick."""
    one, other = TWINS
    value, threshold, typical = lesson.similarity_of(one, other), lesson.verdict.threshold, lesson.verdict.typical
    pairs = len(lesson.names) * (len(lesson.names) - 1) // 2
    middle = (typical + threshold) / 2
    ends = (-1.0, middle, threshold, 1.01)
    above = int((np.triu(lesson.space.similarity, 1) > value).sum())
    fact = f"Their similarity is {value:.2f}, and {f'only {above}' if above else 'none'} of the {pairs} pairs {'is' if above == 1 else 'are'} closer."
    labels = (
        f"below {middle:.2f}: hardly more similar than any two topics",
        f"between {middle:.2f} and {threshold:.2f}: related, but two topics",
        f"above {threshold:.2f}: closer to being one topic than to being a typical pair",
    )
    said = (
        f"{fact} There are two labels, but the texts are about the same things: {lesson.words(one, other)}.",
        f"Higher than that. {fact} A model that knows one of them knows most words of the other.",
        f"Yes. {fact} Both use words like {lesson.words(one, other)}.",
    )
    right = [low <= value < high for low, high in pairwise(ends)]
    return LessonStep(
        title=f"{one.capitalize()} and {other}",
        about=f"*{one.capitalize()}* and *{other}* are two topics here, each with its own label. Similarity has no fixed scale, "
        f"so we compare it within the corpus. A typical one of its {pairs} pairs of topics has {typical:.2f}, and a topic with "
        "itself has 1.",
        question=ChoiceQuestion(
            f"How similar are {one} and {other}?",
            tuple(AnswerOption(*each) for each in zip(labels, right, said, strict=True)),
        ),
        told=f"We call two topics *near twins* from {threshold:.2f} on, half-way between a typical pair and 1. There are "
        f"{lesson.verdict.twin_pairs} such pairs, and {lesson.with_twins} of the {len(lesson.names)} topics are in one.",
    )


def a_random_split(lesson: Lesson) -> LessonStep:
    """Make the step on how often a random split separates two near twins."""
    one, other = TWINS
    count = len(lesson.names)
    apart, part = separated_chance(count, k=FOLDS), 1 / FOLDS
    companions = round((1 - apart) * (count - 1))
    fact = (
        f"{other.capitalize()} shares its fold with {companions} of the {count - 1} other topics. With probability "
        f"{percent(apart)}, {one} is not among them and so is in training."
    )
    labels = f"about {percent(part)}, one in {FOLDS}", "about 50%, either way", f"about {percent(apart)}"
    return LessonStep(
        title="A random split separates near twins",
        about="Cross-topic evaluation splits topics into folds, tests on one fold and trains on the others, so no test topic was "
        f"seen in training. Here {count} topics are split into {FOLDS} folds at random, and nothing keeps near twins together.",
        question=ChoiceQuestion(
            f"How likely is it that *{other}* is tested while *{one}* is in training?",
            (
                AnswerOption(labels[0], False, f"That is about how often the two share a fold. {fact}"),
                AnswerOption(labels[1], False, f"There are more than two folds. {fact}"),
                AnswerOption(labels[2], True, f"Yes. {fact}"),
            ),
        ),
        told="The label says 'unseen', but the model has nearly seen it. That is *topic leakage*.",
    )


def predict_the_leak(lesson: Lesson) -> LessonStep:
    """Make the step on how many topics leak."""
    expected, count, able = lesson.verdict.leaking_topics, len(lesson.names), lesson.with_twins
    return LessonStep(
        title="Predict the leak",
        about=f"A test topic leaks if at least one of its near twins is in training. Of the {count} topics, {able} have a near "
        f"twin, and some have two or three. The other {count - able} have none and cannot leak.",
        question=EstimateQuestion(
            f"In a random {FOLDS}-fold split, how many of the {count} topics are tested while a near twin is in training, on "
            "average?",
            0,
            count,
            expected,
            2,
            "topics",
            right=f"Good guess: {expected:.1f} on average. Nearly every topic that has a near twin leaks.",
            too_low=f"More: {expected:.1f} on average. A topic leaks if a near twin is in any of the {FOLDS - 1} other folds, and one "
            "near twin is enough.",
            too_high=f"Fewer: {expected:.1f} on average. At most the {able} topics with a near twin can leak, and sometimes chance puts "
            "near twins into one fold.",
        ),
        told="Every random split is different, but they all leak. A test on 'unseen' topics is mostly a test on topics the model "
        "nearly knows.",
    )


def move_m(lesson: Lesson) -> LessonStep:
    """Make the step on what HITS keeps."""
    keep, names = lesson.verdict.keep, lesson.names
    joins = names[lesson.path.order[keep]]
    met = [name for name in lesson.twins_of(joins) if lesson.code(name) in lesson.path.order[:keep]]
    fact = f"At m = {keep + 1} *{joins}* joins, a near twin of *{met[0]}*, which is already kept."
    return LessonStep(
        title="Move m",
        about="HITS keeps *m* topics that differ from each other. It starts with the most distinct topic and adds, one by one, the "
        "topic that leaks least into those kept. A small *m* is clean but drops texts; a large one lets near twins back in.",
        question=EstimateQuestion(
            f"How many of the {len(names)} topics can HITS keep without two near twins among them?",
            2,
            len(names),
            keep,
            1,
            "topics",
            right=f"Good guess: {keep}. {fact}",
            too_low=f"More: {keep}. Topics without a near twin can all stay, and so can at least one of every group of near twins. "
            f"{fact}",
            too_high=f"Fewer: {keep}. {fact}",
        ),
        told=f"These {keep} topics hold {lesson.verdict.keep_documents:,} of {lesson.verdict.documents:,} texts. That is the "
        "price of testing on topics that are new.",
    )


def label_of(model: str) -> str:
    """Return a model's name as pages show it."""
    return TASKS[TASK].models[model].label


def reads_topic_words(lesson: Lesson, evidence: Evidence) -> LessonStep:
    """Make the step on a model that knows no style and still names authors."""
    reader, stylist = evidence.held_out[READER], evidence.held_out[STYLIST]
    authors = np.bincount(np.asarray(lesson.corpus.author_codes))
    guess = float(authors.max() / authors.sum())
    name, other = label_of(READER), label_of(STYLIST)
    subjects = (
        "Authors have subjects, and subjects have words: an author who writes on hospitals is a good guess for clinics."
    )
    return LessonStep(
        title="A model that reads topic words",
        about=f"*{name}* guesses which of {len(authors)} authors wrote a text. It does not see the most frequent words, which carry "
        f"style, so it reads mostly topic. Always naming the most frequent author would be right for {percent(guess)} of the texts.",
        question=ChoiceQuestion(
            "Tested on topics that were held out of training, how often is it right?",
            (
                AnswerOption(
                    f"about {percent(guess)}, no better than naming the most frequent author",
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
                    f"Not that often: {percent(reader.overall)}. {percent(stylist.overall)} is what *{other}* reaches, which also reads "
                    f"letters and punctuation. {subjects}",
                ),
            ),
        ),
        told=_beside_twins(lesson, evidence),
    )


def _beside_twins(lesson: Lesson, evidence: Evidence) -> str:
    reader, stylist = evidence.held_out[READER], evidence.held_out[STYLIST]
    return (
        f"In ordinary folds, with every topic on both sides, {label_of(READER)} is right for {percent(reader.ordinary)}. Holding "
        f"topics out costs it {100 * (reader.ordinary - reader.overall):.0f} points, and {label_of(STYLIST)} "
        f"{100 * (stylist.ordinary - stylist.overall):.0f}. It does better with a near twin in training, which is a hint and not "
        "proof: topics differ in their authors, too."
    )


def twins_leave_training(evidence: Evidence) -> LessonStep:
    """Make the step on the leakage curve: how far accuracy falls when similar topics leave training."""
    curve = evidence.curve
    first, second = (percent(float(curve.scores["content"][level])) for level in (0, 1))
    style = [percent(float(curve.scores["function"][level])) for level in (0, 1)]
    fact = (
        f"It falls from {first} to {second}. There are as many training texts as before, by the same authors. Only the near twins "
        "are missing, so they made the difference."
    )
    return LessonStep(
        title="Take the near twins out of training",
        about=f"One model reads topic words only. With every other topic in training, it names the right author of {first} of the "
        "texts. Now we take out the topics most similar to the test topic, and put in other texts by the same authors.",
        question=EstimateQuestion(
            "What percentage of the authors does it name now?",
            low=0,
            high=100,
            value=round(100 * float(curve.scores["content"][1])),
            close=5,
            unit="percent",
            right=f"Close. {fact}",
            too_low=f"More than that. {fact}",
            too_high=f"Fewer than that. {fact}",
        ),
        told="Taking out more topics changes little: the near twins were what mattered. Another model reads function words only, "
        f"such as *the*, *of* and *but*. They depend less on the topic, and it falls less, from {style[0]} to {style[1]}. The "
        "chart is a *leakage curve*: it shows what near twins add to a score.",
    )


def hits_change(grid: DialGrid, *, loyal: float, model: str = READER) -> DialRow:
    """Return how HITS changes a model's accuracy, compared with random topics, where near twins share most words."""
    return grid.row(SHARED, loyal, task=TASK, model=model, metric=METRIC, sampler="hits")


def seen_authors(grid: DialGrid, *, loyal: float, sampler: str) -> float:
    """Return the share of test texts by authors that are in training, too."""
    return grid.row(SHARED, loyal, task="folds", model="", metric="seen_authors", sampler=sampler).mean


def changes(row: DialRow) -> bool:
    """Return whether a change exceeds what the synthetic corpora of its cell differ by: two standard errors, and three points."""
    return abs(row.change) > max(CLEARLY, 2 * row.change_sd / sqrt(row.corpora))


def when_hits_changes_nothing(grid: DialGrid) -> LessonStep:
    """Make the step on near twins that reveal no author."""
    free, loyal = (hits_change(grid, loyal=each) for each in LOYALTIES)
    moved = changes(free)
    name = label_of(READER)
    fact = (
        f"With the topics HITS keeps, {name}'s score changes by {signed(free.change)} points. It varies by "
        f"{round(100 * free.change_sd)} points from one such newspaper to the next anyway. Everybody writes about everything, so a "
        "near twin in training does not tell who the author is."
    )
    return LessonStep(
        title="When near twins do no harm",
        about=f"A computer writes newspapers in which near twins share {percent(SHARED)} of their words and every author writes about "
        f"every topic. *{name}* guesses authors from topic words. We test it once on random topics, and once on topics HITS keeps, "
        "which have no near twins.",
        question=ChoiceQuestion(
            f"How does {name}'s score change without near twins?",
            (
                AnswerOption(
                    "It falls clearly: the near twins are gone",
                    moved and free.change < 0,
                    f"You would expect that. {fact}",
                ),
                AnswerOption("Hardly at all", not moved, f"Right. {fact}"),
                AnswerOption("It rises clearly: the texts are cleaner", moved and free.change > 0, f"No. {fact}"),
            ),
        ),
        told=f"Now let every author write {percent(LOYALTIES[1])} of their texts on one group of near twins. Then HITS changes the "
        f"score by {signed(loyal.change)} points: the near twins in training had shown who writes on such topics. So near twins "
        "matter where authors have favourite topics. Measure it on your own corpus.",
    )


def few_topics_prove_little() -> LessonStep:
    """Make the step on how little few topics prove."""
    p, needed = sign_p(AHEAD, TOPICS), wins_needed(TOPICS)
    doubled = sign_p(2 * AHEAD, 2 * TOPICS)
    fact = (
        f"A coin tossed {TOPICS} times falls {AHEAD} to {TOPICS - AHEAD} or more unevenly with probability {p:.2f}, about once in "
        f"{round(1 / p)} tries. You may call A better from {needed} of {TOPICS}."
    )
    return LessonStep(
        title=f"What a p-value means with {TOPICS} topics",
        about=f"You compare two models on {TOPICS} topics. Texts on one topic tend to be right or wrong together, so you count "
        "topics, not texts. The *sign test* asks how often two equally good models would differ this much by chance, as a coin does.",
        question=ChoiceQuestion(
            f"Model A is ahead of model B on {AHEAD} of {TOPICS} topics. May you call A better, if chance may do so in 5% of "
            "cases (p ≤ .05)?",
            (
                AnswerOption(f"Yes: {AHEAD} of {TOPICS} is three quarters", False, f"Not yet. {fact}"),
                AnswerOption("No: that happens too often by chance", True, f"Right. {fact}"),
                AnswerOption(
                    f"No: {TOPICS} topics can never show it",
                    False,
                    f"They can, but it takes more. {fact}",
                ),
            ),
        ),
        told=f"The same three quarters of {2 * TOPICS} topics give p = {doubled:.2f}. *Not significant* does not mean that the models "
        "are equally good. It means that there are too few topics to tell.",
    )


def lesson_steps(lesson: Lesson, evidence: Evidence, grid: DialGrid) -> tuple[LessonStep, ...]:
    """Return the steps: what each says, what it asks, and the reply to every answer."""
    return (
        a_topic_is_a_point(lesson),
        two_near_twins(lesson),
        a_random_split(lesson),
        predict_the_leak(lesson),
        move_m(lesson),
        reads_topic_words(lesson, evidence),
        twins_leave_training(evidence),
        when_hits_changes_nothing(grid),
        few_topics_prove_little(),
    )


def summary_page(steps: Sequence[LessonStep], answers: Mapping[int, Judgement], *, corpus: str, name: str = "") -> str:
    """Return an HTML page: every step's question and, where it was answered, the answer, the right one and why; `answers` by
    place, from 0. A student's name stands under the title."""
    by = f"<p><strong>{escape(name.strip())}</strong></p>\n" if name.strip() else ""
    parts = [_step(number, step, answers.get(number - 1)) for number, step in enumerate(steps, start=1)]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>What is topic leakage?</title>'
        f"<style>{_STYLE}</style></head><body>\n<h1>What is topic leakage?</h1>\n{by}<p>{escape(score_sentence(steps, answers))} "
        f"On the corpus {escape(corpus)}.</p>\n" + "\n".join(parts) + "\n</body></html>\n"
    )


def score_sentence(steps: Sequence[LessonStep], answers: Mapping[int, Judgement]) -> str:
    """Report how many questions were answered, and how many of these rightly."""
    right = sum(each.right for each in answers.values())
    return f"{len(answers)} of {len(steps)} questions answered, {right} correct."


def _step(number: int, step: LessonStep, answer: Judgement | None) -> str:
    lines = [f"<h2>{number}. {_html(step.title)}</h2>", f"<p>{_html(step.question.text)}</p>"]
    if answer is None:
        lines.append("<p>Not answered yet.</p>")
    else:
        found = "correct" if answer.right else f"the answer is <strong>{_html(answer.truth)}</strong>"
        lines.append(f"<p>Your answer: <strong>{_html(answer.given)}</strong>; {found}.</p>")
        lines.append(f'<p class="said">{_html(answer.because)}</p>')
        lines.append(f"<p>{_html(step.told)}</p>")
    return f"<section>{''.join(lines)}</section>"


def _html(text: str) -> str:
    """Return a sentence with its emphasis, and nothing else, as mark-up."""
    return re.sub(r"\*(.+?)\*", r"<em>\1</em>", escape(text))
