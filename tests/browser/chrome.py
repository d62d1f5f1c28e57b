"""A real browser without a window: opens a page, at a width and in a colour scheme, and is asked what it sees."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

__all__ = ["Page", "browser", "missing"]

PROGRAMS = ("chromium", "chromedriver")


def missing() -> str | None:
    """Return the first program that a browser needs and this machine lacks."""
    return next((name for name in PROGRAMS if shutil.which(name) is None), None)


class Page:
    """One page in a browser."""

    def __init__(self, driver: Chrome) -> None:
        self._driver = driver

    def open(self, file: Path) -> None:
        """Load a file and wait until it is drawn."""
        self._driver.get(file.as_uri())

    def look(self, width: int, scheme: Literal["light", "dark"] = "light") -> None:
        """Set how wide the page is, in CSS pixels, and which colours the reader prefers."""
        self._tell(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
        )
        self._tell("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def ask(self, script: str) -> Any:
        """Return what a piece of JavaScript returns."""
        return self._driver.execute_script(script)

    def complaints(self) -> list[str]:
        """Return what the page wrote to the console since last asked."""
        entries: list[dict[str, Any]] = self._driver.get_log("browser")  # type: ignore[no-untyped-call]
        return [entry["message"] for entry in entries]

    def names(self) -> list[dict[str, Any]]:
        """Return the nodes of the accessibility tree that assistive programs see: role, name, description."""
        self._tell("Accessibility.enable")
        nodes = self._tell("Accessibility.getFullAXTree")["nodes"]
        return [
            {key: node.get(key, {}).get("value", "") for key in ("role", "name", "description")}
            for node in nodes
            if not node["ignored"]
        ]

    def press_tab(self) -> None:
        """Press the tabulator key."""
        for kind in ("keyDown", "keyUp"):
            self._tell("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)

    def picture(self, file: Path) -> None:
        """Write the whole page as a PNG."""
        shot = self._tell("Page.captureScreenshot", captureBeyondViewport=True, format="png")
        file.write_bytes(base64.b64decode(shot["data"]))

    def _tell(self, command: str, **arguments: Any) -> dict[str, Any]:
        answer: dict[str, Any] = self._driver.execute_cdp_cmd(command, arguments)
        return answer


@contextmanager
def browser() -> Iterator[Page]:
    """Start a browser that reaches nothing but files."""
    options = ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.add_argument("--host-resolver-rules=MAP * ~NOTFOUND")
    options.binary_location = shutil.which("chromium") or ""
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = Chrome(options=options, service=Service(executable_path=shutil.which("chromedriver")))
    try:
        yield Page(driver)
    finally:
        driver.quit()
