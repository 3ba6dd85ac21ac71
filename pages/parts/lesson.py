"""The lesson: which step, its question, its control and chart, the reply to the answer, and all answers at the end."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from hmac import compare_digest

import streamlit as st

from core.demo import DIAL_GRID, NAME, bundled_corpus, bundled_evidence, bundled_layout, bundled_lesson, bundled_vectors
from core.formats import listed, percent
from core.lesson import (
    CONTROL_NAMES,
    FOLDS,
    POINT,
    SKIPPED,
    TWINS,
    ChoiceQuestion,
    ClassCounts,
    DialGrid,
    EstimateQuestion,
    Judgement,
    Lesson,
    LessonStep,
    answers_code,
    answers_of,
    can_be_given,
    chances_of_wins,
    class_sentence,
    hits_change,
    judged,
    label_of,
    leaking_counts,
    lesson_steps,
    nearest_in_training,
    random_split,
    read_dial_grid,
    right_beside_twins,
    score_sentence,
    seen_authors,
    separated_chance,
    sign_p,
    signed,
    summary_page,
)
from core.plots import lesson as plots
from core.topics import CORRECTED, judge, pair_histogram
from core.vectors import ENCODERS, make_encoder
from pages.shared import keep, project, show
from pages.shared.history import own_key
from pages.shared.hosting import note_use
from pages.shared.session import current_similarity, teachers_word
from pages.shared.show import escaped
from pages.shared.sidebar import FILTERS
from pages.shared.state import current_encoder
from pages.shared.studies import study_of
from pages.shared.widgets import IN_URL, assign, integer_input, just_assigned

PAGE = "lesson"
DrawStep = Callable[[Lesson, int | None], None]


@cache
def dial_grid() -> DialGrid:
    """Return the results on synthetic corpora."""
    return read_dial_grid(DIAL_GRID)


def _point(lesson: Lesson, guess: int | None) -> None:
    topic = st.selectbox(
        "Look at another topic", lesson.names, lesson.code(POINT), key=own_key(PAGE, "topic"), bind=IN_URL
    )
    vectors = bundled_vectors(lesson.corpus, make_encoder("sbert"))
    assert vectors is not None
    drawn = bundled_layout(lesson.corpus, vectors)
    assert drawn is not None
    near = lesson.by_similarity(topic)[0]
    show.figure(
        plots.topic_on_map(lesson, drawn, topic),
        key="lesson_figure_map",
        alt=f"Map of all texts; the topic most similar to {topic} is {near} ({lesson.similarity_of(topic, near):.2f})",
    )
    st.caption(
        "Small dots are texts, large ones centroids. The map shows hundreds of dimensions in two, so it is for display only."
    )


def _pair(lesson: Lesson, guess: int | None) -> None:
    one, other = TWINS
    others = lesson.by_similarity(one)
    chosen = st.selectbox(f"Compare {one} with", others, others.index(other), key=own_key(PAGE, "beside"), bind=IN_URL)
    edges, counts = pair_histogram(lesson.space.similarity, threshold=lesson.verdict.threshold)
    show.figure(
        plots.pair_among_all(lesson, edges, counts, one, chosen),
        key="lesson_figure_pairs",
        alt=f"Histogram of all pairs of topics; {one} and {chosen} have {lesson.similarity_of(one, chosen):.2f}",
    )


def _random_split(lesson: Lesson, guess: int | None) -> None:
    number = integer_input(
        st.container(), "Random split", 1, 30, 1, key=own_key(PAGE, "deal"), help="Each number is another random split."
    )
    drawn = random_split(lesson, seed=number - 1)
    one, other = (int(drawn.fold_of[lesson.code(name)]) for name in TWINS)
    where = "are in one fold" if one == other else "are separated"
    st.markdown(f"In this split {TWINS[0]} and {TWINS[1]} **{where}**; **{int(drawn.leaking.sum())}** topics leak.")
    show.figure(
        plots.split_of_topics(lesson, drawn, TWINS),
        key="lesson_figure_deal",
        alt="Topics by fold; those that leak are filled",
    )


def _leaks(lesson: Lesson, guess: int | None) -> None:
    k = integer_input(
        st.container(), "Folds (k)", 2, 12, FOLDS, key=own_key(PAGE, "k"), help="The number of folds of topics."
    )
    expected, counts = judge(lesson.space, lesson.path, k=k).leaking_topics, leaking_counts(lesson, k=k)
    st.markdown(
        f"With **{k}** folds, two given topics are separated with probability **{percent(separated_chance(len(lesson.names), k=k))}**, "
        f"and **{expected:.1f}** topics leak on average."
    )
    show.figure(
        plots.leaks_of_splits(counts, topics=len(lesson.names), expected=expected, guess=guess if k == FOLDS else None),
        key="lesson_figure_leaks",
        alt=f"Topics that leak in {len(counts)} random splits into {k} folds; {expected:.1f} are expected",
    )


def _kept(lesson: Lesson, guess: int | None) -> None:
    comparable = lesson.path.comparable
    m = integer_input(
        st.container(),
        "Topics to keep (m)",
        2,
        comparable,
        min(max(guess or lesson.verdict.keep, 2), comparable),
        key=own_key(PAGE, "m"),
        help="HITS keeps the first m of its path.",
    )
    added = lesson.names[lesson.path.order[m - 1]]
    value = float(lesson.path.max[m - 1])
    state = "some are near twins" if value >= lesson.verdict.threshold else "no two of them are near twins"
    st.markdown(f"Topic number {m} is *{added}*; the closest pair has similarity **{value:.2f}**, so {state}.")
    vectors = bundled_vectors(lesson.corpus, make_encoder("sbert"))
    assert vectors is not None
    show.figure(
        plots.closest_kept(lesson, study_of(lesson.corpus, vectors, CORRECTED).band, m),
        key="lesson_figure_kept",
        alt=f"Closest pair among the topics kept against m; {value:.2f} at {m}",
    )


def _model(label: str, models: list[str], name: str) -> str:
    return str(
        st.segmented_control(
            label,
            models,
            default=models[0],
            required=True,
            format_func=label_of,
            key=own_key(PAGE, name),
            bind=IN_URL,
        )
    )


def _right(lesson: Lesson, guess: int | None) -> None:
    models = list(bundled_evidence().held_out)
    model = _model("Model", models, "model")
    found = bundled_evidence().held_out[model]
    similarity = nearest_in_training(lesson)
    beside, alone = right_beside_twins(lesson, found)
    st.markdown(
        f"{label_of(model)} names **{percent(beside)}** of the authors on test topics with a near twin in training, "
        f"**{percent(alone)}** on the others."
    )
    show.figure(
        plots.right_by_similarity(lesson, found, similarity, label=label_of(model), colour=models.index(model)),
        key="lesson_figure_right",
        alt=f"Right answers of {label_of(model)} on every test topic against the similarity of the nearest training topic",
    )


def _curve(lesson: Lesson, guess: int | None) -> None:
    found = bundled_evidence().curve
    names = [name for name in CONTROL_NAMES if name in found.scores]
    chosen = str(
        st.segmented_control(
            "Model of",
            names,
            default=names[0],
            required=True,
            format_func=CONTROL_NAMES.__getitem__,
            key=own_key(PAGE, "control"),
            bind=IN_URL,
        )
    )
    first, last = (percent(float(found.scores[chosen][level])) for level in (0, -1))
    st.markdown(
        f"A model of {CONTROL_NAMES[chosen]} falls from **{first}** with every topic in training to **{last}** without the most "
        "similar half."
    )
    show.figure(
        plots.without_twins(
            found, labels=CONTROL_NAMES, threshold=lesson.verdict.threshold, chosen=chosen, guess=guess
        ),
        key="lesson_figure_curve",
        alt=f"Accuracy while similar topics leave training; a model of {CONTROL_NAMES[chosen]} falls from {first} to {last}",
    )
    st.caption(
        "Left to right, more similar topics are allowed in training. Training sets are equally large everywhere."
    )


def _dial(lesson: Lesson, guess: int | None) -> None:
    grid = dial_grid()
    loyalties = [float(each) for each in grid.loyal]
    loyal = st.segmented_control(
        "Share of an author's texts in one group of near twins",
        loyalties,
        default=loyalties[0],
        required=True,
        format_func=percent,
        key=own_key(PAGE, "loyal"),
        bind=IN_URL,
    )
    models = list(bundled_evidence().held_out)
    rows = {label_of(model): [hits_change(grid, loyal=each, model=model) for each in loyalties] for model in models}
    here = hits_change(grid, loyal=float(loyal))
    random, hits = (seen_authors(grid, loyal=float(loyal), sampler=sampler) for sampler in ("random", "hits"))
    st.markdown(
        f"HITS changes {label_of(models[0])} by **{signed(here.change)}** points. {percent(random)} of the test texts are by authors "
        f"in training with random topics, {percent(hits)} with HITS."
    )
    show.figure(
        plots.change_under_hits(rows, chosen=float(loyal)),
        key="lesson_figure_dial",
        alt="How HITS changes every model's accuracy, by how far authors keep to one group of near twins",
    )


def _wins(lesson: Lesson, guess: int | None) -> None:
    topics = integer_input(
        st.container(), "Topics", 4, 48, 12, key=own_key(PAGE, "topics"), help="A is ahead on three quarters of them."
    )
    wins = round(0.75 * topics)
    st.markdown(f"A is ahead on {wins} of {topics} topics: **p = {sign_p(wins, topics):.3f}**.")
    show.figure(
        plots.chances_of_wins(chances_of_wins(topics), wins=wins),
        key="lesson_figure_wins",
        alt=f"How often two equally good models split by chance on {topics} topics; {wins} wins have p = {sign_p(wins, topics):.3f}",
    )


@dataclass(frozen=True, slots=True)
class Chart:
    """A step's chart, and the page where all of it is: its path, the link's words, and the state in which it opens."""

    draw: DrawStep
    page: str
    label: str
    state: dict[str, str]


def charts(lesson: Lesson) -> tuple[Chart, ...]:
    """Return one chart per step."""
    one, other = TWINS
    near = {"a": POINT, "b": lesson.by_similarity(POINT)[0]}
    by_topic = {"run_task": "attribution", "accuracy_view": "topic by topic", "run_k": str(FOLDS)}
    return (
        Chart(_point, "pages/topic_map.py", "All topics on the map: Topic map", near),
        Chart(_pair, "pages/topic_map.py", "Why these two are similar: Topic map", {"a": one, "b": other}),
        Chart(
            _random_split,
            "pages/design.py",
            "Splits that keep near twins together: Design a split",
            {"design_k": str(FOLDS)},
        ),
        Chart(_leaks, "pages/overview.py", "The verdict on a corpus: Overview", {"k": str(FOLDS)}),
        Chart(_kept, "pages/hits.py", "Everything by m: HITS", {"m": str(lesson.verdict.keep)}),
        Chart(_right, "pages/accuracy.py", "Every topic and its nearest: Folds & accuracy", by_topic),
        Chart(
            _curve, "pages/accuracy.py", "The curve of any corpus: Folds & accuracy", {"accuracy_view": "leakage curve"}
        ),
        Chart(_dial, "pages/accuracy.py", "Measure it on a corpus: Folds & accuracy", by_topic),
        Chart(
            _wins,
            "pages/significance.py",
            "Compare two systems: Significance",
            {"significance_compare": "models run here"},
        ),
    )


KEY, ANSWERS = "step", project.LESSON
SUMMARY, OPEN = "Summary", "lesson_open"  # OPEN, in the session's state: the step whose page is to be opened
GIVEN = "answers"  # in the address
CLASS, TEACHER = "class", "teacher"  # in the address: without the sidebar, for a class; and the value for its teacher
# In the session's state: steps that were answered once, which count no more; and whether the teacher's word was given.
COUNTED, IS_TEACHER = "lesson_counted", "lesson_teacher"
EVERY = 3.0  # seconds between two looks at a class's answers
UNFILTERED = {key: low for _, low, _, key, _ in FILTERS}
READ = {key: each.default for key, each in ENCODERS["sbert"].settings.items()}


@st.cache_resource(show_spinner="Looking at the newspaper …")
def steps() -> tuple[LessonStep, ...]:
    """Return all steps; the same for everybody."""
    return lesson_steps(bundled_lesson(), bundled_evidence(), dial_grid())


def at_start() -> bool:
    """Return whether the first step is shown, which needs an introduction."""
    return bool(st.session_state.get(KEY, st.query_params.get(KEY, "1")) == "1")


def choose_step() -> str:
    """Return the current step, a number as text or the summary; a link may name it."""
    names = [str(number) for number in range(1, len(steps()) + 1)]
    just_assigned(KEY)  # what a button chose is put back where it was lost
    chosen = st.segmented_control(
        "Step",
        [*names, SUMMARY],
        default=names[0],
        required=True,
        key=KEY,
        bind=IN_URL,
        label_visibility="collapsed",
    )
    code = answers_code(steps(), _answers())
    if code != st.query_params.get(GIVEN, ""):
        st.query_params[GIVEN] = code
    return str(chosen)


def one_step(number: int) -> None:
    """Draw one step: two sentences and a question; once answered, what is true and a chart to try it on."""
    step = steps()[number - 1]
    st.subheader(f"{number}. {step.title}", anchor=False)
    st.markdown(step.about)
    given = _answers().get(number)
    if given is None:
        _ask(number, step)
        return
    _say(number, step, given)
    _explore(number, given)
    _link(charts(bundled_lesson())[number - 1], number)


def _answers() -> dict[int, str | int]:
    """Return what was answered, by step: in this session, in the project that was opened, or as the address says."""
    state = st.session_state
    if ANSWERS not in state:
        state[ANSWERS] = answers_of(steps(), st.query_params.get(GIVEN, ""))
        state[COUNTED] = set(state[ANSWERS])
    found: dict[int, str | int] = state[ANSWERS]
    for number in [number for number, given in found.items() if not can_be_given(steps(), number, given)]:
        del found[number]
    return found


def _ask(number: int, step: LessonStep) -> None:
    """Ask the question, with a way to skip it."""
    question, key = step.question, f"lesson_answer_{number}"
    with st.form(f"lesson_question_{number}"):
        given: str | int | None
        if isinstance(question, ChoiceQuestion):
            given = st.radio(question.text, [each.label for each in question.options], index=None, key=key)
        else:
            # It starts on no number: any would be half an answer.
            numbers = [None, *range(question.low, question.high + 1)]
            given = st.select_slider(
                question.text, numbers, key=key, format_func=lambda each: "?" if each is None else str(each)
            )
            st.caption(f"Move the slider: {question.low} to {question.high} {question.unit}.")
        row = st.container(horizontal=True, vertical_alignment="center")
        answered = row.form_submit_button("Answer", type="primary", icon=":material/check:")
        skipped = row.form_submit_button("Show the answer", type="tertiary")
    if answered and given is None:
        first = "Choose an answer" if isinstance(question, ChoiceQuestion) else "Move the slider"
        st.info(f"{first} first. A guess will do.", icon=":material/touch_app:")
    elif answered or skipped:
        given = SKIPPED if skipped or given is None else given
        _answers()[number] = given
        _count(number, given)
        st.rerun()


def _count(number: int, given: str | int) -> None:
    """Add a student's first answer to the class's counts, where the host keeps any."""
    counted: set[int] = st.session_state.setdefault(COUNTED, set())
    if number not in counted and CLASS in st.query_params and teachers_word():
        class_counts().add(number, given)
    counted.add(number)


def _say(number: int, step: LessonStep, given: str | int) -> None:
    """Show the question with its answer, and the reply to it."""
    st.markdown(f"**{step.question.text}**")
    if given == SKIPPED:
        st.info(f"The answer: **{step.question.truth}**.", icon=":material/visibility:")
    else:
        found = judged(step.question, given)
        if found.right:
            st.caption(f"Your answer: {found.given}")
            st.success(found.because, icon=":material/check_circle:")
        else:
            st.caption(f"Your answer: {found.given}. The answer: **{found.truth}**")
            st.warning(found.because, icon=":material/lightbulb:")
    st.button(
        "Answer again",
        icon=":material/undo:",
        type="tertiary",
        key=f"lesson_again_{number}",
        on_click=_forget,
        args=(number,),
    )


def _forget(number: int) -> None:
    _answers().pop(number, None)


@st.fragment
def _explore(number: int, given: str | int) -> None:
    """Draw the control, the chart that moves with it, and what to remember."""
    note_use()
    chart, step = charts(bundled_lesson())[number - 1], steps()[number - 1]
    guess = given if isinstance(step.question, EstimateQuestion) and isinstance(given, int) else None
    chart.draw(bundled_lesson(), guess)
    st.markdown(step.told)


def _link(chart: Chart, number: int) -> None:
    """Link the page that shows all of it for the lesson's newspaper, whatever corpus is selected."""
    if st.session_state.pop(OPEN, None) == number:
        st.switch_page(chart.page, query_params=chart.state)
    icon = ":material/arrow_forward:"
    if not (other := _instead()):
        st.page_link(chart.page, label=chart.label, icon=icon, query_params=chart.state)
        return
    row = st.container(horizontal=True, vertical_alignment="center")
    key = f"lesson_link_{number}"
    row.button(chart.label, icon=icon, type="tertiary", key=key, on_click=_take_newspaper, args=(number,))
    row.caption(f"You currently use {escaped(other)}. This opens the lesson's newspaper with its default settings.")


def _instead() -> str:
    """Return what is current that the lesson is not on: another corpus, or the newspaper seen in another way; else nothing."""
    state = st.session_state
    if state.get("corpus", "courier") != "courier":
        loaded = keep.as_loaded()
        return "another corpus" if loaded is None else loaded.name
    read = current_encoder() == make_encoder("sbert")
    whole = all(state.get(key, low) == low for key, low in UNFILTERED.items())
    ways = {
        "another encoder": not read,
        "another similarity": current_similarity() != CORRECTED,
        "part of the newspaper": not whole or bool(keep.steps_of(bundled_corpus())),
    }
    return listed([way for way, so in ways.items() if so] or [""])


def _take_newspaper(number: int) -> None:
    """Select the newspaper as it comes (whole, SBERT, corrected similarity), then open the page of a step."""
    st.session_state[OPEN] = number
    chosen = {"corpus": "courier", "encoder": "sbert", "similarity": CORRECTED}
    st.session_state.update(chosen | READ | UNFILTERED)
    if keep.steps_of(bundled_corpus()):
        keep.choose_steps(bundled_corpus(), ())


def onward(step: str) -> None:
    """Draw the buttons to the previous and next step; no answer is needed."""
    places = [*(str(number) for number in range(1, len(steps()) + 1)), SUMMARY]
    here = places.index(step)
    row = st.container(horizontal=True, vertical_alignment="center")
    for label, icon, place in (
        ("Back", ":material/arrow_back:", here - 1),
        ("Next", ":material/arrow_forward:", here + 1),
    ):
        if 0 <= place < len(places):
            answered = step == SUMMARY or int(step) in _answers()
            row.button(
                label,
                icon=icon,
                key=f"lesson_{label.lower()}",
                type="primary" if label == "Next" and answered else "secondary",
                on_click=assign,
                args=({KEY: places[place]},),
            )


def summary() -> None:
    """Show all answers on one page, and as a file to print."""
    found: dict[int, Judgement] = {
        number - 1: judged(steps()[number - 1].question, given)
        for number, given in sorted(_answers().items())
        if given != SKIPPED
    }
    st.subheader(score_sentence(steps(), found), anchor=False)
    st.caption(
        "Your answers are in this page's address, so a reload or a bookmark keeps them. A saved project does, too."
    )
    name = st.text_input(
        "Your name", max_chars=80, key="lesson_name", help="Written on the page to print and nowhere else."
    )
    for number, step in enumerate(steps(), start=1):
        answer = found.get(number - 1)
        with st.container(border=True):
            st.markdown(f"**{number}. {step.title}**")
            if answer is None:  # what was not asked is not told
                st.markdown(f"{step.question.text} *Not answered yet.*")
                continue
            mark = ":material/check_circle:" if answer.right else ":material/lightbulb:"
            st.markdown(f"{mark} {step.question.text} Your answer: {answer.given}. The answer: **{answer.truth}**.")
            st.caption(step.told)
    show.offer(
        st.container(),
        "Summary to print (html)",
        summary_page(steps(), found, corpus=NAME, name=name).encode(),
        "topic_leakage_lesson.html",
        icon=":material/print:",
    )


@st.cache_resource(show_spinner=False)
def class_counts() -> ClassCounts:
    """Return the counts of this server's class."""
    return ClassCounts(steps())


def for_teacher() -> bool:
    """Return whether the address asks for the class's answers."""
    return st.query_params.get(CLASS) == TEACHER


def teacher() -> None:
    """Show what the class answers, to whoever knows the word that the server was started with."""
    word = teachers_word()
    if not word:
        st.info(
            "This server does not collect answers. Start it with `LEAKSCOPE_CLASS` set to a word of yours, as docs/lesson.md shows.",
            icon=":material/groups:",
        )
    elif st.session_state.get(IS_TEACHER):
        _class_answers()
    elif given := st.text_input("Teacher's word", type="password", key="lesson_word"):
        if compare_digest(given.encode(), word.encode()):
            st.session_state[IS_TEACHER] = True
            st.rerun()
        st.error("That is not the word this server was started with.", icon=":material/lock:")


@st.fragment(run_every=EVERY)
def _class_answers() -> None:
    """Draw one step's answers as bars, and how many answered each step; refreshed every few seconds."""
    counts = {number: class_counts().of(number) for number in range(1, len(steps()) + 1)}
    chosen = st.segmented_control("Step", list(counts), default=1, required=True, key="lesson_class_step")
    step, found = steps()[int(chosen) - 1], counts[int(chosen)]
    st.subheader(f"{chosen}. {step.title}", anchor=False)
    st.markdown(step.question.text)
    shown = st.toggle("Show the right answer", key=f"lesson_class_shown_{chosen}")
    st.markdown(class_sentence(step.question, found, shown=shown))
    show.figure(
        plots.class_answers(found, shown=shown),
        key="lesson_figure_class",
        alt=f"{found.given} answers of the class to step {chosen}",
    )
    show.table(
        [
            {
                "step": f"{number}. {each.title}",
                "answers": counts[number].given,
                "correct": counts[number].correct,
                "shown without an answer": counts[number].skipped,
            }
            for number, each in enumerate(steps(), start=1)
        ],
        alt="Answers of the class to every step",
        csv=None,
    )
    st.caption("First answers only, counted without names. They are in the server's memory and end with it.")
    with st.popover("Start over", icon=":material/restart_alt:"):
        st.button("Delete all counts", on_click=class_counts().clear, key="lesson_class_clear")
