"""The command that opens the dashboard, from a checkout or an installed package."""

import argparse
import os
import socket
import sys
import threading
import time
import urllib.request
import webbrowser
from importlib import import_module
from typing import Any

from ..errors import SettingError

PACKAGE = __package__.split(".")[0]
MODULE = "app" if PACKAGE == "core" else f"{PACKAGE}.dashboard.app"  # setup.py puts it there
ADDRESS, PORTS = "127.0.0.1", range(8501, 8600)
HOSTED = "LEAKSCOPE_HOSTED"
PATIENCE = 60  # seconds until the server answers


def add_options(command: argparse.ArgumentParser) -> None:
    """Add where the dashboard listens and whom it serves."""
    about = f"(default: the first free one from {PORTS[0]})"
    command.add_argument("--port", type=int, metavar="P", help=about)
    command.add_argument("--address", default=ADDRESS, metavar="A", help=f"network address (default: {ADDRESS})")
    command.add_argument("--hosted", action="store_true", help="serve strangers, within the limits of docs/hosting.md")
    command.add_argument("--no-browser", action="store_true", help="print the address and open no browser")


def run(options: argparse.Namespace) -> None:
    """Open the dashboard in the browser."""
    port = free_port(options.address, options.port)
    if options.hosted:
        os.environ[HOSTED] = "1"
    hosted = os.environ.get(HOSTED, "") not in ("", "0")
    dashboard = import_module(MODULE)
    settings: dict[str, Any] = {
        "server.port": port,
        "server.address": options.address,
        "server.headless": True,  # it would only advertise; the browser is opened below
        "server.fileWatcherType": "none",
    }
    if hosted:
        settings["client.showErrorDetails"] = "none"
    if not (hosted or options.no_browser) and has_screen():
        threading.Thread(target=_open_browser, args=(f"http://{options.address}:{port}",), daemon=True).start()
    # Streamlit looks for settings and modules beside the program that was started, which here is the dashboard.
    sys.argv = [str(dashboard.__file__)]
    dashboard.app.run(config=settings)


def free_port(address: str, port: int | None) -> int:
    """Return the port if it is free, or the first free one."""
    for each in PORTS if port is None else (port,):
        with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind((address, each))
                return each
            except OverflowError:
                raise SettingError(f"Port {each} does not exist. Choose one from 1 to 65535.") from None
            except OSError as error:
                reason = error.strerror or error
    where = f"Port {port}" if port is not None else f"Every port from {PORTS[0]} to {PORTS[-1]}"
    raise SettingError(f"{where} of {address} cannot be used ({reason}). Choose another --port.")


def has_screen() -> bool:
    """Return whether a browser can be shown here."""
    return not sys.platform.startswith("linux") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _open_browser(address: str) -> None:
    """Open the browser when the server answers."""
    for _ in range(PATIENCE * 4):
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2):
                webbrowser.open(address)
                return
        except OSError:
            time.sleep(0.25)
