"""Dragging the slider of HITS: how many values of m a second are drawn, beside a loop that draws nothing.

The component alone in a real browser, with synthetic topics: while the mouse drags, no server takes part. Needs Chromium.
"""

import argparse
import shutil
import sys
from typing import Any

import numpy as np

from bench import exit_code, sized
from core.corpora import make_corpus
from core.questions import hits
from core.topics import Bootstrap, HitsView, Layout, RandomBand, hits_path, hits_view, sample_at_every_m, topic_space
from pages.parts.hits import COLOURS, FOLDER, script

SIZES = {24: 30.0, 4_000: 20.0}  # topics, and the least changes a second
THEMES = {
    "light": {"text-color": "#1D2733", "background-color": "#FFFFFF", "primary-color": "#2C6FAF"},
    "dark": {"text-color": "#E6EBF0", "background-color": "#12171D", "primary-color": "#3B8AD0"},
}
MOUNT = """async ([source, css, theme, data]) => {
  for (const [name, value] of Object.entries(theme)) document.body.style.setProperty(`--st-${name}`, value);
  document.body.style.background = theme["background-color"];
  const host = document.body.appendChild(document.createElement("div"));
  window.shadow = host.attachShadow({ mode: "open" });
  shadow.appendChild(document.createElement("style")).textContent = css;
  const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  window.script = await import(address);
  window.told = [];
  window.show = (shown) =>
    script.default({ data: shown, parentElement: shadow, setTriggerValue: (name, value) => told.push(value) });
  show(data);
}"""
DRAG = """async (seconds) => {
  const [root, input] = [shadow.querySelector(".view"), shadow.querySelector("#m")];
  let [drawn, last] = [0, root.dataset.drawn];
  new MutationObserver(() => {
    if (root.dataset.drawn !== last) drawn += 1;
    last = root.dataset.drawn;
  }).observe(root, { attributes: true, attributeFilter: ["data-drawn"] });
  const end = performance.now() + 1000 * seconds;
  for (let step = 1; performance.now() < end; step++) {
    input.value = 1 + Math.round((1 - Math.abs(1 - (step % 46) / 23)) * (input.max - 1));
    input.dispatchEvent(new Event("input"));
    await new Promise(requestAnimationFrame);
  }
  return drawn;
}"""
PLAIN = """async (seconds) => {
  const end = performance.now() + 1000 * seconds;
  let frames = 0;
  while (performance.now() < end) {
    await new Promise(requestAnimationFrame);
    frames += 1;
  }
  return frames;
}"""


def mounted(page: Any, view: HitsView, *, m: int, theme: str = "light", here: dict[str, Any] | None = None) -> Any:
    """The component on an empty page, as Streamlit would mount it; what it tells the server lands in `told`."""
    data = {"view": hits.view_json(view), "key": "made", "m": m, "here": here, "colours": COLOURS}
    return page.evaluate(MOUNT, [script(), (FOLDER / "view.css").read_text(encoding="utf-8"), THEMES[theme], data])


def made_view(topics: int) -> HitsView:
    """A view of synthetic topics. Band and draws are made as well: they take minutes to compute and as long to draw."""
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(topics), 3)
    vectors = (rng.normal(size=(topics, 16))[codes] + rng.normal(size=(len(codes), 16))).astype(np.float32)
    texts = [f"text {row}" for row in range(len(codes))]
    corpus = make_corpus(texts, [f"topic {code:05d}" for code in codes], name="made")
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    path = hits_path(space.similarity)
    spread = np.array([[0.9], [1.0], [1.1]])
    ranks = np.zeros(topics, dtype=np.int64)
    steps = np.argsort(path.order) + rng.integers(0, 5, (40, topics))
    return hits_view(
        space,
        path,
        sample_at_every_m(corpus, space, path),
        band=RandomBand(40, path.mean * spread, path.max * spread, ranks, ranks),
        bootstrap=Bootstrap(None, None, steps, np.zeros((40, topics)), np.zeros(40)),
        layout=Layout("made", np.arange(0), np.empty((0, 2)), space.centroids[:, :2]),
    )


def dragged(page: Any, seconds: float) -> tuple[float, float]:
    """Changes of m drawn a second while the slider reports a new value every frame, from end to end and back, and frames
    a second of a loop that draws nothing. (A mouse by remote control is slower than any hand.)"""
    rate = page.evaluate(DRAG, seconds) / seconds
    assert page.evaluate("told.length") == 0, "the server hears of m on release"
    return rate, page.evaluate(PLAIN, seconds) / seconds


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=sized(4.0, 0.2))
    seconds = options.parse_args().seconds
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        print("skipped: no chromium on this machine")
        return 0
    from playwright.sync_api import sync_playwright

    enough = True
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for topics, least in sized(SIZES, {24: 30.0}).items():
            page = browser.new_context(viewport={"width": 980, "height": 900}).new_page()
            mounted(page, made_view(topics), m=2)
            rate, plain = dragged(page, seconds)
            print(
                f"{topics:5,} topics: {rate:5.1f} changes a second (target {least:.0f}), "
                f"{plain:5.1f} frames of a loop that draws nothing, ratio {rate / plain:.2f}"
            )
            enough &= rate >= least
        browser.close()
    return exit_code(measured=enough)


if __name__ == "__main__":
    sys.exit(main())
