"""The lesson in a real browser: a first-time reader gets through it on one page, errs, prints, and finds the words explained."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from core.lesson import ChoiceQuestion
from pages.parts.lesson import steps
from tests.browser.test_app import settled

WRONG = {1, 4, 6}  # steps that are answered wrongly: a near miss, a number, and far off


def answer(page: Page, number: int) -> None:
    """Answer a step's question, and read what it answers."""
    question = steps()[number - 1].question
    form = page.locator('[data-testid="stForm"]')
    if isinstance(question, ChoiceQuestion):
        option = next(each for each in question.options if each.right == (number not in WRONG))
        form.get_by_text(option.label, exact=True).click()
        said = option.because
    else:
        slider = form.get_by_role("slider")
        slider.focus()
        for _ in range(1 if number in WRONG else 1 + round(question.value) - question.low):
            page.keyboard.press("ArrowRight")
        said = question.too_low if number in WRONG else question.right
    page.get_by_role("button", name="Answer", exact=True).click()
    expect(page.locator('[data-testid="stAlert"]')).to_contain_text(said.replace("*", "")[:60])


def test_a_first_reader_gets_through_the_lesson_without_leaving_the_page(page: Page, address: str):
    page.goto(f"{address}/lesson")
    settled(page)
    for number, step in enumerate(steps(), start=1):
        expect(page.get_by_role("heading", name=f"{number}. {step.title}")).to_be_visible()
        expect(page.get_by_role("button", name="Answer", exact=True)).to_be_visible()
        settled(page)  # until then the last step's chart may stand there still
        assert page.locator(".js-plotly-plot").count() == 0, "nothing is shown before the answer"
        answer(page, number)
        expect(page.locator(".js-plotly-plot")).to_have_count(1)
        page.get_by_role("button", name="Next").click()
    right = len(steps()) - len(WRONG)
    said = f"{len(steps())} of {len(steps())} questions answered, {right} correct."
    expect(page.get_by_role("heading", name=said)).to_be_visible()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Summary to print").click()
    printed = Path(waiting.value.path()).read_text(encoding="utf-8")
    assert printed.count("Your answer:") == len(steps())
    assert re.search(r"/lesson\?answers=1a[-.0-9a-d]+&step=Summary$", page.url)
    page.get_by_role("radio", name="4", exact=True).click()
    expect(page.get_by_text("Your answer: 0 topics")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is cut at the side"


def test_a_reload_finds_the_answers_and_a_class_has_no_sidebar(page: Page, address: str):
    page.goto(f"{address}/lesson?class=1&step=4")
    settled(page)
    expect(page.get_by_test_id("stSidebar")).to_have_count(0)
    page.get_by_role("button", name="Answer", exact=True).click()
    expect(page.get_by_text("Move the slider first")).to_be_visible()
    answer(page, 4)
    expect(page).to_have_url(re.compile("answers=4-0"))
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("heading", name=f"5. {steps()[4].title}")).to_be_visible()
    page.reload()
    settled(page)
    expect(page.get_by_role("heading", name=f"5. {steps()[4].title}")).to_be_visible()
    expect(page.get_by_test_id("stSidebar")).to_have_count(0)
    page.get_by_role("button", name="Back").click()
    expect(page.get_by_text("Your answer: 0 topics")).to_be_visible()
    page.get_by_role("radio", name="Summary").click()
    page.get_by_role("textbox", name="Your name").fill("Ada Lovelace")
    page.keyboard.press("Tab")
    for _ in range(5):  # the page is drawn again with the name; a click before that gets the file without it
        settled(page)
        with page.expect_download() as waiting:
            page.get_by_role("button", name="Summary to print").click()
        printed = Path(waiting.value.path()).read_text(encoding="utf-8")
        if "Ada Lovelace" in printed:
            break
        page.wait_for_timeout(500)
    assert "<strong>Ada Lovelace</strong>" in printed
    assert "Ada" not in page.url


def test_a_link_opens_its_step_and_leads_on_to_the_page_in_the_state_it_names(page: Page, address: str):
    page.goto(f"{address}/lesson?step=5")
    settled(page)
    page.get_by_role("button", name="Show the answer").click()
    page.get_by_test_id("stMain").get_by_role("link", name=re.compile("HITS$")).click()
    expect(page).to_have_url(re.compile(r"/hits"))
    settled(page)
    expect(page.get_by_role("heading", name="Which topics should I keep?")).to_be_visible()
    expect(page.get_by_role("slider", name="Topics to keep (m)")).to_have_value("14")


def test_the_words_of_a_page_are_reached_by_the_keyboard_alone(page: Page, address: str):
    page.goto(f"{address}/lesson?step=2")
    settled(page)
    button = page.get_by_role("button", name="Terms")
    for _ in range(80):
        if button.evaluate("each => each === document.activeElement"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("stPopoverBody")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stPopoverBody")).to_be_hidden()


def test_every_formula_is_set_and_the_table_of_contents_leads_to_its_sections(page: Page, address: str):
    page.goto(f"{address}/methods")
    settled(page)
    expect(page.locator(".katex").nth(20)).to_be_attached()
    assert page.locator(".katex-error").count() == 0
    page.get_by_role("link", name="Glossary", exact=True).first.click()
    expect(page.get_by_role("heading", name="Glossary")).to_be_in_viewport()
    page.get_by_role("link", name="Ranking and its stability", exact=True).last.click()
    expect(page.get_by_role("heading", name="6. Ranking and its stability")).to_be_in_viewport()
