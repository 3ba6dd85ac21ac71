"""The pictures of the README: the moving slider as a GIF, the lesson, Folds & accuracy, and the report.

    python -m tools.screenshots ADDRESS     # of a running app, such as http://127.0.0.1:8501

Chromium is driven by Playwright; frames become a GIF with Pillow.
"""

import io
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Locator, Page, sync_playwright

FOLDER = Path(__file__).parents[1] / "docs" / "screenshots"
WIDTH, HEIGHT = 1280, 900
KNOB = 16  # pixels
SMALL = 800  # pixels across, of a frame
COLOURS = 96  # of a frame: charts have few
MOVES = (14, 12, 10, 8, 6, 4, 6, 8, 10, 12, 14, 15, 16, 18, 20, 22, 20, 18, 16)


def main() -> None:
    (address,) = sys.argv[1:]
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.set_default_timeout(120_000)
        slider(page, address)
        lesson(page, address)
        accuracy(page, address)
        report(page)
        browser.close()


def slider(page: Page, address: str) -> None:
    """Record HITS while m moves: every frame is what the browser draws at that m."""
    page.goto(f"{address}/hits")
    handle = page.get_by_role("slider").last
    handle.wait_for()
    page.wait_for_timeout(4_000)
    frames, at = [], _places(handle)
    page.mouse.move(*at(MOVES[0]))
    page.mouse.down()
    for m in MOVES:
        page.mouse.move(*at(m))
        page.wait_for_timeout(250)
        frames.append(_frame(page))
    page.mouse.up()
    frames[0].save(
        FOLDER / "slider.gif", save_all=True, append_images=frames[1:], duration=350, loop=0, optimize=True, disposal=1
    )


def _places(handle: Locator) -> Callable[[int], tuple[float, float]]:
    """Return where the slider's knob is at every m."""
    box, low, high = handle.bounding_box(), *(int(handle.get_attribute(end) or 0) for end in ("min", "max"))
    assert box is not None

    def at(m: int) -> tuple[float, float]:
        along = (m - low) / (high - low)
        return box["x"] + KNOB / 2 + along * (box["width"] - KNOB), box["y"] + box["height"] / 2

    return at


def _frame(page: Page) -> Image.Image:
    shot = Image.open(
        io.BytesIO(page.screenshot(clip={"x": 300, "y": 60, "width": WIDTH - 300, "height": HEIGHT - 60}))
    )
    height = round(SMALL * shot.height / shot.width)
    return shot.convert("RGB").resize((SMALL, height), Image.Resampling.LANCZOS).quantize(COLOURS)


def lesson(page: Page, address: str) -> None:
    """Take the lesson's prediction, answered."""
    page.goto(f"{address}/lesson?step=4")
    form = page.locator('[data-testid="stForm"]').get_by_role("slider")
    form.wait_for()
    form.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Answer", exact=True).click()
    page.locator(".js-plotly-plot").wait_for()
    page.wait_for_timeout(2_500)
    page.screenshot(path=FOLDER / "lesson.png")


def accuracy(page: Page, address: str) -> None:
    """Take every test topic beside what each model scores on it."""
    page.goto(f"{address}/accuracy")
    page.locator(".js-plotly-plot").nth(1).wait_for()
    page.wait_for_timeout(3_000)
    page.screenshot(path=FOLDER / "accuracy.png")


def report(page: Page) -> None:
    """Take the first screen of the bundled corpus's report."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "report.html"
        subprocess.run(
            [sys.executable, "-m", "core", "report", "demo", "--out", file], check=True, stdout=subprocess.DEVNULL
        )
        page.goto(file.as_uri())
        page.wait_for_timeout(2_000)
        page.screenshot(path=FOLDER / "report.png")


if __name__ == "__main__":
    main()
