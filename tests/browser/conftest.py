"""The browser that all tests of one file look through."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.chrome import Page, browser


@pytest.fixture(scope="module")
def chrome() -> Iterator[Page]:
    with browser() as page:
        yield page
