"""From slider to new figures: server time of the HITS fragment, against a fragment that draws nothing.

A real server and a real browser: the slider is moved with the keyboard, and the server notes how long each fragment run
took, the figures' serialisation included. Needs Chromium. 20 Newsgroups is taken from ../shared/data where it is.
"""

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from bench import ROOT, exit_code, newsgroups, sized, tiny

NOTHING = """
import streamlit as st
@st.fragment
def explore():
    st.slider("Topics to keep (m)", 1, 24, 12, key="m")
st.title("Nothing")
explore()
"""


def serve(script: str, port: int, log: str) -> None:
    """Run a Streamlit app in this process and write down the seconds of every fragment run."""
    from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
    from streamlit.web import cli

    run = ScriptRunner._run_script

    def timed(self, rerun_data):
        start = time.perf_counter()
        run(self, rerun_data)
        if rerun_data.fragment_id_queue:
            with open(log, "a") as sink:
                sink.write(f"{time.perf_counter() - start}\n")

    ScriptRunner._run_script = timed
    sys.argv = [
        "streamlit",
        "run",
        script,
        "--server.headless=true",
        f"--server.port={port}",
        "--server.fileWatcherType=none",
    ]
    cli.main()


@contextmanager
def running(script: Path, log: Path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "bench.slider", "--serve", str(script), str(port), str(log)]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2)
                break
            except OSError:
                time.sleep(0.25)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def moved(browser, script: Path, moves: int, path: str = "", corpus: Path | None = None) -> np.ndarray:
    """Seconds of each fragment run while the slider is moved."""
    log = Path(tempfile.mkstemp()[1])
    with running(script, log) as address:
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.set_default_timeout(300_000)
        if corpus is not None:
            page.goto(f"{address}/corpus?encoder=LSA")
            page.get_by_text("Load your own file", exact=True).first.click()
            page.locator("input[type=file]").first.set_input_files(corpus)
            page.get_by_role("button", name="Use this corpus").click()
            page.get_by_test_id("stMetric").filter(has_text="Documents").get_by_text("18,846").wait_for()
            page.get_by_test_id("stSidebarNav").get_by_text("HITS").click()
        else:
            page.goto(f"{address}/{path}")
        slider = page.get_by_role("slider", name="Topics to keep (m)")
        slider.wait_for()
        page.wait_for_timeout(sized(4_000, 1_000))
        slider.focus()
        for move in range(moves):
            before = len(log.read_text().splitlines())
            slider.press("ArrowRight" if move // 8 % 2 == 0 else "ArrowLeft")
            for _ in range(400):
                if len(log.read_text().splitlines()) > before:
                    break
                page.wait_for_timeout(25)
        page.context.close()
    return np.array([float(line) for line in log.read_text().splitlines()])


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--moves", type=int, default=sized(48, 2))
    options.add_argument("--serve", nargs=3, metavar=("SCRIPT", "PORT", "LOG"))
    chosen = options.parse_args()
    if chosen.serve:
        serve(chosen.serve[0], int(chosen.serve[1]), chosen.serve[2])
        return 0
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        print("skipped: no chromium on this machine")
        return 0
    from playwright.sync_api import sync_playwright

    os.environ.setdefault("LEAKSCOPE_CACHE", tempfile.mkdtemp())
    empty = Path(tempfile.mkdtemp()) / "nothing.py"
    empty.write_text(NOTHING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        nothing = moved(browser, empty, chosen.moves)
        runs = [("bundled corpus", 0.150, moved(browser, ROOT / "app.py", chosen.moves, "hits"))]
        if newsgroups().exists() and not tiny():
            large = moved(browser, ROOT / "app.py", chosen.moves, corpus=newsgroups())
            runs.append(("20 Newsgroups", 0.300, large))
        else:
            print("20 Newsgroups skipped: ../shared/data is absent")
        browser.close()
    base = np.quantile(nothing, 0.95)
    print(f"{'nothing':16} p50 {np.median(nothing) * 1e3:6.1f} ms  p95 {base * 1e3:6.1f} ms  ({len(nothing)} moves)")
    for name, limit, seconds in runs:
        p95 = np.quantile(seconds, 0.95)
        print(
            f"{name:16} p50 {np.median(seconds) * 1e3:6.1f} ms  p95 {p95 * 1e3:6.1f} ms  ({len(seconds)} moves; "
            f"target {limit * 1e3:.0f} ms)  p95 / nothing {p95 / base:.0f}"
        )
    return exit_code(measured=all(np.quantile(seconds, 0.95) <= limit for _, limit, seconds in runs))


if __name__ == "__main__":
    sys.exit(main())
