"""The lesson's frame: which step, its question, the reply to the answer, and all answers at the end."""

import streamlit as st

from core.demo import NAME, bundled_corpus, bundled_evidence, bundled_lesson
from core.errors import LeakscopeError
from core.formats import listed
from core.lesson import (
    ChoiceQuestion,
    EstimateQuestion,
    Judgement,
    LessonStep,
    judged,
    lesson_steps,
    score_sentence,
    summary_page,
)
from core.topics import CORRECTED
from core.vectors import ENCODERS, make_encoder
from pages.parts.lesson_charts import Chart, charts, dial_grid
from pages.shared import clean_steps, files, keep, project
from pages.shared.controls import IN_URL, assign, just_assigned
from pages.shared.corpus_vectors import encoder_in_hand
from pages.shared.session import similarity_in_hand
from pages.shared.show import escaped
from pages.shared.sidebar import FILTERS
from pages.shared.visits import note_use

KEY, ANSWERS = "step", project.LESSON
SUMMARY, OPEN = "Summary", "lesson_open"  # OPEN, in the session's state: the step whose page is to be opened
SKIPPED = "skipped"  # in place of an answer: show it all the same
UNFILTERED = {key: low for _, low, _, key, _ in FILTERS}
READ = {key: each.default for key, each in ENCODERS["sbert"].settings.items()}


@st.cache_resource(show_spinner="Looking at the newspaper …")
def steps() -> tuple[LessonStep, ...]:
    """Return all steps; the same for everybody."""
    return lesson_steps(bundled_lesson(), bundled_evidence(), dial_grid())


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
    st.caption("Answers are kept until you close or reload this tab. A saved project holds them, too.")
    return str(chosen)


def one_step(number: int) -> None:
    """Two sentences and a question; once it is answered, what is true, and a chart to try it on."""
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
    """Return what has been answered in this session, or in the project that was opened, by step."""
    found: dict[int, str | int] = st.session_state.setdefault(ANSWERS, {})
    for number in [number for number, given in found.items() if not _can_be_given(number, given)]:
        del found[number]
    return found


def _can_be_given(number: int, given: str | int) -> bool:
    """Return whether a step has such an answer: those of a project may be of another version's lesson."""
    if not 1 <= number <= len(steps()) or given == SKIPPED:
        return 1 <= number <= len(steps())
    try:
        return bool(judged(steps()[number - 1].question, given))
    except LeakscopeError:
        return False


def _ask(number: int, step: LessonStep) -> None:
    """The question, and a way past it."""
    question, key = step.question, f"lesson_answer_{number}"
    with st.form(f"lesson_question_{number}"):
        given: str | int | None
        if isinstance(question, ChoiceQuestion):
            given = st.radio(question.text, [each.label for each in question.options], index=None, key=key)
        else:
            # From the low end: a middle value would be half an answer.
            given = st.slider(question.text, question.low, question.high, question.low, key=key)
        row = st.container(horizontal=True, vertical_alignment="center")
        answered = row.form_submit_button("Answer", type="primary", icon=":material/check:")
        skipped = row.form_submit_button("Show the answer", type="tertiary")
    if answered and given is None:
        st.info("Choose an answer first. A guess will do.", icon=":material/touch_app:")
    elif answered or skipped:
        _answers()[number] = SKIPPED if skipped or given is None else given
        st.rerun()


def _say(number: int, step: LessonStep, given: str | int) -> None:
    """The question with its answer, and the reply to it."""
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
    """The control and the chart that moves with it, and what to take along."""
    note_use()
    chart, step = charts(bundled_lesson())[number - 1], steps()[number - 1]
    guess = given if isinstance(step.question, EstimateQuestion) and isinstance(given, int) else None
    chart.draw(bundled_lesson(), guess)
    st.markdown(step.told)


def _link(chart: Chart, number: int) -> None:
    """The page where all of it is, on the newspaper that the lesson speaks of, whatever else is selected."""
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
    read = encoder_in_hand() == make_encoder("sbert")
    whole = all(state.get(key, low) == low for key, low in UNFILTERED.items())
    ways = {
        "another encoder": not read,
        "another similarity": similarity_in_hand() != CORRECTED,
        "part of the newspaper": not whole or bool(clean_steps.steps_of(bundled_corpus())),
    }
    return listed([way for way, so in ways.items() if so] or [""])


def _take_newspaper(number: int) -> None:
    """As it comes: whole, by SBERT, with corrected similarity; then the page of a step is opened."""
    st.session_state[OPEN] = number
    chosen = {"corpus": "courier", "encoder": "sbert", "similarity": CORRECTED}
    st.session_state.update(chosen | READ | UNFILTERED)
    if clean_steps.steps_of(bundled_corpus()):
        clean_steps.choose(bundled_corpus(), ())


def onward(step: str) -> None:
    """One step back and one on; nothing has to be answered for it."""
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
    """All answers on one page, and as a file to print."""
    found: dict[int, Judgement] = {
        number - 1: judged(steps()[number - 1].question, given)
        for number, given in sorted(_answers().items())
        if given != SKIPPED
    }
    st.subheader(score_sentence(steps(), found), anchor=False)
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
    files.offer(
        st.container(),
        "Summary to print (html)",
        lambda: summary_page(steps(), found, corpus=NAME),
        "topic_leakage_lesson.html",
        icon=":material/print:",
    )
